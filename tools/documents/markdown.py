"""Builds parts of generated pages."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A table, line by line."""
    heads = list(heads)
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in row)} |"


def code(text: str) -> str:
    """A text as code; an empty text stays empty."""
    return f"`{text}`" if text else ""


def attributes(owner: Any) -> dict[str, str]:
    """The meaning of each attribute or argument in a docstring, as Markdown; for a result, also those of its report."""
    doc = "\n\n".join(inspect.cleandoc(each.__doc__ or "") for each in getattr(owner, "__mro__", (owner,)))
    found: dict[str, str] = {}
    for section in re.findall(r"^(?:Attributes|Args):\n((?: .*\n?|\n)*)", doc, re.MULTILINE):
        for name, text in re.findall(r"^ {4}(\w+): ((?:.*\n?(?: {5,}.*\n?)*))", section, re.MULTILINE):
            found[name] = sentence(text)
    return found


def sentence(text: str) -> str:
    """Convert prose of a docstring to Markdown: one line, with single backquotes."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", " ".join(text.split()))
    return text.replace("``", "`")


def first_sentences(owner: Any) -> str:
    """The text of a docstring before its sections."""
    doc = (inspect.getdoc(owner) or "").partition("\n\nAttributes:")[0].partition("\n\nArgs:")[0]
    return sentence(doc)
