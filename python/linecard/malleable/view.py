"""The view of a core: every split of its area, the use of its cycles, and the adaptation of a malleable core."""

from __future__ import annotations

from collections.abc import Iterator

from linecard.catalogue import describe
from linecard.malleable.reports import Adapted, CoreRow
from linecard.malleable.result import PLATEAUS_PERCENT, CoreResult, Cores
from linecard.numbers import percent, several
from linecard.view import (
    BAR,
    Axis,
    Bar,
    Cell,
    Chart,
    Fact,
    Facts,
    Notes,
    Part,
    Series,
    Stacked,
    Table,
    Title,
    Verdict,
    text,
    view,
    view_of,
)

# Area of the register cache of a malleable core, in thread-equivalents.
_REGISTER_CACHE = 2

CYCLES = {
    "instructions": "instructions_percent",
    "pipeline": "pipeline_percent",
    "load-use stalls": "load_use_percent",
    "thread switches": "switches_percent",
    "register loads": "registers_percent",
    "idle, waiting for memory": "idle_memory_percent",
    "idle, waiting for locks or packets": "idle_other_percent",
}


@view.register
def _(result: CoreResult) -> list[Part]:
    traffic = result.program.traffic
    what = f"latency {result.latency_cycles} cycles, {result.refs_per_cycle:g} references/cycle"
    cycles = [(str(row.threads), [getattr(row, name) for name in CYCLES.values()]) for row in result.rows]
    return [
        Title(f"{result.program.name}: {what}, {result.area} thread-equivalents", traffic.title),
        _best(result),
        Notes(
            []
            if result.single_peak or len(result.rows) == 1
            else ["Throughput has several peaks as the number of threads grows"]
        ),
        Table(
            "Splits",
            (text("threads"), "cache", "packets/Mcycle", BAR, "hits", "bus", "busy", "switch", "idle", text("limit")),
            [_row(row, result.best_packets_per_mcycle or 1.0) for row in result.rows],
            said=f"{result.window_packets:,} measured packets each",
            marked=[at for at, row in enumerate(result.rows) if row.threads == result.best_threads],
        ),
        _throughput(result),
        Stacked("Cycles by cause", list(CYCLES), cycles, "% of all cycles, for each number of threads"),
        *(_malleable(result, result.adapted) if result.adapted is not None else []),
        Notes(
            [f"No malleable core: its register cache alone has an area of {_REGISTER_CACHE} thread-equivalents"]
            if result.area <= _REGISTER_CACHE
            else []
        ),
    ]


@view.register
def _(result: Cores) -> list[Part]:
    first, *others = result.results
    if not others:
        return view_of(first)
    curves = [_curve(each, f"{each.latency_cycles} cycles") for each in result.results]
    every = Chart("Throughput", *_AXES, curves, "throughput of every split, for each off-chip latency")
    return [
        Title(f"{first.program.name}: threads or cache", "by memory latency"),
        *_named(first, [every]),
        *(part for each in others for part in _named(each, [])),
    ]


def _named(result: CoreResult, curves: list[Part]) -> Iterator[Part]:
    """The parts for one latency, which their headings name, with curves for all latencies."""
    for part in view_of(result):
        if part == _throughput(result):
            yield from curves
        elif isinstance(part, (Table, Chart, Stacked)):
            yield part._replace(title=f"{part.title}, {result.latency_cycles} cycles")
        else:
            yield part


def _throughput(result: CoreResult) -> Chart:
    return Chart("Throughput", *_AXES, [_curve(result, "")], "throughput of every split of the area")


_AXES = (Axis("threads", low=0), Axis("packets per million cycles", zero=True))


def _curve(result: CoreResult, name: str) -> Series:
    return Series(name, [(row.threads, row.packets_per_mcycle) for row in result.rows])


def _row(row: CoreRow, most: float) -> tuple[Cell, ...]:
    busy = row.instructions_percent + row.pipeline_percent + row.load_use_percent
    idle = row.idle_memory_percent + row.idle_other_percent
    return (
        str(row.threads),
        f"{row.cache_kb:g} KB",
        f"{row.packets_per_mcycle:,.1f}",
        Bar(row.packets_per_mcycle / most),
        percent(row.hit_percent / 100, 0) if row.cache_kb else "–",
        *(percent(each / 100, 0) for each in (row.bandwidth_percent, busy, row.switches_percent, idle)),
        row.limit,
    )


def _best(result: CoreResult) -> Verdict:
    """The best split, and the splits close to it."""
    best = result.best
    head = f"Best: {several(best.threads, 'thread')} and {best.cache_kb:g} KB of cache; bottleneck: {best.limit}"
    near = []
    for within in PLATEAUS_PERCENT:
        low, high = result.plateau(within)
        if high > low:
            near.append(f"{low} to {high} threads within {within:g} %")
    return Verdict(head, ", ".join(near), "best")


def _malleable(result: CoreResult, found: Adapted) -> list[Part]:
    trials = sum(stretch.trial for stretch in found.history)
    slower = describe("cores/malleable")["processor.slower"].text
    fixed = f"{result.best_packets_per_mcycle:,.1f} packets/Mcycle"
    facts = [
        Fact("Ends with", several(found.threads, "thread"), f"after {several(trials, 'trial')}", "strong"),
        Fact("Between trials", "–", "every packet was part of a trial")
        if found.steady_packets_per_mcycle is None
        else Fact("Between trials", f"{found.steady_packets_per_mcycle:,.1f} packets/Mcycle"),
        Fact("Including trials", f"{found.packets_per_mcycle:,.1f} packets/Mcycle"),
        Fact("Best fixed split", fixed, f"with {several(result.best_threads, 'thread')}"),
        Fact("Clock", f"{slower} % slower", "a fixed split runs at the full clock rate"),
    ]
    stays, tried = (
        [(each.from_packet, each.threads) for each in found.history if each.trial == trial] for trial in (False, True)
    )
    history = [
        (f"{each.from_packet:,}", each.threads, f"{each.packets_per_mcycle:,.1f}", "trial" if each.trial else "stays")
        for each in found.history
    ]
    unfinished = found.unsuccessful > 0
    kept = (
        "an unfinished search leaves the number of threads from before it"
        if unfinished
        else "the core keeps the best count until the next trials"
    )
    warning = (
        f"The packets ended before the trials of {several(found.unsuccessful, 'adaptation')}: the core went back to "
        "the number of threads from before; set --adapt to more packets"
    )
    return [
        Notes([warning] if unfinished else []),
        Chart(
            "Threads of the malleable core",
            Axis("packets so far", low=0),
            Axis("threads", zero=True),
            # The facts report a single step.
            [Series("stays", stays, line=False), Series("trials", tried, line=False)] if len(found.history) > 1 else [],
            f"a trial measures the throughput of one thread count; {kept}",
        ),
        Facts(facts, "A malleable core, adapting"),
        Table(
            "Steps of the adaptation",
            (text("from packet"), "threads", "packets/Mcycle", text("kind")),
            history,
            folded=True,
        ),
    ]
