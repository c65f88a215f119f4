"""The view of an analysis of limits: verdict, capacity of each part, gains as a tornado chart, and elasticities."""

from __future__ import annotations

from linecard.explore.view import REASONS_SHOWN
from linecard.explore.why_result import Elasticity, Lifted, Sensitivity, WhyResult
from linecard.numbers import percent
from linecard.view import (
    BAR,
    Bar,
    Cell,
    Column,
    Fact,
    Facts,
    Part,
    Said,
    Table,
    Title,
    Verdict,
    load_tone,
    text,
    view,
    wide,
)

LOADS = {
    "as given": "traffic as given",
    "saturated": "a packet always waits",
    "full wires": "the line rate of the ports",
}
# A larger share of the packets in the chip is no chance, as in the view of a run.
FEW_INSIDE = 0.01
LIFTS_SHOWN, LIMITS_SHOWN, ELASTICITIES_SHOWN = 12, 8, 10


@view.register
def _(result: WhyResult) -> list[Part]:
    leaves = f"{result.throughput_gbps:,.4g} Gbit/s; load: {LOADS[result.load]}"
    bounds = [
        (
            limit.component,
            Bar(limit.utilization, load_tone(limit.utilization)),
            percent(limit.utilization),
            f"{limit.bound_mpps:,.4g}",
        )
        for limit in result.limits
    ]
    parts: list[Part] = [
        Title(f"{result.chip}: limits"),
        Verdict(f"Limit: {result.verdict}", result.why),
        Facts(
            (
                Fact("Throughput", f"{result.throughput_mpps:,.4g} Mpps", leaves, "strong"),
                _loss(result),
            )
        ),
        Table(
            "Bounds",
            (text("part"), BAR, "busy", "at most, Mpps"),
            bounds,
            "busy time, and capacity at the measured work per packet; raising the lowest may gain nothing",
            LIMITS_SHOWN,
        ),
    ]
    if not result.answered:
        return parts
    return [*parts, _lifts(result), _slopes(result), _sensitivities(result.sensitivities), *_not_tried(result)]


def _loss(result: WhyResult) -> Fact:
    """The loss as in a run: it is “none” only if packets do not accumulate in the chip."""
    piles_up = result.inside_fraction > FEW_INSIDE
    loss = f"{result.loss_fraction:.3%}" if result.loss_fraction else "none yet" if piles_up else "none"
    if not piles_up:
        return Fact("Loss", loss)
    unsteady = "" if result.steady else ": not steady"
    more = f"another {percent(result.inside_fraction)} of the arrived packets are still in the chip{unsteady}"
    return Fact("Loss", loss, more, "warn")


def _lifts(result: WhyResult) -> Table:
    widest = max((abs(each.gain) for each in result.lifts), default=1.0) or 1.0
    return Table(
        "What would help",
        (wide("change"), BAR, "throughput", text("95 %"), Column("set", "p")),
        [_lift(each, widest) for each in result.lifts],
        f"{result.seeds} seeds of {result.packets:,} packets; gains in packets per second; lines are 95 % intervals",
        LIFTS_SHOWN,
        [at for at, each in enumerate(result.lifts) if each.counts],
    )


def _lift(each: Lifted, widest: float) -> tuple[Cell, ...]:
    return (
        each.text,
        _bar(each.gain, each.low, each.high, widest),
        f"{each.gain:+.1%}",
        _between(each.low, each.high, "+.0%") or _seeds(each.seeds),
        ", ".join(f"{key}={value}" for key, value in each.settings.items()),
    )


def _slopes(result: WhyResult) -> Table:
    determined = [each for each in result.elasticities if each.determined]
    steepest = max((abs(each.value) for each in determined), default=1.0) or 1.0
    unsure = len(result.elasticities) - len(determined)
    more = (
        f" The runs do not determine the elasticity of {unsure} parameters; use longer runs or more seeds."
        if unsure
        else ""
    )
    lacks = f"; the sum excludes the timing of {', '.join(result.out_of_reach)}" if result.out_of_reach else ""
    between = _between(result.elasticity_sum_low, result.elasticity_sum_high, ".2f") or "one seed"
    adds_up = (
        f"The sum of rate elasticities minus the sum of time elasticities is {result.elasticity_sum:.2f} ({between})"
    )
    fewer = result.elasticity_packets
    shorter = f"; runs of {fewer:,} packets" if fewer < result.packets else ""
    return Table(
        "Elasticities",
        (text("parameter"), BAR, "elasticity", text("95 %"), "of latency", "now"),
        [_slope(each, steepest) for each in determined],
        f"elasticity 1: throughput grows in proportion to the parameter{shorter}",
        ELASTICITIES_SHOWN,
        below=(Said(f"{adds_up}; 1 if everything scales{lacks}.{more}", "dim"),),
    )


def _slope(each: Elasticity, steepest: float) -> tuple[Cell, ...]:
    return (
        each.parameter,
        _bar(each.value, each.low, each.high, steepest),
        f"{each.value:+.2f}",
        _between(each.low, each.high, "+.2f") or _seeds(each.seeds),
        f"{each.latency:+.2f}",
        f"{each.now:g} {each.unit}".rstrip(),
    )


def _sensitivities(several: tuple[Sensitivity, ...]) -> Table:
    rows = [
        (
            each.parameter,
            f"{each.morris_mean:.3f}",
            f"{each.morris_spread:.3f}",
            *("–" if share is None else f"{share:.2f}" for share in (each.sobol_first, each.sobol_total)),
        )
        for each in several
    ]
    columns = (text("parameter"), "Morris mean", "spread", "Sobol first", "total")
    said = "effects on the logarithm of the throughput while all parameters vary from half to twice their value"
    return Table("Sensitivities", columns, rows, said, ELASTICITIES_SHOWN)


def _not_tried(result: WhyResult) -> list[Part]:
    rows = [(reason,) for reason in result.not_tried]
    return [Table("Not tried", (wide(""),), rows, shown=REASONS_SHOWN)] if rows else []


def _bar(value: float, low: float | None, high: float | None, widest: float) -> Bar:
    low, high = (None if edge is None else edge / widest for edge in (low, high))
    return Bar(value / widest, "", low, high, signed=True)


def _between(low: float | None, high: float | None, form: str) -> str:
    return "" if low is None or high is None else f"{low:{form}} to {high:{form}}"


def _seeds(number: int) -> str:
    return "one seed" if number == 1 else f"{number} seeds"
