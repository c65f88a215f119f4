"""The screen of flow caches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from linecard.cli.pieces import DIM, bar, grid, heading, lined, percent, section
from linecard.cli.stdout import show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from linecard.cli.table import Table
    from linecard.flowcache.curves import CacheCurves
    from linecard.flowcache.result import BestPolicy, FlowCacheResult


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
            bar(row.hit_rate, "blue", 8),
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
