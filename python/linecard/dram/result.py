"""The result of a run of DRAM alone: latencies and their parts, use of the buses' time, banks, energy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from linecard.records import Metric, field_names
from linecard.result import Result
from linecard.tables import Table, records


@dataclass(frozen=True, slots=True)
class MemoryLatency:
    """Latency from acceptance to the last beat, in clocks of the memory.

    Attributes:
        count: Requests that were sent, or answered from a queued write.
        mean_clocks: Mean; ``queue_clocks``, ``bank_clocks``, ``bus_clocks`` and ``refresh_clocks`` add up to it.
        mean_ns: The same in nanoseconds.
        p50_clocks: Median, within 1.6 % like the other percentiles.
        p90_clocks: 90 % are no longer.
        p99_clocks: 99 % are no longer.
        max_clocks: Largest.
        queue_clocks: Waiting for other requests.
        bank_clocks: From the first command that opens the row until the row is ready.
        bus_clocks: From the ready row to the last beat: bus turnaround, column latency, data.
        refresh_clocks: Waiting for a refresh.
    """

    count: int
    mean_clocks: float
    mean_ns: float
    p50_clocks: int
    p90_clocks: int
    p99_clocks: int
    max_clocks: int
    queue_clocks: float
    bank_clocks: float
    bus_clocks: float
    refresh_clocks: float


@dataclass(frozen=True, slots=True)
class MemoryTime:
    """Use of the time of the data buses, in fractions that add up to 1.

    Attributes:
        read: Read data.
        write: Write data.
        row_miss: Waiting for an activate.
        bank_conflict: Waiting for a precharge of another row.
        turnaround: Bus turnaround.
        activate_window: Activates too close together (tRRD, tFAW).
        refresh: Refresh.
        spacing: Open row, same direction: spacing of column commands, order of requests, one command per clock.
        idle: No request.
    """

    read: float
    write: float
    row_miss: float
    bank_conflict: float
    turnaround: float
    activate_window: float
    refresh: float
    spacing: float
    idle: float


@dataclass(frozen=True, slots=True)
class CommandCounts:
    """Issued commands, by the abbreviations of datasheets; ``refb`` refreshes one bank.

    Attributes:
        act: Rows opened.
        pre: Rows closed.
        rd: Reads.
        rda: Reads that close their row.
        wr: Writes.
        wra: Writes that close their row.
        ref: Refreshes of all banks.
        refb: Refreshes of one bank.
    """

    act: int
    pre: int
    rd: int
    rda: int
    wr: int
    wra: int
    ref: int
    refb: int


@dataclass(frozen=True, slots=True)
class BankUse:
    """One bank; ``data_share`` is the fraction of the run with its data on the bus.

    Attributes:
        channel: Its channel.
        rank: Its rank.
        bankgroup: Its bank group.
        bank: Its number within the group.
        reads: Reads of it.
        writes: Writes.
        activates: Rows opened.
        precharges: Rows closed.
        row_hit_rate: Accesses that found their row open.
        data_share: Fraction of the run with its data on the bus.
    """

    channel: int
    rank: int
    bankgroup: int
    bank: int
    reads: int
    writes: int
    activates: int
    precharges: int
    row_hit_rate: float
    data_share: float


@dataclass(frozen=True, slots=True)
class MemoryEnergy:
    """Energy by cause, from the currents of the part's datasheet, in nanojoules.

    Attributes:
        activate_nj: Opening and closing rows.
        read_nj: Reading, beside standby.
        write_nj: Writing, beside standby.
        refresh_nj: Refreshing.
        open_standby_nj: Standby with rows open.
        closed_standby_nj: Standby with all rows closed.
        total_nj: Total energy.
        mean_power_mw: Mean power over the length of the run.
        pj_per_bit: Energy per moved bit, picojoules.
    """

    activate_nj: float
    read_nj: float
    write_nj: float
    refresh_nj: float
    open_standby_nj: float
    closed_standby_nj: float
    total_nj: float
    mean_power_mw: float
    pj_per_bit: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MemoryResult(Result):
    """The result of a run of DRAM alone.

    Attributes:
        device: Preset of the part.
        policy: Preset of the controller's policy.
        input: Trace file, or pattern.
        format: Format of the file, or ``pattern``.
        version: Version of Linecard.
        config_hash: SHA-256 of both presets, after changes.
        clock_ns: Period of the memory clock.
        requests: Requests accepted.
        reads: Reads.
        writes: Writes.
        end_clock: Clock of the last beat.
        last_accept_clock: Clock in which the last request was accepted.
        simulated_seconds: Time to the last beat.
        bandwidth_gbytes_s: Bandwidth until then, in 10^9 bytes per second.
        peak_gbytes_s: Peak bandwidth of the buses of all channels, in the same unit.
        unloaded_read_clocks: Unloaded latency: a read of a closed row in an idle memory, from acceptance to the last
            beat.
        writes_left: Writes never sent to the DRAM.
        writes_merged: Writes merged with a queued write to the same address.
        reads_forwarded: Reads answered from a queued write.
        reads_merged: Reads that share the data of an earlier read.
        row_hit_rate: Fraction of accesses that need no activate.
        read: Latency of reads.
        write: Latency of writes.
        time: Use of the buses' time.
        commands: Commands.
        banks: Every bank of every channel.
        energy: Energy, if the part has currents.
        requests_frame: A polars data frame of the outcome of each request (extra ``frames``).
        commands_frame: A polars data frame of every command (extra ``frames``).
    """

    ASKED: ClassVar[tuple[str, ...]] = ("device", "policy", "input", "format", "config_hash")
    INPUT: ClassVar[str] = "input"
    APART: ClassVar[tuple[str, ...]] = ("requests_frame", "commands_frame")

    device: str
    policy: str
    input: str
    format: str
    version: str
    config_hash: str
    clock_ns: float
    requests: int
    reads: int
    writes: int
    end_clock: int
    last_accept_clock: int
    simulated_seconds: float
    bandwidth_gbytes_s: float
    peak_gbytes_s: float
    unloaded_read_clocks: int
    writes_left: int
    writes_merged: int
    reads_forwarded: int
    reads_merged: int
    row_hit_rate: float
    read: MemoryLatency
    write: MemoryLatency
    time: MemoryTime
    commands: CommandCounts
    banks: tuple[BankUse, ...]
    energy: MemoryEnergy | None
    requests_frame: Any = field(default=None, compare=False)
    commands_frame: Any = field(default=None, compare=False)

    @property
    def utilization(self) -> float:
        """Fraction of the buses' time with data."""
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
