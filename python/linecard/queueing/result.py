"""Results of queue managers under a workload: rows, gaps between packets of a queue, designs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from linecard.queueing.reports import QueueDesignReport, QueueingReport, QueueRow
from linecard.queueing.settings import queueing_settings
from linecard.records import plain
from linecard.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable


class QueueingResult(Result, QueueingReport, frozen=True, kw_only=True):
    """Every manager under one workload.

    Attributes:
        machine: The machine that the managers ran on: a preset, or a file.
        settings: Changes to its settings.
        warmup: Operations before the measurement; the operations that fill the queues precede them.
        seed: Seed of the workload.
    """

    TABLE: ClassVar[str] = "rows"
    INPUT: ClassVar[str] = "workload"

    machine: str
    settings: tuple[str, ...]
    warmup: int
    seed: int

    def row(self, manager: str) -> QueueRow:
        """The row of a manager.

        Raises:
            KeyError: The manager did not run.
        """
        for row in self.rows:
            if row.manager == manager:
                return row
        raise KeyError(f"no row of {manager!r}; expected one of: {', '.join(row.manager for row in self.rows)}")

    def ratio(self, manager: str, to: str) -> float:
        """Throughput of one manager, divided by that of another."""
        return self.row(manager).throughput_mops / self.row(to).throughput_mops

    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat this result and to recognise it."""
        return _manifest(self, Result.manifest(self), ("rows", "gaps", "diagnostics"))

    def __repr__(self) -> str:
        rates = ", ".join(f"{row.manager} {row.throughput_mops:.1f}" for row in self.rows)
        return f"<QueueingResult {self.workload}: {rates} M operations/s>"


class QueueDesignResult(Result, QueueDesignReport, frozen=True, kw_only=True):
    """Every size of a queuing cache that was tried, and the smallest that reaches the target.

    Attributes:
        machine: The machine that the managers ran on: a preset, or a file.
        settings: Changes to its settings.
        warmup: Operations before the measurement.
        seed: Seed of the workload.
    """

    TABLE: ClassVar[str] = "designs"
    INPUT: ClassVar[str] = "workload"

    machine: str
    settings: tuple[str, ...]
    warmup: int
    seed: int

    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat this result and to recognise it."""
        return _manifest(self, Result.manifest(self), ("smallest", "designs", "diagnostics"))

    def __repr__(self) -> str:
        return f"<QueueDesignResult {self.workload} at {self.target_mops:g} M operations/s: {self.smallest}>"


def _manifest(
    result: QueueingResult | QueueDesignResult, shared: dict[str, Any], without: Iterable[str]
) -> dict[str, Any]:
    """All but the findings, and every setting of the machine."""
    asked = {name: value for name, value in result.to_dict().items() if name not in without}
    all_settings = plain(queueing_settings(result.settings, machine=result.machine))
    return {**shared, **asked, "all_settings": all_settings}
