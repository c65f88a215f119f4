"""The tornado of `linecard why`: what lifting each limit gains, with intervals; elasticities beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.errors import MissingExtraError
from linecard.files import write_file
from linecard.plot.style import kind_of

if TYPE_CHECKING:
    from linecard.explore.why_result import WhyResult

_MOST_BARS = 14
_ALONE, _PAIR, _RATE, _OTHER = "#2f6db5", "#8fb4dd", "#2f6db5", "#c4722e"
_LONGEST_LABEL = 58


def write_tornado(result: WhyResult, path: str | Path) -> Path:
    """Draw gains and elasticities as PNG or SVG, as the name ends.

    Raises:
        ConfigError: The name ends in neither, or the file cannot be written.
        MissingExtraError: The extra ``plot`` is not installed.
    """
    path, kind = Path(path), kind_of(path)
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a plot", "plot") from error
    lifts = [lift for lift in result.lifts if abs(lift.gain) >= 0.002][:_MOST_BARS] or list(result.lifts[:3])
    slopes = [each for each in result.elasticities if abs(each.value) >= 0.005][:_MOST_BARS]
    rows = max(len(lifts), len(slopes), 3)
    # The same bytes for the same result: no date, and names of parts that do not depend on chance.
    with rc_context({"svg.hashsalt": "linecard", "font.size": 9}):
        figure = Figure(figsize=(12, 1.3 + 0.3 * rows), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        _bars(
            left,
            [_short(lift.text) for lift in lifts],
            [lift.gain * 100 for lift in lifts],
            [(lift.low, lift.high) for lift in lifts],
            [_PAIR if lift.kind == "pair" else _ALONE for lift in lifts],
            100,
        )
        left.set_xlabel("more packets leave, % (pairs are pale)")
        left.set_title(f"{result.chip}: limited by {result.verdict}", loc="left", fontsize=10)
        _bars(
            right,
            [each.parameter for each in slopes],
            [each.value for each in slopes],
            [(each.low, each.high) for each in slopes],
            [_RATE if each.value > 0 else _OTHER for each in slopes],
            1,
        )
        right.set_xlabel("d ln throughput / d ln parameter")
        right.set_title("Elasticities", loc="left", fontsize=10)
        metadata = {"Software": None} if kind == "png" else {"Date": None}
        return write_file(path, lambda file: figure.savefig(file, format=kind, dpi=120, metadata=metadata))


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
            axes.plot([low * scale, high * scale], [place, place], color="#333333", linewidth=1)
    if bounds:
        # Wide intervals must not make bars invisible.
        reach = max(abs(value) for value in values) or 1.0
        known = [abs(edge) * scale for pair in bounds for edge in pair if edge is not None]
        reach = min(max([reach, *known]), 2 * reach) * 1.05
        lowest = min(0.0, *values, *[edge * scale for pair in bounds for edge in pair if edge is not None])
        axes.set_xlim(max(lowest * 1.05, -reach), reach)
    axes.axvline(0, color="#666666", linewidth=0.8)
    axes.set_yticks(places, labels)
    axes.set_ylim(-0.6, len(labels) - 0.4)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


__all__ = ["write_tornado"]
