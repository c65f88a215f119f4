"""Computes the positions of nodes and arcs in one connected piece of a net.

To reduce crossings of arcs, several sweeps sort the nodes of each layer by the mean position of their neighbours. After
the sweeps, a least-squares fit puts each node as close to its neighbours as the labels permit. An arc that spans
several layers passes through a separate position in each of these layers. The labels of arcs are drawn between two
layers, in as many rows as are necessary to avoid overlaps.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linecard.petri.graph import Link, Piece

# Distances, in pixels.
LANE = 9.0
GAP = 30.0
ROW = 13.0
PORT_GAP = 9.0
SWEEPS = 16
MOVES = 60
# Weight of lines that only pass a layer: these stay straight rather than nodes above each other.
STRAIGHT = 6.0


@dataclass(frozen=True, slots=True)
class Size:
    """The space around the centre of a node (left, right and below), and the half-width and height of its symbol."""

    left: float
    right: float
    down: float
    half: float
    symbol: float


@dataclass(slots=True)
class Drawn:
    """An arc drawn as a line: the points of the line, the centre of its text, and whether the line runs upwards."""

    link: Link
    points: list[tuple[float, float]]
    leads_up: bool
    text_at: tuple[float, float] | None = None


@dataclass(slots=True)
class Placed:
    """The positions of the nodes and arcs of a connected piece of a net, relative to the origin of the piece."""

    at: dict[str, tuple[float, float]] = field(default_factory=dict)
    lines: list[Drawn] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


@dataclass(slots=True)
class _Way:
    """A line and the slots that it passes, from its upper end to its lower."""

    link: Link
    slots: list[str]
    leads_up: bool
    texts_in: int = 0


def placed(piece: Piece, size: Callable[[str], Size], width_of_text: Callable[[Link], float]) -> Placed:
    """Compute the positions of all nodes and arcs of a piece; ``width_of_text`` returns 0 for an arc without text."""
    rows: list[list[str]] = [[] for _ in range(piece.depth)]
    for key, layer in piece.layers.items():
        rows[layer].append(key)
    ways = _ways(piece, rows)
    rows = [row for row in rows if row]
    up, down = defaultdict(list), defaultdict(list)
    for way in ways:
        for upper, lower in pairwise(way.slots):
            down[upper].append(lower)
            up[lower].append(upper)
    rows = _ordered(rows, up, down)
    room = {key: size(key) if key[0] in "pt" else Size(LANE, LANE, 0.0, 0.0, 0.0) for row in rows for key in row}
    x = _across(rows, up, down, room)
    return _drawn(rows, ways, x, room, width_of_text)


def _ways(piece: Piece, rows: list[list[str]]) -> list[_Way]:
    """The lines; a line over several layers gets a slot in each layer that it crosses."""
    ways = []
    for number, link in enumerate(piece.links):
        source, target = link.ends
        first, last = piece.layers[source], piece.layers[target]
        leads_up = first > last
        slots = [target if leads_up else source]
        for layer in range(min(first, last) + 1, max(first, last)):
            slots.append(f"line {number} {layer}")
            rows[layer].append(slots[-1])
        slots.append(source if leads_up else target)
        # The text is beside the transition, where it is read.
        ways.append(_Way(link, slots, leads_up, 0 if slots[0] == link.transition else len(slots) - 2))
    return ways


def _crossings(rows: Sequence[Sequence[str]], down: dict[str, list[str]]) -> int:
    total = 0
    for upper, lower in pairwise(rows):
        place = {key: at for at, key in enumerate(lower)}
        seen: list[int] = []
        for key in upper:
            ends = sorted(place[other] for other in down[key])
            total += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _ordered(rows: list[list[str]], up: dict[str, list[str]], down: dict[str, list[str]]) -> list[list[str]]:
    """The order with the fewest crossings among those of the sweeps."""
    best, fewest = rows, _crossings(rows, down)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        rows = [list(row) for row in rows]
        place = {key: at for row in rows for at, key in enumerate(row)}
        beside = up if sweep % 2 == 0 else down
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wish = {
                key: sum(place[other] for other in beside[key]) / len(beside[key]) if beside[key] else place[key]
                for key in row
            }
            # Every other time ties are reversed, so that sweeps do not repeat in a cycle.
            row.sort(key=lambda key: (wish[key], -place[key] if sweep % 4 > 1 else place[key]))
            for at, key in enumerate(row):
                place[key] = at
        count = _crossings(rows, down)
        if count < fewest:
            best, fewest = rows, count
    return best


def _across(
    rows: Sequence[Sequence[str]], up: dict[str, list[str]], down: dict[str, list[str]], room: dict[str, Size]
) -> dict[str, float]:
    """The horizontal position of each slot."""
    x: dict[str, float] = {}
    for row in rows:
        far = 0.0
        for key in row:
            x[key] = far + room[key].left
            far = x[key] + room[key].right
    for move in range(MOVES):
        for row in rows if move % 2 == 0 else reversed(rows):
            wishes, weights = [], []
            for key in row:
                pulls = [
                    (x[other], STRAIGHT if room[key].half == room[other].half == 0.0 else 1.0)
                    for other in (*up[key], *down[key])
                ]
                weight = sum(each for _, each in pulls)
                wishes.append(sum(at * each for at, each in pulls) / weight if pulls else x[key])
                weights.append(weight or 0.01)
            for key, at in zip(row, _pooled(row, wishes, weights, room), strict=True):
                x[key] = at
    return x


def _pooled(row: Sequence[str], wishes: list[float], weights: list[float], room: dict[str, Size]) -> list[float]:
    """The positions with the least squared distance from the wishes at which all slots have their space."""
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + room[left].right + room[right].left)
    pools: list[list[float]] = []
    for wish, weight, offset in zip(wishes, weights, offsets, strict=True):
        pools.append([(wish - offset) * weight, weight, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    flat = [pool[0] / pool[1] for pool in pools for _ in range(int(pool[2]))]
    return [at + offset for at, offset in zip(flat, offsets, strict=True)]


def _ports(ways: Sequence[_Way], x: dict[str, float], room: dict[str, Size]) -> dict[tuple[int, bool], float]:
    """The distance of each line's end from the middle of its node, by line and whether the end is the upper one."""
    joined: dict[tuple[str, bool], list[tuple[float, int, bool]]] = defaultdict(list)
    for number, way in enumerate(ways):
        joined[way.slots[0], True].append((x[way.slots[1]], number, True))
        joined[way.slots[-1], False].append((x[way.slots[-2]], number, False))
    ports = {}
    for (key, _), ends in joined.items():
        most = 2 * (room[key].half - 4.0)
        gap = min(PORT_GAP, most / max(len(ends) - 1, 1))
        for at, (_, number, is_upper) in enumerate(sorted(ends)):
            ports[number, is_upper] = gap * (at - (len(ends) - 1) / 2)
    return ports


