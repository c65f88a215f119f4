"""The layout of a chip drawing, and the drawing itself.

From top to bottom, the rows of the drawing contain inboxes, clusters, links, memories and units, and memory chips below
the die.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.chip import frame
from linecard.chip.blocks import STACK, Block, buffer_block, link_text, port_block
from linecard.chip.columns import columns_width, place_columns
from linecard.chip.frame import MARGIN
from linecard.chip.plan import NOTE
from linecard.chip.wires import BAR, PILL, Wires
from linecard.svg import (
    BLOCKS,
    INK,
    PACKETS,
    WIRES,
    width_of,
)

if TYPE_CHECKING:
    from linecard.chip.reports import Port

INSET = 26.0


class Picture(Wires):
    """The drawing of a chip, with all its blocks placed on the page."""

    def svg(self) -> str:
        """The drawing as the text of an SVG file."""
        facts, plan, canvas = self.facts, self.plan, self.canvas
        cards = {cluster.name: plan.card(cluster) for cluster in facts.parts.clusters}
        widths = {each.name: plan.card_width(each, cards[each.name]) for each in facts.parts.clusters}
        ports = {port.name: port_block(facts, port) for port in facts.parts.ports}
        buffers = [name for name in facts.names("buffer") if any(plan.buffer_of(p.name) == name for p in self.left)]
        made = {name: buffer_block(facts, name) for name in buffers}
        wide_in = max((ports[port.name].width for port in self.left), default=0.0)
        wide_out = max((ports[port.name].width for port in self.right), default=0.0)
        wide_buffer = max((block.width for block in made.values()), default=0.0)
        # From left to right: ports, the edge of the die, a lane to ports, buffers, lanes from buffers, clusters.
        die = MARGIN + wide_in + (40.0 if self.left else 0.0)
        first = die + INSET + wide_buffer
        lanes = first + 14.0
        inner = lanes + 12.0 * len(buffers) + 16.0
        stacks = 2 * STACK + 34.0
        row = sum(widths.values()) + stacks * (len(widths) - 1) + 2 * STACK
        pills = sum(plan.pill(name)[1] + 20.0 for name in plan.inboxes())
        links = max((width_of(link_text(facts, link), NOTE + 1) + 60.0 for link in facts.parts.links), default=0.0)
        width = max(row, pills, links, columns_width(plan.groups), 260.0)
        die_end = inner + width + INSET + (10.0 if self.right else 0.0)
        total = die_end + (40.0 + wide_out if self.right else 0.0) + MARGIN
        y = frame.head(canvas, facts, total) + 8.0
        top = y
        # Inboxes are above the clusters, with a row for each wire that passes over them.
        over = len([name for name in plan.inboxes() if plan.fed(name)]) + sum(
            len(cluster.puts) for cluster in facts.parts.clusters
        )
        y += INSET + 9.0 * max(over - 1, 0)
        pill_y = y
        y += PILL + (24.0 + 8.0 * len(plan.inboxes())) + STACK
        card_y = y
        bottom = self._cards(cards, widths, inner, (width - row) / (len(cards) + 1), stacks, card_y)
        bottom = max(bottom, self._ports(ports, self.left, MARGIN, wide_in, card_y, die))
        bottom = max(bottom, self._ports(ports, self.right, die_end + 40.0, wide_out, card_y, die_end))
        bottom = max(bottom, self._buffers(made, die + INSET, wide_buffer, card_y, lanes))
        self._inboxes(pill_y, inner)
        # Rails are below them, then the memories with the labels of their wires.
        y = bottom + 26.0
        for rail in plan.rails.values():
            if rail.clusters or rail.rails or rail.places or rail.name:
                rail.y = y + (BAR / 2 if rail.name else 0.0)
                y += BAR + 18.0 if rail.name else 16.0
        place_columns(plan.groups, inner, width)
        rows = self._rows(y)
        self._rails(inner, width, die + 12.0, die_end - 12.0)
        for column in self._columns():
            column.block.paint(canvas, column.x, column.y, column.w, column.h)
            self._joints(column)
        die_bottom = rows + INSET
        low = self._chips(die_bottom)
        canvas.layer = WIRES - 1
        canvas.rect(die, top, die_end - die, die_bottom - top, "#fcfcfd", stroke=INK, width=2, radius=10)
        name = f"{facts.name}: {facts.parts.title}"
        low = frame.legend(canvas, facts, self._kinds(), low + 30.0, total)
        return canvas.document(total, low + MARGIN / 2, name, frame.described(facts))

    def _cards(
        self, cards: dict[str, Block], widths: dict[str, float], x: float, gap: float, stacks: float, y: float
    ) -> float:
        self.canvas.layer = BLOCKS
        low = y
        for name, block in cards.items():
            x += gap
            self.cards[name] = (x, y, widths[name], block.height(widths[name]))
            block.paint(self.canvas, *self.cards[name])
            low = max(low, y + self.cards[name][3])
            x += widths[name] + stacks
        return low

    def _ports(self, blocks: dict[str, Block], ports: list[Port], x: float, w: float, y: float, edge: float) -> float:
        for port in ports:
            block = blocks[port.name]
            h = block.height(w) + 6.0
            y += STACK * 2
            block.paint(self.canvas, x, y, w, h)
            end = x + w + (2 * STACK if port.count > 1 else 0.0)
            if port.receive_gbps is not None:
                self.feeds.append((end, y + h * 0.3, self.plan.buffer_of(port.name)))
            if port.transmit_gbps is not None:
                self.senders.append((end if x < edge else x, y + h * (0.5 if port.receive_gbps is None else 0.75)))
            y += h + 16.0
        return y - 16.0 if ports else y

    def _buffers(self, made: dict[str, Block], x: float, w: float, y: float, lanes: float) -> float:
        canvas = self.canvas
        for number, (name, block) in enumerate(made.items()):
            h = block.height(w)
            feeds = [feed for feed in self.feeds if feed[2] == name]
            y = max(y, sum(feed[1] for feed in feeds) / max(len(feeds), 1) - h * 0.3)
            canvas.layer = BLOCKS
            block.paint(canvas, x, y, w, h)
            canvas.layer = WIRES
            for at, (end, level, _) in enumerate(feeds):
                goal = y + h * 0.3 if len(feeds) == 1 else y + h * (at + 1) / (len(feeds) + 1)
                bend = x - 8.0 - 4.0 * (at % 3)
                canvas.wire(
                    [(end, level), (bend, level), (bend, goal), (x, goal)]
                    if abs(goal - level) > 0.5
                    else [(end, level), (x, level)],
                    stroke=PACKETS,
                    width=2.2,
                    end="packets",
                )
            self.lanes[name] = (lanes + 12.0 * number, y + h / 2)
            canvas.wire([(x + w, y + h / 2), self.lanes[name]], stroke=PACKETS, width=2.2)
            y += h + 14.0
        return y

    def _rows(self, y: float) -> float:
        """Assign rows to places; return the lower end of the last row."""
        plan = self.plan
        all_of = self._columns()
        last = max((each.row for each in all_of), default=0)
        for each in all_of:
            if each.chips and each.row < last and not any(each in other.above for other in all_of):
                each.row = last
        for row in range(last + 1):
            here = [each for each in all_of if each.row == row]
            names = [each.place.name for each in here if row == 0 or plan.into(each.place.name)]
            y += plan.label_room(names) + 14.0 + (14.0 if row else 0.0)
            high = 0.0
            for each in here:
                each.y, each.h = y, each.block.height(each.w)
                high = max(high, each.h)
            for each in here:
                each.h = high
            y += high + 6.0
        return y - 6.0

    def _chips(self, edge: float) -> float:
        """Memory chips below the die."""
        low = edge
        for column in self._columns():
            if column.chips is None:
                continue
            canvas, chips = self.canvas, column.chips
            y = edge + 26.0
            h = chips.height(column.w)
            canvas.layer = BLOCKS
            chips.paint(canvas, column.x, y, column.w, h)
            count = min(int(self.facts.value(f"memory.{column.place.name}.channels") or 1), 8)
            canvas.layer = WIRES
            for number in range(count):
                x = column.x + column.w / 2 + 11.0 * (number - (count - 1) / 2)
                canvas.wire([(x, column.y + column.h), (x, y)], width=3)
            low = max(low, y + h)
        return low

    def _kinds(self) -> set[str]:
        """Kinds of parts that the legend explains."""
        kinds = {column.block.fill for column in self._columns()} | {"cluster"}
        kinds |= {"off"} if any(column.chips for column in self._columns()) else set()
        for own in self.plan.own.values():
            kinds |= {"cache" if place.kind == "cached" else "memory" for place in own}
        return kinds
