"""Results of a core that runs a program: for every split of the core's area, and for a malleable core."""

from __future__ import annotations

from typing import Any, ClassVar

from linecard.executed.trace_result import ProgramTrace  # noqa: TC001 # msgspec reads the annotations
from linecard.malleable.reports import CoreReport, CoreRow
from linecard.result import Result
from linecard.several import Several

# Splits this close to the best are listed with it, because chance may decide which of them is best.
PLATEAUS_PERCENT = (0.1, 1.0)


class CoreResult(Result, CoreReport, frozen=True, kw_only=True):
    """Results for every split of a core's area, for one combination of program, traffic and memory.

    Attributes:
        program: The traced program.
    """

    TABLE: ClassVar[str] = "rows"
    ASKED: ClassVar[tuple[str, ...]] = ("latency_cycles", "refs_per_cycle", "area", "window_packets")
    APART: ClassVar[tuple[str, ...]] = ("program",)

    program: ProgramTrace

    @property
    def best(self) -> CoreRow:
        """The split with the highest throughput."""
        return next(row for row in self.rows if row.threads == self.best_threads)

    def plateau(self, percent: float) -> tuple[int, int]:
        """Return the range of thread counts whose throughput is at most ``percent`` % below the best throughput."""
        least = self.best_packets_per_mcycle * (1 - percent / 100)
        near = [row.threads for row in self.rows if row.packets_per_mcycle >= least]
        low = high = self.best_threads
        while low - 1 in near:
            low -= 1
        while high + 1 in near:
            high += 1
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON."""
        plateaus = [{"within_percent": percent, "threads": list(self.plateau(percent))} for percent in PLATEAUS_PERCENT]
        return {"program": self.program.to_dict(), **Result.to_dict(self), "plateaus": plateaus}

    def manifest(self) -> dict[str, Any]:
        """Return the arguments of the simulation, including the program."""
        return {**Result.manifest(self), "program": self.program.manifest()}

    def __repr__(self) -> str:
        return (
            f"<CoreResult {self.program.name}, {self.latency_cycles} cycles, {self.refs_per_cycle:g} refs/cycle: "
            f"best {self.best_threads} threads, {self.best_packets_per_mcycle:.0f} packets/Mcycle>"
        )


class Cores(Several[CoreResult]):
    """Results of a program on several cores with different memory latencies."""
