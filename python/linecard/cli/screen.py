"""What people see: the screens on stdout, progress and diagnostics on stderr.

A screen shows a result object and computes nothing but bar lengths and number formats. On a terminal it is coloured
and as wide as useful; into a pipe it is plain text.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from linecard import tables
from linecard.chip.words import DRAM_WORDS
from linecard.errors import CompileError, ConfigError, LinecardError, TrafficError

if TYPE_CHECKING:
    from linecard.chip.result import Band, RunResult, Summary, ValueRange
    from linecard.description import Description, Parameter, PresetInfo
    from linecard.dram.result import MemoryResult
    from linecard.executed.profile import ExecutedProgram, SourceLine
    from linecard.flowcache.curves import CacheCurves
    from linecard.flowcache.result import BestPolicy, FlowCacheResult
    from linecard.study.result import StudyResult, TableResult
    from linecard.study.scorecard import Line
    from linecard.traffic.result import FlowStatistics

MAX_WIDTH = 108
DIM = "bright_black"
SECONDS_BEFORE_PROGRESS = 2.0
BAR_WIDTH = 24
MIN_BAR_WIDTH = 8
DIAGNOSTICS_SHOWN = 8
LINES_SHOWN = 8
LEAST_TABLE_WIDTH = 80

DRAM_COLOURS = {
    "data": "green",
    "row_miss": "red",
    "turnaround": "magenta",
    "refresh": "yellow",
    "spacing": "cyan",
    "idle": DIM,
}


# Of one line of a message: what is longer echoes something that nobody can read.
LONGEST_LINE = 1500
# What a name may hold and a terminal would obey: control characters, marks of direction, halves of pairs; and pictures
# of them.
PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if code not in (0x0A,)},
    0x7F: 0x2421,
    **dict.fromkeys(
        [*range(0x80, 0xA0), *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD
    ),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}


def printable(text: str) -> str:
    """A text that a terminal shows and does not obey; line ends stay."""
    return text.translate(PICTURES)


def shortened(line: str) -> str:
    """A line without its middle, where it is too long to be read."""
    if len(line) <= LONGEST_LINE:
        return line
    left_out = len(line) - 2 * (LONGEST_LINE // 3)
    return f"{line[: LONGEST_LINE // 3]} … ({left_out:,} characters left out) … {line[-(LONGEST_LINE // 3) :]}"


def one_line(text: str) -> str:
    """A text on one line, as it is shown in a message."""
    return shortened(printable(text.replace("\n", "\u240a")))


class Printable:
    """Parts of a screen, with pictures in place of characters that a terminal would obey."""

    def __init__(self, parts: Sequence[RenderableType]) -> None:
        self.parts = Group(*parts)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.parts, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def screen_width() -> int:
    """Columns of a screen: no more than is good to read; into a pipe, not the 80 that nobody looks at."""
    terminal = Console()
    return min(terminal.width, MAX_WIDTH) if terminal.is_terminal else MAX_WIDTH


def show(*parts: RenderableType) -> None:
    """Parts on stdout. Into a pipe: no colours, no padding at line ends."""
    screen = Console(highlight=False, width=screen_width())
    if screen.is_terminal:
        screen.print(Printable(parts))
        return
    with screen.capture() as captured:
        screen.print(Printable(parts))
    sys.stdout.write("".join(line.rstrip() + "\n" for line in captured.get().splitlines()))
    sys.stdout.flush()


def errors() -> Console:
    """The console of stderr."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


# ---- stderr ----


def diagnose(text: str) -> None:
    """One diagnostic on stderr."""
    shown = "\n".join(map(shortened, printable(text).split("\n")))
    errors().print(Text.assemble(("linecard: ", "bold red"), shown))


def note(text: str) -> None:
    """One remark on stderr."""
    errors().print(Text(one_line(text), style=DIM))


def diagnose_error(error: LinecardError) -> None:
    """An error on stderr: what kind, then every problem on its own line."""
    kind = (
        "configuration" if isinstance(error, ConfigError) else "capture" if isinstance(error, TrafficError) else "run"
    )
    if isinstance(error, CompileError):
        diagnose(str(error))
        return
    problems = error.problems if isinstance(error, ConfigError) else ()
    # A name may hold line ends: each problem is one line.
    whole = [str(error)] if isinstance(error, TrafficError) else str(error).split("\n")
    lines = [str(problem) for problem in problems] or whole
    lines = [one_line(line) for line in lines if line] or [type(error).__name__]
    if len(lines) == 1:
        diagnose(lines[0])
        return
    diagnose(f"{len(lines)} problems with the {kind}:")
    for line in lines:
        errors().print(Text(f"  {line}"))


