"""Draws a net: modules in boxes, a module's connected pieces side by side, and long chains in several columns.

The drawing code tries several layouts, which differ in the number of columns and in the arrangement of the pieces. The
picture shows the layout whose aspect ratio is closest to the aspect ratio of a page.
"""

from __future__ import annotations

import math
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from linecard.petri.graph import Link, Piece, folded, links_of, marking, pieces, short
from linecard.petri.placing import Drawn, Placed, Size, placed
from linecard.svg import BLOCKS, LABELS, SOFT, WIRES, Canvas, clean, number, width_of

if TYPE_CHECKING:
    from linecard.petri.result import Parts

NAME, NOTE, HEADING = 11.0, 9.0, 14.0
# Half a transition's bar, and its height.
RADIUS, BAR, BAR_HEIGHT = 14.0, 15.0, 9.0
LINE_HEIGHT, CHIP_HEIGHT, CHIP_ARROW = 12.0, 15.0, 18.0
MARGIN, BETWEEN, INSET, TITLE = 20.0, 34.0, 18.0, 26.0
# Pictures cut longer texts and show them whole under the pointer; the file has the whole texts.
MOST_LETTERS, MOST_LETTERS_OF_ARC, MOST_LETTERS_OF_CHIP = 34, 26, 20
# Width to height of a page, and the weights of a larger area and of another name instead of a line against the shape.
SHAPE, AREA_WEIGHT, NAME_WEIGHT = 1.4, 0.5, 0.03
# The columns that a chain may have; more columns are tried only if fewer are not within MOST_SHAPE of a square.
COLUMNS, MORE_COLUMNS, MOST_SHAPE = (1, 2, 3, 4, 5, 6), (8, 12, 16, 24, 32, 48), 2.0
PLACE, ARC, ELSEWHERE, QUIET = "#1f5fa8", "#8a3b12", "#e8eefc", "#c9ced6"
LEGEND = (
    ("place", "place"),
    ("queue", "place with ordered tokens (queue)"),
    ("timed", "timed transition"),
    ("immediate", "immediate transition"),
    ("chip", "place drawn elsewhere"),
)


@dataclass(slots=True)
class _Label:
    """The text beside a node: its name, its notes, and the places that are drawn elsewhere."""

    name: str
    notes: list[str] = field(default_factory=list)
    chips: list[Link] = field(default_factory=list)
    # Of a place: whether its name is beside transitions elsewhere.
    is_named_elsewhere: bool = False


@dataclass(slots=True)
class _Box:
    """A rectangle with its position."""

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


@dataclass(slots=True)
class _Sheet:
    """A complete layout: for each module its box and pieces."""

    modules: list[tuple[str, _Box, list[tuple[Placed, _Box]]]]
    labels: dict[str, _Label]
    width: float
    height: float
    score: float


def to_svg(net: Parts) -> str:
    """Draw a net as SVG."""
    return _Picture(net).svg()