def curve_x(begin: tuple[float, float], end: tuple[float, float], y: float) -> float:
    """Return the x coordinate, at height ``y``, of a curve between two layers that is vertical at both ends."""
    low, high = 0.0, 1.0
    middle = (begin[1] + end[1]) / 2
    for _ in range(24):
        t = (low + high) / 2
        at = begin[1] * (1 - t) ** 3 + 3 * middle * t * (1 - t) + end[1] * t**3
        low, high = (t, high) if at < y else (low, t)
    t = (low + high) / 2
    return begin[0] * ((1 - t) ** 3 + 3 * t * (1 - t) ** 2) + end[0] * (3 * t * t * (1 - t) + t**3)


def _rows_of_texts(texts: list[tuple[float, float, float]]) -> tuple[int, list[tuple[int, float]]]:
    """The number of rows for the texts between two layers, and the row and middle of each text.

    Args:
        texts: For each text the upper and lower end of its line, and its width.
    """
    order = sorted(range(len(texts)), key=lambda at: (texts[at][0] + texts[at][1], at))
    count = 1
    while True:
        taken: list[list[tuple[float, float]]] = [[] for _ in range(count)]
        found: dict[int, tuple[int, float]] = {}
        for number in order:
            first, last, width = texts[number]
            # The search goes from the middle outwards.
            for row in sorted(range(count), key=lambda row: abs(2 * row + 1 - count)):
                x = curve_x((first, 0.0), (last, 1.0), (row + 1) / (count + 1))
                begin, end = x - width / 2 - 3, x + width / 2 + 3
                if all(end <= a or begin >= b for a, b in taken[row]):
                    taken[row].append((begin, end))
                    found[number] = (row, x)
                    break
            else:
                break
        if len(found) == len(texts):
            return count, [found[number] for number in range(len(texts))]
        count += 1


def _drawn(
    rows: Sequence[Sequence[str]],
    ways: Sequence[_Way],
    x: dict[str, float],
    room: dict[str, Size],
    width_of_text: Callable[[Link], float],
) -> Placed:
    """Compute the heights of layers and the points of lines; ``x`` may start anywhere."""
    ports = _ports(ways, x, room)
    ends: list[list[float]] = []
    for number, way in enumerate(ways):
        along = [x[slot] for slot in way.slots]
        along[0] += ports[number, True]
        along[-1] += ports[number, False]
        ends.append(along)
    layer = {key: at for at, row in enumerate(rows) for key in row}
    texts: list[list[int]] = [[] for _ in rows]
    for number, way in enumerate(ways):
        if width_of_text(way.link):
            texts[layer[way.slots[way.texts_in]]].append(number)
    paper = Placed()
    low = min(x[key] - room[key].left for key in x)
    high = max(x[key] + room[key].right for key in x)
    # Heights: a layer, then the rows of texts below it.
    top, bottom, y = [], [], 0.0
    text_at: dict[int, tuple[float, float]] = {}
    for row, here in zip(rows, texts, strict=True):
        top.append(y)
        bottom.append(y + max(room[key].down for key in row))
        spans = []
        for number in here:
            upper, lower = ends[number][ways[number].texts_in :][:2]
            spans.append((upper, lower, width_of_text(ways[number].link)))
        count, found = _rows_of_texts(spans)
        gap = max(GAP, ROW * (count + 1))
        for number, (place, centre), (_, _, wide) in zip(here, found, spans, strict=True):
            text_at[number] = (centre, bottom[-1] + gap * (place + 1) / (count + 1))
            low, high = min(low, centre - wide / 2), max(high, centre + wide / 2)
        y = bottom[-1] + gap
    paper.width, paper.height = high - low, bottom[-1]
    paper.at = {key: (at - low, top[layer[key]]) for key, at in x.items() if key[0] in "pt"}
    for number, way in enumerate(ways):
        points: list[tuple[float, float]] = []
        last = len(way.slots) - 1
        for step, (slot, here_x) in enumerate(zip(way.slots, ends[number], strict=True)):
            points.append((here_x - low, top[layer[slot]] + (0.0 if step else room[slot].symbol)))
            if step < last:
                points.append((here_x - low, bottom[layer[slot]]))
        drawn = Drawn(way.link, points, way.leads_up)
        if number in text_at:
            drawn.text_at = (text_at[number][0] - low, text_at[number][1])
        paper.lines.append(drawn)
    return paper
