"""Pictures of Petri nets: DOT, and SVG with a layout of its own.

The layout is by layers: a depth-first search from the places that hold tokens turns arcs that lead back, the longest
way decides the layer, and sweeps over the layers put nodes near the middle of their neighbours.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from linecard.petri.result import ArcPart, Parts

# Distances of the picture, in its units.
LAYER_GAP = 120
NODE_GAP = 64
RADIUS = 16
MARGIN = 60
SWEEPS = 12
# Longer texts of arcs are cut in pictures; the file has all of them.
MOST_LETTERS = 28


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _marking(tokens: int) -> str:
    return "" if not tokens else "•" * tokens if tokens <= 4 else str(tokens)


def to_dot(net: Parts) -> str:
    """The net for Graphviz: places round with their tokens, timed transitions open, immediate ones filled."""

    def quoted(text: str) -> str:
        return json.dumps(text, ensure_ascii=False)

    lines = [f"digraph {quoted(net.net)} {{", "  rankdir=LR; node [fontname=Helvetica, fontsize=10];"]
    for number, place in enumerate(net.places):
        shape = "doublecircle" if place.queue else "circle"
        label = quoted(_marking(place.tokens))
        lines.append(f"  p{number} [shape={shape}, label={label}, xlabel={quoted(place.name)}];")
    for number, transition in enumerate(net.transitions):
        label = quoted("\n".join(part for part in (transition.name, transition.time, transition.guard) if part))
        style = 'style=filled, fillcolor="#333333", fontcolor=white, ' if transition.immediate else ""
        lines.append(f"  t{number} [shape=box, {style}label={label}];")
    for arc in net.arcs:
        ends = (f"p{arc.place}", f"t{arc.transition}")
        ends = ends[::-1] if arc.kind == "output" else ends
        head = {"inhibitor": ", arrowhead=odot", "reset": ", arrowhead=normalnormal"}.get(arc.kind, "")
        lines.append(f"  {ends[0]} -> {ends[1]} [label={quoted(_short(arc.text))}{head}];")
    return "\n".join([*lines, "}"]) + "\n"


@dataclass(slots=True)
class _Node:
    kind: str
    number: int
    layer: int = 0
    place: float = 0.0


def _layers(nodes: dict[str, _Node], edges: Sequence[tuple[str, str]], starts: Iterable[str]) -> None:
    """Gives each node its layer: the longest way to it, with arcs that lead back turned round."""
    after: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        after[source].append(target)
    state: dict[str, int] = {}
    order: list[str] = []
    forward: set[tuple[str, str]] = set()
    for root in [*starts, *nodes]:
        if root in state:
            continue
        state[root] = 1
        stack = [(root, iter(after[root]))]
        while stack:
            node, rest = stack[-1]
            target = next(rest, "")
            if not target:
                state[node] = 2
                order.append(node)
                stack.pop()
                continue
            if state.get(target) != 1:
                forward.add((node, target))
            if target not in state:
                state[target] = 1
                stack.append((target, iter(after[target])))
    for node in reversed(order):
        for target in after[node]:
            if (node, target) in forward:
                nodes[target].layer = max(nodes[target].layer, nodes[node].layer + 1)


def _arrange(nodes: dict[str, _Node], edges: Sequence[tuple[str, str]]) -> None:
    """Puts the nodes of each layer in an order in which few arcs cross, and gives them room."""
    beside: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        beside[source].append(target)
        beside[target].append(source)
    layers: dict[int, list[str]] = defaultdict(list)
    for name, node in nodes.items():
        layers[node.layer].append(name)
    for members in layers.values():
        for at, name in enumerate(members):
            nodes[name].place = at * NODE_GAP
    for sweep in range(SWEEPS):
        for layer in sorted(layers, reverse=sweep % 2 == 1):
            members = layers[layer]
            wish = {
                name: sum(nodes[other].place for other in beside[name]) / len(beside[name])
                if beside[name]
                else nodes[name].place
                for name in members
            }
            members.sort(key=lambda name: wish[name])
            # As near to the wish as the neighbours allow, then moved back so that the layer as a whole is there.
            last = None
            for name in members:
                nodes[name].place = wish[name] if last is None else max(wish[name], last + NODE_GAP)
                last = nodes[name].place
            shift = sum(nodes[name].place - wish[name] for name in members) / len(members)
            for name in members:
                nodes[name].place -= shift


def to_svg(net: Parts) -> str:
    """The net as a picture."""
    nodes = {f"p{n}": _Node("place", n) for n in range(len(net.places))}
    nodes |= {f"t{n}": _Node("transition", n) for n in range(len(net.transitions))}
    edges = []
    for arc in net.arcs:
        ends = (f"p{arc.place}", f"t{arc.transition}")
        edges.append(ends[::-1] if arc.kind == "output" else ends)
    _layers(nodes, edges, (f"p{n}" for n, place in enumerate(net.places) if place.tokens))
    _arrange(nodes, edges)
    at = {name: (float(MARGIN + node.layer * LAYER_GAP), node.place) for name, node in nodes.items()}
    both = {(min(edge), max(edge)) for edge in edges if edge[::-1] in edges}
    arcs: list[str] = []
    heights = [y for _, y in at.values()] or [0.0]
    for (source, target), arc in zip(edges, net.arcs, strict=True):
        is_bent = (min(source, target), max(source, target)) in both
        drawn, height = _edge(at[source], at[target], source[0], arc, is_bent=is_bent)
        arcs.append(drawn)
        heights.append(height)
    top = min(heights) - MARGIN
    width = max((x for x, _ in at.values()), default=0.0) + MARGIN
    height = max(heights) + MARGIN - top
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {top:.0f} {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="9">',
        f"<title>{escape(net.net)}</title>",
        f'<rect y="{top:.0f}" width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        "<defs>"
        '<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker>'
        '<marker id="double" viewBox="0 0 14 8" refX="14" refY="4" markerWidth="12" markerHeight="7" orient="auto">'
        '<path d="M0 0 L7 4 L0 8 z M6 0 L14 4 L6 8 z" fill="#555"/></marker>'
        '<marker id="ring" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<circle cx="4" cy="4" r="3" fill="white" stroke="#555"/></marker></defs>',
    ]
    parts += arcs
    for name, (x, y) in at.items():
        if name[0] == "p":
            place = net.places[nodes[name].number]
            parts.append(
                f'<circle cx="{x}" cy="{y:.1f}" r="{RADIUS}" fill="white" stroke="#1f5fa8" stroke-width="1.5"/>'
            )
            if place.queue:
                parts.append(f'<circle cx="{x}" cy="{y:.1f}" r="{RADIUS - 3}" fill="none" stroke="#1f5fa8"/>')
            parts.append(f'<text x="{x}" y="{y + 3:.1f}" text-anchor="middle">{_marking(place.tokens)}</text>')
            parts.append(f'<text x="{x}" y="{y + RADIUS + 10:.1f}" text-anchor="middle">{escape(place.name)}</text>')
        else:
            transition = net.transitions[nodes[name].number]
            fill, half = ("#333", 3) if transition.immediate else ("white", 7)
            parts.append(
                f'<rect x="{x - half}" y="{y - RADIUS:.1f}" width="{2 * half}" height="{2 * RADIUS}" fill="{fill}" '
                'stroke="#333" stroke-width="1.5"/>'
            )
            parts.append(
                f'<text x="{x}" y="{y + RADIUS + 10:.1f}" text-anchor="middle">{escape(transition.name)}</text>'
            )
            notes = " ".join(
                part for part in (transition.time, f"[{transition.guard}]" if transition.guard else "") if part
            )
            if notes:
                parts.append(
                    f'<text x="{x}" y="{y + RADIUS + 20:.1f}" text-anchor="middle" fill="#777" font-size="8">'
                    f"{escape(_short(notes))}</text>"
                )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _edge(
    start: tuple[float, float], end: tuple[float, float], first: str, arc: ArcPart, *, is_bent: bool
) -> tuple[str, float]:
    """An arc, and how far down or up it goes."""
    kind, text = arc.kind, arc.text
    (x, y), (u, v) = start, end
    length = max(((u - x) ** 2 + (v - y) ** 2) ** 0.5, 1.0)
    across = ((v - y) / length, -(u - x) / length)
    # Arcs there and back lie beside each other; arcs that lead back go round what stands between.
    bend = 14.0 if is_bent else 0.0
    if u < x:
        bend += 0.12 * length
    middle = ((x + u) / 2 + across[0] * bend * 2, (y + v) / 2 + across[1] * bend * 2)

    def off(centre: tuple[float, float], towards: tuple[float, float], is_place: bool) -> tuple[float, float]:
        dx, dy = towards[0] - centre[0], towards[1] - centre[1]
        far = max((dx * dx + dy * dy) ** 0.5, 1e-9)
        reach = RADIUS + 1 if is_place else min(8 / max(abs(dx / far), 1e-9), (RADIUS + 1) / max(abs(dy / far), 1e-9))
        return centre[0] + dx / far * reach, centre[1] + dy / far * reach

    begin, finish = off(start, middle, first == "p"), off(end, middle, first != "p")
    marker = {"inhibitor": "ring", "reset": "double"}.get(kind, "arrow")
    path = (
        f'<path d="M{begin[0]:.1f} {begin[1]:.1f} Q{middle[0]:.1f} {middle[1]:.1f} {finish[0]:.1f} {finish[1]:.1f}" '
        f'fill="none" stroke="#555" marker-end="url(#{marker})"/>'
    )
    x, y = (begin[0] + 2 * middle[0] + finish[0]) / 4, (begin[1] + 2 * middle[1] + finish[1]) / 4
    if not text:
        return path, y
    drawn = (
        f'{path}<text x="{x:.1f}" y="{y - 3:.1f}" text-anchor="middle" fill="#8a3b12" font-size="8" '
        f'stroke="white" stroke-width="3" paint-order="stroke">{escape(_short(text))}</text>'
    )
    return drawn, y
