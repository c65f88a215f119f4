"""The wires of a chip drawing: to and from inboxes, to memories and units, and between ports and memory."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from linecard.chip.blocks import STACK, limit_note, link_text
from linecard.chip.plan import LABEL_LINE, NOTE, Plan, Rail
from linecard.svg import (
    BLOCKS,
    FILLS,
    LABELS,
    LIMIT,
    PACKETS,
    SOFT,
    WIRE,
    WIRES,
    Canvas,
    level_fill,
    text_on,
    width_of,
)

if TYPE_CHECKING:
    from linecard.chip.columns import Column
    from linecard.chip.facts import Facts

PILL, BAR = 24.0, 24.0


class Wires:
    """The wires of a chip drawing, and the blocks that they connect."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.plan = Plan(facts)
        self.canvas = Canvas()
        self.left = [port for port in facts.parts.ports if port.receive_gbps is not None]
        self.right = [port for port in facts.parts.ports if port.receive_gbps is None]
        self.counts = {cluster.name: cluster.count for cluster in facts.parts.clusters}
        self.taken: list[float] = []
        self.cards: dict[str, tuple[float, float, float, float]] = {}
        self.lanes: dict[str, tuple[float, float]] = {}
        self.feeds: list[tuple[float, float, str]] = []
        self.senders: list[tuple[float, float]] = []

    def _columns(self) -> list[Column]:
        return [each for group in self.plan.groups for top in group for each in top.all()]

    def _inboxes(self, y: float, left: float) -> None:
        """Inboxes above the clusters that take from them, and the wires to and from them."""
        canvas, plan = self.canvas, self.plan
        middles = {name: x + w / 2 for name, (x, _, w, _) in self.cards.items()}
        wanted = []
        for name in plan.inboxes():
            takers = plan.takers(name)
            wanted.append((sum(middles[each] for each in takers) / max(len(takers), 1), name))
        end, over = left, y - 9.0
        spots: dict[str, tuple[float, float]] = {}
        for middle, name in sorted(wanted, key=lambda each: each[0]):
            text, wide = plan.pill(name)
            x = max(middle - wide / 2, end)
            spots[name] = (x, wide)
            end = x + wide + 20.0
            limit = self.facts.usage is not None and self.facts.usage.bottleneck.component == "room in rings"
            hot = limit and name in self.facts.names("ring")
            canvas.layer = BLOCKS
            canvas.rect(x, y, wide, PILL, "#ffffff", stroke=LIMIT if hot else SOFT, width=3 if hot else 1.2, radius=12)
            canvas.text(x + wide / 2, y + 16.0, text, NOTE + 1, anchor="middle")
        canvas.layer = WIRES
        for number, (name, (x, wide)) in enumerate(spots.items()):
            middle = x + wide / 2
            sources = [self.lanes[buffer] for buffer in plan.fed(name) if buffer in self.lanes]
            for lane, start in sources:
                if number == 0:
                    points = [(lane, start), (lane, y + PILL / 2), (x, y + PILL / 2)]
                else:
                    points = [(lane, start), (lane, over), (middle - 6.0, over), (middle - 6.0, y)]
                    over -= 9.0
                canvas.wire(points, stroke=PACKETS, width=2.2, end="packets")
            for putter in [c.name for c in self.facts.parts.clusters if name in c.puts]:
                px, py, pw, _ = self.cards[putter]
                tries = [px + pw * share for share in (0.9, 0.1, 0.75, 0.25, 0.6, 0.4)]
                free = [t for t in tries if not any(a - 6 < t < a + b + 6 for a, b in spots.values())]
                up = self._free((free or tries)[0])
                points = [(up, py)]
                if not free:
                    # The wire passes beside the inbox above the whole cluster.
                    beside = max(a + b for a, b in spots.values() if a - 6 < up < a + b + 6) + 10.0
                    points += [(up, y + PILL + 8.0), (beside, y + PILL + 8.0)]
                    up = beside
                if x > up and not any(up < a < x for a, _ in spots.values()):
                    points += [(up, y + PILL / 2), (x, y + PILL / 2)]
                else:
                    points += [(up, over), (middle + 8.0, over), (middle + 8.0, y)]
                    over -= 9.0
                canvas.wire(points, stroke=PACKETS, width=2.2, end="packets")
            for taker in plan.takers(name):
                tx, ty, tw, _ = self.cards[taker]
                ty -= 2 * STACK if self.counts[taker] > 1 else 0.0
                down = y + PILL + 10.0 + 8.0 * number
                if tx + 8.0 < middle < tx + tw - 8.0:
                    points = [(middle, y + PILL), (middle, ty)]
                else:
                    goal = self._free(tx + tw / 2 + 12.0 * number)
                    points = [(middle, y + PILL), (middle, down), (goal, down), (goal, ty)]
                canvas.wire(points, stroke=PACKETS, width=2.2, end="packets")

    def _free(self, x: float) -> float:
        """A free column for a wire near ``x``; it becomes occupied."""
        for step in range(60):
            for near in (x + 7.0 * step, x - 7.0 * step):
                if all(abs(near - other) > 6.0 for other in self.taken):
                    self.taken.append(near)
                    return near
        return x

    def _rails(self, left: float, width: float, lane_in: float, lane_out: float) -> None:
        plan, canvas = self.plan, self.canvas
        links = {link.name: link for link in self.facts.parts.links}
        rails = list(plan.rails.values())
        wires: list[tuple[Rail, float, float, float, bool, list[float]]] = []
        half = {rail.key: BAR / 2 if rail.name else 0.0 for rail in rails}
        for name, (x, y, w, h) in self.cards.items():
            mine = [rail for rail in rails if name in rail.clusters]
            for number, rail in enumerate(mine):
                at = self._free(x + w * (number + 1) / (len(mine) + 1))
                wires.append((rail, at, y + h, rail.y, False, [rail.y - half[rail.key]]))
                rail.ends.append(at)
        for column in self._columns():
            into = plan.into(column.place.name)
            room = column.lane if column.above else column.w
            scale = room / max(column.entry, 1.0)
            at = column.x
            for rail in into:
                slot = plan.slot(rail, column.place.name) * scale
                labels = plan.label(rail, column.place.name)
                text = max((width_of(label, NOTE) for label in labels), default=0.0)
                x = at + (slot - text) / 2
                if len(rail.places) == 1 and rail.ends:
                    # The wire goes straight down if possible.
                    x = min(max(sum(rail.ends) / len(rail.ends), at + 8.0), max(at + slot - text - 5.0, at + 8.0))
                straight = not rail.name and len(rail.places) == 1 and rail.ends == [x]
                x = x if straight else self._free(x)
                wires.append((rail, x, rail.y, column.y, True, [] if straight else [rail.y + half[rail.key]]))
                rail.ends.append(x)
                canvas.layer = LABELS
                for number, label in enumerate(labels):
                    canvas.text(
                        x + 5.0,
                        column.y - 8.0 - LABEL_LINE * (len(labels) - 1 - number),
                        label,
                        NOTE,
                        fill=SOFT,
                        halo=True,
                    )
                at += slot
        for rail in rails:
            for name in rail.rails:
                before = plan.rails[name]
                ends = before.ends + rail.ends
                at = self._free(sum(ends) / len(ends) if ends else left + width / 2)
                top, low = before.y + half[before.key], rail.y - half[rail.key]
                wires.append((rail, at, top, low, False, [top, low]))
                before.ends.append(at)
                rail.ends.append(at)
        for rail in rails:
            if rail.packets:
                self._packets(rail, lane_in, lane_out)
        for rail, x, start, end, arrow, joints in wires:
            canvas.layer = WIRES
            stroke, thick = (PACKETS, 2.2) if rail.packets else (WIRE, 1.5)
            head = "packets" if rail.packets else "wire"
            canvas.wire([(x, start), (x, end)], stroke=stroke, width=thick, end=head if arrow else "")
            canvas.layer = LABELS
            # A straight line has no joint.
            bends = rail.name or len(set(rail.ends)) > 1
            for level in joints if bends else ():
                canvas.dot(x, level, stroke)
        for rail in rails:
            if rail.name:
                passing = [x for _, x, start, end, _, _ in wires if start < rail.y < end]
                self._bar(rail, link_text(self.facts, links[rail.name]), left, width, passing)
            elif len(rail.ends) > 1 and not rail.packets:
                canvas.layer = WIRES
                canvas.wire([(min(rail.ends), rail.y), (max(rail.ends), rail.y)])

    def _bar(self, rail: Rail, text: str, left: float, width: float, passing: list[float]) -> None:
        canvas = self.canvas
        usage = self.facts.usage
        limit = usage is not None and usage.bottleneck.component == rail.name
        wide = width_of(text, NOTE + 1, True) + (180.0 if limit else 24.0)
        ends = rail.ends or [_between(passing, wide, left, left + width)]
        x, end = min(ends) - 18.0, max(ends) + 18.0
        if end - x < wide:
            x = min(max((x + end - wide) / 2, left), left + width - wide)
            end = x + wide
        level = usage.shares.get(rail.name) if usage else None
        canvas.layer = BLOCKS
        fill = FILLS["link"] if level is None else level_fill(level)
        canvas.rect(
            x, rail.y - BAR / 2, end - x, BAR, fill, stroke=LIMIT if limit else SOFT, width=3.5 if limit else 1.2
        )
        canvas.text((x + end) / 2, rail.y + 4.0, text, NOTE + 1, bold=True, fill=text_on(level), anchor="middle")
        if limit:
            limit_note(canvas, end - 8, rail.y)

    def _packets(self, rail: Rail, lane_in: float, lane_out: float) -> None:
        """Wires of packets between ports and their memory."""
        canvas = self.canvas
        canvas.layer = WIRES
        for x, y in self.lanes.values():
            if self.plan.rails and rail.places + rail.clusters:
                canvas.wire([(x, y), (x, rail.y)], stroke=PACKETS, width=2.2)
                rail.ends.append(x)
        for x, y in self.senders:
            lane = lane_in if x < lane_in else lane_out
            canvas.wire([(lane, rail.y), (lane, y), (x, y)], stroke=PACKETS, width=2.2, end="packets")
            rail.ends.append(lane)
        if rail.ends:
            canvas.wire([(min(rail.ends), rail.y), (max(rail.ends), rail.y)], stroke=PACKETS, width=2.2)

    def _joints(self, column: Column) -> None:
        """Wires between caches and the memories behind them."""
        if column.joined:
            self.canvas.layer = WIRES
            for each in column.above:
                x = each.x + each.w / 2
                self.canvas.wire([(x, each.y + each.h), (x, column.y)], start="wire", end="wire")


def _between(passing: list[float], wide: float, left: float, right: float) -> float:
    """The middle of a gap between routes that is wide enough for a link, nearest to the middle of the chip."""
    edges = sorted([left, *passing, right])
    gaps = [(a, b) for a, b in pairwise(edges) if b - a >= wide + 12.0]
    middle = (left + right) / 2
    return min(((a + b) / 2 for a, b in gaps), key=lambda at: abs(at - middle), default=middle)
