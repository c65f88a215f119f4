"""Draws charts as SVG: lines and points along a numeric axis, stacked bars, and bars with error bars.

Each series of a chart has its own colour and its own marker shape. If the mouse pointer is on a marker, the chart shows
the marker's values. For readers who cannot see the chart, a text description refers to a table with the chart's
numbers. Colours are variables of the page's style sheet, which also defines a dark mode. `report.picture` replaces the
colour variables with colours for print.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from linecard.svg import width_of, wrap
from linecard.view import Axis, Bar, Chart, Grouped, Said, Series, Stacked, Table
from linecard.words import parts

WIDTH, HEIGHT = 420, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 12, 44
_COLOURS = 8
_LARGE, _SMALL = 1e4, 1e-3
# If the picture allows it, an axis begins at zero: the varying part must take at least this share.
LEAST_SHARE = 0.25
KEY = re.compile(r"[a-z]\w*(\.\w+|\[\d+\])+|[a-z]+(_[a-z]+)+")
_STEP, _LETTERS, _MOST_BARS = 22, 12, 40
# Height of one of several bars of a row.
_THIN = 9


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart that has been drawn: SVG elements, height, and description."""

    elements: str
    height: float
    title: str
    said: str
    words: str

    def figure(self) -> str:
        """The chart as a figure of an HTML page."""
        said = f"<figcaption>{escape(self.said)}</figcaption>" if self.said else ""
        return (
            f'<figure><svg viewBox="0 0 {WIDTH} {self.height:g}" role="img" '
            f'aria-label="{escape(self.said or self.title)}. {escape(self.words)}">{self.elements}</svg>{said}</figure>'
        )


def drawn(part: Chart | Stacked | Grouped | Table) -> Drawn | None:
    """Draw a part of a view as a chart; return ``None`` if that is impossible, as for a table without bars."""
    match part:
        case Chart():
            return _lines(part)
        case Stacked():
            return _stacked(part)
        case Grouped():
            return _grouped(part)
        case Table():
            return _bars(part)


def _plain(value: float) -> str:
    if value == 0:
        return "0"
    if abs(value) >= _LARGE:
        for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if abs(value) >= limit:
                return f"{value / limit:g}{unit}"
    return f"{value:.4g}" if abs(value) >= _SMALL else f"{value:.0e}"


class _Scale:
    """A mapping of values to positions, with its ticks."""

    def __init__(self, axis: Axis, values: Sequence[float], start: float, end: float) -> None:
        finite = [value for value in values if math.isfinite(value) and (value > 0 or not axis.logarithmic)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        from_zero = axis.zero or (axis.zero is None and (low == high or high - low >= LEAST_SHARE * high))
        # A cut axis begins below the lowest point, which would otherwise be on the axis.
        foot = low if axis.logarithmic or low <= 0 else max(0.0, low - 0.12 * (high - low))
        low = axis.low if axis.low is not None else 0.0 if from_zero and low > 0 else foot
        high = axis.high if axis.high is not None else high
        if axis.names:
            low, high = -0.5, len(axis.names) - 0.5
        if not high > low:
            low, high = (low / 2, low * 2 or 1.0) if axis.logarithmic else (low - 0.5, low + 0.5)
        self._form: Callable[[float], float] = math.log10 if axis.logarithmic else float
        places = range(len(axis.names)) if axis.names else _powers(low, high) if axis.logarithmic else _steps(low, high)
        self.ticks = {float(place): axis.names[int(place)] if axis.names else _plain(place) for place in places}
        if not axis.logarithmic and axis.high is None and not axis.names:
            high = max(high, *self.ticks)
        # Logarithmic axes have no zero, and an axis that goes below zero needs no cut.
        self.is_cut = not axis.logarithmic and low > 0
        self._low, self._high, self._start, self._end = self._form(low), self._form(high), start, end
        self._logarithmic = axis.logarithmic

    def at(self, value: float) -> float | None:
        """The position of a value on the scale; ``None`` if the scale cannot show the value."""
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
    # An axis that ends between two ticks continues to the next, so that no point is above the last name.
    return [*found, round((found[-1] + step) if found else high, 12)] if not found or found[-1] < high else found


def _powers(low: float, high: float) -> list[float]:
    two = high / low <= 64
    base = 2 if two else 10
    first = math.ceil(math.log(low, base) - 1e-9)
    last = math.floor(math.log(high, base) + 1e-9)
    found = [float(base**number) for number in range(first, last + 1)]
    stride = max(1, math.ceil(len(found) / 8))
    return found[::stride] or [low]


def mark(number: int, x: float, y: float, size: float = 4.0) -> str:
    """The opening SVG tag of a series' marker; the caller adds the closing tag.

    There are four shapes; from the fifth series on, the shapes are hollow.
    """
    colour = f"var(--s{number % _COLOURS})"
    look = f'fill="{colour}"' if number % _COLOURS < _COLOURS / 2 else f'fill="var(--paper)" stroke="{colour}"'
    shape = number % 4
    if shape == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" {look}>'
    if shape == 1:
        return f'<rect x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size:g}" height="{2 * size:g}" {look}>'
    far = size * 1.35
    points = [(x, y - far), (x + far, y + far * 0.8), (x - far, y + far * 0.8)]
    if shape == 3:
        points = [(x, y - far), (x + far, y), (x, y + far), (x - far, y)]
    return f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}" {look}>'


