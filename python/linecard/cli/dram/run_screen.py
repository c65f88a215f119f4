"""The screen of DRAM alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from linecard.cli.beside import Beside
from linecard.cli.pieces import DIM, SHOWN_SHARE, bar, grid, heading, lined, percent, section, si_time
from linecard.cli.stdout import show
from linecard.dram.result import BUS_WORDS

if TYPE_CHECKING:
    from linecard.dram.result import MemoryResult

_COLOURS = {
    "read": "green",
    "write": "blue",
    "row_miss": "red",
    "bank_conflict": "red",
    "turnaround": "magenta",
    "activate_window": "red",
    "refresh": "yellow",
    "spacing": "cyan",
    "idle": DIM,
}
BANKS_SHOWN = 16


def print_memory(result: MemoryResult) -> None:
    """The screen of DRAM alone."""
    parts: list[RenderableType] = []
    title = Text.assemble((result.device, "bold"), "  ", (result.policy, "bold cyan"), "  ", (result.input, DIM))
    parts.append(Padding(title, (1, 0, 0, 2)))
    used = percent(result.utilization)
    numbers = grid("l", "w")
    numbers.add_row(
        "Bandwidth",
        Text.assemble(
            (f"{result.bandwidth_gbytes_s:.3f} GB/s", "bold green"),
            (f"   {used} of the peak of {result.peak_gbytes_s:.3f} GB/s", DIM),
        ),
    )
    numbers.add_row(
        "Requests",
        Text.assemble(
            f"{result.reads:,} reads   {result.writes:,} writes",
            (f"   until clock {result.end_clock:,}, {si_time(result.simulated_seconds * 1e9)}", DIM),
        ),
    )
    shared = [
        (result.reads_forwarded, "reads answered from waiting writes"),
        (result.reads_merged, "reads shared the data of another"),
        (result.writes_merged, "writes shared that of another"),
        (result.writes_left, "writes never sent"),
    ]
    said = ", ".join(f"{count:,} {what}" for count, what in shared if count)
    if said:
        numbers.add_row("", Text(said, style=DIM))
    numbers.add_row("Row hits", percent(result.row_hit_rate))
    parts.append(section(numbers))

    latency = lined(
        ("latency in clocks", "l"),
        *((name, "r") for name in ("mean", "p50", "p99", "max", "queue", "bank", "bus", "refresh")),
        ("mean", "r"),
    )
    for name, each in (("reads", result.read), ("writes", result.write)):
        if each.count:
            latency.add_row(
                name,
                Text(f"{each.mean_clocks:,.1f}", style="bold"),
                *(f"{value:,}" for value in (each.p50_clocks, each.p99_clocks, each.max_clocks)),
                *(
                    f"{value:,.1f}"
                    for value in (each.queue_clocks, each.bank_clocks, each.bus_clocks, each.refresh_clocks)
                ),
                si_time(each.mean_ns),
            )
    unloaded = result.unloaded_read_clocks
    note_of_unloaded = (
        f"a read of a closed row in an idle memory: {unloaded} clocks, {unloaded * result.clock_ns:.1f} ns"
    )
    parts.append(Padding(Group(latency, Text(note_of_unloaded, style=DIM)), (1, 0, 0, 2)))

    times = grid("l", "l", "r")
    for name, words in BUS_WORDS.items():
        colour = _COLOURS[name]
        share = getattr(result.time, name)
        if share < SHOWN_SHARE:
            continue
        times.add_row(words, bar(share, colour), percent(share))
    counts = grid("l", "r")
    for name in ("act", "pre", "rd", "rda", "wr", "wra", "ref", "refb"):
        count = getattr(result.commands, name)
        if count:
            counts.add_row(name.upper(), f"{count:,}")
    blocks = [Group(heading("Bus time"), times), Group(heading("Commands"), counts)]
    if result.energy is not None:
        energy = grid("l", "r")
        for words, value in (
            ("opening rows", result.energy.activate_nj),
            ("reading", result.energy.read_nj),
            ("writing", result.energy.write_nj),
            ("refreshing", result.energy.refresh_nj),
            ("standby, rows open", result.energy.open_standby_nj),
            ("standby, closed", result.energy.closed_standby_nj),
        ):
            if value:
                energy.add_row(words, f"{value / 1000:,.2f} µJ")
        energy.add_row("mean power", Text(f"{result.energy.mean_power_mw:,.0f} mW", style="bold"))
        energy.add_row("per bit", f"{result.energy.pj_per_bit:,.2f} pJ")
        blocks.append(Group(heading("Energy"), energy))
    parts.append(section(Beside(blocks)))

    banks = lined(("bank", "l"), *((name, "r") for name in ("reads", "writes", "opened", "closed", "hits", "bus")))
    used_banks = [bank for bank in result.banks if bank.reads or bank.writes]
    for bank in used_banks[:BANKS_SHOWN]:
        place = f"channel {bank.channel} rank {bank.rank} group {bank.bankgroup} bank {bank.bank}"
        figures = (bank.reads, bank.writes, bank.activates, bank.precharges)
        banks.add_row(
            place, *(f"{figure:,}" for figure in figures), percent(bank.row_hit_rate), percent(bank.data_share)
        )
    more = len(used_banks) - BANKS_SHOWN
    below = [Text(f"{more:,} more banks; --json lists all", style=DIM)] if more > 0 else []
    parts.append(Padding(Group(banks, *below), (1, 0, 0, 2)))
    parts.append(Text(""))
    show(*parts)
