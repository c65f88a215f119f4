"""What a run of DRAM alone tells: latencies and their parts, where the buses' time went, banks, energy."""

from __future__ import annotations

from typing import Any, ClassVar

from linecard._reports import Metric
from linecard.dram.reports import CommandCounts, MemoryEnergy, MemoryLatency, MemoryReport, MemoryTime
from linecard.records import field_names
from linecard.result import ResultOfRun
from linecard.tables import Table, records


class MemoryResult(ResultOfRun, MemoryReport, frozen=True, kw_only=True):
    """Everything a run of DRAM alone tells.

    Attributes:
        requests_frame: A polars data frame of what became of each request, with ``frames``.
        commands_frame: A polars data frame of every command, with ``frames``.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("device", "policy", "input", "format", "config_hash")
    INPUT: ClassVar[str] = "input"
    APART: ClassVar[tuple[str, ...]] = ("requests_frame", "commands_frame")
    CHANCE: ClassVar[tuple[str, ...]] = APART

    requests_frame: Any = None
    commands_frame: Any = None

    @property
    def utilization(self) -> float:
        """Share of the buses' time in which data moved."""
        return self.time.read + self.time.write

    def metrics(self) -> list[Metric]:
        """Every measurement as a row of a tidy table."""
        rows = [
            Metric("dram", name, unit, float(getattr(self, name)))
            for name, unit in (
                ("requests", "requests"),
                ("reads", "requests"),
                ("writes", "requests"),
                ("end_clock", "clocks"),
                ("simulated_seconds", "s"),
                ("bandwidth_gbytes_s", "GB/s"),
                ("peak_gbytes_s", "GB/s"),
                ("row_hit_rate", "fraction"),
                ("writes_left", "requests"),
                ("reads_forwarded", "requests"),
                ("reads_merged", "requests"),
            )
        ]
        for side in ("read", "write"):
            latency = getattr(self, side)
            for name in field_names(MemoryLatency):
                unit = "requests" if name == "count" else "ns" if name.endswith("_ns") else "clocks"
                rows.append(Metric(f"dram.{side}_latency", name, unit, float(getattr(latency, name))))
        rows += [Metric("dram.time", name, "fraction", getattr(self.time, name)) for name in field_names(MemoryTime)]
        rows += [
            Metric("dram.commands", name, "commands", float(getattr(self.commands, name)))
            for name in field_names(CommandCounts)
        ]
        if self.energy is not None:
            units = {"mean_power_mw": "mW", "pj_per_bit": "pJ/bit"}
            rows += [
                Metric("dram.energy", name, units.get(name, "nJ"), getattr(self.energy, name))
                for name in field_names(MemoryEnergy)
            ]
        return rows

    def table(self) -> Table:
        """Every measurement as a row."""
        return records(self.metrics())

    def __repr__(self) -> str:
        return (
            f"<MemoryResult {self.device} {self.policy}: {self.requests:,} requests, "
            f"{self.bandwidth_gbytes_s:.2f} of {self.peak_gbytes_s:.2f} GB/s>"
        )
