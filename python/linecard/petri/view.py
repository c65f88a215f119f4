"""The views of a Petri net: markings and bounds, steady state, and replications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linecard.petri.result import Explored, Simulated, Solved
from linecard.view import BAR, Bar, Cell, Fact, Facts, Part, Table, Title, text, view, wide

FLOWS_SHOWN = 20
NO_NAME = "a net without a name"


@view.register
def _(result: Explored) -> list[Part]:
    facts = [
        Fact("Markings", f"{result.reachable_markings:,}", "" if result.complete else "stopped at the limit", "strong"),
        Fact("Edges", f"{result.edges:,}"),
        Fact("Deadlocks", f"{result.dead_markings:,} markings"),
        Fact(
            "Tokens",
            f"{'at most' if result.complete else 'so far up to'} {result.max_tokens_in_place:,} in a place",
            f"{result.max_tokens_in_marking:,} in a marking",
        ),
        Fact("Never enabled", f"{result.never_enabled_transitions:,}", f"of {result.transitions:,} transitions"),
    ]
    if result.unbounded_places:
        facts.append(Fact("Unbounded", ", ".join(result.unbounded_places)))
    most = max(result.bounds.values(), default=0) or 1
    bounds = [(name, Bar(bound / most), bound) for name, bound in result.bounds.items()]
    return [
        Title(result.net or NO_NAME),
        Facts(facts),
        _flows("P-invariants", result.place_invariants),
        _flows("T-invariants", result.transition_invariants),
        # Markings beyond the limit may have more tokens.
        Table("Bounds", (text("place"), BAR, "tokens at most"), bounds)
        if result.complete
        else Table("Most tokens in the markings found", (text("place"), BAR, "tokens"), bounds),
    ]


def _flows(title: str, flows: Sequence[dict[str, int]] | None) -> Table:
    terms = [[name if weight == 1 else f"{weight} {name}" for name, weight in flow.items()] for flow in flows or ()]
    rows = [(" + ".join(each),) for each in terms] or ([] if flows is None else [("none",)])
    return Table(title, (wide(""),), rows, shown=FLOWS_SHOWN)


@view.register
def _(result: Solved) -> list[Part]:
    markings = f"{result.tangible_markings:,} tangible, {result.vanishing_markings:,} vanishing"
    rows = [*_means(result.throughput, "firings"), *_means(result.mean_tokens, "tokens")]
    return [
        Title(result.net or NO_NAME),
        Facts((Fact("Markings", markings),)),
        Table("Steady state", (text(""), BAR, "", text("")), rows, said="firings per time unit, and mean token counts"),
    ]


@view.register
def _(result: Simulated) -> list[Part]:
    of_time = f"{result.time:g} time units each, {result.firings:,} firings"
    facts = [Fact("Replications", f"{result.replications}", of_time)]
    if result.relative_half_width is not None:
        facts.append(
            Fact(
                "Accuracy",
                f"{result.relative_half_width:.2g}",
                "half-width of the widest 95 % interval, as a fraction of the mean",
            )
        )
    if result.dead_replications:
        facts.append(Fact("Deadlocks", f"{result.dead_replications} replications", "no transition was enabled"))
    empty = [name for name, mean in result.mean_tokens.items() if not mean]
    if empty:
        facts.append(Fact("Always empty", "", ", ".join(empty)))
    busy = {name: f"{servers:.4g} servers busy" for name, servers in result.busy_servers.items() if servers}
    tokens = {name: mean for name, mean in result.mean_tokens.items() if mean}
    rows = [
        *_means(result.throughput, "firings", result.throughput_half_width, busy),
        *_means(result.rewards, "reward", result.rewards_half_width, {}),
        *_means(tokens, "tokens", result.mean_tokens_half_width, {}),
    ]
    columns = (text(""), BAR, "", text(""), text(""))
    accuracy = "± half of the 95 % interval" if result.replications > 1 else "one replication: no interval"
    return [
        Title(result.net or NO_NAME),
        Facts(facts),
        Table("Rates per time unit, and mean values", columns, rows, said=accuracy),
    ]


def _means(
    means: Mapping[str, float],
    unit: str,
    halves: Mapping[str, float | None] | None = None,
    more: Mapping[str, str] | None = None,
) -> list[tuple[Cell, ...]]:
    """A row per mean: its name, a bar relative to the largest, its value with half of its interval, its unit."""
    most = max(means.values(), default=0.0) or 1.0
    return [
        (
            name,
            Bar(mean / most),
            f"{mean:.6g}" if half is None else f"{mean:.6g} ± {half:.2g}",
            unit,
            *(() if more is None else (more.get(name, ""),)),
        )
        for name, mean in means.items()
        for half in [None if halves is None else halves[name]]
    ]
