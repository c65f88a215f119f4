"""What a page is made of: tiles, tables with headers, bars, a command to copy, and what is folded away.

Everything is escaped here. A page is HTML and CSS with one small script, which copies a command; without it nothing is
lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from linecard._core import __version__
from linecard.files import write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_COPY = """
document.querySelectorAll(".command").forEach((box) => {
  const button = document.createElement("button"), text = box.querySelector("code").textContent;
  button.textContent = "copy";
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(text); } catch {
      const area = document.createElement("textarea");
      area.value = text; document.body.append(area); area.select(); document.execCommand("copy"); area.remove();
    }
    button.textContent = "copied"; setTimeout(() => { button.textContent = "copy"; }, 1200);
  };
  box.append(button);
});
"""


def style(*names: str) -> str:
    """Style sheets of this package, one after another."""
    return "".join(files(__package__).joinpath(f"{name}.css").read_text(encoding="utf-8") for name in names)


# A page with fewer sections than these needs no contents.
LEAST_SECTIONS = 3
_SECTION = re.compile(r"<section><h2>(.*?)</h2>")


def contents(text: str) -> tuple[str, str]:
    """A text whose sections can be reached, and the list that leads to them; an empty list where they are few."""
    found: list[str] = []

    def reachable(match: re.Match[str]) -> str:
        found.append(match[1])
        return f'<section id="s{len(found)}"><h2>{match[1]}</h2>'

    text = _SECTION.sub(reachable, text)
    if len(found) < LEAST_SECTIONS:
        return text, ""
    links = "".join(f'<li><a href="#s{number}">{title}</a></li>' for number, title in enumerate(found, 1))
    return text, f'<nav class="contents" aria-label="Contents"><ul>{links}</ul></nav>\n'


def page(title: str, said: str, *parts: str) -> str:
    """A whole page, with a list of its sections."""
    body, list_of_sections = contents("\n".join(part for part in parts if part))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style('style', 'sheet')}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{escape(title)}</h1>\n<p class="dim">{escape(said)}</p>\n'
        f"{list_of_sections}{body}"
        f'\n</main>\n<footer><p class="dim">Linecard {escape(__version__)}</p></footer>\n'
        f"<script>{_COPY}</script>\n</body>\n</html>\n"
    )


def write_page(path: str | Path, title: str, said: str, *parts: str) -> Path:
    """Write a whole page, or none of it."""
    return write_text(path, page(title, said, *parts))


def section(title: str, *parts: str, said: str = "") -> str:
    """Parts under a heading; nothing where there are none."""
    body = "".join(parts)
    if not body:
        return ""
    under = f'<p class="dim">{escape(said)}</p>' if said else ""
    return f"<section><h2>{escape(title)}</h2>{under}{body}</section>"


def beside(*sections: str) -> str:
    """Sections side by side where there is room."""
    kept = [each for each in sections if each]
    return f'<div class="views">{"".join(kept)}</div>' if kept else ""


def verdict(head: str, text: str) -> str:
    """What the page says first."""
    return f'<div class="verdict"><p><b>{escape(head)}</b></p><p>{escape(text)}</p></div>'


def tiles(several: Iterable[tuple[str, str, str]]) -> str:
    """Numbers to look at first: name, value, and what stands below it."""
    boxes = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}{f'<small>{escape(more)}</small>' if more else ''}</dd></div>"
        for name, value, more in several
    )
    return f'<dl class="tiles">{boxes}</dl>'


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar in a cell, between -1 and 1; it says nothing that a number beside it does not.

    Attributes:
        value: Its length.
        low: Lower bound, where it is known.
        high: Upper bound likewise.
        signed: Whether it grows from the middle.
        use: Whether it is the use of a part, of which much is a warning.
    """

    value: float
    low: float | None = None
    high: float | None = None
    signed: bool = False
    use: bool = False

    def html(self) -> str:
        """The bar; what has a sign grows from the middle."""
        start, end = sorted((self._at(0.0), self._at(self.value)))
        kind = ' class="less"' if self.value < 0 else ' class="high"' if self.use and self.value >= 0.9 else ""
        drawn = f'<i{kind} style="left:{start:.1f}%;width:{end - start:.1f}%"></i>'
        if self.signed:
            drawn += f'<i class="zero" style="left:{self._at(0.0):.1f}%"></i>'
        if self.low is not None and self.high is not None:
            low, high = self._at(self.low), self._at(self.high)
            drawn += f'<i class="between" style="left:{low:.1f}%;width:{max(0.5, high - low):.1f}%"></i>'
        return f'<td class="bar"><span class="track" aria-hidden="true">{drawn}</span></td>'

    def _at(self, value: float) -> float:
        inside = min(max(value, -1.0), 1.0)
        return 50 + inside * 50 if self.signed else max(0.0, inside) * 100


