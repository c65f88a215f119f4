"""Writes SVG drawings: shapes, colours, and texts whose widths are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

# Layers: wires are below blocks, and labels of wires are above.
WIRES, BLOCKS, LABELS = 0, 1, 2
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
INK, SOFT, WIRE, PACKETS, LIMIT = "#1a1a1a", "#5a5a5a", "#6b7280", "#00639c", "#c2410c"

# Pastel fills that colour-blind readers can distinguish, also in grey; shapes carry the same information.
FILLS = {
    "cluster": "#dbe8f6",
    "memory": "#e6f2df",
    "cache": "#fbf0c4",
    "accelerator": "#f9ddd0",
    "link": "#dcdfe4",
    "off": "#f3f4f6",
    "port": "#e9e4f2",
    "buffer": "#ffffff",
    "inbox": "#ffffff",
}
# One hue from light to dark: idle to busy.
SCALE = ((243, 247, 252), (158, 202, 225), (49, 130, 189), (8, 48, 107))

# Widths of characters of Helvetica in thousandths of the font size; a letter that is not here counts as a wide one.
_WIDTHS = {
    **dict.fromkeys("ijl'|", 230),
    **dict.fromkeys("ftIr.,:;!/\\ ()[]`-·", 310),
    "•": 360,
    **dict.fromkeys('ckszvxyJ*"{}', 500),
    **dict.fromkeys("abdeghnopqu0123456789_L?$#+=<>~^×→µ", 560),
    **dict.fromkeys("ABEKPSVXYFTZ&w", 670),
    **dict.fromkeys("CDHNRUGOQ", 740),
    **dict.fromkeys("mM%W@—", 890),
}
_WIDE = 1000
# Readers' fonts differ: fonts related to Arial are wider by up to this factor.
_SLACK = 1.08


def width_of(text: str, size: float, bold: bool = False) -> float:
    """Width of a text in pixels, rounded up."""
    units = sum(_WIDTHS.get(letter, _WIDE) for letter in text)
    return units / 1000 * size * _SLACK * (1.06 if bold else 1.0)


def wrap(text: str, size: float, most: float, bold: bool = False) -> list[str]:
    """Break a text into lines whose width is at most ``most`` pixels."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size, bold) <= most:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def level_fill(share: float) -> str:
    """Colour that represents a fraction from 0 to 1."""
    at = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    first = min(int(at), len(SCALE) - 2)
    mixed = (a + (b - a) * (at - first) for a, b in zip(SCALE[first], SCALE[first + 1], strict=True))
    return "#" + "".join(f"{round(part):02x}" for part in mixed)


def text_on(share: float | None) -> str:
    """Text colour that is legible on the background colour that represents a fraction."""
    return "#ffffff" if share is not None and share > 0.55 else INK


def clean(text: str) -> str:
    """Escape a text for XML and remove characters that XML forbids."""
    allowed = (
        c if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe") or c > "\uffff" else "\ufffd"
        for c in text
    )
    return escape("".join(allowed))


def number(value: float) -> str:
    """Round a coordinate to a tenth of a pixel, and format it without trailing zeros."""
    return f"{value:.1f}".removesuffix(".0").replace("-0.0", "0")


@dataclass(slots=True)
class Canvas:
    """A drawing with layers: blocks cover wires, and the labels of wires cover blocks."""

    layers: dict[int, list[str]] = field(default_factory=dict)
    layer: int = 0

    def add(self, element: str) -> None:
        """Add an element to the current layer."""
        self.layers.setdefault(self.layer, []).append(element)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 12,
        *,
        bold: bool = False,
        fill: str = INK,
        anchor: str = "start",
        halo: bool = False,
    ) -> None:
        """Add a line of text with its baseline at ``y``."""
        more = ' font-weight="700"' if bold else ""
        more += f' text-anchor="{anchor}"' if anchor != "start" else ""
        more += ' stroke="#ffffff" stroke-width="4" stroke-linejoin="round" paint-order="stroke"' if halo else ""
        self.add(
            f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" fill="{fill}"{more}>{clean(text)}</text>'
        )

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str,
        *,
        stroke: str = SOFT,
        width: float = 1.2,
        radius: float = 5,
        dash: str = "",
    ) -> None:
        """Add a rectangle with rounded corners."""
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}" rx="{number(radius)}" '
            f'fill="{fill}" stroke="{stroke}" stroke-width="{number(width)}"{more}/>'
        )

    def cut(self, x: float, y: float, w: float, h: float, fill: str, *, stroke: str = SOFT, width: float = 1.2) -> None:
        """Add a rectangle with cut corners."""
        c = min(10.0, h / 4)
        corners = [
            (x + c, y),
            (x + w - c, y),
            (x + w, y + c),
            (x + w, y + h - c),
            (x + w - c, y + h),
            (x + c, y + h),
            (x, y + h - c),
            (x, y + c),
        ]
        points = " ".join(f"{number(a)},{number(b)}" for a, b in corners)
        self.add(f'<polygon points="{points}" fill="{fill}" stroke="{stroke}" stroke-width="{number(width)}"/>')

    def wire(
        self,
        points: list[tuple[float, float]],
        *,
        stroke: str = WIRE,
        width: float = 1.5,
        end: str = "",
        start: str = "",
        dash: str = "",
    ) -> None:
        """Add a line through points; ``end`` and ``start`` name the arrowheads at the ends of the line."""
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        more = f' stroke-dasharray="{dash}"' if dash else ""
        more += f' marker-start="url(#{start})"' if start else ""
        more += f' marker-end="url(#{end})"' if end else ""
        self.add(
            f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="{number(width)}" '
            f'stroke-linejoin="round"{more}/>'
        )

    def dot(self, x: float, y: float, fill: str = WIRE) -> None:
        """Add a dot that marks a junction of wires."""
        self.add(f'<circle cx="{number(x)}" cy="{number(y)}" r="3" fill="{fill}"/>')

    def document(self, width: float, height: float, title: str, description: str) -> str:
        """The complete drawing as SVG text."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" height="{number(height)}" '
            f'viewBox="0 0 {number(width)} {number(height)}" font-family="{FONT}" role="img" '
            'aria-labelledby="title desc">'
        )
        arrow = (
            '<marker id="{}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            'markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="{}"/></marker>'
        )
        lines = [
            head,
            f'<title id="title">{clean(title)}</title>',
            f'<desc id="desc">{clean(description)}</desc>',
            f"<defs>{arrow.format('wire', WIRE)}{arrow.format('packets', PACKETS)}</defs>",
            f'<rect width="{number(width)}" height="{number(height)}" fill="#ffffff"/>',
        ]
        for layer in sorted(self.layers):
            lines.extend(self.layers[layer])
        return "\n".join([*lines, "</svg>"]) + "\n"