def diagnose_capture(statistics: FlowStatistics | FlowCacheResult) -> None:
    """The first findings in a capture on stderr, and how many more there are."""
    for diagnostic in statistics.diagnostics[:DIAGNOSTICS_SHOWN]:
        diagnose(str(diagnostic))
    more = sum(statistics.damage.values()) - DIAGNOSTICS_SHOWN
    if more > 0:
        note(f"{more:,} more findings; --json lists the first {len(statistics.diagnostics)} in full")


def note_written(paths: Sequence[Path], *, folder: bool = False) -> None:
    """Say on stderr which files were written."""
    if not paths:
        return
    if folder:
        parent = min((path.parent for path in paths), key=lambda path: len(path.parts))
        report = next((path for path in paths if path.suffix == ".html"), None)
        shown = f"; read {report}" if report else ""
        note(f"wrote {len(paths)} files into {parent}{shown}")
    else:
        # Stdout needs no word; a device has no manifest beside it.
        names = dict.fromkeys(str(path) for path in paths if str(path) != "-")
        if names:
            note("wrote " + ", ".join(names))


@contextmanager
def progress(what: str, unit: str) -> Iterator[Callable[[float, int], None] | None]:
    """A progress callback that draws a bar with the time left on stderr, after two seconds, on a terminal only."""
    screen = errors()
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=40),
        TaskProgressColumn(),
        TextColumn("{task.fields[count]}", style=DIM),
        TimeRemainingColumn(),
        TextColumn("left", style=DIM),
        console=screen,
        transient=True,
    )
    started = time.monotonic()
    task = bar.add_task(what, total=None, count="", start=False)

    def step(done: float, total: int) -> None:
        if not bar.live.is_started:
            if time.monotonic() - started < SECONDS_BEFORE_PROGRESS:
                return
            bar.start()
            bar.start_task(task)
        count = (f"{int(done):,} of {total:,} {unit}" if total else f"{int(done):,} {unit}").rstrip()
        bar.update(task, completed=done, total=total or None, count=count)

    try:
        yield step
    finally:
        if bar.live.is_started:
            bar.stop()


# ---- stdout ----


def print_json(data: Any) -> None:
    """One JSON value on stdout, the same bytes for the same data; where stdout is not Unicode, in ASCII."""
    text = tables.json_text(data)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data, indent=2, allow_nan=False) + "\n"
    sys.stdout.write(text)
    sys.stdout.flush()


def si_time(nanoseconds: float) -> str:
    """A time in the unit that suits it."""
    for limit, factor, unit in ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if abs(nanoseconds) < limit:
            return f"{nanoseconds / factor:,.4g} {unit}" if factor == 1.0 else f"{nanoseconds / factor:,.2f} {unit}"
    return f"{nanoseconds / 1e9:,.3f} s"


def bar(share: float, style: str, width: int = BAR_WIDTH) -> Text:
    """A share from 0 to 1 as a bar with eighths."""
    share = min(max(share, 0.0), 1.0)
    eighths = round(share * width * 8)
    full, rest = divmod(eighths, 8)
    filled = "█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")
    return Text.assemble((filled, style), ("·" * (width - len(filled)), DIM))


def heading(title: str, more: str = "") -> Text:
    """A section's heading."""
    return Text.assemble((title, "bold cyan"), (f"  {more}" if more else "", DIM))


def grid(*justify: str) -> Table:
    """A table without lines; columns are left (``l``), right (``r``) or wrapped (``w``)."""
    table = Table.grid(padding=(0, 2))
    for side in justify:
        table.add_column(justify="right" if side == "r" else "left", no_wrap=side != "w", overflow="fold")
    return table


def percent(share: float, decimals: int = 1) -> str:
    """A share from 0 to 1 in percent."""
    return f"{share * 100:.{decimals}f} %"


def load_style(share: float) -> str:
    """Colour of a utilisation: red when the resource is nearly always busy."""
    return "red" if share >= 0.9 else "yellow" if share >= 0.7 else "green"