Cell = str | int | float | None | Bar


def number(value: float | None, digits: int = 4) -> str:
    """A number for people."""
    if value is None:
        return "–"
    return f"{value:,.{digits}g}" if abs(value) < 10**digits else f"{value:,.0f}"


def table(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    marked: Iterable[int] = (),
    text: Iterable[str] = (),
    said: Iterable[str] = (),
    bars: bool = False,
    alone: bool = False,
) -> str:
    """A table that scrolls by itself; the first cell of a row is its header.

    Args:
        caption: What it is, for those who hear it.
        columns: Their names; a column of bars has none.
        rows: Cells: texts, numbers, or bars.
        marked: Rows that stand out.
        text: Columns of words, beside the first.
        said: Columns of sentences, which wrap.
        bars: Whether it takes the whole width, so that bars are long.
        alone: Whether it is all that the page has, and takes the whole of it.
    """
    rows = list(rows)
    words, sentences, loud = {columns[0], *text}, {*said}, {*marked}
    # Cells say the name of their column where a phone shows a row as a list.
    is_list = _width(columns, rows, sentences) > PHONE_LETTERS

    def kind(name: str) -> str:
        return ' class="said"' if name in sentences else ' class="text"' if name in words else ""

    body = []
    for at, row in enumerate(rows):
        cells = []
        for name, cell in zip(columns, row, strict=True):
            if isinstance(cell, Bar):
                cells.append(cell.html())
            else:
                shown = escape(cell if isinstance(cell, str) else number(cell))
                first = not cells
                of = f' data-name="{escape(name.strip())}"' if is_list else ""
                cells.append(
                    f'<th scope="row"{kind(name)}{of}>{shown}</th>' if first else f"<td{kind(name)}{of}>{shown}</td>"
                )
        stands_out = ' class="marked"' if at in loud else ""
        body.append(f"<tr{stands_out}>{''.join(cells)}</tr>")
    if not body:
        return ""
    # A column of bars repeats a number: those who hear the table need no word of it.
    head = "".join(
        f'<th scope="col"{kind(name)}>{escape(name)}</th>' if name else '<td aria-hidden="true"></td>'
        for name in columns
    )
    kinds = ["wide"]
    kinds += ["rows"] if is_list else []
    kinds += ["full"] if alone or len(columns) >= FULL_COLUMNS else []
    kinds += ["alone"] if alone else []
    whole = (
        f'<div class="{" ".join(kinds)}" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )
    return f'<div class="bars">{whole}</div>' if bars else whole


# Letters that a phone of 390 pixels shows in a row, what a column takes beside its letters, and a bar.
PHONE_LETTERS, LETTERS_BETWEEN, LETTERS_OF_BAR, LETTERS_THAT_WRAP = 47.5, 2.75, 9, 16
# From so many columns on a table is as wide as the page.
FULL_COLUMNS = 6


def _width(columns: Sequence[str], rows: Sequence[Sequence[Cell]], sentences: set[str]) -> float:
    """Letters that the widest row of a table takes, about."""
    total = 0.0
    for at, name in enumerate(columns):
        cells = [row[at] for row in rows]
        if any(isinstance(cell, Bar) for cell in cells):
            total += LETTERS_OF_BAR
            continue
        texts = [cell if isinstance(cell, str) else number(cell) for cell in cells if not isinstance(cell, Bar)]
        longest = max([len(name), *map(len, texts)])
        # Sentences wrap, and so does what stands first beside a bar.
        wraps = name in sentences or (at == 0 and any(isinstance(cell, Bar) for row in rows for cell in row))
        total += LETTERS_BETWEEN + (min(longest, LETTERS_THAT_WRAP) if wraps else longest)
    return total


def shares(caption: str, columns: tuple[str, str], several: Iterable[tuple[str, float, str]], most: float = 1.0) -> str:
    """Names with a share each, 0 to ``most``, as bars and in words."""
    rows: list[list[Cell]] = [[name, Bar(share / most if most else 0.0), text] for name, share, text in several]
    return table(caption, (columns[0], "", columns[1]), rows, bars=True)


def command(text: str, what: str = "The command that repeats it") -> str:
    """A command with a button that copies it."""
    return f'<div class="command" role="group" aria-label="{escape(what)}"><code>{escape(text)}</code></div>'


def folded(summary: str, *parts: str) -> str:
    """What only some will look at."""
    body = "".join(parts)
    return f"<details><summary>{escape(summary)}</summary>{body}</details>" if body else ""


def notes(texts: Iterable[str]) -> str:
    """Warnings, one a line."""
    return "".join(f'<p class="bad">⚠ {escape(text)}</p>' for text in texts)
