"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from linecard.records import Number


class MemoryReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The report of a run that simulates DRAM without a chip. The report of a DRAM run is deterministic.

    Attributes:
        device: Preset of the DRAM part.
        policy: Preset of the controller policy.
        input: Name of the trace file or of the pattern.
        format: Format of the trace file, or ``pattern``.
        version: Version of Linecard.
        config_hash: SHA-256 of the part preset and the policy preset, including all changes.
        clock_ns: Period of the memory clock.
        requests: Number of requests that the controller accepted.
        reads: Number of reads.
        writes: Number of writes.
        end_clock: Memory clock cycle of the last data beat.
        last_accept_clock: Memory clock cycle in which the controller accepted the last request.
        simulated_seconds: Simulated time until the last data beat.
        bandwidth_gbytes_s: Bandwidth over the simulated time, in 10^9 bytes per second.
        peak_gbytes_s: Peak bandwidth of the buses of all channels, in 10^9 bytes per second.
        row_hit_rate: Fraction of accesses that require no activate command.
        unloaded_read_clocks: Unloaded latency in memory clock cycles: time from acceptance to the last data beat, for a
            read of a closed row in an idle memory.
        writes_left: Number of writes that were still queued at the end of the run, neither merged nor sent to the DRAM.
        writes_merged: Number of writes merged with a queued write to the same address.
        reads_forwarded: Number of reads whose data came from a queued write.
        reads_merged: Number of reads that were served with the data of an earlier read.
        read: Latency of the reads.
        write: Latency of the writes.
        time: Breakdown of the simulated time by activity of the data buses.
        commands: Number of issued DRAM commands, by command.
        banks: Statistics of every bank of every channel.
        energy: Energy of the run; ``None`` if the preset of the part lacks the currents for the energy.
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
    """Latency of requests from acceptance to the last data beat, in memory clock cycles.

    Attributes:
        count: Number of requests that were sent to the DRAM or served from a queued write.
        mean_clocks: Mean latency: the sum of ``queue_clocks``, ``bank_clocks``, ``bus_clocks`` and ``refresh_clocks``.
        mean_ns: Mean latency in nanoseconds.
        p50_clocks: Median latency; all percentiles are within 1.6 % of the exact value.
        p90_clocks: 90th percentile of the latency.
        p99_clocks: 99th percentile of the latency.
        max_clocks: Maximum latency.
        queue_clocks: Mean time spent waiting for other requests.
        bank_clocks: Mean time from the first command that prepares the row until the row is ready.
        bus_clocks: Mean time from the moment the row is ready to the last data beat: bus turnaround, column latency and
            data.
        refresh_clocks: Mean time spent waiting for a refresh.
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
    """Breakdown of the simulated time by activity of the data buses, in fractions that add up to 1.

    Attributes:
        read: Time in which the buses transfer read data, as a fraction of the simulated time.
        write: Time in which the buses transfer write data, as a fraction of the simulated time.
        row_miss: Time spent waiting for an activate, as a fraction of the simulated time.
        bank_conflict: Time spent waiting for a precharge of another row, as a fraction of the simulated time.
        turnaround: Time spent on bus turnaround, as a fraction of the simulated time.
        activate_window: Time spent waiting because of limits on activates (tRRD, tFAW), as a fraction of the simulated
            time.
        refresh: Time spent on refreshes, as a fraction of the simulated time.
        spacing: Time lost while a row is open, as a fraction of the simulated time. The causes are column spacing,
            request order and the limit of one command per clock. The lost time does not include bus turnaround.
        idle: Time without a request, as a fraction of the simulated time.
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
    """Numbers of issued DRAM commands, by abbreviation; ``refb`` is a refresh of a single bank.

    Attributes:
        act: Number of activate commands, which open rows.
        pre: Number of precharge commands, which close rows.
        rd: Number of reads without auto-precharge.
        rda: Number of reads that close their row (auto-precharge).
        wr: Number of writes without auto-precharge.
        wra: Number of writes that close their row (auto-precharge).
        ref: Number of refreshes of all banks.
        refb: Number of refreshes of one bank.
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
    """Statistics of one bank.

    Attributes:
        channel: Index of the channel.
        rank: Index of the rank.
        bankgroup: Index of the bank group.
        bank: Index of the bank within its bank group.
        reads: Number of reads from the bank.
        writes: Number of writes to the bank.
        activates: Number of rows opened in the bank.
        precharges: Number of rows closed in the bank.
        row_hit_rate: Fraction of accesses that hit an open row.
        data_share: Fraction of the run in which the bus transfers data from or to the bank.
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
    """Energy by cause in nanojoules, computed from the currents in the part's datasheet.

    Attributes:
        activate_nj: Energy to open and close rows.
        read_nj: Energy of reads, without the standby energy.
        write_nj: Energy of writes, without the standby energy.
        refresh_nj: Energy of refreshes.
        open_standby_nj: Standby energy with open rows.
        closed_standby_nj: Standby energy with all rows closed.
        total_nj: Total energy.
        mean_power_mw: Mean power during the run.
        pj_per_bit: Energy per transferred bit, in picojoules.
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
