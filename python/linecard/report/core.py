"""The page of `linecard core`: throughput of every split, where cycles go, and how a malleable core finds the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.report import chart, sheet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from linecard.core.result import CoreResult

_CYCLES = {
    "instructions": "instructions_percent",
    "pipeline": "pipeline_percent",
    "loads used too soon": "load_use_percent",
    "changes of threads": "switches_percent",
    "registers not there": "registers_percent",
    "idle for memory": "idle_memory_percent",
    "idle for locks or packets": "idle_other_percent",
}


def write_cores(results: Sequence[CoreResult], path: str | Path, command: str | None = None) -> Path:
    """Write the page of one program on cores, one a latency."""
    first = results[0]
    tiles = []
    for each in results:
        of = f"{each.latency_cycles} cycles off chip" if len(results) > 1 else "the best split"
        best = f"{each.best_threads} threads, {each.best.cache_kb:g} KB"
        tiles.append((of, best, f"{each.best_packets_per_mcycle:,.0f} packets/Mcycle; limit: {each.best.limit}"))
    one = len(results) == 1
    speeds = [
        chart.Series(
            "" if one else f"{each.latency_cycles} cycles",
            [(row.threads, row.packets_per_mcycle) for row in each.rows],
        )
        for each in results
    ]
    return sheet.write_page(
        path,
        f"{first.program.name}: threads or cache",
        f"{first.program.traffic.title}; {first.refs_per_cycle:g} references a cycle, {first.area} thread-equivalents "
        f"of area; each split counts {first.window_packets:,} packets",
        sheet.tiles(tiles),
        sheet.command(command) if command else "",
        *(
            _one(each, several=not one, before=_throughput(speeds) if number == 0 else "")
            for number, each in enumerate(results)
        ),
    )


def _throughput(speeds: Sequence[chart.Series]) -> str:
    return sheet.section(
        "Throughput",
        chart.lines(
            "Throughput of every split of the area",
            chart.Axis("threads", low=0),
            chart.Axis("packets in a million cycles", zero=True),
            speeds,
        ),
    )


def _one(result: CoreResult, *, several: bool, before: str) -> str:
    """One latency; ``before`` stands beside its first chart."""
    rows = []
    for row in result.rows:
        parts = [f"{getattr(row, name):.1f}" for name in _CYCLES.values()]
        rows.append(
            [
                str(row.threads),
                f"{row.cache_kb:g}",
                f"{row.packets_per_mcycle:,.1f}",
                row.limit,
                f"{row.hit_percent:.1f}" if row.cache_kb else "–",
                f"{row.bandwidth_percent:.1f}",
                *parts,
            ]
        )
    best = [n for n, row in enumerate(result.rows) if row.threads == result.best_threads]
    head = ("threads", "cache, KB", "packets/Mcycle", "limit", "hits, %", "bus, %", *(f"{name}, %" for name in _CYCLES))
    title = f", {result.latency_cycles} cycles off chip" if several else ""
    adapted = ""
    if result.adapted is not None:
        found = result.adapted
        settled = [each for each in found.history if not each.trial]
        adapted = sheet.section(
            f"A malleable core{title}",
            # One step alone is told in a sentence.
            *(
                [
                    chart.lines(
                        "Threads from a packet on: tried, or kept until the next trials",
                        chart.Axis("packets so far", low=0),
                        chart.Axis("threads", zero=True),
                        [
                            chart.Series("stays", [(each.from_packet, each.threads) for each in settled], line=False),
                            chart.Series(
                                "trials",
                                [(each.from_packet, each.threads) for each in found.history if each.trial],
                                line=False,
                            ),
                        ],
                    ),
                ]
                if len(found.history) > 1
                else []
            ),
            sheet.table(
                "What the malleable core did",
                ("from packet", "threads", "packets/Mcycle", "kind"),
                [
                    [
                        f"{s.from_packet:,}",
                        str(s.threads),
                        f"{s.packets_per_mcycle:,.1f}",
                        "trial" if s.trial else "stays",
                    ]
                    for s in found.history
                ],
                text=("kind",),
            ),
            said="; ".join(f"{name.lower()} {value}" for name, value in result.adapted_facts()),
        )
    return sheet.beside(
        before,
        sheet.section(
            f"Where cycles go{title}",
            chart.stacked(
                "Cycles of each number of threads, %",
                list(_CYCLES),
                [(str(row.threads), [getattr(row, name) for name in _CYCLES.values()]) for row in result.rows],
            ),
        ),
        adapted,
    ) + sheet.section(f"Splits{title}", sheet.table("Every split", head, rows, marked=best, text=("limit",)))