def _told(shape: str, text: str = "") -> str:
    closing = {"<c": "</circle>", "<r": "</rect>", "<p": "</polygon>"}[shape[:2]]
    return f"{shape}<title>{escape(text)}</title>{closing}" if text else f"{shape}{closing}"


def _rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="var(--{colour})">'


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    kind = f' class="{kind}"' if kind else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def cut_to(text: str, room: float) -> str:
    """Shorten a text to the available width."""
    while text and width_of(text, _LETTERS) > room:
        text = text.removesuffix("…")[:-1].rstrip() + "…"
    return text


def _legend(names: Sequence[str], top: float, colours: Sequence[str] = ()) -> tuple[str, float]:
    """A legend below a chart, and the height with it; each row has as many names as fit, and only bars have colours."""
    if len(names) < 2:
        return "", top
    x, y, items = 8.0, top + 12, []
    for number, name in enumerate(cut_to(name, WIDTH - 40) for name in names):
        width = 18 + width_of(name, _LETTERS) + 14
        if x > 8 and x + width > WIDTH:
            x, y = 8.0, y + 18
        shown = _rect(x, y - 9, 12, 10, colours[number]) if colours else mark(number, x + 6, y - 4)
        items.append(_told(shown) + _text(x + 18, y, name, kind="name"))
        x += width
    return "".join(items), y + 8


def _colours(names: Sequence[str]) -> list[str]:
    return [f"s{number % _COLOURS}" for number in range(len(names))]


def _lines(part: Chart) -> Drawn | None:
    """Series as lines; `None` if there are no points."""
    points = [point for each in part.series for point in each.points]
    if not points:
        return None
    ends = [end for each in part.series for pair in each.ranges for end in pair]
    across = _Scale(part.x, [point[0] for point in points], _LEFT, WIDTH - _RIGHT)
    up = _Scale(part.y, [*(point[1] for point in points), *ends], HEIGHT - _BOTTOM, _TOP)
    found = _axes(part.x, part.y, across, up)
    if part.level is not None and (at := up.at(part.level[1])) is not None:
        found.append(
            f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="var(--front)" '
            f'stroke-dasharray="4 3"/>{_text(_LEFT + 4, at - 4, part.level[0], kind="level")}'
        )
    for number, each in enumerate(part.series):
        found += _series(each, number, across, up, part.x.names)
    legend, height = _legend([each.name for each in part.series], HEIGHT)
    words = f"{part.y.name} by {part.x.name}; see the table on this page for the numbers."
    return Drawn("".join(found) + legend, height, part.title, part.said, words)


def _series(each: Series, number: int, across: _Scale, up: _Scale, names: Sequence[str]) -> Iterator[str]:
    places = [(across.at(a), up.at(b), a, b) for a, b in each.points]
    there = [(a, b, c, d) for a, b, c, d in places if a is not None and b is not None]
    colour = f'stroke="var(--s{number % _COLOURS})"'
    if each.line and len(there) > 1:
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b, _, _ in there)
        yield f'<path d="M{path}" fill="none" {colour} stroke-width="1.6"/>'
    for (x, _), (low, high) in zip(each.points, each.ranges, strict=False):
        at, ends = across.at(x), (up.at(low), up.at(high))
        if at is not None and ends[0] is not None and ends[1] is not None:
            caps = "".join(f"M{at - 4:.1f} {end:.1f}h8" for end in ends if end is not None)
            yield f'<path class="range" d="M{at:.1f} {ends[0]:.1f}V{ends[1]:.1f}{caps}"/>'
    name = f"{each.name}: " if each.name else ""
    small = 4.0 if len(there) <= 60 else 2.0
    for a, b, c, d in there:
        yield _told(mark(number, a, b, small), f"{name}{names[int(c)] if names else format(c, 'g')}, {d:.5g}")


