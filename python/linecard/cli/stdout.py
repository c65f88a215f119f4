"""Prints reports and JSON on stdout: in colour on a terminal, as plain text to a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment

from linecard import tables
from linecard.cli.plain_text import printable

MAX_WIDTH = 108


class Printable:
    """The parts of a screen, with visible symbols instead of terminal control characters."""

    def __init__(self, parts: Sequence[RenderableType]) -> None:
        self.parts = Group(*parts)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.parts, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def screen_width() -> int:
    """Screen width in columns: the terminal width, but at most a readable maximum; for a pipe, this maximum."""
    terminal = Console()
    return min(terminal.width, MAX_WIDTH) if terminal.is_terminal else MAX_WIDTH


def show(*parts: RenderableType) -> None:
    """Print the parts of a screen on stdout. Output to a pipe has no colours and no padding at line ends."""
    screen = Console(highlight=False, width=screen_width())
    if screen.is_terminal:
        screen.print(Printable(parts))
        return
    with screen.capture() as captured:
        screen.print(Printable(parts))
    sys.stdout.write("".join(line.rstrip() + "\n" for line in captured.get().splitlines()))
    sys.stdout.flush()


def print_json(data: Any) -> None:
    """Print one JSON value on stdout, in ASCII if stdout is not Unicode. Equal values result in identical bytes."""
    text = tables.json_text(data)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data, indent=2, allow_nan=False) + "\n"
    sys.stdout.write(text)
    sys.stdout.flush()
