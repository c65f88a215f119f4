"""The tornado of `linecard why`: what lifting each limit gains, with intervals; elasticities beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.plot.style import INK, LINES, SOFT, draw
from linecard.words import parts

if TYPE_CHECKING:
    from pathlib import Path

    from linecard.explore.why_result import WhyResult

_MOST_BARS = 14
_LONGEST_LABEL = 58


def write_tornado(result: WhyResult, path: str | Path) -> Path:
    """Draw gains and elasticities as PNG or SVG, as the name ends.

    Raises:
        ConfigError: The name ends in neither, or the file cannot be written.
        MissingExtraError: The extra ``plot`` is not installed.
    """
    return draw(path, lambda pyplot: _figure(pyplot, result))


def _figure(pyplot: Any, result: WhyResult) -> Any:
    lifts = [lift for lift in result.lifts if abs(lift.gain) >= 0.002][:_MOST_BARS] or list(result.lifts[:3])
    slopes = [each for each in result.elasticities if abs(each.value) >= 0.005][:_MOST_BARS]
    rows = max(len(lifts), len(slopes), 3)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 1.6 + 0.3 * rows), width_ratios=(3, 2))
    _bars(
        left,
        [_short(lift.text) for lift in lifts],
        [lift.gain * 100 for lift in lifts],
        [(lift.low, lift.high) for lift in lifts],
        [SOFT if lift.kind == "pair" else LINES[0] for lift in lifts],
        100,
    )
    left.set_xlabel("change of the packets that leave (%); two at once are pale")
    left.set_title("What lifting each limit changes", fontweight="normal")
    _bars(
        right,
        [parts(each.parameter)[0] for each in slopes],
        [each.value for each in slopes],
        [(each.low, each.high) for each in slopes],
        [LINES[0] if each.value > 0 else LINES[1] for each in slopes],
        1,
    )
    right.set_xlabel("change of packets (%) for 1 % more")
    right.set_title("Elasticities", fontweight="normal")
    note = "; lines: 95 % intervals" if any(lift.low is not None for lift in lifts) else ""
    figure.suptitle(f"{result.chip}{note}", x=0.01, ha="left", fontsize=10, fontweight="bold")
    return figure


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"


def _bars(
    axes: Any,
    labels: list[str],
    values: list[float],
    bounds: list[tuple[float | None, float | None]],
    colours: list[str],
    scale: float,
) -> None:
    places = list(range(len(labels)))[::-1]
    axes.barh(places, values, color=colours, height=0.7)
    for place, (low, high) in zip(places, bounds, strict=True):
        if low is not None and high is not None:
            axes.plot([low * scale, high * scale], [place, place], color=INK, linewidth=1.1, marker="|", markersize=6)
    if bounds:
        # Wide intervals must not make bars invisible.
        reach = max(abs(value) for value in values) or 1.0
        known = [abs(edge) * scale for pair in bounds for edge in pair if edge is not None]
        reach = min(max([reach, *known]), 2 * reach) * 1.05
        lowest = min(0.0, *values, *[edge * scale for pair in bounds for edge in pair if edge is not None])
        axes.set_xlim(max(lowest * 1.05, -reach), reach)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(places, labels)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")
    axes.set_ylim(-0.6, len(labels) - 0.4)
