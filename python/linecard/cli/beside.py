"""Lay out parts of a screen side by side if the terminal is wide enough."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment

GAP = 4


class Beside:
    """Parts of a screen side by side: each part gets its minimum width and a fraction of the remaining width.

    If the terminal is too narrow, the parts are stacked, or `instead` replaces them.
    """

    def __init__(self, parts: Sequence[RenderableType], *, instead: RenderableType | None = None) -> None:
        self.parts = parts
        self.instead = instead

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        sizes = [Measurement.get(console, options, part) for part in self.parts]
        spare = options.max_width - GAP * (len(sizes) - 1) - sum(size.minimum for size in sizes)
        if spare < 0:
            if self.instead is not None:
                yield self.instead
                return
            for number, part in enumerate(self.parts):
                yield Padding(part, (1 if number else 0, 0, 0, 0))
            return
        blocks = []
        for part, size in zip(self.parts, sizes, strict=True):
            # All parts get the same extra width, so that bars side by side have one scale.
            width = size.minimum + min(size.span, spare // len(sizes))
            blocks.append((width, console.render_lines(Group(part), options.update(width=width, height=None))))
        for number in range(max(len(lines) for _, lines in blocks)):
            for index, (width, lines) in enumerate(blocks):
                if index:
                    yield Segment(" " * GAP)
                yield from lines[number] if number < len(lines) else [Segment(" " * width)]
            yield Segment.line()
