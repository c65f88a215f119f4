"""Pictures of a device's rates as SVG: published against predicted, and curves with their bands.

Drawn without a library, so that the same result gives the same bytes. The tables of the page hold the same numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from linecard.plot.style import LINES
from linecard.svg import BLOCKS, INK, LABELS, SOFT, WIRES, Canvas, clean, number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tools.correlation.result import Device, Point

GRID = "#e3e7eb"
LEFT, TOP, BOTTOM = 64, 46, 52
SIDE = 440
# A curve of each program in a cell of its own.
CELL_WIDTH, CELL_HEIGHT, GAP_X, GAP_Y, COLUMNS = 230, 150, 50, 58, 3
WITHIN = (0.10, 0.25)
TICKS = (1, 2, 5)


def scatter(device: Device) -> str:
    """Published against predicted rates, both logarithmic; calibrated points are hollow, bands are bars."""
    canvas = Canvas()
    # Logarithms have no zero: a device that carries nothing is in the table alone.
    points = [point for point in device.points if point.predicted]
    tables = list(dict.fromkeys(point.table for point in points))
    place = _square([point.published for point in points] + [point.predicted or 0.0 for point in points])
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
    for share, dash in ((0.0, ""), (WITHIN[0], "6 3"), (WITHIN[1], "2 3")):
        for factor in {1 + share, 1 - share}:
            canvas.wire(_diagonal(factor, place, at), stroke=SOFT, width=1.0, dash=dash)
    canvas.layer = BLOCKS
    for point in points:
        colour = LINES[tables.index(point.table) % len(LINES)]
        x, y = at((point.published, point.predicted or 0.0))
        if point.band is not None:
            ends = [
                at((point.published, max(end, point.published / 1e3)))[1] for end in (point.band.low, point.band.high)
            ]
            canvas.wire([(x, ends[0]), (x, ends[1])], stroke=colour, width=1.2)
        _mark(canvas, x, y, colour, f"{point.name}: {_both(point)}", hollow=point.calibrated)
    canvas.layer = LABELS
    canvas.rect(LEFT, TOP, SIDE, SIDE, "none", radius=0)
    canvas.text(LEFT, 20, f"{device.chip}: predicted against published", 14, bold=True)
    canvas.text(LEFT + SIDE / 2, bottom + 38, "published, million packets a second", 12, anchor="middle")
    canvas.add(
        f'<text transform="translate(18 {number(TOP + SIDE / 2)}) rotate(-90)" font-size="12" fill="{INK}" '
        'text-anchor="middle">predicted, million packets a second</text>'
    )
    y = TOP + 16.0
    calibrated = any(point.calibrated for point in points)
    entries = [(LINES[index % len(LINES)], table, False) for index, table in enumerate(tables)]
    for colour, text, hollow in [*entries, *([(INK, "hollow: calibrated", True)] if calibrated else [])]:
        _mark(canvas, LEFT + 14, y - 4, colour, text, hollow=hollow)
        canvas.text(LEFT + 24, y, text, 11, halo=True)
        y += 17
    canvas.text(LEFT + 10, y, "lines: equal, ± 10 %, ± 25 %", 11, fill=SOFT, halo=True)
    title = f"Predicted against published rates of {device.chip}"
    return canvas.document(right + 24, bottom + BOTTOM, title, _words(device))


def curves(device: Device) -> str | None:
    """Each curve with its band, the published rates as dots; ``None`` without curves."""
    names = list(dict.fromkeys(point.curve for point in device.judged if point.curve))
    if not names:
        return None
    canvas = Canvas()
    top = max(max(point.published, point.predicted or 0.0) for point in device.judged if point.curve) * 1.08
    far = max(point.at for point in device.judged if point.curve)
    rows = math.ceil(len(names) / COLUMNS)
    for index, name in enumerate(names):
        left = LEFT + index % COLUMNS * (CELL_WIDTH + GAP_X)
        bottom = TOP + 24 + index // COLUMNS * (CELL_HEIGHT + GAP_Y) + CELL_HEIGHT
        points = sorted((point for point in device.judged if point.curve == name), key=lambda point: point.at)
        _curve(canvas, name, points, left, bottom, far, top, device.axis)
    canvas.layer = LABELS
    canvas.text(LEFT, 20, f"{device.chip}: million packets a second over {device.axis}", 14, bold=True)
    canvas.text(LEFT, 38, "dots: published; line: predicted; shaded: band", 11, fill=SOFT)
    width = LEFT + COLUMNS * CELL_WIDTH + (COLUMNS - 1) * GAP_X + 24
    height = TOP + 24 + rows * (CELL_HEIGHT + GAP_Y)
    title = f"Rates of {device.chip} over {device.axis}"
    return canvas.document(width, height, title, _words(device))


def _curve(
    canvas: Canvas, name: str, points: Sequence[Point], left: float, bottom: float, far: float, top: float, axis: str
) -> None:
    def at(x: float, y: float) -> tuple[float, float]:
        return left + x / far * CELL_WIDTH, bottom - y / top * CELL_HEIGHT

    canvas.layer = WIRES
    for tick in _even_ticks(top):
        y = at(0, tick)[1]
        canvas.wire([(left, y), (left + CELL_WIDTH, y)], stroke=GRID, width=0.8)
        canvas.text(left - 6, y + 4, f"{tick:g}", 11, anchor="end", fill=SOFT)
    for tick in _even_ticks(far):
        canvas.text(at(tick, 0)[0], bottom + 15, f"{tick:g}", 11, anchor="middle", fill=SOFT)
    banded = [point for point in points if point.band is not None]
    edge = [at(point.at, point.band.low) for point in banded if point.band is not None]
    edge += [at(point.at, point.band.high) for point in reversed(banded) if point.band is not None]
    if len(edge) > 2:
        shape = " ".join(f"{number(x)},{number(y)}" for x, y in edge)
        canvas.add(f'<polygon points="{shape}" fill="{LINES[0]}" fill-opacity="0.2" stroke="none"/>')
    canvas.layer = BLOCKS
    canvas.wire([at(point.at, point.predicted or 0.0) for point in points], stroke=LINES[0], width=1.6)
    for point in points:
        _mark(canvas, *at(point.at, point.published), LINES[1], f"{point.name}: {_both(point)}")
    canvas.layer = LABELS
    canvas.wire([(left, bottom - CELL_HEIGHT), (left, bottom), (left + CELL_WIDTH, bottom)], stroke=SOFT, width=1.0)
    canvas.text(left + 4, bottom - CELL_HEIGHT - 6, name, 12, bold=True)
    canvas.text(left + CELL_WIDTH / 2, bottom + 30, axis, 11, anchor="middle", fill=SOFT)


def _mark(canvas: Canvas, x: float, y: float, colour: str, title: str, *, hollow: bool = False) -> None:
    """A dot that tells its numbers when pointed at."""
    fill = "#ffffff" if hollow else colour
    opacity = "" if hollow else ' fill-opacity="0.75"'
    canvas.add(
        f'<circle cx="{number(x)}" cy="{number(y)}" r="3.2" fill="{fill}"{opacity} stroke="{colour}" '
        f'stroke-width="1.2"><title>{clean(title)}</title></circle>'
    )


def _both(point: Point) -> str:
    return f"published {point.published:.4g}, predicted {point.predicted or 0.0:.4g}"


def _words(device: Device) -> str:
    return "; ".join(f"{point.name}: {_both(point)}" for point in device.points if point.predicted is not None) + "."


class _Logarithm:
    """Values between two ends as 0 to 1 on a logarithmic scale."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, value: float) -> float:
        return math.log(value / self.low) / math.log(self.high / self.low)


def _square(values: Sequence[float]) -> _Logarithm:
    """A scale for both axes, with a little room."""
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
    """The line of predictions that are this factor of what was published, cut at the frame."""
    first, last = max(scale.low, scale.low / factor), min(scale.high, scale.high / factor)
    return [at((first, first * factor)), at((last, last * factor))]


def _even_ticks(end: float) -> list[float]:
    power = 10.0 ** math.floor(math.log10(end))
    step = next(each * power / 10 for each in (1, 2, 5, 10) if end / (each * power / 10) <= 6)
    return [index * step for index in range(int(end / step + 1e-9) + 1)]
