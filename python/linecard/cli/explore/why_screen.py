"""The screen of what limits a chip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from linecard.cli import pieces, stdout
from linecard.cli.explore.sweep_screen import REASONS_SHOWN
from linecard.explore.wording import LOADS

if TYPE_CHECKING:
    from linecard.explore.why_result import WhyResult

_LIFTS_SHOWN, _LIMITS_SHOWN, _ELASTICITIES_SHOWN = 12, 8, 10


def _between(low: float | None, high: float | None, form: str) -> str:
    return "" if low is None or high is None else f"{low:{form}} to {high:{form}}"


def _seeds(number: int) -> str:
    return "one seed" if number == 1 else f"{number} seeds"


def print_why(result: WhyResult) -> None:
    """The verdict, then bounds, gains and elasticities."""
    facts = pieces.grid("l", "w")
    facts.add_row("Limit", Text(result.verdict, style="bold"))
    facts.add_row("", Text(result.why))
    load = LOADS[result.load]
    facts.add_row("Leaves", f"{result.throughput_mpps:,.4g} Mpps, {result.throughput_gbps:,.4g} Gbit/s; load: {load}")
    facts.add_row("Loss", f"{result.loss_fraction:.3%}")
    bounds = pieces.lined(("part", "l"), ("busy", "r"), ("at most, Mpps", "r"))
    for limit in result.limits[:_LIMITS_SHOWN]:
        bounds.add_row(limit.component, pieces.percent(limit.utilization), f"{limit.bound_mpps:,.4g}")
    gains = pieces.lined(("with", "w"), ("more leaves", "r"), ("95 %", "l"))
    for lift in result.lifts[:_LIFTS_SHOWN]:
        style = "bold" if lift.counts else ""
        gains.add_row(
            Text(lift.text, style=style),
            Text(f"{lift.gain:+.1%}", style=style),
            _between(lift.low, lift.high, "+.0%") or _seeds(lift.seeds),
        )
    slopes = pieces.lined(("parameter", "l"), ("now", "r"), ("elasticity", "r"), ("95 %", "l"))
    determined = [each for each in result.elasticities if each.determined]
    for each in determined[:_ELASTICITIES_SHOWN]:
        slopes.add_row(
            each.parameter,
            f"{each.now:g} {each.unit}".rstrip() if each.unit else f"{each.now:g}",
            f"{each.value:+.2f}",
            _between(each.low, each.high, "+.2f") or _seeds(each.seeds),
        )
    unsure = len(result.elasticities) - len(determined)
    more = f" Of {unsure} parameters it is not determined; more packets or seeds tell." if unsure else ""
    lacks = f"; the timing of {', '.join(result.out_of_reach)} is not in it" if result.out_of_reach else ""
    check = Text(
        f"Over rates less times they add up to {result.elasticity_sum:.2f} "
        f"({_between(result.elasticity_sum_low, result.elasticity_sum_high, '.2f') or 'one seed'}); "
        f"1 where everything scales{lacks}.{more}",
        style=pieces.DIM,
    )
    fewer = result.elasticity_packets
    shorter = f"; runs of {fewer:,} packets" if fewer < result.packets else ""
    parts = [
        Padding(Text(result.chip), (1, 0, 0, 2)),
        pieces.section(facts),
        pieces.section(pieces.heading("What each part can carry", "at this use of it"), bounds),
    ]
    if not result.answered:
        stdout.show(*parts)
        return
    parts += [
        pieces.section(pieces.heading("What would help", f"{result.seeds} seeds of {result.packets:,} packets"), gains),
        pieces.section(pieces.heading("Elasticities", f"1: throughput grows in proportion{shorter}"), slopes, check),
    ]
    if result.sensitivities:
        shares = pieces.lined(
            ("parameter", "l"), ("Morris", "r"), ("its spread", "r"), ("Sobol alone", "r"), ("with others", "r")
        )
        for found in result.sensitivities[:_ELASTICITIES_SHOWN]:
            indices = ["–" if x is None else f"{x:.2f}" for x in (found.sobol_first, found.sobol_total)]
            shares.add_row(found.parameter, f"{found.morris_mean:.3f}", f"{found.morris_spread:.3f}", *indices)
        parts.append(pieces.section(pieces.heading("Over half to twice each", "effects on ln throughput"), shares))
    if result.not_tried:
        several = [Text(f"not tried: {reason}", style=pieces.DIM) for reason in result.not_tried[:REASONS_SHOWN]]
        parts.append(pieces.section(*several))
    stdout.show(*parts)
