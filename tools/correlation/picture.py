"""Pictures of a device's rates as SVG: published against predicted, and curves with their bands.

The pictures are drawn without a library, so that equal results produce equal bytes. The tables of the page contain the
same numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from linecard.report.picture import LINES
from linecard.svg import BLOCKS, LABELS, SOFT, WIRES, Canvas, number
from tools.scatter import GRID, LEFT, TOP, Dot, draw, mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.correlation.result import Device, Point

# Each program has a curve in a separate cell.
CELL_WIDTH, CELL_HEIGHT, GAP_X, GAP_Y, COLUMNS = 230, 150, 50, 58, 3


def scatter(device: Device) -> str:
    """Draw published against predicted rates on logarithmic axes; calibrated points are hollow, and bands are bars."""
    # A logarithm has no zero, so a device that carries nothing is in the table only.
    points = [point for point in device.points if point.predicted]
    dots = [
        Dot(
            point.published,
            point.predicted or 0.0,
            point.table,
            f"{point.name}: {_both(point)}",
            point.calibrated,
            band=(point.band.low, point.band.high) if point.band else None,
        )
        for point in points
    ]
    rate = "million packets a second"
    return draw(
        dots,
        heading=f"{device.chip}: predicted against published",
        axes=(f"published, {rate}", f"predicted, {rate}"),
        within=(0.10, 0.25),
        title=f"Predicted against published rates of {device.chip}",
        words=_words(device),
    )


def curves(device: Device) -> str | None:
    """Draw each curve with its band, and the published rates as dots; ``None`` without curves."""
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
        mark(canvas, *at(point.at, point.published), LINES[1], f"{point.name}: {_both(point)}")
    canvas.layer = LABELS
    canvas.wire([(left, bottom - CELL_HEIGHT), (left, bottom), (left + CELL_WIDTH, bottom)], stroke=SOFT, width=1.0)
    canvas.text(left + 4, bottom - CELL_HEIGHT - 6, name, 12, bold=True)
    canvas.text(left + CELL_WIDTH / 2, bottom + 30, axis, 11, anchor="middle", fill=SOFT)


def _both(point: Point) -> str:
    return f"published {point.published:.4g}, predicted {point.predicted or 0.0:.4g}"


def _words(device: Device) -> str:
    return "; ".join(f"{point.name}: {_both(point)}" for point in device.points if point.predicted is not None) + "."


def _even_ticks(end: float) -> list[float]:
    power = 10.0 ** math.floor(math.log10(end))
    step = next(each * power / 10 for each in (1, 2, 5, 10) if end / (each * power / 10) <= 6)
    return [index * step for index in range(int(end / step + 1e-9) + 1)]