class _Picture:
    def __init__(self, net: Parts) -> None:
        self.net = net
        self.names = {f"p{at}": place.name for at, place in enumerate(net.places)}
        self.names |= {f"t{at}": transition.name for at, transition in enumerate(net.transitions)}
        self.modules = _modules(self.names)
        # Links in a browser lead to places of this picture, even on pages with several pictures.
        self.mark = f"n{zlib.crc32(repr((net.net, self.names)).encode()):08x}"

    def svg(self) -> str:
        """The complete picture as the text of an SVG file."""
        sheet = self._best()
        canvas = Canvas()
        net = self.net
        shown = {
            "place": any(not place.queue for place in net.places),
            "queue": any(place.queue for place in net.places),
            "timed": any(not transition.immediate for transition in net.transitions),
            "immediate": any(transition.immediate for transition in net.transitions),
            "chip": any(label.chips for label in sheet.labels.values()),
        }
        legend = [each for each in LEGEND if shown[each[0]]]
        width = max(sheet.width, width_of(net.net, HEADING, bold=True), 240.0) + 2 * MARGIN
        y = MARGIN + HEADING
        canvas.layer = LABELS
        canvas.text(MARGIN, y - 2, net.net, HEADING, bold=True)
        y = self._legend(canvas, legend, y + 12.0, width) + 14.0
        for module, box, parts in sheet.modules:
            if len(sheet.modules) > 1:
                canvas.layer = WIRES
                canvas.rect(MARGIN + box.x, y + box.y, box.width, box.height, "#fbfcfd", stroke=QUIET, radius=8)
                canvas.layer = LABELS
                canvas.text(MARGIN + box.x + INSET, y + box.y + 19.0, module or net.net, NAME + 1, bold=True)
            for drawn, at in parts:
                self._piece(canvas, drawn, sheet.labels, (MARGIN + at.x, y + at.y))
        text = canvas.document(width, y + sheet.height + MARGIN, f"Petri net {net.net}", self._description())
        return text.replace("</defs>", f"{_HEADS}</defs>", 1)

    def _description(self) -> str:
        net = self.net
        return f"{len(net.places)} places, {len(net.transitions)} transitions and {len(net.arcs)} arcs. " + " ".join(
            f"{', '.join(self._inputs(at)) or 'Nothing'} → {each.name}." for at, each in enumerate(net.transitions)
        )

    def _inputs(self, transition: int) -> list[str]:
        return [
            self.net.places[arc.place].name
            for arc in self.net.arcs
            if arc.transition == transition and arc.kind != "output"
        ]

    def _best(self) -> _Sheet:
        """The layout whose shape is closest to a page."""
        depth = max((piece.depth for _, found in self._pieces()[0] for piece in found), default=1)
        best: _Sheet | None = None
        for columns in (*COLUMNS, *MORE_COLUMNS):
            if columns in MORE_COLUMNS and best and 1 / MOST_SHAPE <= best.width / best.height <= MOST_SHAPE:
                break
            most = max(-(-depth // columns), 4)
            sheet = self._sheet(most)
            best = sheet if best is None or sheet.score < best.score else best
            if most == 4:
                break
        assert best is not None
        return best

    def _pieces(self) -> tuple[list[tuple[str, list[Piece]]], list[Link]]:
        """The pieces of each module, and all links; new ones, because links store whether they are lines."""
        links = links_of(self.net)
        starts = {f"p{at}" for at, place in enumerate(self.net.places) if place.tokens}
        members = defaultdict(list)
        for key, module in self.modules.items():
            members[module].append(key)
        inside = defaultdict(list)
        for link in links:
            link.is_line = self.modules[link.place] == self.modules[link.transition]
            if link.is_line:
                inside[self.modules[link.place]].append(link)
        return [(module, pieces(keys, inside[module], starts)) for module, keys in members.items()], links

    def _sheet(self, most: int) -> _Sheet:
        """The layout with columns of at most ``most`` layers, in the best of several widths."""
        found, links = self._pieces()
        columns = {module: [part for piece in parts for part in folded(piece, most)] for module, parts in found}
        lines = {id(link) for parts in columns.values() for part in parts for link in part.links}
        labels = self._labels(links, lines)
        drawn = {
            module: [placed(part, lambda key: self._size(key, labels[key]), _arc_width) for part in parts]
            for module, parts in columns.items()
        }
        chips = sum(len(label.chips) for label in labels.values())
        many = len(drawn) > 1
        area = sum((each.width + BETWEEN) * (each.height + BETWEEN) for parts in drawn.values() for each in parts)
        best: _Sheet | None = None
        for stretch in (0.6, 0.8, 1.0, 1.25, 1.6, 2.0):
            wide = math.sqrt(area * SHAPE) * stretch
            modules, boxes = [], []
            for module, parts in drawn.items():
                inner = [_Box(each.width, each.height) for each in parts]
                w, h = _shelved(inner, wide)
                around = (INSET, TITLE) if many else (0.0, 0.0)
                for box in inner:
                    box.x, box.y = box.x + around[0], box.y + around[0] + around[1]
                boxes.append(_Box(w + 2 * around[0], h + 2 * around[0] + around[1]))
                modules.append((module, boxes[-1], list(zip(parts, inner, strict=True))))
            width, height = _shelved(boxes, wide)
            _aligned(boxes)
            for _, box, parts_of in modules:
                for _, inner_box in parts_of:
                    inner_box.x, inner_box.y = inner_box.x + box.x, inner_box.y + box.y
            shape = abs(math.log(max(width, 1.0) / max(height + 40.0, 1.0) / SHAPE))
            score = shape + AREA_WEIGHT * math.log(max(width * height, 1.0)) + NAME_WEIGHT * chips
            if best is None or score < best.score:
                best = _Sheet(modules, labels, width, height, score)
        assert best is not None
        return best

    def _labels(self, links: Sequence[Link], lines: set[int]) -> dict[str, _Label]:
        labels = {}
        for key, name in self.names.items():
            module = self.modules[key]
            labels[key] = _Label(name[len(module) + 1 :] if module else name)
        for at, transition in enumerate(self.net.transitions):
            guard = f"[{transition.guard}]" if transition.guard else ""
            labels[f"t{at}"].notes = [note for note in (transition.time, guard) if note]
        for link in links:
            if id(link) not in lines:
                labels[link.transition].chips.append(link)
                labels[link.place].is_named_elsewhere = True
        for label in labels.values():
            label.chips.sort(key=lambda link: link.kind == "output")
        return labels

    def _chip_name(self, link: Link) -> str:
        module = self.modules[link.place]
        name = self.names[link.place]
        return name[len(module) + 1 :] if module and module == self.modules[link.transition] else name

    def _size(self, key: str, label: _Label) -> Size:
        """The space of a node and of the text beside it."""
        wide = width_of(label.name, NAME) + (6.0 if label.is_named_elsewhere else 0.0)
        wide = max([wide, *(width_of(short(note, MOST_LETTERS), NOTE) for note in label.notes)])
        for link in label.chips:
            text = width_of(short(link.text, MOST_LETTERS_OF_CHIP), NOTE) + 5.0 if link.text else 0.0
            wide = max(wide, CHIP_ARROW + width_of(self._chip_name(link), NOTE + 1) + 10.0 + text)
        half, symbol, down = RADIUS, 2 * RADIUS, 2 * RADIUS
        if key[0] == "t":
            half, symbol = BAR, BAR_HEIGHT
            down = (
                12.0 + LINE_HEIGHT * len(label.notes) + CHIP_HEIGHT * len(label.chips) + (4.0 if label.chips else 0.0)
            )
        return Size(half + 9.0, half + 6.0 + wide + 14.0, down, half, symbol)

    def _legend(self, canvas: Canvas, kinds: Iterable[tuple[str, str]], y: float, width: float) -> float:
        x = MARGIN
        for kind, text in kinds:
            wide = 34.0 + width_of(text, NOTE + 1) + 14.0
            if x > MARGIN and x + wide > width - MARGIN:
                x, y = MARGIN, y + 20.0
            canvas.layer = BLOCKS
            middle = x + 14.0
            if kind in {"place", "queue"}:
                _circle(canvas, middle, y + 2.0, 7.0, is_queue=kind == "queue")
            elif kind == "chip":
                canvas.rect(x + 2, y - 4, 24, 12, ELSEWHERE, stroke=PLACE, width=0.8, radius=6)
            else:
                _bar(canvas, middle, y - 1.0, 9.0, is_immediate=kind == "immediate")
            canvas.layer = LABELS
            canvas.text(x + 32.0, y + 6.0, text, NOTE + 1, fill=SOFT)
            x += wide
        return y + 12.0

    def _piece(
        self,
        canvas: Canvas,
        drawn: Placed,
        labels: dict[str, _Label],
        shift: tuple[float, float],
    ) -> None:
        for line in drawn.lines:
            canvas.layer = WIRES
            canvas.add(_path(line, shift))
            if line.text_at and line.link.text:
                canvas.layer = LABELS
                x, y = line.text_at[0] + shift[0], line.text_at[1] + shift[1] + 3.0
                _cut_text(canvas, x, y, line.link.text, MOST_LETTERS_OF_ARC, fill=ARC, anchor="middle", halo=True)
        for key, (x, y) in drawn.at.items():
            self._node(canvas, key, labels[key], (x + shift[0], y + shift[1]))

    def _node(self, canvas: Canvas, key: str, label: _Label, at: tuple[float, float]) -> None:
        x, y = at
        canvas.layer = BLOCKS
        if key[0] == "p":
            place = self.net.places[int(key[1:])]
            _circle(canvas, x, y + RADIUS, RADIUS, is_queue=place.queue)
            if place.tokens:
                canvas.text(x, y + RADIUS + 4.0, marking(place.tokens), NOTE + 1, anchor="middle")
            left, base = x + RADIUS + 6.0, y + RADIUS + 4.0
            canvas.layer = LABELS
            if label.is_named_elsewhere:
                wide = width_of(label.name, NAME)
                canvas.add(f'<g id="{self.mark}-{key}">{_pill(left - 4, base - 11, wide + 8, 15)}</g>')
            canvas.text(left, base, label.name, NAME)
            return
        transition = self.net.transitions[int(key[1:])]
        _bar(canvas, x, y, BAR, is_immediate=transition.immediate)
        canvas.layer = LABELS
        left, base = x + BAR + 6.0, y + 9.0
        canvas.text(left, base, label.name, NAME)
        for note in label.notes:
            base += LINE_HEIGHT
            _cut_text(canvas, left, base, note, MOST_LETTERS, fill=SOFT)
        base += 4.0 if label.chips else 0.0
        for link in label.chips:
            base += CHIP_HEIGHT
            self._chip(canvas, link, left, base)

    def _chip(self, canvas: Canvas, link: Link, x: float, y: float) -> None:
        """Draw the name of a place that is drawn elsewhere, with an arrow from it or to it."""
        name = self._chip_name(link)
        wide = width_of(name, NOTE + 1) + 10.0
        ends = (x + CHIP_ARROW - 2, x) if link.kind != "output" else (x, x + CHIP_ARROW - 2)
        back = f' marker-start="url(#{_HEAD_OF[link.kind]})"' if link.kind == "both" else ""
        canvas.layer = WIRES
        canvas.add(
            f'<path d="M{number(ends[0])} {number(y - 4)} H{number(ends[1])}" stroke="#555"{back} '
            f'marker-end="url(#{_HEAD_OF[link.kind]})"/>'
        )
        canvas.layer = LABELS
        left = x + CHIP_ARROW
        canvas.add(f'<a href="#{self.mark}-{link.place}">{_pill(left, y - 10, wide, 13)}')
        canvas.text(left + 5, y, name, NOTE + 1)
        canvas.add("</a>")
        if link.text:
            _cut_text(canvas, left + wide + 5, y, link.text, MOST_LETTERS_OF_CHIP, fill=ARC)


def _modules(names: dict[str, str]) -> dict[str, str]:
    """The module of each node: the part before the last dot of its name, if several nodes share that."""
    count: dict[str, int] = defaultdict(int)
    for name in names.values():
        count[name.rpartition(".")[0]] += 1
    found = {}
    for key, name in names.items():
        module = name.rpartition(".")[0]
        found[key] = module if count[module] > 1 else ""
    return found


def _arc_width(link: Link) -> float:
    return width_of(short(link.text, MOST_LETTERS_OF_ARC), NOTE) if link.text else 0.0


def _circle(canvas: Canvas, x: float, y: float, radius: float, *, is_queue: bool) -> None:
    at = f'cx="{number(x)}" cy="{number(y)}" stroke="{PLACE}"'
    canvas.add(f'<circle {at} r="{number(radius)}" fill="#ffffff" stroke-width="1.5"/>')
    if is_queue:
        canvas.add(f'<circle {at} r="{number(radius - 3)}" fill="none"/>')


def _pill(x: float, y: float, w: float, h: float) -> str:
    """The background of the name of a place that is drawn elsewhere."""
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}" rx="{number(h / 2)}" '
        f'fill="{ELSEWHERE}" stroke="{PLACE}" stroke-width="0.8"/>'
    )


