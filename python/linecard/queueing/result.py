"""Results of queue managers for a workload: one row per manager, distances between arrivals, and cache designs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from linecard.queueing.reports import QueueDesignReport, QueueingReport, QueueRow
from linecard.queueing.settings import queueing_settings
from linecard.records import plain
from linecard.result import Result


class QueueingResult(Result, QueueingReport, frozen=True, kw_only=True):
    """Results of every simulated queue manager for one workload.

    Attributes:
        machine: The simulated machine on which the queue managers ran: name of a preset, or path of a file.
        settings: Changes to the settings of the machine.
        warmup: Number of warm-up operations before the measurement, not counting the operations that fill the queues.
        seed: Seed of the workload.
    """

    TABLE: ClassVar[str] = "rows"
    INPUT: ClassVar[str] = "workload"

    machine: str
    settings: tuple[str, ...]
    warmup: int
    seed: int

    def row(self, manager: str) -> QueueRow:
        """The results of one queue manager.

        Raises:
            KeyError: The run did not include the queue manager.
        """
        for row in self.rows:
            if row.manager == manager:
                return row
        raise KeyError(f"no row for {manager!r}; expected one of: {', '.join(row.manager for row in self.rows)}")

    def ratio(self, manager: str, to: str) -> float:
        """The throughput of the queue manager ``manager``, divided by the throughput of the queue manager ``to``."""
        return self.row(manager).throughput_mops / self.row(to).throughput_mops

    def manifest(self) -> dict[str, Any]:
        """All data that are necessary to identify this result and to reproduce it."""
        return _manifest(self, Result.manifest(self), ("rows", "gaps", "diagnostics"))

    def __repr__(self) -> str:
        rates = ", ".join(f"{row.manager} {row.throughput_mops:.1f}" for row in self.rows)
        return f"<QueueingResult {self.workload}: {rates} M operations/s>"


class QueueDesignResult(Result, QueueDesignReport, frozen=True, kw_only=True):
    """All simulated sizes of the queuing cache, and the smallest size that reaches the target throughput.

    Attributes:
        machine: The simulated machine on which the queue managers ran: name of a preset, or path of a file.
        settings: Changes to the settings of the machine.
        warmup: Number of warm-up operations before the measurement, not counting the operations that fill the queues.
        seed: Seed of the workload.
    """

    TABLE: ClassVar[str] = "designs"
    INPUT: ClassVar[str] = "workload"

    machine: str
    settings: tuple[str, ...]
    warmup: int
    seed: int

    def manifest(self) -> dict[str, Any]:
        """All data that are necessary to identify this result and to reproduce it."""
        return _manifest(self, Result.manifest(self), ("smallest", "designs", "diagnostics"))

    def __repr__(self) -> str:
        return f"<QueueDesignResult {self.workload} at {self.target_mops:g} M operations/s: {self.smallest}>"


def _manifest(
    result: QueueingResult | QueueDesignResult, shared: dict[str, Any], without: Iterable[str]
) -> dict[str, Any]:
    """Everything except the findings, and every setting of the machine."""
    asked = {name: value for name, value in result.to_dict().items() if name not in without}
    all_settings = plain(queueing_settings(result.settings, machine=result.machine))
    return {**shared, **asked, "all_settings": all_settings}
