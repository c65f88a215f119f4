"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from linecard.records import Number


class MemoryReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The report of a run of DRAM alone. Deterministic.

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
        last_accept_clock: Clock at which the last request was accepted.
        simulated_seconds: Time to the last beat.
        bandwidth_gbytes_s: Bandwidth over that time, in 10^9 bytes per second.
        peak_gbytes_s: Peak bandwidth of the buses of all channels, in the same unit.
        row_hit_rate: Fraction of accesses that need no activate.
        unloaded_read_clocks: Unloaded latency: a read of a closed row in an idle memory, from acceptance to the last
            beat.
        writes_left: Writes never sent to the DRAM.
        writes_merged: Writes merged with a queued write to the same address.
        reads_forwarded: Reads answered from a queued write.
        reads_merged: Reads that share the data of an earlier read.
        read: Latency of reads.
        write: Latency of writes.
        time: Use of the buses' time.
        commands: Commands.
        banks: Every bank of every channel.
        energy: Energy, if the part has currents.
    """

    NUMBERS: ClassVar[dict[str, Number]] = {
        "requests": Number(unit="requests"),
        "reads": Number(unit="requests"),
        "writes": Number(unit="requests"),
        "end_clock": Number(unit="clocks"),
        "simulated_seconds": Number(unit="s"),
        "bandwidth_gbytes_s": Number(unit="GB/s"),
        "peak_gbytes_s": Number(unit="GB/s"),
        "row_hit_rate": Number(unit="fraction"),
        "writes_left": Number(unit="requests"),
        "reads_forwarded": Number(unit="requests"),
        "reads_merged": Number(unit="requests"),
    }

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
    row_hit_rate: float
    unloaded_read_clocks: int
    writes_left: int
    writes_merged: int
    reads_forwarded: int
    reads_merged: int
    read: MemoryLatency
    write: MemoryLatency
    time: MemoryTime
    commands: CommandCounts
    banks: tuple[BankUse, ...]
    energy: MemoryEnergy | None


class MemoryLatency(msgspec.Struct, frozen=True, omit_defaults=True):
    """Latency from acceptance to the last beat, in clocks of the memory.

    Attributes:
        count: Requests that were sent, or answered from a queued write.
        mean_clocks: Mean; ``queue_clocks``, ``bank_clocks``, ``bus_clocks`` and ``refresh_clocks`` add up to it.
        mean_ns: The same in nanoseconds.
        p50_clocks: Median, within 1.6 % like the other percentiles.
        p90_clocks: 90th percentile.
        p99_clocks: 99th percentile.
        max_clocks: Largest.
        queue_clocks: Waiting for other requests.
        bank_clocks: From the first command that opens the row until the row is ready.
        bus_clocks: From the ready row to the last beat: bus turnaround, column latency, data.
        refresh_clocks: Waiting for a refresh.
    """

    NUMBERS: ClassVar[dict[str, Number]] = {
        "count": Number(unit="requests"),
        "mean_clocks": Number(unit="clocks"),
        "mean_ns": Number(unit="ns"),
        "p50_clocks": Number(unit="clocks"),
        "p90_clocks": Number(unit="clocks"),
        "p99_clocks": Number(unit="clocks"),
        "max_clocks": Number(unit="clocks"),
        "queue_clocks": Number(unit="clocks"),
        "bank_clocks": Number(unit="clocks"),
        "bus_clocks": Number(unit="clocks"),
        "refresh_clocks": Number(unit="clocks"),
    }

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


class MemoryTime(msgspec.Struct, frozen=True, omit_defaults=True):
    """Use of the time of the data buses, in fractions that add up to 1.

    Attributes:
        read: Read data.
        write: Write data.
        row_miss: Waiting for an activate.
        bank_conflict: Waiting for a precharge of another row.
        turnaround: Bus turnaround.
        activate_window: Waiting for the spacing of activates (tRRD, tFAW).
        refresh: Refresh.
        spacing: Open row, same direction: spacing of column commands, order of requests, one command per clock.
        idle: No request.
    """

    NUMBERS: ClassVar[dict[str, Number]] = {
        "read": Number(unit="fraction", row="reading", tone="good"),
        "write": Number(unit="fraction", row="writing"),
        "row_miss": Number(unit="fraction", row="opening rows", tone="bad"),
        "bank_conflict": Number(unit="fraction", row="bank conflicts", tone="bad"),
        "turnaround": Number(unit="fraction", row="turning the bus", tone="warn"),
        "activate_window": Number(unit="fraction", row="activate window", tone="bad"),
        "refresh": Number(unit="fraction", row="refreshing", tone="warn"),
        "spacing": Number(unit="fraction", row="spacing"),
        "idle": Number(unit="fraction", row="idle", tone="dim"),
    }

    read: float
    write: float
    row_miss: float
    bank_conflict: float
    turnaround: float
    activate_window: float
    refresh: float
    spacing: float
    idle: float


class CommandCounts(msgspec.Struct, frozen=True, omit_defaults=True):
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

    NUMBERS: ClassVar[dict[str, Number]] = {
        "act": Number(unit="commands", row="ACT"),
        "pre": Number(unit="commands", row="PRE"),
        "rd": Number(unit="commands", row="RD"),
        "rda": Number(unit="commands", row="RDA"),
        "wr": Number(unit="commands", row="WR"),
        "wra": Number(unit="commands", row="WRA"),
        "ref": Number(unit="commands", row="REF"),
        "refb": Number(unit="commands", row="REFB"),
    }

    act: int
    pre: int
    rd: int
    rda: int
    wr: int
    wra: int
    ref: int
    refb: int


class BankUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """One bank; ``data_share`` is the fraction of the run with its data on the bus.

    Attributes:
        channel: Channel.
        rank: Rank.
        bankgroup: Bank group.
        bank: Number within the group.
        reads: Reads of it.
        writes: Writes.
        activates: Rows opened.
        precharges: Rows closed.
        row_hit_rate: Fraction of accesses that hit an open row.
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


class MemoryEnergy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Energy by cause, from the currents of the part's datasheet, in nanojoules.

    Attributes:
        activate_nj: Opening and closing rows.
        read_nj: Reads, in addition to standby.
        write_nj: Writes, in addition to standby.
        refresh_nj: Refreshing.
        open_standby_nj: Standby with rows open.
        closed_standby_nj: Standby with all rows closed.
        total_nj: Total energy.
        mean_power_mw: Mean power over the length of the run.
        pj_per_bit: Energy per moved bit, picojoules.
    """

    NUMBERS: ClassVar[dict[str, Number]] = {
        "activate_nj": Number(unit="nJ", row="opening rows"),
        "read_nj": Number(unit="nJ", row="reading"),
        "write_nj": Number(unit="nJ", row="writing"),
        "refresh_nj": Number(unit="nJ", row="refreshing"),
        "open_standby_nj": Number(unit="nJ", row="standby, rows open"),
        "closed_standby_nj": Number(unit="nJ", row="standby, closed"),
        "total_nj": Number(unit="nJ"),
        "mean_power_mw": Number(unit="mW"),
        "pj_per_bit": Number(unit="pJ/bit"),
    }

    activate_nj: float
    read_nj: float
    write_nj: float
    refresh_nj: float
    open_standby_nj: float
    closed_standby_nj: float
    total_nj: float
    mean_power_mw: float
    pj_per_bit: float
