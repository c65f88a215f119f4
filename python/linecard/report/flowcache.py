"""The page of `linecard flowcache`: hit rates over sizes by policy, classes of misses, the best that can be built."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from linecard.report import chart, sheet

if TYPE_CHECKING:
    from linecard.flowcache.result import FlowCacheResult

_MOST_STACKED = 24


def write_flowcache(result: FlowCacheResult, path: str | Path, command: str | None = None) -> Path:
    """Write the page of caches over one traffic."""
    best = {(each.entries, each.ways): each.policy for each in result.best}
    rows: list[list[sheet.Cell]] = [
        [
            f"{row.entries:,}",
            row.shape,
            row.policy,
            sheet.Bar(row.hit_rate),
            f"{row.hit_rate:.2%}",
            *(f"{count / row.packets:.2%}" for count in (row.cold, row.capacity, row.conflict)),
            f"{row.cache_bytes:,}",
            "oracle" if row.policy_state_bits is None else f"{row.policy_state_bits:,}",
            *([] if row.false_hits is None else [f"{row.false_hits:,}"]),
        ]
        for row in result.rows
    ]
    false_hits = ("false hits",) if result.rows and result.rows[0].false_hits is not None else ()
    head = ("entries", "ways", "policy", "", "hit rate", "cold", "capacity", "conflict", "bytes", "state, bits")
    marked = [n for n, row in enumerate(result.rows) if best.get((row.entries, row.ways)) == row.policy]
    shapes = list(dict.fromkeys(row.shape for row in result.rows))
    kinds: dict[str, list[tuple[float, float]]] = {}
    for row in result.rows:
        name = row.policy if len(shapes) == 1 else f"{row.policy}, {row.shape}"
        kinds.setdefault(name, []).append((float(row.entries), row.hit_rate * 100))
    tiles = [
        (
            f"Best of {each.entries:,} entries, {'full' if each.ways == each.entries else f'{each.ways}-way'}",
            f"{each.policy} {each.hit_rate:.2%}",
            ""
            if each.percent_of_bound_hits is None
            else f"{each.percent_of_bound_hits:.2f} % of the hits of {each.bound}",
        )
        for each in result.best[:8]
    ]
    said = "; ".join(f"{name.lower()}: {value}" for name, value in result.facts())
    return sheet.write_page(
        path,
        f"Flow caches over {Path(result.input).name}",
        f"{len(result.rows):,} caches; {said}",
        sheet.tiles(tiles),
        sheet.notes(str(each) for each in result.diagnostics[:10]),
        sheet.command(command) if command else "",
        sheet.beside(
            sheet.section(
                "Hit rate",
                chart.lines(
                    "Packets whose flow is in the cache",
                    chart.Axis("entries", logarithmic=True),
                    chart.Axis("hits, %", zero=True),
                    [chart.Series(name, sorted(points)) for name, points in kinds.items()],
                ),
            ),
            sheet.section("Why packets miss", _misses(result)),
            _curve(result),
        ),
        sheet.section(
            "Caches",
            sheet.table("Every cache", (*head, *false_hits), rows, marked=marked, text=("ways", "policy"), bars=True),
            said="bold: the best of its size that can be built; classes of misses are shares of packets",
        ),
        _traffic(result),
    )


def _misses(result: FlowCacheResult) -> str:
    return chart.stacked(
        "Misses of every cache by class, % of packets",
        ["cold", "capacity", "conflict"],
        [
            (
                f"{row.entries:,} {row.shape} {row.policy}",
                [count / row.packets * 100 for count in (row.cold, row.capacity, row.conflict)],
            )
            for row in result.rows[:_MOST_STACKED]
        ],
        most=max(10, *(10 * math.ceil(row.miss_ratio * 10) for row in result.rows[:_MOST_STACKED])),
    )


def _curve(result: FlowCacheResult) -> str:
    if result.curves is None:
        return ""
    points = [(float(row.entries), row.miss_ratio * 100) for row in result.curves.curve if row.entries > 0]
    reuse = [
        (
            f"{row.distance_from:,}"
            if row.distance_from == row.distance_to
            else f"{row.distance_from:,}–{row.distance_to:,}",
            row.packets / max(1, result.packets),
            f"{row.packets:,} packets, {row.cumulative_percent:.1f} % so far",
        )
        for row in result.curves.reuse
    ]
    return sheet.section(
        "LRU of all sizes",
        chart.lines(
            "Packets that miss a fully associative LRU cache",
            chart.Axis("entries", logarithmic=True),
            chart.Axis("misses, %", zero=True),
            [chart.Series("", points)],
        ),
        sheet.shares("Other digests before a digest comes back", ("distance", "packets"), reuse),
    )


def _traffic(result: FlowCacheResult) -> str:
    if result.traffic is None:
        return ""
    rows = [[name, value] for name, value in result.traffic.facts()]
    return sheet.section("Flows", sheet.table("What the flows are like", ("what", "value"), rows, said=("value",)))
