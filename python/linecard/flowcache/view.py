"""The view of flow caches: hit rates by size and policy, miss classes, and the best implementable policy."""

from __future__ import annotations

import math

from linecard.flowcache.reports import CacheCurves, CacheRow, ReuseRow
from linecard.flowcache.result import BestPolicy, FlowCacheResult
from linecard.numbers import percent
from linecard.traffic.flow_view import sizes_chart
from linecard.view import (
    BAR,
    Axis,
    Bar,
    Cell,
    Chart,
    Facts,
    Notes,
    Part,
    Said,
    Series,
    Stacked,
    Table,
    Title,
    bars,
    text,
    view,
    wide,
)

# Caches of a chart of classes, and ways of the grid of LRU.
MOST_STACKED = 24
WAYS = (1, 2, 4, 8, 16)
CLASSES = ("cold", "capacity", "conflict")
DIAGNOSTICS_SHOWN = 10


@view.register
def _(result: FlowCacheResult) -> list[Part]:
    best = {(each.entries, each.ways): each.policy for each in result.best}
    marked = [at for at, row in enumerate(result.rows) if best.get((row.entries, row.ways)) == row.policy]
    ended = f"idle time-out {(result.time_out_ns or 0) / 1e9:g} s"
    return [
        Title(result.input),
        Facts(result.facts()),
        Notes([str(each) for each in result.diagnostics[:DIAGNOSTICS_SHOWN]]),
        Table(
            "Caches",
            (text("entries"), text("ways"), text("policy"), "hit rate", BAR, *CLASSES, "bytes", "state"),
            [_cache(row) for row in result.rows],
            said="miss classes in percent of all packets; state of the policy in bits",
            marked=marked,
        ),
        Table(
            "Best policies for hardware",
            (text("entries"), text("ways"), text("policy"), "hit rate", wide("compared with the oracle")),
            [_best(each) for each in result.best],
        ),
        _hit_rates(result),
        _misses(result),
        *([_lru(result.curves)] if result.curves is not None else []),
        *([sizes_chart(result.traffic)] if result.traffic is not None else []),
        *(_curves(result.curves, result.packets) if result.curves is not None else []),
        *([Facts(result.traffic.facts(), "Flows", ended)] if result.traffic is not None else []),
        Table(
            "False hits",
            (
                text("entries"),
                text("ways"),
                text("policy"),
                "packets",
                "measured",
                "of the digest",
                "of the stored part",
            ),
            [_false_hits(row) for row in result.rows if row.false_hits is not None],
            said="false-hit probabilities: measured, expected for the whole digest, and expected for its stored part",
        ),
    ]


def _cache(row: CacheRow) -> tuple[Cell, ...]:
    tone = "dim" if row.oracle else "strong"
    return (
        f"{row.entries:,}",
        row.shape,
        Said(row.policy, "dim" if row.oracle else ""),
        Said(percent(row.hit_rate, 2), tone),
        Bar(row.hit_rate),
        *(f"{getattr(row, name) / row.packets * 100:.2f}" for name in CLASSES),
        row.cache_bytes,
        Said("oracle", "dim") if row.policy_state_bits is None else row.policy_state_bits,
    )


def _best(each: BestPolicy) -> tuple[Cell, ...]:
    shares = []
    if each.percent_of_bound_hits is not None:
        shares.append(f"{each.percent_of_bound_hits:.2f} % of the hits of {each.bound}")
    if each.percent_of_lru_gap is not None and each.policy != "LRU":
        shares.append(f"closes {each.percent_of_lru_gap:.1f} % of the gap between LRU and {each.bound}")
    ways = "full" if each.ways == each.entries else f"{each.ways}-way"
    return f"{each.entries:,}", ways, Said(each.policy, "best"), percent(each.hit_rate, 2), ", ".join(shares)


def _false_hits(row: CacheRow) -> tuple[Cell, ...]:
    chances = (
        row.false_hit_probability,
        row.false_hit_probability_expected,
        row.false_hit_probability_expected_of_tags,
    )
    return f"{row.entries:,}", row.shape, row.policy, row.false_hits, *(f"{chance or 0.0:.3g}" for chance in chances)


def _hit_rates(result: FlowCacheResult) -> Chart:
    """A line per policy, and per number of ways if there are several (as in Girish 2008, Figure 5.5)."""
    several = len({row.shape for row in result.rows}) > 1
    kinds: dict[str, list[tuple[float, float]]] = {}
    for row in result.rows:
        name = f"{row.policy}, {row.shape}" if several else row.policy
        kinds.setdefault(name, []).append((float(row.entries), row.hit_rate * 100))
    return Chart(
        "Hit rate",
        Axis("entries", logarithmic=True),
        Axis("hits, %", zero=True),
        [Series(name, sorted(points)) for name, points in kinds.items()],
        "packets whose flow is in the cache",
    )


def _misses(result: FlowCacheResult) -> Stacked:
    """Classes of misses, a bar per cache (as in Girish 2008, Figure 5.6)."""
    rows = result.rows[:MOST_STACKED]
    return Stacked(
        "Misses by class",
        CLASSES,
        [
            (
                f"{row.entries:,} {row.shape} {row.policy}",
                [getattr(row, name) / row.packets * 100 for name in CLASSES],
            )
            for row in rows
        ],
        "misses of each cache by class, % of packets",
        most=max(10, *(10 * math.ceil(row.miss_ratio * 10) for row in rows)),
    )


def _curves(curves: CacheCurves, packets: int) -> list[Part]:
    misses = {(row.entries, row.ways if row.sets > 1 else 0): row.miss_ratio for row in curves.lru}
    sizes = sorted({entries for entries, number in misses if number == 0 and entries >= WAYS[-1]})
    grid = [[misses.get((entries, number)) for number in (*WAYS, 0)] for entries in sizes]
    reuse = [
        (_span(row), row.packets / max(1, packets), row.packets, f"{row.cumulative_percent:.1f} %")
        for row in curves.reuse
    ]
    return [
        Table(
            "LRU of all sizes",
            (text("entries"), *(f"{number}-way" for number in WAYS), "full"),
            [
                (f"{entries:,}", *("" if ratio is None else f"{ratio * 100:.2f}" for ratio in row))
                for entries, row in zip(sizes, grid, strict=True)
            ],
            said="packets that miss, in percent",
        ),
        bars("Reuse", reuse, "distinct digests between two uses of a digest: packets, and cumulative percentage"),
    ]


def _lru(curves: CacheCurves) -> Chart:
    largest = curves.curve[-1].entries
    lines = {"fully associative": [(row.entries, row.miss_ratio * 100) for row in curves.curve if row.entries > 0]}
    for ways in WAYS[:4]:
        rows = sorted((row.entries, row.miss_ratio * 100) for row in curves.lru if row.ways == ways and row.sets > 1)
        lines[f"{ways}-way"] = [row for row in rows if row[0] <= largest] or rows[:1]
    return Chart(
        "LRU of every size",
        Axis("entries", logarithmic=True),
        Axis("misses, %", zero=True),
        [Series(name, points) for name, points in lines.items()],
        "packets that miss",
    )


def _span(row: ReuseRow) -> str:
    first, last = f"{row.distance_from:,}", f"{row.distance_to:,}"
    return first if first == last else f"{first}–{last}"