def _bar(canvas: Canvas, x: float, y: float, half: float, *, is_immediate: bool) -> None:
    fill = "#333333" if is_immediate else "#ffffff"
    canvas.rect(x - half, y, 2 * half, BAR_HEIGHT, fill, stroke="#333333", width=1.5, radius=1)


def _cut_text(
    canvas: Canvas, x: float, y: float, text: str, most: int, *, fill: str, anchor: str = "start", halo: bool = False
) -> None:
    """Draw a note of at most ``most`` letters; the pointer shows a shortened one in full."""
    cut = short(text, most)
    if cut == text:
        canvas.text(x, y, cut, NOTE, fill=fill, anchor=anchor, halo=halo)
        return
    canvas.add("<g>")
    canvas.text(x, y, cut, NOTE, fill=fill, anchor=anchor, halo=halo)
    canvas.add(f"<title>{clean(text)}</title></g>")


def _path(line: Drawn, shift: tuple[float, float]) -> str:
    """A line: straight beside nodes, bent between layers, with its arrowhead at the target."""
    points = [(x + shift[0], y + shift[1]) for x, y in line.points]
    parts = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for at, ((x, y), (u, v)) in enumerate(pairwise(points)):
        middle = number((y + v) / 2)
        bend = f"C{number(x)} {middle} {number(u)} {middle} {number(u)} {number(v)}"
        parts.append(bend if at % 2 else f"V{number(v)}")
    head = f"url(#{_HEAD_OF[line.link.kind]})"
    ends = [f'marker-start="{head}"'] if line.leads_up else [f'marker-end="{head}"']
    if line.link.kind == "both":
        ends = [f'marker-start="{head}"', f'marker-end="{head}"']
    return f'<path d="{" ".join(parts)}" fill="none" stroke="#555" {" ".join(ends)}/>'


