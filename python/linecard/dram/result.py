"""The result of a DRAM run: latencies and their parts, a breakdown of the bus time, bank statistics, and energy."""

from __future__ import annotations

from typing import Any, ClassVar

from linecard._reports import Metric
from linecard.dram.reports import MemoryReport
from linecard.result import ResultOfRun
from linecard.tables import Table, records


class MemoryResult(ResultOfRun, MemoryReport, frozen=True, kw_only=True):
    """The result of a run that simulates DRAM without a chip.

    Attributes:
        requests_frame: A polars data frame with the outcome of each request, if ``frames`` was requested.
        commands_frame: A polars data frame with every command, if ``frames`` was requested.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("device", "policy", "input", "format", "config_hash")
    INPUT: ClassVar[str] = "input"
    APART: ClassVar[tuple[str, ...]] = ("requests_frame", "commands_frame")
    CHANCE: ClassVar[tuple[str, ...]] = APART

    requests_frame: Any = None
    commands_frame: Any = None

    @property
    def utilization(self) -> float:
        """Fraction of the time during which the buses transfer data."""
        return self.time.read + self.time.write

    def metrics(self) -> list[Metric]:
        """A long-format table: one row for each number that has a unit."""
        parts: dict[str, Any] = {
            "dram": self,
            "dram.read_latency": self.read,
            "dram.write_latency": self.write,
            "dram.time": self.time,
            "dram.commands": self.commands,
            "dram.energy": self.energy,
        }
        return [
            Metric(component, name, number.unit, float(getattr(part, name)))
            for component, part in parts.items()
            if part is not None
            for name, number in part.NUMBERS.items()
            if number.unit
        ]

    def table(self) -> Table:
        """All measurements as table rows, one row for each measurement."""
        return records(self.metrics())

    def __repr__(self) -> str:
        return (
            f"<MemoryResult {self.device} {self.policy}: {self.requests:,} requests, "
            f"{self.bandwidth_gbytes_s:.2f} of {self.peak_gbytes_s:.2f} GB/s>"
        )