def section(*parts: RenderableType) -> RenderableType:
    """Parts with a line of space above, indented."""
    return Padding(Group(*parts), (1, 0, 0, 2))


def natural(component: str) -> tuple[object, ...]:
    """Sorting key that puts engine.10 after engine.9."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in component.split("."))


def named_times(*times: tuple[str, float]) -> Text:
    """Times in nanoseconds with their names, in units that suit them."""
    return Text("   ").join(Text.assemble((f"{name} ", DIM), si_time(value)) for name, value in times)


RESULT_CACHE_HITS = ("result_cache", "hit_rate")


def print_run(result: RunResult) -> None:
    """The screen of one run."""
    parts: list[RenderableType] = []
    first = result.summary
    latency = first.latency_ns
    title = Text.assemble((result.preset, "bold"), "  ", (result.app, "bold cyan"), "  ", (result.traffic, DIM))
    parts.append(Padding(title, (1, 0, 0, 2)))

    numbers = grid("l", "w")
    numbers.add_row(
        "Throughput",
        Text.assemble(
            (f"{first.throughput_gbps:.3f} Gbit/s", "bold green"),
            (f"   {first.throughput_mpps:.3f} Mpps", "bold"),
            (f"   offered {first.offered_gbps:.3f} Gbit/s", DIM),
        ),
    )
    loss_style = "green" if first.packets_dropped == 0 else "yellow" if first.loss_fraction < 0.01 else "red"
    loss = "none" if first.packets_dropped == 0 else percent(first.loss_fraction, 3)
    gone = first.packets_out + first.packets_dropped
    of_all = f"   {first.packets_dropped:,} of {gone:,} packets that left or were dropped"
    numbers.add_row("Loss", Text.assemble((loss, f"bold {loss_style}"), (of_all, DIM)))
    percentiles = (("p50", latency.p50), ("p90", latency.p90), ("p99", latency.p99), ("p99.9", latency.p999))
    numbers.add_row("Latency", named_times(*percentiles))
    numbers.add_row("", named_times(("mean", latency.mean), ("max", latency.max)))
    if result.band is not None:
        numbers.add_row("Band", _band(result.band, first))
        numbers.add_row("", Text(f"low and high ends of {_listed(result.ranges)}", style=DIM))
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
    times = [Padding(_packet_time(result), (1, 0, 0, 0))]
    if result.dram.data or result.dram.idle:
        times.insert(0, Padding(_dram(result), (1, 4, 0, 0)))
    parts.append(Padding(Columns(times, padding=(0, 0)), (0, 0, 0, 2)))
    if result.drops:
        parts.append(section(heading("Drops", "packets, share of those that left or were dropped"), _drops(result)))
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


def _program(program: ExecutedProgram) -> RenderableType:
    """What an executed program came to, and its most expensive lines."""
    results = grid("l", "r", "r")
    for each in program.results[:LINES_SHOWN]:
        share = each.packets / max(program.packets, 1)
        results.add_row(each.result, f"{each.packets:,}", Text(percent(share, 2), style=DIM))
    dearest = sorted(program.lines, key=lambda line: -line.cycles_per_packet - line.stall_cycles_per_packet)
    costs = [(line.line, _costs(line)) for line in dearest[:LINES_SHOWN]]
    if len(program.lines) > LINES_SHOWN:
        costs.append((f"… and {len(program.lines) - LINES_SHOWN} more (--json, --html)", ()))
    memories = ", ".join(f"{each.memory} {each.accesses_per_packet:,.1f}" for each in program.memories)
    a_packet = (
        f"{program.instructions_per_packet:,.1f} instructions, {program.cycles_per_packet:,.1f} cycles, "
        f"{program.stall_cycles_per_packet:,.1f} of waiting, {program.accesses_per_packet:,.1f} accesses a packet"
        + (f": {memories}" if memories else "")
    )
    return section(heading(program.name, a_packet), results, Text(""), _source_lines(costs))


COST_COLUMNS = ("instructions", "cycles", "stall", "accesses")


def _costs(line: SourceLine) -> tuple[str, ...]:
    costs = (
        line.instructions_per_packet,
        line.cycles_per_packet,
        line.stall_cycles_per_packet,
        line.accesses_per_packet,
    )
    return tuple(f"{cost:,.2f}" for cost in costs)


def _source_lines(costs: Sequence[tuple[str, tuple[str, ...]]]) -> RenderableType:
    """Lines with what they cost; numbers below each line where a table has no room."""
    if screen_width() >= LEAST_TABLE_WIDTH:
        table = lined(("source line, of a packet", "w"), *((name, "r") for name in COST_COLUMNS))
        for line, numbers in costs:
            table.add_row(Text(line), *numbers)
        return table
    text = Text()
    text.append("source line, of a packet\n", style="bold cyan")
    for line, numbers in costs:
        text.append(f"{line}\n")
        named = ", ".join(f"{name} {number}" for name, number in zip(COST_COLUMNS, numbers, strict=False))
        text.append(f"  {named}\n" if named else "", style=DIM)
    return text


def _band(band: Band, stated: Summary) -> Text:
    """First numbers over the intervals that the file's values have, the smallest and the largest."""
    ends = (band.low, stated, band.high)
    gbps = [end.throughput_gbps for end in ends]
    mpps = [end.throughput_mpps for end in ends]
    p99 = [end.latency_ns.p99 for end in ends]
    return Text.assemble(
        (f"{min(gbps):.3f} to {max(gbps):.3f} Gbit/s", "bold green"),
        (f"   {min(mpps):.3f} to {max(mpps):.3f} Mpps", "bold"),
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
        rate, loss, latency = (
            summary.intervals.throughput_gbps,
            summary.intervals.loss_fraction,
            summary.intervals.latency_mean_ns,
        )
        text.append(f"   95 %: {rate.low:.3f} to {rate.high:.3f} Gbit/s", style=DIM)
        if summary.packets_dropped:
            text.append(f", loss {percent(loss.low, 2)} to {percent(loss.high, 2)}", style=DIM)
        text.append(f", mean latency {si_time(latency.low)} to {si_time(latency.high)}", style=DIM)
    return text.append(f"   {summary.packets_inside:,} packets inside at the end", style=DIM)


def _utilisation(result: RunResult) -> RenderableType:
    """Two columns of bars; long names make the bars shorter, and a narrow screen leaves one column."""
    uses = sorted(result.resources, key=lambda use: natural(use.component))
    half = (len(uses) + 1) // 2
    parts = [part for part in (uses[:half], uses[half:]) if part]
    names = sum(max(len(use.component) for use in part) for part in parts)
    room = (screen_width() - 4 - names - len(parts) * len("    100.0 %  ")) // len(parts)
    if room < MIN_BAR_WIDTH:
        parts, room = [uses], BAR_WIDTH
    tables = []
    for part in parts:
        table = grid("l", "l", "r")
        for use in part:
            name = Text(use.component, style="bold" if use.component == result.bottleneck.component else "")
            shown = bar(use.utilization, load_style(use.utilization), min(room, BAR_WIDTH))
            table.add_row(name, shown, percent(use.utilization))
        tables.append(Padding(table, (0, 4, 0, 0)))
    return Columns(tables, padding=(0, 0))


def _dram(result: RunResult) -> RenderableType:
    table = grid("l", "l", "r")
    for name, words in DRAM_WORDS.items():
        share = getattr(result.dram, name)
        if share is None:
            continue
        table.add_row(words, bar(share, DRAM_COLOURS[name], 16), percent(share))
    return Group(heading("DRAM time", f"row hits {percent(result.dram.row_hit_rate)}"), table)


def _packet_time(result: RunResult) -> RenderableType:
    table = grid("l", "l", "r", "r")
    for part in result.packet_time:
        table.add_row(part.part, bar(part.share, "blue", 16), percent(part.share), si_time(part.mean_ns))
    return Group(heading("Packet time", "mean per packet"), table)


def print_flows(statistics: FlowStatistics) -> None:
    """The screen of a capture."""
    parts: list[RenderableType] = []
    parts.append(Padding(Text(statistics.file, style="bold"), (1, 0, 0, 2)))
    facts = grid("l", "w")
    for name, value in statistics.facts():
        facts.add_row(Text(name, style=DIM), value)
    parts.append(section(facts))
    sizes = grid("r", "l", "r", "r")
    for each in statistics.size_bins:
        share = each.packets / max(statistics.packets, 1)
        sizes.add_row(each.label, bar(share, "blue"), f"{each.packets:,}", percent(share))
    parts.append(section(heading("Packets by size", "bytes on the wire"), sizes))
    if statistics.skipped:
        skipped = grid("l", "r")
        for reason, count in statistics.skipped.items():
            skipped.add_row(reason.replace("_", " "), f"{count:,}")
        parts.append(section(heading("In no flow", "packets, by reason"), skipped))
    if statistics.damage:
        found = grid("l", "r")
        for kind, count in statistics.damage.items():
            found.add_row(kind.replace("_", " "), f"{count:,}")
        parts.append(section(heading("Found in the capture", "clean" if statistics.clean else "damaged"), found))
    parts.append(Text(""))
    show(*parts)


def print_flowcache(result: FlowCacheResult) -> None:
    """The screen of caches: every row, then the best of each size."""
    parts: list[RenderableType] = []
    parts.append(Padding(Text(result.input, style="bold"), (1, 0, 0, 2)))
    facts = grid("l", "w")
    for name, value in result.facts():
        facts.add_row(Text(name, style=DIM), value)
    parts.append(section(facts))
    best = {(each.entries, each.ways): each for each in result.best}
    parts.append(
        section(
            heading("Caches", "classes of misses in percent of packets, state of the policy in bits"),
            _caches(result, best),
        )
    )
    if best:
        parts.append(section(heading("Best that can be built"), _best(best.values())))
    if result.curves is not None:
        parts.append(section(heading("LRU of all sizes", "packets that miss, in percent"), _lru_grid(result.curves)))
        parts.append(section(heading("Reuse", "other digests before a digest comes back"), _reuse(result.curves)))
    if result.traffic is not None:
        flows = grid("l", "w")
        for name, value in result.traffic.facts():
            flows.add_row(Text(name, style=DIM), value)
        silence = (result.time_out_ns or 0) / 1e9
        parts.append(section(heading("Flows", f"ended by a silence of {silence:g} s"), flows))
    if result.rows and result.rows[0].false_hits is not None:
        explained = "measured probability, expected of the digest, expected of the stored part"
        parts.append(section(heading("False hits", explained), _false_hits(result)))
    parts.append(Text(""))
    show(*parts)


def _caches(result: FlowCacheResult, best: dict[tuple[int, int], BestPolicy]) -> Table:
    room = MIN_BAR_WIDTH if screen_width() >= MAX_WIDTH else 0
    columns = ("cold", "capacity", "conflict", "bytes", "state")
    table = lined(
        ("entries", "r"),
        ("ways", "l"),
        ("policy", "l"),
        ("hit rate", "r"),
        ("", "l"),
        *((name, "r") for name in columns),
    )
    size = None
    for row in result.rows:
        if size not in {None, (row.entries, row.ways)}:
            table.add_section()
        first = size != (row.entries, row.ways)
        size = (row.entries, row.ways)
        is_best = size in best and best[size].policy == row.policy
        style = DIM if row.oracle else "bold green" if is_best else ""
        table.add_row(
            f"{row.entries:,}" if first else "",
            row.shape if first else "",
            Text(row.policy, style=style),
            Text(percent(row.hit_rate, 2), style=style),
            bar(row.hit_rate, "blue", room),
            *(f"{count / row.packets:.2%}".rstrip("%") for count in (row.cold, row.capacity, row.conflict)),
            f"{row.cache_bytes:,}" if first else "",
            Text("oracle", style=DIM) if row.policy_state_bits is None else f"{row.policy_state_bits:,}",
        )
    return table


def _lru_grid(curves: CacheCurves) -> Table:
    """Miss rates by entries and ways, for entries in powers of two."""
    ways = (1, 2, 4, 8, 16)
    misses = {(row.entries, row.ways if row.sets > 1 else 0): row.miss_ratio for row in curves.lru}
    table = lined(("entries", "r"), *((f"{number}-way", "r") for number in ways), ("full", "r"))
    for entries in sorted({entries for entries, number in misses if number == 0 and entries >= ways[-1]}):
        shown = [misses.get((entries, number)) for number in (*ways, 0)]
        table.add_row(f"{entries:,}", *("" if ratio is None else f"{ratio:.2%}".rstrip("%") for ratio in shown))
    return table


def _reuse(curves: CacheCurves) -> Table:
    table = grid("r", "l", "r", "r")
    for row in curves.reuse:
        span = (
            f"{row.distance_from:,}"
            if row.distance_from == row.distance_to
            else f"{row.distance_from:,}–{row.distance_to:,}"
        )
        packets = curves.curve[0].packets
        table.add_row(span, bar(row.packets / packets, "blue"), f"{row.packets:,}", f"{row.cumulative_percent:.1f} %")
    return table


def _best(best: Iterable[BestPolicy]) -> Table:
    table = grid("r", "l", "l", "r", "w")
    for each in best:
        shares = []
        if each.percent_of_bound_hits is not None:
            shares.append(f"{each.percent_of_bound_hits:.2f} % of the hits of {each.bound}")
        if each.percent_of_lru_gap is not None and each.policy != "LRU":
            shares.append(f"{each.percent_of_lru_gap:.1f} % of the way there from LRU")
        table.add_row(
            f"{each.entries:,}",
            "full" if each.ways == each.entries else f"{each.ways}-way",
            Text(each.policy, style="bold green"),
            percent(each.hit_rate, 2),
            Text(", ".join(shares), style=DIM),
        )
    return table


def _false_hits(result: FlowCacheResult) -> Table:
    table = grid("r", "l", "l", "r", "r", "r", "r")
    for row in result.rows:
        chances = (
            row.false_hit_probability,
            row.false_hit_probability_expected,
            row.false_hit_probability_expected_of_tags,
        )
        table.add_row(
            f"{row.entries:,}",
            row.shape,
            row.policy,
            f"{row.false_hits or 0:,}",
            *(f"{chance or 0.0:.3g}" for chance in chances),
        )
    return table


def lined(*columns: tuple[str, str]) -> Table:
    """A table with a line under its header."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold cyan", pad_edge=False, padding=(0, 2, 0, 0))
    for name, side in columns:
        table.add_column(name, justify="right" if side == "r" else "left", no_wrap=side != "w", overflow="fold")
    return table


MEMORY_WORDS = {
    "read": ("reading", "green"),
    "write": ("writing", "blue"),
    "row_miss": ("opening rows", "red"),
    "bank_conflict": ("bank conflicts", "red"),
    "turnaround": ("turning the bus", "magenta"),
    "activate_window": ("activate window", "red"),
    "refresh": ("refreshing", "yellow"),
    "spacing": ("spacing", "cyan"),
    "idle": ("idle", DIM),
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
    for name, (words, colour) in MEMORY_WORDS.items():
        share = getattr(result.time, name)
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
            energy.add_row(words, f"{value / 1000:,.2f} µJ")
        energy.add_row("mean power", Text(f"{result.energy.mean_power_mw:,.0f} mW", style="bold"))
        energy.add_row("per bit", f"{result.energy.pj_per_bit:,.2f} pJ")
        blocks.append(Group(heading("Energy"), energy))
    parts.append(Padding(Columns(blocks, padding=(0, 4)), (1, 0, 0, 2)))

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


def print_presets(found: Iterable[PresetInfo]) -> None:
    """The list of presets."""
    table = lined(("preset", "l"), ("kind", "l"), ("what it is", "w"), ("extends", "l"))
    for each in found:
        table.add_row(
            Text(each.name, style="bold"),
            each.kind,
            each.title,
            Text(", ".join(each.extends), style=DIM),
        )
    show(Padding(table, (1, 0, 0, 2)))


def print_description(description: Description) -> None:
    """Every parameter of a preset."""
    parts: list[RenderableType] = []
    title = Text.assemble((description.preset, "bold"), f"  {description.title}")
    parts.append(Padding(title, (1, 0, 0, 2)))
    if description.extends:
        parts.append(Padding(Text("extends " + " → ".join(description.extends), style=DIM), (0, 0, 0, 2)))
    groups: dict[str, list[Parameter]] = {}
    for each in description.parameters:
        groups.setdefault(each.key.partition(".")[0], []).append(each)
    # One width for all groups, so that the eye can run down a column.
    name_width = max((len(each.key) for each in description.parameters), default=0)
    for name, members in groups.items():
        table = Table.grid(padding=(0, 2))
        table.add_column(width=name_width, no_wrap=True)
        table.add_column(width=20, overflow="fold")
        table.add_column(ratio=1)
        for each in members:
            value = Text.assemble((each.text or "(none)", "bold"), f" {each.unit}")
            meaning = "; ".join(part for part in (each.meaning, each.allowed) if part)
            between = "" if each.interval is None else f"; from {each.interval[0]:g} to {each.interval[1]:g}"
            table.add_row(each.key, value, Text.assemble(meaning, (f"\n{each.source}{between}", DIM)))
        parts.append(section(heading(name), table))
    if description.derived:
        table = lined(("follows from them", "l"), ("value", "r"), ("unit", "l"), ("formula", "w"))
        for derived in description.derived:
            table.add_row(
                derived.name,
                Text(f"{derived.value:,.6g}", style="bold"),
                derived.unit,
                Text(derived.formula, style=DIM),
            )
        parts.append(Padding(table, (1, 0, 0, 2)))
    show(*parts)


def _yes_no(flag: bool | None, yes: str = "kept", no: str = "missed") -> Text:
    if flag is None:
        return Text("not judged", style=DIM)
    return Text(yes, style="green") if flag else Text(no, style="bold red")


def print_study(result: StudyResult) -> None:
    """The screen of a study: one line per table, then limits and deviations."""
    from linecard.study.columns import constant_keys
    from linecard.study.columns import percent as off
    from linecard.study.compare import item_name, words

    parts: list[RenderableType] = []
    spec = result.study.spec
    parts.append(Padding(Text(spec.title, style="bold"), (1, 0, 0, 2)))
    parts.append(Padding(Text(spec.document, style=DIM), (0, 0, 0, 2)))
    numbers = grid("l", "w")
    numbers.add_row(
        "Cells", f"{len(result.counted_cells)} compared, {result.calibrated_cells} calibrated and not counted"
    )
    numbers.add_row("Error", f"mean {off(result.mean_abs_error)}, largest {off(result.max_abs_error)}")
    if result.point_cells:
        numbers.add_row(
            "Percentages", f"{len(result.point_cells)} compared, {result.mean_abs_points:.1f} points off on average"
        )
    if result.bounds:
        numbers.add_row("Bounds", f"{sum(cell.difference == 0 for cell in result.bounds)} of {len(result.bounds)} kept")
    numbers.add_row(
        "Order", f"{len(result.orders) - result.order_violations} of {len(result.orders)} pairs as published"
    )
    points = result.gains_mean_abs_error_points
    numbers.add_row("Gains", "–" if points is None else f"{points:.1f} percentage points off on average")
    parts.append(section(numbers))

    if len(result.items) <= 2:
        for table in result.tables:
            title = f"{table.spec.title}: {words(constant_keys(table))}"
            parts.append(section(heading(item_name(table.spec.id).capitalize(), title), _cells(table)))
    parts.extend(_study_overview(result))
    parts.extend(_study_judgements(result))
    runs = f"{len(result.runs)} runs in {result.seconds:.1f} s" + (", quick" if result.quick else "")
    parts.append(Padding(Text(runs, style=DIM), (1, 0, 1, 2)))
    show(*parts)


def _study_overview(result: StudyResult) -> Iterator[RenderableType]:
    """One line per table, and what the text says of each figure."""
    from linecard.study.compare import item_name

    if result.tables:
        overview = lined(
            ("", "l"),
            ("", "w"),
            ("cells", "r"),
            ("mean error", "r"),
            ("largest", "r"),
            ("order", "r"),
            ("gains", "r"),
        )
        for table in result.tables:
            gains = [abs(gain.difference_points) for gain in table.gains if gain.difference_points is not None]
            overview.add_row(
                item_name(table.spec.id).capitalize(),
                table.spec.title,
                str(len(table.cells)),
                _off(table),
                _largest(table),
                f"{len(table.orders) - table.order_violations}/{len(table.orders)}" if table.orders else "",
                f"{sum(gains) / len(gains):.1f} pt" if gains else "",
            )
        yield Padding(overview, (0, 0, 0, 2))
    for figure in result.figures:
        lines = grid("l", "w")
        for shape in figure.shapes:
            lines.add_row(_yes_no(shape.holds, "agrees", "differs"), shape.text)
        yield Padding(heading(item_name(figure.spec.id).capitalize(), figure.spec.title), (0, 0, 0, 2))
        yield Padding(lines, (0, 0, 1, 2))


def target_lines(lines: Iterable[Line]) -> RenderableType:
    """Lines of the scorecard: what came out, the limit, by how much it is beyond; below, why it is missed."""
    table = grid("l", "l", "r", "w")
    for line in lines:
        numbers = Text.assemble(line.measured_text, (f" ({line.limit_text})", DIM))
        if line.over_text:
            numbers.append(f"\n{line.over_text}", style=DIM)
        what = Text(line.target.what)
        if line.calibrated:
            what.append(f"; {len(line.calibrated)} calibrated inside", style=DIM)
        if line.kept is False:
            what.append(f"\n{line.reason or 'no reason is listed'}", style=DIM)
        table.add_row(line.target.id, _yes_no(line.kept), numbers, what)
    return table


def _study_judgements(result: StudyResult) -> Iterator[RenderableType]:
    """The scorecard's lines of this study, limits of its own and deviations."""
    from linecard.study.columns import percent as off

    targets = [line for line in result.lines if line.kept is not None]
    if targets:
        note = "meant for the full study" if result.quick else ""
        yield Padding(Group(heading("Scorecard", note), target_lines(targets)), (0, 0, 0, 2))
    judged = [check for check in result.checks if check.holds is not None]
    if judged:
        lines = grid("l", "w")
        for check in judged:
            reached = check.reached
            if reached is None:
                text = "–"
            elif check.kind in ("max_abs_points", "max_gain_points"):
                text = f"{reached:.1f} points"
            else:
                text = f"{reached:.0f}" if check.kind == "order_violations" else off(reached)
            lines.add_row(_yes_no(check.holds), Text.assemble(check.id, (f"   reached {text}", DIM)))
        yield Padding(Group(heading("Limits of its own"), lines), (0, 0, 0, 2))
    if result.deviations and result.quick:
        count = f"{len(result.deviations)}; judged in the full study"
        yield section(heading("Deviations", count))
    elif result.deviations:
        counts = {
            state: sum(each.state == state for each in result.deviations) for state in ("known", "unlisted", "gone")
        }
        said = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
        lines = grid("l", "w")
        for deviation in result.deviations:
            style = DIM if deviation.state == "known" else "yellow"
            lines.add_row(Text(deviation.state, style=style), Text(deviation.detail or deviation.id))
        yield section(heading("Deviations", said), lines)


def _off(table: TableResult) -> str:
    from linecard.study.columns import percent as off
    from linecard.study.compare import mean_abs

    if table.spec.tolerance_points is None:
        return off(table.mean_abs_error)
    points = mean_abs(cell.difference for cell in table.counted)
    return "–" if points is None else f"{points:.1f} pt"


def _largest(table: TableResult) -> str:
    from linecard.study.columns import percent as off
    from linecard.study.compare import max_abs

    if table.spec.tolerance_points is None:
        return off(table.max_abs_error)
    points = max_abs(cell.difference for cell in table.counted)
    return "–" if points is None else f"{points:.1f} pt"


def _cells(table: TableResult) -> Table:
    from linecard.study.columns import percent as off
    from linecard.study.columns import varying_columns

    keys = varying_columns(table)
    several = len(table.spec.cells) > 1
    header = [(key.replace("_", " "), "l") for key in keys] + ([("measure", "l")] if several else [])
    numbers = [("published", "r"), ("measured", "r"), ("± seeds", "r"), ("difference", "r"), ("", "l")]
    lines = lined(*header, *numbers)
    for cell in table.cells:
        style = DIM if cell.calibrated else "red" if abs(cell.error or 0) > table.spec.tolerance else ""
        difference = off(cell.error, sign=True)
        if table.spec.tolerance_points is not None and cell.measured is not None:
            difference = f"{cell.difference or 0.0:+.1f} pt"
            far = abs(cell.difference or 0.0) > table.spec.tolerance_points
            style = DIM if cell.calibrated else "red" if far else ""
        lines.add_row(
            *(str(cell.keys[key]) for key in keys),
            *([cell.column.replace("_", " ")] if several else []),
            f"{cell.bound}{cell.published:g}",
            "–" if cell.measured is None else f"{cell.measured:.3f}",
            "–" if cell.spread is None else f"{cell.spread:.3f}",
            Text(difference, style=style),
            Text("calibrated" if cell.calibrated else "failed" if cell.failure else "", style=DIM),
        )
    return lines
