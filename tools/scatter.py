"""Draws scatter plots as SVG: two numbers per point, on logarithmic axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from linecard.report.picture import LINES
from linecard.svg import BLOCKS, INK, LABELS, SOFT, WIRES, Canvas, clean, number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GRID = "#e3e7eb"
LEFT, TOP, BOTTOM = 64, 46, 52
SIDE = 440
TICKS = (1, 2, 5)
_DASHES = ("6 3", "2 3")
# A square, a triangle, a diamond, and a triangle on its tip.
_SHAPES = (
    ((-3, -3), (3, -3), (3, 3), (-3, 3)),
    ((0, -4), (4, 3), (-4, 3)),
    ((0, -4.4), (4.4, 0), (0, 4.4), (-4.4, 0)),
    ((0, 4), (4, -3), (-4, -3)),
)


class Dot(NamedTuple):
    """A point.

    Attributes:
        x: The published number.
        y: The measured number.
        group: Group that sets its colour.
        words: Text under the pointer.
        hollow: Whether the number is calibrated.
        band: The ends of the point's bar.
        name: Text beside it.
        shape: Number of the point's shape; 0 is a circle.
    """

    x: float
    y: float
    group: str
    words: str
    hollow: bool = False
    band: tuple[float, float] | None = None
    name: str = ""
    shape: int = 0


def draw(
    dots: Sequence[Dot],
    *,
    heading: str,
    axes: tuple[str, str],
    within: Sequence[float],
    title: str,
    words: str,
    groups: Sequence[str] = (),
    foot: str = "",
    hollow: str = "hollow: calibrated",
) -> str:
    """Draw points around the line on which both numbers are equal.

    Args:
        dots: The points.
        heading: Text above the chart.
        axes: Names of both axes.
        within: Relative distances from this line at which further lines are drawn.
        title: The picture's name.
        words: The picture in words.
        groups: Names of groups in the order of their colours; in the order of the points if left out.
        foot: Text below the chart.
        hollow: The meaning of hollow points in the legend.
    """
    canvas = Canvas()
    named = list(dict.fromkeys([*groups, *(dot.group for dot in dots)]))
    place = _square([dot.x for dot in dots] + [dot.y for dot in dots])
    right, bottom = LEFT + SIDE, TOP + SIDE

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x, y = place(point[0]), place(point[1])
        return LEFT + x * SIDE, bottom - y * SIDE

    canvas.layer = WIRES
    for tick in _ticks(place):
        x, y = at((tick, tick))
        canvas.wire([(x, TOP), (x, bottom)], stroke=GRID, width=0.8)
        canvas.wire([(LEFT, y), (right, y)], stroke=GRID, width=0.8)
        canvas.text(x, bottom + 16, f"{tick:g}", 11, anchor="middle", fill=SOFT)
        canvas.text(LEFT - 6, y + 4, f"{tick:g}", 11, anchor="end", fill=SOFT)
    for share, dash in zip((0.0, *within), ("", *_DASHES), strict=False):
        for factor in {1 + share, 1 - share}:
            canvas.wire(_diagonal(factor, place, at), stroke=SOFT, width=1.0, dash=dash)
    canvas.layer = BLOCKS
    for dot in dots:
        colour = LINES[named.index(dot.group) % len(LINES)]
        x, y = at((dot.x, dot.y))
        if dot.band is not None:
            ends = [at((dot.x, max(end, dot.x / 1e3)))[1] for end in dot.band]
            canvas.wire([(x, ends[0]), (x, ends[1])], stroke=colour, width=1.2)
        mark(canvas, x, y, colour, dot.words, hollow=dot.hollow, shape=dot.shape)
    canvas.layer = LABELS
    for dot in dots:
        if dot.name:
            _name(canvas, *at((dot.x, dot.y)), dot.name, above=dot.y > dot.x)
    canvas.rect(LEFT, TOP, SIDE, SIDE, "none", radius=0)
    canvas.text(LEFT, 20, heading, 14, bold=True)
    canvas.text(LEFT + SIDE / 2, bottom + 38, axes[0], 12, anchor="middle")
    canvas.add(
        f'<text transform="translate(18 {number(TOP + SIDE / 2)}) rotate(-90)" font-size="12" fill="{INK}" '
        f'text-anchor="middle">{clean(axes[1])}</text>'
    )
    y = TOP + 16.0
    shapes = {dot.group: dot.shape for dot in dots}
    entries = [(LINES[index % len(LINES)], group, False) for index, group in enumerate(named)]
    for colour, text, empty in [*entries, *([(INK, hollow, True)] if any(dot.hollow for dot in dots) else [])]:
        mark(canvas, LEFT + 14, y - 4, colour, text, hollow=empty, shape=shapes.get(text, 0))
        canvas.text(LEFT + 24, y, text, 11, halo=True)
        y += 17
    shares = "".join(f", ± {share:.0%}".replace("%", " %") for share in within)
    canvas.text(LEFT + 10, y, f"lines: equal{shares}", 11, fill=SOFT, halo=True)
    if foot:
        canvas.text(right, bottom + 56, foot, 11, anchor="end", fill=SOFT)
    return canvas.document(right + 24, bottom + BOTTOM + (14 if foot else 0), title, words)


def _name(canvas: Canvas, x: float, y: float, name: str, *, above: bool) -> None:
    """A name beside a point, away from the diagonal and from other points, if space is available."""
    if above:
        # There is no room for a name beside the left axis, so it is above the point.
        end, dx, dy = (True, -6, 3) if x > LEFT + SIDE / 4 else (False, -3, -9)
    else:
        end, dx, dy = (False, 6, 5) if x < LEFT + SIDE * 3 / 4 else (True, 4, 14)
    # A name on the axis, whose line would cross it, is above the point.
    dy = -6 if y >= TOP + SIDE - 1 else dy
    canvas.text(x + dx, y + dy, name, 10, anchor="end" if end else "start", halo=True)


def mark(canvas: Canvas, x: float, y: float, colour: str, title: str, *, hollow: bool = False, shape: int = 0) -> None:
    """A dot that shows its numbers under the pointer: a circle, or one of four other shapes."""
    fill = "#ffffff" if hollow else colour
    opacity = "" if hollow else ' fill-opacity="0.75"'
    at = f'cx="{number(x)}" cy="{number(y)}" r="3.2"'
    if shape:
        points = " ".join(f"{number(x + a)},{number(y + b)}" for a, b in _SHAPES[(shape - 1) % len(_SHAPES)])
        at = f'points="{points}"'
    element = "polygon" if shape else "circle"
    canvas.add(
        f'<{element} {at} fill="{fill}"{opacity} stroke="{colour}" '
        f'stroke-width="1.2"><title>{clean(title)}</title></{element}>'
    )


class _Logarithm:
    """A mapping of the values between two ends to 0 to 1 on a logarithmic scale."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, value: float) -> float:
        return math.log(value / self.low) / math.log(self.high / self.low)


def _square(values: Sequence[float]) -> _Logarithm:
    """A scale for both axes, with a small margin."""
    found = [value for value in values if value > 0] or [1.0]
    return _Logarithm(min(found) / 1.4, max(found) * 1.4)


def _ticks(scale: _Logarithm) -> list[float]:
    first = math.floor(math.log10(scale.low))
    last = math.ceil(math.log10(scale.high))
    steps = TICKS if last - first < 4 else (1,)
    found = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return [tick for tick in found if scale.low <= tick <= scale.high]


def _diagonal(
    factor: float, scale: _Logarithm, at: Callable[[tuple[float, float]], tuple[float, float]]
) -> list[tuple[float, float]]:
    """The line of points at which ``y`` is ``factor`` times ``x``, cut at the frame."""
    first, last = max(scale.low, scale.low / factor), min(scale.high, scale.high / factor)
    return [at((first, first * factor)), at((last, last * factor))]
