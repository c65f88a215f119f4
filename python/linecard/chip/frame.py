"""The frame of a chip drawing: heading, legend, and description for screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.chip.plan import NOTE
from linecard.svg import BLOCKS, FILLS, LIMIT, PACKETS, SOFT, WIRE, Canvas, level_fill, width_of, wrap

if TYPE_CHECKING:
    from linecard.chip.facts import Facts

MARGIN = 28.0
LEGEND = (
    ("cluster", "engines"),
    ("memory", "memory"),
    ("cache", "cache"),
    ("accelerator", "accelerator"),
    ("off", "outside of the chip"),
)


def described(facts: Facts) -> str:
    """Describe a drawing in words."""
    parts = facts.parts
    told = [f"{c.count} × {c.name} with {c.engines} engines of {c.threads} threads each" for c in parts.clusters]
    told.append("memories and units: " + ", ".join(place.name for place in parts.places))
    told.append("links: " + (", ".join(link.name for link in parts.links) or "none"))
    told.append("ports: " + ", ".join(f"{port.count} × {port.name}" for port in parts.ports))
    text = "Block diagram of a chip. " + "; ".join(told) + "."
    if facts.usage is not None:
        limit = facts.usage.bottleneck
        text += f" The colours show utilisation. The bottleneck is {limit.component}: {limit.why}"
    return text


def head(canvas: Canvas, facts: Facts, total: float) -> float:
    """Draw the title, the preset and the bottleneck; return the vertical position below this heading."""
    parts, most, y = facts.parts, total - 2 * MARGIN, MARGIN + 14.0
    canvas.layer = BLOCKS
    for line in wrap(parts.title or facts.name, 19, most, True):
        canvas.text(MARGIN, y, line, 19, bold=True)
        y += 24.0
    for line in wrap(facts.name, 13, most):
        canvas.text(MARGIN, y - 4.0, line, 13, fill=SOFT)
        y += 18.0
    if facts.usage is not None:
        limit = facts.usage.bottleneck
        for line in wrap(f"Limited by {limit.component}: {limit.why}", 13, most):
            canvas.text(MARGIN, y, line, 13, fill=LIMIT)
            y += 18.0
    return y


def legend(canvas: Canvas, facts: Facts, kinds: set[str], y: float, total: float) -> float:
    """Draw the legend of colours and wires; return the vertical position below the legend."""
    x = MARGIN
    canvas.layer = BLOCKS
    if facts.usage is not None:
        canvas.text(x, y + 10.0, "busy", NOTE, fill=SOFT)
        x += 34.0
        for step in range(11):
            canvas.rect(x + 16.0 * step, y, 16, 13, level_fill(step / 10), stroke="none", radius=0)
        canvas.text(x, y + 26.0, "0", NOTE, fill=SOFT)
        canvas.text(x + 176.0, y + 26.0, "100 %", NOTE, fill=SOFT, anchor="end")
        x += 200.0
    else:
        for kind, text in LEGEND:
            if kind not in kinds:
                continue
            dash = "4 2" if kind == "off" else ""
            if kind == "accelerator":
                canvas.cut(x, y - 2, 24, 17, FILLS[kind])
            else:
                canvas.rect(x, y, 22, 13, FILLS[kind], dash=dash, radius=3)
            canvas.text(x + 28.0, y + 10.5, text, NOTE, fill=SOFT)
            x += width_of(text, NOTE) + 46.0
    for stroke, head, text in (
        (PACKETS, "packets", "packets"),
        (WIRE, "wire", "requests; each label is a round-trip time without link delays and waiting"),
    ):
        if x + width_of(text, NOTE) + 40.0 > total - MARGIN:
            x, y = MARGIN, y + (34.0 if facts.usage is not None else 22.0)
        canvas.wire([(x, y + 7.0), (x + 26.0, y + 7.0)], stroke=stroke, width=2, end=head)
        canvas.text(x + 32.0, y + 10.5, text, NOTE, fill=SOFT)
        x += width_of(text, NOTE) + 52.0
    return y + 26.0
