"""The terms of the glossary, with meanings and sources from `glossary.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the glossary.

    Attributes:
        term: Name of the term.
        group: Heading of the glossary section that contains the term.
        meaning: Meaning.
        names: Other names for the same concept.
        source: Document that defines the term; empty if the definition is Linecard's own.
    """

    term: str
    group: str
    meaning: str
    names: tuple[str, ...] = ()
    source: str = ""


@cache
def glossary() -> tuple[Term, ...]:
    """Return every term of the glossary, ordered by group."""
    read = tomllib.loads(files(__package__).joinpath("glossary.toml").read_text(encoding="utf-8"))
    return tuple(
        Term(each["term"], group["title"], each["meaning"], tuple(each.get("names", ())), each.get("source", ""))
        for group in read["group"]
        for each in group["term"]
    )


@cache
def by_name() -> Mapping[str, Term]:
    """Return a dictionary of all terms, whose keys are the names of the terms in lower case."""
    return {name.lower(): each for each in glossary() for name in (each.term, *each.names)}


@cache
def _any_name() -> re.Pattern[str]:
    names = sorted(by_name(), key=len, reverse=True)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?![\w.])")


def term_in(name: str) -> Term | None:
    """Return the longest term that occurs in the name of a table row; ``None`` if the name contains no term."""
    found: str = max(_any_name().findall(name.lower()), key=len, default="")
    return by_name().get(found)
