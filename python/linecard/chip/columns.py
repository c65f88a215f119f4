"""Columns of memories and units in a chip drawing.

Caches are above their memories, and a row with too many columns wraps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from linecard.chip.blocks import Block, chips_block, place_block

if TYPE_CHECKING:
    from linecard.chip.facts import Facts
    from linecard.chip.reports import Place

GAP, BETWEEN_KINDS = 22.0, 46.0
# More columns than this are folded.
MOST_COLUMNS = 7


@dataclass(slots=True)
class Column:
    """A memory or unit in a drawing, with the blocks above it.

    Attributes:
        above: The memory's caches, or a block that shares the memory's column.
        joined: Whether the blocks above the memory are the memory's caches.
        lane: Width of the strip to the left of the blocks above the memory; wires to the memory run through this strip.
        entry: Width that the wires to the memory or unit require.
    """

    place: Place
    block: Block
    chips: Block | None
    above: list[Column] = field(default_factory=list)
    joined: bool = False
    entry: float = 0.0
    lane: float = 0.0
    x: float = 0.0
    y: float = 0.0
    w: float = 0.0
    h: float = 0.0
    row: int = 0

    @property
    def width(self) -> float:
        """Minimum width of the column."""
        own = max(self.block.width, self.chips.width if self.chips else 0.0)
        if not self.above:
            return max(own, self.entry)
        self.lane = self.entry
        return max(own, self.lane + sum(each.width for each in self.above) + GAP * (len(self.above) - 1))

    def settle(self, x: float, width: float) -> None:
        """Set the horizontal positions and the rows of the memory or unit, and of the blocks above it."""
        self.x, self.w = x, width
        if self.above:
            self.lane = self.entry
            free = width - self.lane - GAP * (len(self.above) - 1)
            spare = (free - sum(each.width for each in self.above)) / len(self.above)
            x += self.lane
            for each in self.above:
                each.settle(x, each.width + spare)
                x += each.width + spare + GAP
            self.row = 1 + max(each.row for each in self.above)

    def all(self) -> list[Column]:
        """The memory or unit, and all blocks above it."""
        return [self, *(part for each in self.above for part in each.all())]


def columns(facts: Facts, shared: list[Place], entry: dict[str, float]) -> list[list[Column]]:
    """The columns in two groups: memories (DRAM last) and accelerators; an empty group is omitted."""
    made: dict[str, Column] = {}
    for place in shared:
        chips = chips_block(facts, place) if place.kind == "dram" else None
        made[place.name] = Column(place, place_block(facts, place), chips, entry=entry.get(place.name, 0.0))
    tops = []
    for column in made.values():
        behind = made.get(column.place.behind or "")
        if behind is None or _in_a_circle(column.place, made):
            tops.append(column)
        else:
            behind.above.append(column)
            behind.joined = True
    kinds = [
        [each for each in tops if each.place.kind not in {"dram", "accelerator"} and not each.above],
        [each for each in tops if each.above and not each.chips],
        [each for each in tops if each.chips],
        [each for each in tops if each.place.kind == "accelerator"],
    ]
    if len(tops) > MOST_COLUMNS:
        rows = 2 if len(tops) <= 2 * MOST_COLUMNS else 3
        kinds = [_fold(kinds[0], rows), kinds[1], kinds[2], _fold(kinds[3], rows)]
    memories = kinds[0] + kinds[1] + kinds[2]
    return [group for group in (memories, kinds[3]) if group]


def _in_a_circle(place: Place, made: dict[str, Column]) -> bool:
    seen = set()
    at: str | None = place.name
    while at is not None and at in made:
        if at in seen:
            return True
        seen.add(at)
        at = made[at].place.behind
    return False


def _fold(row: list[Column], rows: int) -> list[Column]:
    """Stack the columns of a row in at most this number of rows; return the lowest columns."""
    size = max(-(-len(row) // rows), 1)
    lowest = row[:size]
    for start in range(size, len(row), size):
        for number, lower in enumerate(row[start : start + size]):
            lower.above.append(lowest[number])
            lowest[number] = lower
    return lowest


def place_columns(groups: list[list[Column]], x: float, width: float) -> None:
    """Arrange the columns side by side within the given width."""
    spare = (width - columns_width(groups)) / 2
    x += max(spare, 0.0)
    for group in groups:
        for column in group:
            column.settle(x, column.width)
            x += column.width + GAP
        x += BETWEEN_KINDS - GAP


def columns_width(groups: list[list[Column]]) -> float:
    """Width of all columns side by side."""
    inside = sum(sum(column.width for column in group) + GAP * (len(group) - 1) for group in groups)
    return inside + BETWEEN_KINDS * (len(groups) - 1)
