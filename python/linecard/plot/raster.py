"""Drawings of `linecard.svg` as PNG: its shapes, drawn again with matplotlib."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from linecard.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

# Pixels of the picture for one of the drawing.
SCALE = 2
_DPI = 100
# The font that comes with matplotlib, so that equal drawings are equal bytes; it is wider than the fonts by which the
# texts were measured.
_FONT, _NARROWED = "DejaVu Sans", 0.87
# A head as `Canvas.document` declares it: its tip lies 7 of 8 pixels behind its back.
_HEAD, _TIP = 8.0, 7.0


def png(svg: str) -> bytes:
    """A drawing of :class:`linecard.svg.Canvas` as PNG, twice as many pixels on each side.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a drawing as PNG", "plot") from error
    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    figure = Figure(figsize=(width * SCALE / _DPI, height * SCALE / _DPI), dpi=_DPI)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    for order, element in enumerate(root):
        draw = _DRAWN.get(element.tag.rpartition("}")[2])
        if draw is not None:
            draw(axes, element, order)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _points(size: float) -> float:
    """A length of the drawing in points of the figure."""
    return size * SCALE * 72 / _DPI


def _numbers(element: Element, *names: str) -> list[float]:
    return [float(element.get(name, "0")) for name in names]


def _style(element: Element) -> dict[str, Any]:
    """Colours and lines of a shape."""
    fill, stroke = element.get("fill", "none"), element.get("stroke", "none")
    width = float(element.get("stroke-width", "1"))
    style: dict[str, Any] = {"facecolor": fill, "edgecolor": stroke, "linewidth": _points(width)}
    dash = element.get("stroke-dasharray")
    if dash:
        style["linestyle"] = (0, [float(each) / width for each in dash.split()])
    return style


def _rect(axes: Any, element: Element, order: int) -> None:
    from matplotlib.patches import FancyBboxPatch, Rectangle

    x, y, w, h, radius = _numbers(element, "x", "y", "width", "height", "rx")
    radius = min(radius, w / 2, h / 2)
    if radius > 0:
        round_corners = f"round,pad=0,rounding_size={radius}"
        axes.add_patch(
            FancyBboxPatch((x, y), w, h, boxstyle=round_corners, mutation_aspect=1, zorder=order, **_style(element))
        )
    else:
        axes.add_patch(Rectangle((x, y), w, h, zorder=order, **_style(element)))


def _corners(element: Element) -> list[tuple[float, float]]:
    pairs = (each.split(",") for each in element.get("points", "").split())
    return [(float(x), float(y)) for x, y in pairs]


def _polygon(axes: Any, element: Element, order: int) -> None:
    from matplotlib.patches import Polygon

    axes.add_patch(Polygon(_corners(element), closed=True, zorder=order, **_style(element)))


def _polyline(axes: Any, element: Element, order: int) -> None:
    points, style = _corners(element), _style(element)
    axes.plot(
        *zip(*points, strict=True),
        color=style["edgecolor"],
        linewidth=style["linewidth"],
        linestyle=style.get("linestyle", "-"),
        solid_joinstyle="round",
        solid_capstyle="butt",
        zorder=order,
    )
    for name, at, towards in (("marker-start", points[:1], points[1:2]), ("marker-end", points[-1:], points[-2:-1])):
        if element.get(name) and at and towards:
            _head(axes, at[0], towards[0], style["edgecolor"], order)


def _head(axes: Any, tip: tuple[float, float], back: tuple[float, float], colour: str, order: int) -> None:
    """An arrow head at ``tip`` that comes from ``back``."""
    from matplotlib.patches import Polygon

    angle = math.atan2(tip[1] - back[1], tip[0] - back[0])
    along, across = (math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle))

    def at(ahead: float, aside: float) -> tuple[float, float]:
        return tip[0] + ahead * along[0] + aside * across[0], tip[1] + ahead * along[1] + aside * across[1]

    corners = [at(-_TIP, -_HEAD / 2), at(_HEAD - _TIP, 0), at(-_TIP, _HEAD / 2)]
    axes.add_patch(Polygon(corners, closed=True, facecolor=colour, edgecolor="none", zorder=order))


def _circle(axes: Any, element: Element, order: int) -> None:
    from matplotlib.patches import Circle

    x, y, radius = _numbers(element, "cx", "cy", "r")
    axes.add_patch(Circle((x, y), radius, zorder=order, **_style(element)))


def _text(axes: Any, element: Element, order: int) -> None:
    from matplotlib.patheffects import withStroke

    x, y, size = _numbers(element, "x", "y", "font-size")
    anchor = {"start": "left", "middle": "center", "end": "right"}[element.get("text-anchor", "start")]
    text = axes.text(
        x,
        y,
        element.text or "",
        fontsize=_points(size) * _NARROWED,
        color=element.get("fill", "#000000"),
        fontweight=int(element.get("font-weight", "400")),
        family=_FONT,
        horizontalalignment=anchor,
        verticalalignment="baseline",
        zorder=order,
        parse_math=False,
    )
    if element.get("stroke"):
        width = _points(float(element.get("stroke-width", "1")))
        text.set_path_effects([withStroke(linewidth=width, foreground=element.get("stroke"))])


_DRAWN: dict[str, Callable[[Any, Element, int], None]] = {
    "rect": _rect,
    "polygon": _polygon,
    "polyline": _polyline,
    "circle": _circle,
    "text": _text,
}
