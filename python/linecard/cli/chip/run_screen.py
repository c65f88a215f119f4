"""The screen of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from linecard.chip import not_ip
from linecard.chip.dram_time import DRAM_WORDS
from linecard.chip.loss import loss_words
from linecard.cli.beside import Beside
from linecard.cli.chip.breakdown_screen import breakdown
from linecard.cli.pieces import (
    BIT_RATES,
    DIM,
    PACKET_RATES,
    SHOWN_SHARE,
    bar,
    grid,
    heading,
    lined,
    load_style,
    named_times,
    natural,
    percent,
    rate,
    section,
    si_time,
)
from linecard.cli.stdout import show
from linecard.executed.source import lines_with_text

if TYPE_CHECKING:
    from linecard.chip.result import Band, RunResult, Summary, ValueRange
    from linecard.chip.usage import ResourceUse
    from linecard.executed.profile import ExecutedProgram, SourceLine

LINES_SHOWN = 8
# Share of accesses from which a word is shown as hot.
SHOWN_HOT = 0.1
DRAM_COLOURS = {
    "data": "green",
    "row_miss": "red",
    "turnaround": "magenta",
    "refresh": "yellow",
    "spacing": "cyan",
    "idle": DIM,
}
RESULT_CACHE_HITS = ("result_cache", "hit_rate")


def print_run(result: RunResult) -> None:
    """The screen of one run."""
    parts: list[RenderableType] = []
    first = result.summary
    title = Text.assemble((result.preset, "bold"), "  ", (result.app, "bold cyan"), "  ", (result.traffic, DIM))
    parts.append(Padding(title, (1, 0, 0, 2)))

    numbers = grid("l", "w")
    numbers.add_row(
        "Throughput",
        Text.assemble(
            (rate(first.throughput_gbps, BIT_RATES), "bold green"),
            (f"   {rate(first.throughput_mpps, PACKET_RATES)}", "bold"),
            (f"   offered {rate(first.offered_gbps, BIT_RATES)}", DIM),
        ),
    )
    loss_style = "green" if first.packets_dropped == 0 else "yellow" if first.loss_fraction < 0.01 else "red"
    loss, of_all = loss_words(first)
    loss_style = "yellow" if loss == "none yet" else loss_style
    numbers.add_row("Loss", Text.assemble((loss, f"bold {loss_style}"), (f"   {of_all}", DIM)))
    if first.not_ip is not None:
        frames, became = not_ip.words(first.not_ip)
        numbers.add_row("Not IP", Text.assemble((frames, "bold"), (f"   {became}", DIM)))
    for name, percentiles in _latency(first):
        numbers.add_row(name, percentiles)
    if result.band is not None:
        numbers.add_row("Band", _band(result.band, first))
        made_by = f"; {result.band.made_by}" if result.band.made_by else ""
        numbers.add_row("", Text(f"over {_listed(result.ranges)}{made_by}", style=DIM))
    if first.steady is not None:
        numbers.add_row("Steady", _steadiness(first))
    busy = f"   busy {percent(result.bottleneck.utilization)}"
    numbers.add_row("Bottleneck", Text.assemble((result.bottleneck.component, "bold red"), (busy, DIM)))
    numbers.add_row("", Text(result.bottleneck.why))
    parts.append(section(numbers))

    hit_rate = next((row.value for row in result.metrics if (row.component, row.metric) == RESULT_CACHE_HITS), None)
    if hit_rate is not None:
        numbers.add_row("Result cache", Text.assemble((percent(hit_rate, 2), "bold"), ("   of the lookups hit", DIM)))
    if result.resources:
        parts.append(section(heading("Utilisation"), _utilisation(result)))
    times = [_packet_time(result)]
    if result.dram.data or result.dram.idle:
        times.insert(0, _dram(result))
    parts.append(section(Beside(times)))
    if result.drops:
        parts.append(section(heading("Drops", "packets, share of those that left or were dropped"), _drops(result)))
    parts += breakdown(result.breakdown)
    parts += [_program(program) for program in result.programs]
    if result.warnings:
        lines = grid("l", "w")
        for warning in result.warnings:
            lines.add_row(Text("!", style="bold yellow"), Text(warning))
        parts.append(section(heading("Warnings"), lines))
    speed = first.packets_in + (result.request.warmup_packets or 0)
    real = f"{result.wall_seconds:.2f} s real"
    if result.wall_seconds > 0:
        real += f", {speed / result.wall_seconds:,.0f} packets/s"
    foot = (
        f"{first.packets_out:,} packets in {si_time(first.simulated_seconds * 1e9)} simulated; {real}; "
        f"seed {result.seed}; run {result.run_id}"
    )
    parts.append(Padding(Text(foot, style=DIM), (1, 0, 1, 2)))
    show(*parts)


def _latency(summary: Summary) -> list[tuple[str, Text]]:
    """Percentiles, mean and most, if a packet left that had any."""
    if not summary.packets_out:
        return [("Latency", Text("no packet left", style=DIM))]
    latency = summary.latency_ns
    percentiles = (("p50", latency.p50), ("p90", latency.p90), ("p99", latency.p99), ("p99.9", latency.p999))
    return [
        ("Latency", named_times(*percentiles)),
        ("", named_times(("mean", latency.mean), ("max", latency.max))),
    ]


def _program(program: ExecutedProgram) -> RenderableType:
    """What an executed program came to, and its most expensive lines."""
    results = grid("l", "r", "r")
    for each in program.results[:LINES_SHOWN]:
        share = each.packets / max(program.packets, 1)
        results.add_row(each.result, f"{each.packets:,}", Text(percent(share, 2), style=DIM))
    dearest = sorted(
        lines_with_text(program), key=lambda each: -each[0].cycles_per_packet - each[0].stall_cycles_per_packet
    )
    costs = lined(("source line, of a packet", "w"), *((name, "r") for name in COST_COLUMNS))
    for line, said in dearest[:LINES_SHOWN]:
        costs.add_row(said, *_costs(line))
    more = len(program.lines) - LINES_SHOWN
    below = [Text(f"{more:,} more lines: --json and --html have all", style=DIM)] if more > 0 else []
    memories = ", ".join(f"{each.memory} {each.accesses_per_packet:,.1f}" for each in program.memories)
    a_packet = (
        f"{program.instructions_per_packet:,.1f} instructions, {program.cycles_per_packet:,.1f} cycles, "
        f"{program.stall_cycles_per_packet:,.1f} of waiting, {program.accesses_per_packet:,.1f} accesses a packet"
        + (f": {memories}" if memories else "")
    )
    hot = [
        Text.assemble(
            ("hot  ", DIM), f"{each.where}: {each.name}", (f"   {percent(each.share)}   {', '.join(each.lines)}", DIM)
        )
        for each in program.hot
        if each.share >= SHOWN_HOT
    ]
    return section(heading(program.name, a_packet), results, Text(""), costs, *below, *hot)


COST_COLUMNS = ("instructions", "cycles", "stall", "accesses")


def _costs(line: SourceLine) -> tuple[str, ...]:
    costs = (
        line.instructions_per_packet,
        line.cycles_per_packet,
        line.stall_cycles_per_packet,
        line.accesses_per_packet,
    )
    return tuple(f"{cost:,.2f}" for cost in costs)


def _band(band: Band, stated: Summary) -> Text:
    """First numbers over the intervals that the file's values have, the smallest and the largest."""
    ends = (band.low, stated, band.high)
    gbps = [end.throughput_gbps for end in ends]
    mpps = [end.throughput_mpps for end in ends]
    p99 = [end.latency_ns.p99 for end in ends]
    return Text.assemble(
        (rate(max(gbps), BIT_RATES, min(gbps)), "bold green"),
        (f"   {rate(max(mpps), PACKET_RATES, min(mpps))}", "bold"),
        (f"   p99 {si_time(min(p99))} to {si_time(max(p99))}", ""),
    )