def _axes(x: Axis, y: Axis, across: _Scale, up: _Scale) -> list[str]:
    found = _across(across, _LEFT, WIDTH - _RIGHT, _TOP, HEIGHT - _BOTTOM)
    for tick, name in up.ticks.items():
        at = up.at(tick)
        if at is not None and _TOP - 1 <= at <= HEIGHT - _BOTTOM + 1:
            found.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
            found.append(_text(_LEFT - 6, at + 4, name, "end"))
    middle, centre = (_TOP + HEIGHT - _BOTTOM) / 2, (_LEFT + WIDTH - _RIGHT) / 2
    if up.is_cut:
        foot = HEIGHT - _BOTTOM
        strokes = "".join(f'<path class="cut" d="M{_LEFT - 5} {foot - at} l10 -5"/>' for at in (4, 9))
        found.append(strokes + _text(_LEFT + 9, foot - 5, "the axis does not begin at 0", kind="cut"))
    found.append(
        f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{WIDTH - _LEFT - _RIGHT}" '
        f'height="{HEIGHT - _TOP - _BOTTOM}"/>{_text(centre, HEIGHT - 8, x.name, "middle", "name")}'
        f'<text class="name" transform="translate(13 {middle:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(y.name)}</text>"
    )
    return found


def _across(scale: _Scale, left: float, right: float, top: float, foot: float) -> list[str]:
    """Grid and labels of an axis below a chart."""
    found = []
    # Names under the axis get the room between two ticks. If that is too little, only every second name or fewer are
    # shown.
    widest = max(width_of(name, _LETTERS) for name in scale.ticks.values()) + 6
    stride = max(1, math.ceil(widest * len(scale.ticks) / (right - left + _RIGHT)))
    for number, (tick, name) in enumerate(scale.ticks.items()):
        at = scale.at(tick)
        if at is not None and left - 1 <= at <= right + 1:
            found.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{top:g}" y2="{foot:g}"/>')
            if number % stride == 0:
                found.append(_text(at, foot + 15, name, "middle"))
    return found


def _stacked(part: Stacked) -> Drawn | None:
    """A stacked bar per row, horizontal, so that names have space."""
    if not part.rows:
        return None
    left = 14 + max(width_of(name, _LETTERS) for name, _ in part.rows)
    room = WIDTH - left - _RIGHT
    found = []
    for at, (row, shares) in enumerate(part.rows):
        y, x = 4 + at * (_STEP + 2), left
        found.append(_text(left - 6, y + 14, row, "end", "name"))
        for number, (name, share) in enumerate(zip(part.names, shares, strict=True)):
            long = share / part.most * room
            if long > 0:
                shown = _rect(x, y, long, _STEP - 4, f"s{number % _COLOURS}")
                found.append(_told(shown, f"{row}: {name} {share:.3g} {part.unit}"))
                x += long
    foot = (_STEP + 2) * len(part.rows) + 20
    found += [
        _text(left + share * room, foot, _plain(share * part.most), "middle") for share in (0, 0.25, 0.5, 0.75, 1)
    ]
    legend, height = _legend(part.names, foot + 6, _colours(part.names))
    words = f"Stacked bars in {part.unit}: {', '.join(part.names)}; see the table on this page for the numbers."
    return Drawn("".join(found) + legend, height, part.title, part.said, words)


