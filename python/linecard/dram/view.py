"""The view of a DRAM run: bandwidth, latencies, a breakdown of the bus time, and bank statistics."""

from __future__ import annotations

from linecard.dram.reports import MemoryEnergy, MemoryLatency
from linecard.dram.result import MemoryResult
from linecard.numbers import percent, si_time
from linecard.records import rows_shown
from linecard.view import BAR, SHOWN_SHARE, Bar, Beside, Fact, Facts, Part, Said, Table, Title, facts_shown, text, view

PARTS_OF_LATENCY = ("queue", "bank", "bus", "refresh")


@view.register
def _(result: MemoryResult) -> list[Part]:
    unloaded = result.unloaded_read_clocks
    idle = f"unloaded latency of a read that opens its row: {unloaded} clocks, {unloaded * result.clock_ns:.1f} ns"
    latencies = [
        _latency(name, each) for name, each in (("reads", result.read), ("writes", result.write)) if each.count
    ]
    banks = [bank for bank in result.banks if bank.reads or bank.writes]
    return [
        Title(result.device, f"{result.policy}  {result.input}"),
        Facts(_facts(result)),
        Table(
            "Latency",
            (text(""), "mean", "p50", "p99", "max", *PARTS_OF_LATENCY, "mean time"),
            latencies,
            said="in memory clocks",
            below=(Said(idle, "dim"),),
        ),
        Beside(
            (
                Table(
                    "Bus time",
                    (text(""), BAR, ""),
                    [
                        (number.row, Bar(share, number.tone), percent(share))
                        for number, share in rows_shown(result.time)
                        if share >= SHOWN_SHARE
                    ],
                ),
                Table(
                    "Commands",
                    (text(""), ""),
                    [(number.row, count) for number, count in rows_shown(result.commands) if count],
                ),
                *([_energy(result.energy)] if result.energy is not None else []),
            )
        ),
        Table(
            "Banks",
            (text("bank"), "reads", "writes", "opened", "closed", "hits", "bus"),
            [
                (
                    f"channel {bank.channel} rank {bank.rank} group {bank.bankgroup} bank {bank.bank}",
                    *(bank.reads, bank.writes, bank.activates, bank.precharges),
                    percent(bank.row_hit_rate),
                    percent(bank.data_share),
                )
                for bank in banks
            ],
            shown=16,
        ),
    ]


def _facts(result: MemoryResult) -> list[Fact]:
    shared = {
        "reads served from queued writes": result.reads_forwarded,
        "reads merged with an earlier read": result.reads_merged,
        "writes merged with a queued write": result.writes_merged,
        "writes never sent": result.writes_left,
    }
    peak = result.peak_gbytes_s
    of_peak = f"{percent(result.bandwidth_gbytes_s / peak)} of the peak of {peak:.3f} GB/s"
    until = f"until clock {result.end_clock:,}, {si_time(result.simulated_seconds * 1e9)}"
    said = ", ".join(f"{count:,} {what}" for what, count in shared.items() if count)
    return [
        Fact("Bandwidth", f"{result.bandwidth_gbytes_s:.3f} GB/s", of_peak, "best"),
        # An access that is smaller than the beats of a clock occupies the whole clock.
        Fact("Buses busy", percent(result.utilization), "of the time"),
        Fact("Requests", f"{result.reads:,} reads, {result.writes:,} writes", until),
        *([Fact("Merged", said)] if said else []),
        Fact("Row hits", percent(result.row_hit_rate)),
        *facts_shown(result),
    ]


def _latency(name: str, each: MemoryLatency) -> tuple[str | Said | int, ...]:
    parts = (f"{getattr(each, f'{part}_clocks'):,.1f}" for part in PARTS_OF_LATENCY)
    mean = Said(f"{each.mean_clocks:,.1f}")
    return name, mean, each.p50_clocks, each.p99_clocks, each.max_clocks, *parts, si_time(each.mean_ns)


def _energy(energy: MemoryEnergy) -> Table:
    rows = [(number.row, f"{nj / 1000:,.2f} µJ") for number, nj in rows_shown(energy) if nj]
    rows += [("mean power", f"{energy.mean_power_mw:,.0f} mW"), ("per bit", f"{energy.pj_per_bit:,.2f} pJ")]
    return Table("Energy", (text(""), ""), rows)
