"""Plots of flow caches: miss rates, classes of misses, curves of all sizes, and what the flows are like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.plot.style import INK, LINES, MARKS, MUTED, PALE, STYLE, Drawing, finish, load_pyplot

if TYPE_CHECKING:
    from linecard.flowcache.curves import CacheCurves
    from linecard.flowcache.result import CacheRow, FlowCacheResult
    from linecard.traffic.view import TrafficView

# Cold, capacity, conflict: from what no cache can help to what a better one could.
CLASSES = (("cold", PALE), ("capacity", LINES[0]), ("conflict", LINES[1]))
# Nobody can build an oracle: grey, broken, each with a mark of its own.
ORACLE = "#6e7781"
ORACLE_MARKS = ("s", "^", "D", "v")
# Ways of the curves that are drawn beside the fully associative one.
WAYS_DRAWN = (1, 2, 4, 8)


def draw_flowcache(result: FlowCacheResult) -> dict[str, Drawing]:
    """Every plot of a result by file name: miss rates, classes of misses, and the others where they were asked for."""
    pyplot = load_pyplot()
    drawings: dict[str, Drawing] = {}
    with pyplot.rc_context(STYLE):
        drawings["miss_rates"] = finish(pyplot, _miss_rates(pyplot, result))
        drawings["miss_classes"] = finish(pyplot, _miss_classes(pyplot, result))
        if result.curves is not None:
            drawings["curves"] = finish(pyplot, _curves(pyplot, result.curves))
        if result.traffic is not None:
            drawings["flow_sizes"] = finish(pyplot, _flow_sizes(pyplot, result.traffic))
    return drawings


def _by_shape(result: FlowCacheResult) -> dict[str, list[CacheRow]]:
    """Rows by number of ways, in the order asked for."""
    shapes: dict[str, list[CacheRow]] = {}
    for row in result.rows:
        shapes.setdefault(row.shape, []).append(row)
    return shapes


def _panels(pyplot: Any, count: int, width: float, height: float = 3.2) -> tuple[Any, Any]:
    figure, axes = pyplot.subplots(1, count, figsize=(width * count, height), squeeze=False, sharey=True)
    return figure, axes[0]


def _miss_rates(pyplot: Any, result: FlowCacheResult) -> Any:
    """Miss rate over the size, a line per policy, a panel per number of ways (as Girish 2008, Figure 5.5)."""
    shapes = _by_shape(result)
    figure, axes = _panels(pyplot, len(shapes), 5.2)
    colours, oracles = _colours(result), _oracles(result)
    marks = {
        policy: MARKS[number % len(MARKS)]
        for number, policy in enumerate(each for each in colours if each not in oracles)
    }
    for panel, (shape, rows) in zip(axes, shapes.items(), strict=True):
        sizes = sorted({row.entries for row in rows})
        for policy, colour in colours.items():
            points = {row.entries: 100 * row.miss_ratio for row in rows if row.policy == policy}
            is_oracle = policy in oracles
            panel.plot(
                [sizes.index(size) for size in points],
                list(points.values()),
                marker=ORACLE_MARKS[oracles.index(policy) % len(ORACLE_MARKS)] if is_oracle else marks[policy],
                ms=4,
                color=colour,
                linestyle="--" if is_oracle else "-",
                label=policy,
            )
        panel.set_xticks(range(len(sizes)), [f"{size:,}" for size in sizes])
        panel.set_xlabel("entries")
        panel.set_title(shape if shape != "full" else "fully associative", fontweight="normal")
    axes[0].set_ylim(0, 106 * max(row.miss_ratio for row in result.rows))
    axes[0].set_ylabel("packets that miss (%)")
    axes[-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle("Miss rate by size and policy", x=0.01, ha="left", fontsize=10, fontweight="bold")
    return figure


def _colours(result: FlowCacheResult) -> dict[str, str]:
    """A colour per policy; oracles are grey."""
    policies, oracles = list(dict.fromkeys(row.policy for row in result.rows)), _oracles(result)
    built = [policy for policy in policies if policy not in oracles]
    return {policy: ORACLE if policy in oracles else LINES[built.index(policy) % len(LINES)] for policy in policies}


def _oracles(result: FlowCacheResult) -> list[str]:
    return list(dict.fromkeys(row.policy for row in result.rows if row.oracle))


def _miss_classes(pyplot: Any, result: FlowCacheResult) -> Any:
    """Classes of misses stacked, a bar per cache (as Girish 2008, Figure 5.6)."""
    shapes = _by_shape(result)
    widest = max(len(rows) for rows in shapes.values())
    figure, axes = _panels(pyplot, len(shapes), min(max(3.6, 0.46 * widest + 1.2), 12.0), 3.6)
    for panel, (shape, rows) in zip(axes, shapes.items(), strict=True):
        places, position, last = [], 0.0, None
        for row in rows:
            position += 0.6 if last not in {None, row.entries} else 0.0
            places.append(position)
            position, last = position + 1.0, row.entries
        bottom = [0.0] * len(rows)
        for name, colour in CLASSES:
            shares = [100 * getattr(row, name) / row.packets for row in rows]
            panel.bar(places, shares, 0.8, bottom=bottom, color=colour, label=name)
            bottom = [below + share for below, share in zip(bottom, shares, strict=True)]
        panel.set_xticks(places, [row.policy for row in rows], rotation=60, ha="right", fontsize=7.5)
        panel.tick_params(axis="x", length=0)
        for size in dict.fromkeys(row.entries for row in rows):
            of_size = [place for place, row in zip(places, rows, strict=True) if row.entries == size]
            middle, top = sum(of_size) / len(of_size), max(bottom)
            panel.text(middle, top * 1.03, f"{size:,}", ha="center", color=MUTED, fontsize=8)
        panel.set_title(shape if shape != "full" else "fully associative", fontweight="normal")
        panel.margins(y=0.12)
    axes[0].set_ylabel("packets that miss (%)")
    axes[-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle("Why they miss, by entries", x=0.01, ha="left", fontsize=10, fontweight="bold")
    return figure


def _curves(pyplot: Any, curves: CacheCurves) -> Any:
    """LRU miss ratio of every size: fully associative, and by ways."""
    figure, axes = pyplot.subplots(figsize=(5.6, 3.4))
    points = [(row.entries, 100 * row.miss_ratio) for row in curves.curve]
    axes.plot(*zip(*points, strict=True), color=INK, label="fully associative")
    largest = points[-1][0]
    for number, ways in enumerate(WAYS_DRAWN):
        rows = sorted((row.entries, 100 * row.miss_ratio) for row in curves.lru if row.ways == ways and row.sets > 1)
        rows = [row for row in rows if row[0] <= largest] or rows[:1]
        colour = LINES[number % len(LINES)]
        axes.plot(*zip(*rows, strict=True), color=colour, marker=MARKS[number], ms=3, lw=1, label=f"{ways}-way")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("entries")
    axes.set_ylabel("packets that miss (%)")
    axes.set_title("LRU of every size")
    axes.legend(fontsize=8)
    return figure


def _flow_sizes(pyplot: Any, traffic: TrafficView) -> Any:
    """Share of flows up to a size, and of the packets in them (as Girish 2008, Figure 5.3)."""
    figure, axes = pyplot.subplots(figsize=(5.6, 3.2))
    sizes = [row.flow_packets for row in traffic.sizes]
    curves = (("flows", "flows_cumulative_percent"), ("packets in them", "packets_cumulative_percent"))
    for number, (label, name) in enumerate(curves):
        values = [getattr(row, name) for row in traffic.sizes]
        axes.step(sizes, values, where="post", color=LINES[number], label=label)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_ylim(0, 102)
    axes.set_xlabel("packets of a flow, at most")
    axes.set_ylabel("share (%)")
    axes.set_title("Flows by size")
    axes.legend(fontsize=8, loc="lower right")
    return figure
