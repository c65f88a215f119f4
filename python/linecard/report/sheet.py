"""Parts of an HTML page: tiles, sections, commands with a copy button, and collapsible parts.

The functions of this module escape all texts for HTML. A page consists of HTML and CSS. The only script of a page
copies a command; the page also works without scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from linecard._core import __version__
from linecard.glossary import glossary, term_in

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
    """Read the style sheets with the given names, and concatenate them."""
    return "".join(files(__package__).joinpath(f"{name}.css").read_text(encoding="utf-8") for name in names)


# A page with fewer sections needs no contents.
LEAST_SECTIONS = 3
_SECTION = re.compile(r"<section><h2>(.*?)</h2>")


def contents(text: str) -> tuple[str, str]:
    """Add anchors to the sections of an HTML text; return the changed text and a list of links to its sections."""
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
    """A complete HTML page, which includes a table of contents."""
    body, list_of_sections = contents("\n".join(part for part in parts if part))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style('colours', 'style', 'chart', 'sheet')}</style>\n"
        "</head>\n<body>\n<main>\n"
        f'<h1>{escape(title)}</h1>\n<p class="dim">{escape(said)}</p>\n'
        f"{list_of_sections}{body}{terms(body)}"
        f'\n</main>\n<footer><p class="dim">Linecard {escape(__version__)}</p></footer>\n'
        f"<script>{_COPY}</script>\n</body>\n</html>\n"
    )


def linked(name: str) -> str:
    """The name of a row as HTML; a name that contains a glossary term links to the glossary."""
    found = term_in(name)
    return escape(name) if found is None else f'<a class="term" href="#term-{slug(found.term)}">{escape(name)}</a>'


def slug(term: str) -> str:
    """Convert a term to a URL fragment."""
    return re.sub(r"[^a-z0-9]+", "-", term.lower()).strip("-")


def terms(body: str) -> str:
    """A collapsed list of the glossary terms to which a page links, with their meanings."""
    found = {*re.findall(r'href="#term-([a-z0-9-]+)"', body)}
    rows = "".join(
        f'<dt id="term-{slug(each.term)}">{escape(each.term)}</dt><dd>{escape(each.meaning)}</dd>'
        for each in glossary()
        if slug(each.term) in found
    )
    return folded("Terms", f'<dl class="terms">{rows}</dl>') if rows else ""


def section(title: str, *parts: str, said: str = "") -> str:
    """A section of a page, with parts below a heading; empty if all parts are empty."""
    body = "".join(parts)
    if not body:
        return ""
    under = f'<p class="dim">{escape(said)}</p>' if said else ""
    return f"<section><h2>{escape(title)}</h2>{under}{body}</section>"


def beside(*sections: str) -> str:
    """Show sections of a page side by side, if the page is wide enough."""
    kept = [each for each in sections if each]
    return f'<div class="views">{"".join(kept)}</div>' if kept else ""


def verdict(head: str, text: str) -> str:
    """The verdict box at the top of a page."""
    why = f"<p>{escape(text)}</p>" if text else ""
    return f'<div class="verdict"><p><b>{escape(head)}</b></p>{why}</div>'


def tiles(several: Iterable[tuple[str, str, str]]) -> str:
    """Tiles with the main numbers; each tile has a name, a value, and a remark below the value."""
    boxes = "".join(
        f"<div><dt>{linked(name)}</dt><dd>{escape(value)}{f'<small>{escape(more)}</small>' if more else ''}</dd></div>"
        for name, value, more in several
    )
    return f'<dl class="tiles">{boxes}</dl>'


def command(text: str, what: str = "The command that repeats this result") -> str:
    """A command with a copy button."""
    return f'<div class="command" role="group" aria-label="{escape(what)}"><code>{escape(text)}</code></div>'


def folded(summary: str, *parts: str) -> str:
    """A collapsed part of a page."""
    body = "".join(parts)
    return f"<details><summary>{escape(summary)}</summary>{body}</details>" if body else ""


def notes(texts: Iterable[str]) -> str:
    """Warnings, one per line."""
    return "".join(f'<p class="bad">⚠ {escape(text)}</p>' for text in texts)