def _shelved(boxes: Sequence[_Box], wide: float) -> tuple[float, float]:
    """Arrange boxes in rows of about this width, in their order; return the size of all."""
    x = y = high = most = 0.0
    for box in boxes:
        if x and x + box.width > wide:
            x, y, high = 0.0, y + high + BETWEEN, 0.0
        box.x, box.y = x, y
        x, high = x + box.width + BETWEEN, max(high, box.height)
        most = max(most, x - BETWEEN)
    return most, y + high


def _aligned(boxes: Sequence[_Box]) -> None:
    """Give boxes of the same row the same height."""
    for box in boxes:
        box.height = max(other.height for other in boxes if other.y == box.y)


_HEAD_OF = {"input": "arc", "output": "arc", "both": "arc", "inhibitor": "ring", "reset": "double"}
_HEAD = (
    '<marker id="{}" viewBox="0 0 {} 8" refX="{}" refY="4" markerWidth="{}" markerHeight="7" '
    'orient="auto-start-reverse">{}</marker>'
)
_HEADS = (
    _HEAD.format("arc", 8, 8, 7, '<path d="M0 0 L8 4 L0 8 z" fill="#555"/>')
    + _HEAD.format("double", 14, 14, 12, '<path d="M0 0 L7 4 L0 8 z M6 0 L14 4 L6 8 z" fill="#555"/>')
    + _HEAD.format("ring", 8, 8, 7, '<circle cx="4" cy="4" r="3" fill="#ffffff" stroke="#555"/>')
)
