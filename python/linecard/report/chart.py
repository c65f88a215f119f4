"""Charts as SVG in a page: lines and points over a number, or stacked shares over names.

Series differ by colour and by mark. Each mark tells its values when pointed at; the same numbers stand in a table of
the page, to which the picture's text refers, so that nobody needs to see it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WIDTH, HEIGHT = 420, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 12, 44
_COLOURS = 8
_LARGE, _SMALL = 1e4, 1e-3


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one kind; ``line`` joins them."""

    name: str
    points: Sequence[tuple[float, float]]
    line: bool = True


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale.

    Attributes:
        name: What it is, with its unit.
        logarithmic: Whether equal ratios have equal lengths.
        zero: Whether it begins at zero.
        low: Where it begins, if not where the data do.
        high: Where it ends likewise.
    """

    name: str
    logarithmic: bool = False
    zero: bool = False
    low: float | None = None
    high: float | None = None


def _plain(value: float) -> str:
    if value == 0:
        return "0"
    if abs(value) >= _LARGE:
        for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if abs(value) >= limit:
                return f"{value / limit:g}{unit}"
    return f"{value:.4g}" if abs(value) >= _SMALL else f"{value:.0e}"


class _Scale:
    """From values to places, and its ticks."""

    def __init__(self, axis: Axis, values: Sequence[float], start: float, end: float) -> None:
        finite = [value for value in values if math.isfinite(value) and (value > 0 or not axis.logarithmic)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        low = axis.low if axis.low is not None else 0.0 if axis.zero and low > 0 else low
        high = axis.high if axis.high is not None else high
        if not high > low:
            low, high = (low / 2, low * 2 or 1.0) if axis.logarithmic else (low - 0.5, low + 0.5)
        self._form: Callable[[float], float] = math.log10 if axis.logarithmic else float
        self.ticks = _powers(low, high) if axis.logarithmic else _steps(low, high)
        if not axis.logarithmic and axis.high is None:
            high = max(high, self.ticks[-1])
        # Axes of logarithms have no zero, and what goes below it needs none.
        self.is_cut = not axis.logarithmic and low > 0
        self._low, self._high, self._start, self._end = self._form(low), self._form(high), start, end
        self._logarithmic = axis.logarithmic

    def at(self, value: float) -> float | None:
        """The place of a value, if it has one."""
        if not math.isfinite(value) or (self._logarithmic and value <= 0):
            return None
        share = (self._form(value) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)


def _steps(low: float, high: float) -> list[float]:
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first = math.ceil(low / step - 1e-9)
    found = [round(number * step, 12) for number in range(first, math.floor(high / step + 1e-9) + 1)]
    # An axis that ends between two ticks goes on to the next: no point lies above the last name.
    return [*found, round((found[-1] + step) if found else high, 12)] if not found or found[-1] < high else found


def _powers(low: float, high: float) -> list[float]:
    two = high / low <= 64
    base = 2 if two else 10
    first = math.ceil(math.log(low, base) - 1e-9)
    last = math.floor(math.log(high, base) + 1e-9)
    found = [float(base**number) for number in range(first, last + 1)]
    stride = max(1, math.ceil(len(found) / 8))
    return found[::stride] or [low]


def _mark(number: int, x: float, y: float, size: float = 4.0) -> str:
    colour = f"var(--s{number % _COLOURS})"
    shape = number % 4
    if shape == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" fill="{colour}">'
    if shape == 1:
        return (
            f'<rect x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size:g}" height="{2 * size:g}" fill="{colour}">'
        )
    far = size * 1.35
    points = [(x, y - far), (x + far, y + far * 0.8), (x - far, y + far * 0.8)]
    if shape == 3:
        points = [(x, y - far), (x + far, y), (x, y + far), (x - far, y)]
    return f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}" fill="{colour}">'


_CLOSING = {"<c": "</circle>", "<r": "</rect>", "<p": "</polygon>"}


def _told(mark: str, text: str) -> str:
    return f"{mark}<title>{escape(text)}</title>{_CLOSING[mark[:2]]}"


def _legend(names: Sequence[str], *, marks: bool) -> str:
    if len(names) < 2:
        return ""
    items = []
    for number, name in enumerate(names):
        mark = _mark(number if marks else number * 4 + 1, 9, 6)
        if not marks:
            mark = f'<rect x="3" y="1" width="12" height="10" fill="var(--s{number % _COLOURS})">'
        shown = f'<svg viewBox="0 0 18 12" aria-hidden="true">{mark}{_CLOSING[mark[:2]]}</svg>'
        items.append(f"<li>{shown} {escape(name)}</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def _figure(title: str, says: str, drawn: Sequence[str], legend: str, height: float = HEIGHT) -> str:
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(title)}. {escape(says)}">'
        f"{''.join(drawn)}</svg>{legend}<figcaption>{escape(title)}</figcaption></figure>"
    )


def lines(title: str, x: Axis, y: Axis, several: Sequence[Series], *, level: tuple[str, float] | None = None) -> str:
    """Series over a number; nothing where there are no points.

    Args:
        title: What it shows, in a sentence; it stands below.
        x: The axis across.
        y: The axis up.
        several: The series, in the order of the legend.
        level: A name and a value at which a line goes across.
    """
    points = [point for each in several for point in each.points]
    if not points:
        return ""
    across = _Scale(x, [point[0] for point in points], _LEFT, WIDTH - _RIGHT)
    up = _Scale(y, [point[1] for point in points], HEIGHT - _BOTTOM, _TOP)
    drawn = _axes(x, y, across, up)
    if level is not None and (at := up.at(level[1])) is not None:
        drawn.append(
            f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="var(--front)" '
            f'stroke-dasharray="4 3"/><text x="{WIDTH - _RIGHT - 4}" y="{at - 4:.1f}" text-anchor="end" '
            f'style="fill:var(--front)">{escape(level[0])}</text>'
        )
    for number, each in enumerate(several):
        places = [(across.at(a), up.at(b), a, b) for a, b in each.points]
        there = [(a, b, c, d) for a, b, c, d in places if a is not None and b is not None]
        if each.line and len(there) > 1:
            path = "L".join(f"{a:.1f} {b:.1f}" for a, b, _, _ in there)
            drawn.append(f'<path d="M{path}" fill="none" stroke="var(--s{number % _COLOURS})" stroke-width="1.6"/>')
        name = f"{each.name}: " if each.name else ""
        small = 4.0 if len(there) <= 60 else 2.0
        drawn += [_told(_mark(number, a, b, small), f"{name}{c:g}, {d:.5g}") for a, b, c, d in there]
    says = f"{y.name} over {x.name}; the numbers are in a table of this page."
    return _figure(title, says, drawn, _legend([each.name for each in several], marks=True))


def _axes(x: Axis, y: Axis, across: _Scale, up: _Scale) -> list[str]:
    drawn = []
    for tick in across.ticks:
        at = across.at(tick)
        if at is not None and _LEFT - 1 <= at <= WIDTH - _RIGHT + 1:
            drawn.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{HEIGHT - _BOTTOM}"/>')
            drawn.append(f'<text x="{at:.1f}" y="{HEIGHT - _BOTTOM + 15}" text-anchor="middle">{_plain(tick)}</text>')
    for tick in up.ticks:
        at = up.at(tick)
        if at is not None and _TOP - 1 <= at <= HEIGHT - _BOTTOM + 1:
            drawn.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
            drawn.append(f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_plain(tick)}</text>')
    middle, centre = (_TOP + HEIGHT - _BOTTOM) / 2, (_LEFT + WIDTH - _RIGHT) / 2
    wide, high = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
    if up.is_cut:
        foot = HEIGHT - _BOTTOM
        strokes = "".join(f'<path class="cut" d="M{_LEFT - 5} {foot - at} l10 -5"/>' for at in (4, 9))
        drawn.append(f'{strokes}<text class="cut" x="{_LEFT + 9}" y="{foot - 5}">axis cut: does not begin at 0</text>')
    drawn.append(
        f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{wide}" height="{high}"/>'
        f'<text class="name" x="{centre}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x.name)}</text>'
        f'<text class="name" transform="translate(13 {middle:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(y.name)}</text>"
    )
    return drawn


def stacked(
    title: str, names: Sequence[str], rows: Sequence[tuple[str, Sequence[float]]], *, unit: str = "%", most: float = 100
) -> str:
    """A bar a row, made of parts: lying, so that names have room."""
    if not rows:
        return ""
    step, left = 24, 14 + 7 * max(len(name) for name, _ in rows)
    height = step * len(rows) + 26
    drawn = []
    for at, (row, parts) in enumerate(rows):
        y = 4 + at * step
        drawn.append(f'<text class="name" x="{left - 6}" y="{y + 14}" text-anchor="end">{escape(row)}</text>')
        x = float(left)
        for number, (name, part) in enumerate(zip(names, parts, strict=True)):
            wide = part / most * (WIDTH - left - _RIGHT)
            if wide > 0:
                place = f'x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{step - 6}"'
                mark = f'<rect {place} fill="var(--s{number % _COLOURS})">'
                drawn.append(_told(mark, f"{row}: {name} {part:.3g} {unit}"))
                x += wide
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = left + share * (WIDTH - left - _RIGHT)
        drawn.append(f'<text x="{x:.1f}" y="{height - 6}" text-anchor="middle">{_plain(share * most)}</text>')
    says = f"Parts of a bar in {unit}: {', '.join(names)}; the numbers are in a table of this page."
    return _figure(title, says, drawn, _legend(names, marks=False), height)
