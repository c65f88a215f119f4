"""Export of Petri nets to Graphviz."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from linecard.petri.graph import marking, short

if TYPE_CHECKING:
    from linecard.petri.result import Parts

# Longer texts of arcs are cut; the file has the whole texts.
MOST_LETTERS = 28


def to_dot(net: Parts) -> str:
    """Return a net in Graphviz format, in which only immediate transitions are drawn as filled boxes."""

    def quoted(text: str) -> str:
        return json.dumps(text, ensure_ascii=False)

    lines = [f"digraph {quoted(net.net)} {{", "  rankdir=LR; node [fontname=Helvetica, fontsize=10];"]
    for number, place in enumerate(net.places):
        shape = "doublecircle" if place.queue else "circle"
        label = quoted(marking(place.tokens))
        lines.append(f"  p{number} [shape={shape}, label={label}, xlabel={quoted(place.name)}];")
    for number, transition in enumerate(net.transitions):
        label = quoted("\n".join(part for part in (transition.name, transition.time, transition.guard) if part))
        style = 'style=filled, fillcolor="#333333", fontcolor=white, ' if transition.immediate else ""
        lines.append(f"  t{number} [shape=box, {style}label={label}];")
    for arc in net.arcs:
        ends = (f"p{arc.place}", f"t{arc.transition}")
        ends = ends[::-1] if arc.kind == "output" else ends
        head = {"inhibitor": ", arrowhead=odot", "reset": ", arrowhead=normalnormal"}.get(arc.kind, "")
        lines.append(f"  {ends[0]} -> {ends[1]} [label={quoted(short(arc.text, MOST_LETTERS))}{head}];")
    return "\n".join([*lines, "}"]) + "\n"
