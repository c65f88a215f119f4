"""Converts the parts of a result to one self-contained page, or to the output of a notebook cell."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from itertools import takewhile
from typing import TYPE_CHECKING

from linecard.report import chart, sheet
from linecard.report.table import table
from linecard.view import (
    Beside,
    Chart,
    Fact,
    Facts,
    Grouped,
    Notes,
    Paragraphs,
    Picture,
    Said,
    Stacked,
    Table,
    Title,
    Verdict,
)

if TYPE_CHECKING:
    from linecard.view import Part


def page(parts: Sequence[Part], command: str | None = None) -> str:
    """Write a page: the title, warnings, main facts, the command that repeats the run, and the sections."""
    title, rest = _titled(parts)
    notes = [part for part in rest if isinstance(part, Notes)]
    rest = [part for part in rest if part not in notes]
    head = list(takewhile(lambda part: isinstance(part, (Verdict, Facts, Paragraphs)), rest))
    sections = rest[len(head) :]
    alone = len(sections) == 1 and isinstance(sections[0], Table)
    return sheet.page(
        title.name,
        title.said,
        *(_html(part) for part in (*notes, *head)),
        sheet.command(command) if command else "",
        *(_html(part, alone=alone) for part in _gathered(sections)),
    )


def notebook(parts: Sequence[Part]) -> str:
    """Convert the parts of a result to notebook output with scoped styles; omit pictures and collapsed tables."""
    title, rest = _titled(parts)
    kept = [part for part in rest if not isinstance(part, Picture) and not (isinstance(part, Table) and part.folded)]
    said = f' <span class="dim">{escape(title.said)}</span>' if title.said else ""
    body = "".join(_html(part, short=True) for part in _gathered(kept))
    return (
        f"<style>.linecard {{{sheet.style('notebook', 'chart', 'sheet')}}}</style>"
        f'<div class="linecard"><p><b>{escape(title.name)}</b>{said}</p>{body}{sheet.terms(body)}</div>'
    )


def _titled(parts: Sequence[Part]) -> tuple[Title, list[Part]]:
    return (parts[0], list(parts[1:])) if parts and isinstance(parts[0], Title) else (Title(""), list(parts))


def _gathered(parts: Sequence[Part]) -> list[Part]:
    """Put successive charts side by side."""
    found: list[Part] = []
    for part in parts:
        if not isinstance(part, (Chart, Stacked, Grouped)):
            found.append(part)
        elif found and isinstance(found[-1], Beside):
            found[-1] = Beside([*found[-1].parts, part])
        else:
            found.append(Beside([part]))
    return found


def _html(part: Part, *, alone: bool = False, short: bool = False) -> str:
    match part:
        case Title(name, said):
            return f'<h2>{escape(name)}</h2><p class="dim">{escape(said)}</p>'
        case Verdict(head, why):
            return sheet.verdict(head, why)
        case Paragraphs(texts):
            return "".join(map(_paragraph, texts))
        case Notes(texts):
            return sheet.notes(texts)
        case Facts(rows, title, said):
            tiles = sheet.tiles((each.name, each.value, each.more) for each in (Fact(*row) for row in rows))
            return sheet.section(title, tiles, said=said) if title else tiles
        case Table():
            return _table(part, alone=alone, short=short)
        case Chart(title=title) | Stacked(title=title) | Grouped(title=title):
            found = chart.drawn(part)
            return sheet.section(title, found.figure()) if found else ""
        case Picture(title, svg, words, said):
            # A separate picture keeps its colours apart from the colours of the page.
            data = base64.b64encode(svg.encode()).decode()
            image = f'<img class="drawing" src="data:image/svg+xml;base64,{data}" alt="{escape(words)}"/>'
            return sheet.section(title, image, said=said)
        case Beside(inner):
            return sheet.beside(*(_html(each, short=short) for each in inner))


def _paragraph(said: Said) -> str:
    return f'<p class="{said.tone}">{escape(said.text)}</p>'


def _table(part: Table, *, alone: bool, short: bool) -> str:
    rows = part.rows[: part.shown] if short and part.shown else part.rows
    written = table(part.title, part.columns, rows, marked=part.marked, alone=alone)
    more = len(part.rows) - len(rows)
    below = [*map(_paragraph, part.below)]
    below += [f'<p class="dim">{more:,} more rows</p>'] if more else []
    if part.folded:
        return sheet.folded(part.title, written)
    body = written + "".join(below) if written else ""
    return sheet.section(part.title, body, said=part.said) if part.title else body
