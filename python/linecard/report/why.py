"""The page of `linecard why`: the verdict, gains as a tornado, bounds of every part, elasticities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.explore.wording import LOADS
from linecard.report import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from linecard.explore.why_result import WhyResult


def write_why(result: WhyResult, path: str | Path, command: str | None = None) -> Path:
    """Write the page of what limits a chip."""
    load = LOADS[result.load]
    tiles = [
        ("Leaves", f"{result.throughput_mpps:,.4g} Mpps", f"{result.throughput_gbps:,.4g} Gbit/s; {load}"),
        ("Loss", f"{result.loss_fraction:.3%}", ""),
        ("Rate and gains", f"{result.seeds} seeds", f"of {result.packets:,} packets each"),
        (
            "Elasticities add up to",
            f"{result.elasticity_sum:.2f}",
            f"over rates less times; 1 where everything scales; {result.elasticity_packets:,} packets a run",
        ),
    ]
    widest = max((abs(each.gain) for each in result.lifts), default=1.0) or 1.0
    lifts: list[list[sheet.Cell]] = [
        [
            each.text,
            sheet.Bar(each.gain / widest, _over(each.low, widest), _over(each.high, widest), signed=True),
            f"{each.gain:+.1%}",
            _between(each.low, each.high, "+.1%"),
            _settings(each.settings),
        ]
        for each in result.lifts
    ]
    bounds: list[list[sheet.Cell]] = [
        [each.component, sheet.Bar(each.utilization, use=True), f"{each.utilization:.1%}", f"{each.bound_mpps:,.4g}"]
        for each in result.limits
    ]
    steepest = max((abs(each.value) for each in result.elasticities), default=1.0) or 1.0
    slopes: list[list[sheet.Cell]] = [
        [
            each.parameter,
            sheet.Bar(each.value / steepest, _over(each.low, steepest), _over(each.high, steepest), signed=True),
            f"{each.value:+.2f}",
            _between(each.low, each.high, "+.2f"),
            f"{each.latency:+.2f}",
            f"{each.now:g} {each.unit}".strip(),
        ]
        for each in result.elasticities
    ]
    wide = [
        [
            each.parameter,
            f"{each.morris_mean:.3f}",
            f"{each.morris_spread:.3f}",
            "–" if each.sobol_first is None else f"{each.sobol_first:.2f}",
            "–" if each.sobol_total is None else f"{each.sobol_total:.2f}",
        ]
        for each in result.sensitivities
    ]
    lacks = f"; the timing of {', '.join(result.out_of_reach)} is not in the sum" if result.out_of_reach else ""
    return sheet.write_page(
        path,
        f"{result.chip}: what limits it",
        "every statement is measured, by runs on the same packets",
        sheet.verdict(f"Limit: {result.verdict}", result.why),
        sheet.tiles(tiles),
        sheet.command(command) if command else "",
        sheet.section(
            "What would help",
            sheet.table(
                "Gains of lifting a limit, alone and in pairs",
                ("with", "", "more leaves", "95 %", "set"),
                lifts,
                marked=[n for n, each in enumerate(result.lifts) if each.counts],
                said=("set",),
                bars=True,
            ),
            said="the chip again with one limit lifted, and the best three in pairs; thin lines are 95 % intervals",
        ),
        sheet.section(
            "What each part can carry",
            sheet.table(
                "Bounds by the share of time for which a part is busy",
                ("part", "", "busy", "at most, Mpps"),
                bounds,
                bars=True,
            ),
            said="at this use of it: a part at its bound is not yet the limit that is worth lifting",
        ),
        sheet.section(
            "Elasticities",
            sheet.table(
                "Elasticities of throughput and latency",
                ("parameter", "", "of throughput", "95 %", "of latency", "now"),
                slopes,
                text=("now",),
                bars=True,
            ),
            said=f"by how many percent it grows when a parameter grows by one{lacks}",
        ),
        sheet.section(
            "Over half to twice each",
            sheet.table(
                "Sensitivity over a wide range",
                ("parameter", "Morris", "its spread", "Sobol alone", "with others"),
                wide,
            ),
            said="effects on ln throughput, with all others moving too",
        ),
        sheet.section("Not tried", sheet.notes(result.not_tried)),
    )


def _over(value: float | None, by: float) -> float | None:
    return None if value is None else value / by


def _between(low: float | None, high: float | None, form: str) -> str:
    return "" if low is None or high is None else f"{low:{form}} to {high:{form}}"


def _settings(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in changes.items())
