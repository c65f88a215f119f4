"""The structure of a drawn net: the layer of each node, and the arcs that are drawn as lines.

The layer of a node is the number of arcs on the longest path that ends at this node. A place with initial tokens is a
resource, unless it joins parts of the net that would otherwise be separate. A resource is drawn beside the transitions
that use it. An arc that spans more than a few layers or leads into another module is not drawn; the place's name
replaces the arc.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linecard.petri.result import Parts

# Arcs over more layers than these are named instead of drawn.
MOST_LAYERS, MOST_LAYERS_OF_RESOURCE = 5, 3
# Layers that an upward line of a resource counts for.
AGAINST = 0.5
TIGHTENING_PASSES = 4
# The most layers by which a cut of a long chain may differ from an even cut.
CUT_LEEWAY = 2


@dataclass(slots=True)
class Link:
    """One arc, or two arcs with opposite directions and the same text.

    Attributes:
        place: Key of the arc's place; ``transition`` is the key of the arc's transition.
        kind: ``input``, ``output``, ``inhibitor`` or ``reset``; ``both`` for a pair of opposite arcs.
        is_line: Whether the arc is drawn as a line; otherwise, the name of the place replaces the arc.
    """

    place: str
    transition: str
    kind: str
    text: str
    is_line: bool = True

    @property
    def ends(self) -> tuple[str, str]:
        """The node at which the arc begins, and the node at which it ends."""
        ends = (self.place, self.transition)
        return ends[::-1] if self.kind == "output" else ends


@dataclass(slots=True)
class Piece:
    """A connected component of a net, whose nodes are laid out together in layers that are numbered from 0."""

    layers: dict[str, int]
    links: list[Link] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """Number of layers in the connected component."""
        return max(self.layers.values()) + 1


def short(text: str, most: int) -> str:
    """Format a text as one line, truncated to ``most`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def marking(tokens: int) -> str:
    """Format the tokens of a place for a drawing: as dots, or as a number."""
    if tokens <= 4:
        return "•" * tokens
    return str(tokens) if tokens < 10_000 else f"{tokens:.0e}".replace("e+0", "e")


def links_of(net: Parts) -> list[Link]:
    """Return the arcs of a net; two arcs with opposite directions and the same text become one link."""
    links: list[Link] = []
    inputs: dict[tuple[int, int, str], Link] = {}
    for arc in net.arcs:
        link = Link(f"p{arc.place}", f"t{arc.transition}", arc.kind, arc.text)
        key = (arc.place, arc.transition, arc.text)
        if arc.kind == "input":
            inputs.setdefault(key, link)
        elif arc.kind == "output" and inputs.get(key, link).kind == "input":
            inputs[key].kind = "both"
            continue
        links.append(link)
    return links


def pieces(nodes: Sequence[str], links: Sequence[Link], starts: set[str]) -> list[Piece]:
    """Return the connected components of one module; place names replace arcs that span too many layers.

    Args:
        nodes: Keys of the nodes, in the order in which the file defines the nodes.
        links: The arcs between the nodes.
        starts: Keys of places with initial tokens.
    """
    found: list[Piece] = []
    for _ in range(2):
        found = []
        lines = [link for link in links if link.is_line]
        for members in _components(nodes, lines):
            piece = Piece(_layered(members, [link for link in lines if link.place in members], starts))
            for link in lines:
                if link.place in piece.layers:
                    span = abs(piece.layers[link.place] - piece.layers[link.transition])
                    link.is_line = 0 < span <= (MOST_LAYERS_OF_RESOURCE if link.place in starts else MOST_LAYERS)
            found.append(piece)
    for piece in found:
        piece.links = [link for link in links if link.is_line and link.place in piece.layers]
    return found


def folded(piece: Piece, most: int) -> list[Piece]:
    """Divide a piece of a net into parts of about ``most`` layers; place names replace the arcs between parts."""
    count = -(-piece.depth // most)
    crossing = [0] * (piece.depth + 1)
    for link in piece.links:
        ends = sorted((piece.layers[link.place], piece.layers[link.transition]))
        for layer in range(ends[0] + 1, ends[1] + 1):
            crossing[layer] += 1
    cuts = [0]
    for number in range(1, count):
        even = round(piece.depth * number / count)
        near = range(max(even - CUT_LEEWAY, cuts[-1] + 2), min(even + CUT_LEEWAY, piece.depth - 2) + 1)
        if near:
            cuts.append(min(near, key=lambda layer: (crossing[layer], abs(layer - even))))
    parts = []
    for first, end in zip(cuts, [*cuts[1:], piece.depth], strict=True):
        inside = {key: layer - first for key, layer in piece.layers.items() if first <= layer < end}
        # The cut may have split a part in two, and a node that was below others may no longer need to be.
        whole = [link for link in piece.links if link.place in inside and link.transition in inside]
        parts.append(Piece(inside, whole))
    return parts


def _components(nodes: Sequence[str], lines: Sequence[Link]) -> list[set[str]]:
    beside = defaultdict(list)
    for link in lines:
        beside[link.place].append(link.transition)
        beside[link.transition].append(link.place)
    seen: set[str] = set()
    found = []
    for root in nodes:
        if root in seen:
            continue
        members, stack = {root}, [root]
        while stack:
            for other in beside[stack.pop()]:
                if other not in members:
                    members.add(other)
                    stack.append(other)
        seen |= members
        found.append(members)
    return found


def _layered(members: set[str], lines: Sequence[Link], starts: set[str]) -> dict[str, int]:
    """The layer of each node; the first is 0."""
    flow, resources = _flow(members, lines, starts)
    layer = _layers_of_flow([key for key in members if key not in resources], flow)
    for place, links in resources.items():
        # The place goes where its lines are short; a line that could not be drawn counts as a long one.
        near = sorted({layer[link.transition] + step for link in links for step in (-1, 1)})
        costs = [sum(_length(link, at, layer[link.transition]) for link in links) for at in near]
        layer[place] = near[costs.index(min(costs))]
    used = {at: number for number, at in enumerate(sorted(set(layer.values())))}
    return {key: used[at] for key, at in layer.items()}


def _flow(members: set[str], lines: Sequence[Link], starts: set[str]) -> tuple[list[Link], dict[str, list[Link]]]:
    """Separate the flow of a net from its resources: the links of the flow, and the links of each resource place.

    A place is a resource if it initially holds tokens and joins no parts that would otherwise be separate.
    """
    of: dict[str, list[Link]] = defaultdict(list)
    for link in lines:
        of[link.place].append(link)
    whole = {key: key for key in members}

    def root(key: str) -> str:
        while whole[key] != key:
            whole[key] = whole[whole[key]]
            key = whole[key]
        return key

    flow: list[Link] = []
    resources = {}
    for place in sorted(of, key=lambda key: (key in starts, _number(key))):
        others = {root(link.transition) for link in of[place]}
        if place in starts and len(others) == 1:
            resources[place] = of[place]
            continue
        for other in others:
            whole[other] = root(place)
        flow += of[place]
    return flow, resources


def _length(link: Link, place: int, transition: int) -> float:
    span = abs(place - transition)
    if not 0 < span <= MOST_LAYERS_OF_RESOURCE:
        return MOST_LAYERS_OF_RESOURCE + 1.0
    leads_down = (place < transition) == (link.kind != "output")
    return span if leads_down else span + AGAINST


def _layers_of_flow(members: Iterable[str], links: Sequence[Link]) -> dict[str, int]:
    """The longest path to each node, without the arcs that lead back in a search from the sources."""
    nodes = sorted(members, key=_number)
    edges = sorted({link.ends for link in links}, key=lambda ends: (_number(ends[0]), _number(ends[1])))
    leads, led = defaultdict(list), {target for _, target in edges}
    for source, target in edges:
        leads[source].append(target)
    state: dict[str, int] = {}
    order: list[str] = []
    after, before = defaultdict(list), defaultdict(list)
    for start in [*(key for key in nodes if key not in led), *nodes]:
        if start in state:
            continue
        state[start] = 1
        stack = [(start, iter(leads[start]))]
        while stack:
            node, rest = stack[-1]
            target = next(rest, "")
            if not target:
                state[node] = 2
                order.append(node)
                stack.pop()
                continue
            if state.get(target) != 1:
                after[node].append(target)
                before[target].append(node)
            if target not in state:
                state[target] = 1
                stack.append((target, iter(leads[target])))
    layer: dict[str, int] = {}
    for key in reversed(order):
        layer[key] = max((layer[other] + 1 for other in before[key]), default=0)
    for _ in range(TIGHTENING_PASSES):
        # Nodes with at least as many successors as predecessors move down; then the others move up.
        for key in order:
            if after[key] and len(after[key]) >= len(before[key]):
                layer[key] = min(layer[other] for other in after[key]) - 1
        for key in reversed(order):
            if before[key] and len(after[key]) < len(before[key]):
                layer[key] = max(layer[other] for other in before[key]) + 1
    return layer


def _number(key: str) -> tuple[int, str]:
    """The order in the file: places and transitions alternate."""
    return int(key[1:]), key[0]