def _listed(ranges: Sequence[ValueRange]) -> str:
    """What is varied, and between what."""
    return ", ".join(f"{each.key} {each.low:g} to {each.high:g}" for each in ranges)


def _drops(result: RunResult) -> RenderableType:
    drops = grid("l", "r", "r")
    gone = max(result.summary.packets_out + result.summary.packets_dropped, 1)
    for drop in result.drops:
        share = Text(percent(drop.packets / gone, 2), style=DIM)
        drops.add_row(drop.reason.replace("_", " "), f"{drop.packets:,}", share)
    return drops


def _steadiness(summary: Summary) -> Text:
    """Whether a run is steady, how sure its numbers are, and what is still inside."""
    text = Text("yes", style="bold green") if summary.steady else Text("no", style="bold red")
    if summary.intervals is not None:
        throughput, loss, latency = (
            summary.intervals.throughput_gbps,
            summary.intervals.loss_fraction,
            summary.intervals.latency_mean_ns,
        )
        text.append(f"   95 %: {rate(throughput.high, BIT_RATES, throughput.low)}", style=DIM)
        if summary.packets_dropped:
            text.append(f", loss {percent(loss.low, 2)} to {percent(loss.high, 2)}", style=DIM)
        text.append(f", mean latency {si_time(latency.low)} to {si_time(latency.high)}", style=DIM)
    return text.append(f"   {summary.packets_inside:,} packets inside at the end", style=DIM)


def _utilisation(result: RunResult) -> RenderableType:
    """Two columns of bars, or one where the screen is narrow."""
    uses = sorted(result.resources, key=lambda use: natural(use.component))
    busy = [use for use in uses if use.utilization >= SHOWN_SHARE]

    def bars(part: Sequence[ResourceUse]) -> RenderableType:
        table = grid("l", "l", "r")
        for use in part:
            name = Text(use.component, style="bold" if use.component == result.bottleneck.component else "")
            table.add_row(name, bar(use.utilization, load_style(use.utilization)), percent(use.utilization))
        return table

    half = (len(busy) + 1) // 2
    shown = Beside([bars(busy[:half]), bars(busy[half:])], instead=bars(busy))
    idle = " · ".join(use.component for use in uses if use.utilization < SHOWN_SHARE)
    return Group(shown, Text(f"idle: {idle}", style=DIM)) if idle else shown


def _dram(result: RunResult) -> RenderableType:
    table = grid("l", "l", "r")
    for name, words in DRAM_WORDS.items():
        share = getattr(result.dram, name)
        if share is None or share < SHOWN_SHARE:
            continue
        table.add_row(words, bar(share, DRAM_COLOURS[name], 16), percent(share))
    return Group(heading("DRAM time", f"row hits {percent(result.dram.row_hit_rate)}"), table)


def _packet_time(result: RunResult) -> RenderableType:
    table = grid("l", "l", "r", "r")
    for part in result.packet_time:
        if part.share < SHOWN_SHARE:
            continue
        table.add_row(part.part, bar(part.share, "blue", 16), percent(part.share), si_time(part.mean_ns))
    return Group(heading("Packet time", "mean per packet"), table)