def _grouped(part: Grouped) -> Drawn | None:
    """Bars of several names in each row, horizontal, so that names have space."""
    rows = [row for row in part.rows if not isinstance(row, str)]
    if not rows:
        return None
    left = min(14 + max(width_of(name, _LETTERS) for name, *_ in rows), WIDTH * 0.42)
    remarks = max(width_of(said, _LETTERS) for *_, said, _ in rows)
    right = WIDTH - (remarks + 12 if remarks else _RIGHT)
    ends = [value + half for _, values, _, half in rows for value in values if value is not None]
    scale = _Scale(Axis(part.scale, zero=True), [0.0, *ends], left, right)
    colours = ["pale", "s0", "s3"] if part.pale else _colours(part.names)
    start, y, found = scale.at(0.0) or left, 4.0, []
    for row in part.rows:
        if isinstance(row, str):
            lines = wrap(row, _LETTERS, WIDTH - 16, bold=True)
            found += [_text(8, y + 14 + 16 * at, line, kind="head") for at, line in enumerate(lines)]
            y += 16 * len(lines) + 6
            continue
        name, values, said, half = row
        bars = [(number, value) for number, value in enumerate(values) if value is not None]
        lines = wrap(name, _LETTERS, left - 10)
        high = max(_THIN * len(bars), 14 * len(lines), 14)
        found += [
            _text(left - 6, y + (high - 14 * len(lines)) / 2 + 14 * at + 11, line, "end", "name")
            for at, line in enumerate(lines)
        ]
        top = y + (high - _THIN * len(bars)) / 2
        for at, (number, value) in enumerate(bars):
            end = scale.at(value) or start
            shown = _rect(min(start, end), top + _THIN * at, abs(end - start), _THIN - 1, colours[number])
            found.append(_told(shown, f"{name}: {part.names[number]} {value:.5g}"))
        if half and bars:
            low, far = (scale.at(bars[-1][1] + way * half) or start for way in (-1, 1))
            middle = top + _THIN * (len(bars) - 0.5) - 0.5
            caps = "".join(f"M{end:.1f} {middle - 3:.1f}v6" for end in (low, far))
            found.append(f'<path class="range" d="M{low:.1f} {middle:.1f}H{far:.1f}{caps}"/>')
        found.append(_text(right + 8, y + high / 2 + 4, said))
        y += high + 7
    axis = _across(scale, left, right, 4, y)
    axis.append(_text(WIDTH / 2, y + 33, cut_to(part.scale, WIDTH), "middle", "name"))
    used = [number for number in range(len(part.names)) if any(values[number] is not None for _, values, *_ in rows)]
    legend, height = _legend([part.names[number] for number in used], y + 38, [colours[number] for number in used])
    words = f"Bars in {part.scale} for {', '.join(part.names)}; see the table on this page for the numbers."
    return Drawn("".join([*axis, *found]) + legend, height, part.title, part.said, words)


def _readable(name: str) -> str:
    """A text; a key of a chip's file in words."""
    return parts(name)[0] if KEY.fullmatch(name) else name


def _bars(part: Table) -> Drawn | None:
    """Bars of a table with the names before them and the numbers after them; intervals are lines."""
    rows = []
    for cells in part.rows:
        at = next((n for n, cell in enumerate(cells) if isinstance(cell, Bar)), None)
        if at is not None and isinstance(bar := cells[at], Bar):
            texts = [cell.text if isinstance(cell, Said) else str(cell) for cell in (*cells[:at], *cells[at + 1 :][:1])]
            rows.append((", ".join(map(_readable, filter(None, texts[:at]))), bar, "".join(texts[at:])))
    rows = rows[: part.shown or _MOST_BARS]
    if not rows:
        return None
    left = min(14 + max(width_of(name, _LETTERS) for name, _, _ in rows), WIDTH * 0.55)
    right = 10 + max(width_of(said, _LETTERS) for _, _, said in rows)
    room = WIDTH - left - right
    signed = any(bar.signed for _, bar, _ in rows)
    low = max(-1.0, min(0.0, *(min(bar.share, bar.low or 0.0) for _, bar, _ in rows)))

    def x(share: float) -> float:
        return left + (min(max(share, low), 1.0) - low) / (1 - low) * room

    found = []
    for at, (name, bar, said) in enumerate(rows):
        y = 4 + at * _STEP
        start, end = sorted((x(0.0), x(bar.share)))
        colour = "bad" if bar.share < 0 else "front" if bar.tone in {"bad", "warn"} and not signed else "point"
        if not signed:
            found.append(_told(_rect(left, y, room, _STEP - 8, "panel")))
        found.append(_told(_rect(start, y, end - start, _STEP - 8, colour), f"{name}: {said}"))
        if bar.low is not None and bar.high is not None:
            found.append(f'<path class="range" d="M{x(bar.low):.1f} {y + 7}H{x(bar.high):.1f}"/>')
        found.append(_text(left - 6, y + 12, cut_to(name, left - 10), "end", "name"))
        found.append(_text(WIDTH - right + 6, y + 12, said))
    if signed:
        found.append(f'<path class="range" d="M{x(0.0):.1f} 2V{_STEP * len(rows):.1f}"/>')
    words = "See the table on this page for the numbers."
    return Drawn("".join(found), _STEP * len(rows) + 6, part.title, part.said, words)
