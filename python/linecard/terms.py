"""Looks up terms of the glossary: `explain`."""

from __future__ import annotations

import difflib
from itertools import groupby

from linecard._arguments import plain
from linecard.errors import ConfigError
from linecard.glossary import Term, by_name, glossary
from linecard.listed import Listed
from linecard.view import Part, Table, Title, text, view, wide


class Terms(Listed[Term]):
    """Terms of the glossary, as `explain` returns them."""


@plain
def explain(term: str | None = None) -> Terms:
    """Look up a term of the glossary.

    Args:
        term: A term, or a synonym of a term, in upper or lower case; if omitted, all terms are listed.

    Raises:
        ConfigError: The glossary does not contain the term; the message lists the most similar terms.
    """
    if term is None:
        return Terms(glossary())
    name, known = " ".join(term.lower().split()), by_name()
    found = known.get(name) or known.get(name.removesuffix("s"))
    if found is None:
        near = dict.fromkeys(known[each].term for each in difflib.get_close_matches(name, known, n=3))
        hint = (
            f"did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else "linecard explain lists all terms"
        )
        raise ConfigError(f"found the term `{term}`, expected a term of the glossary; {hint}")
    return Terms([found])


@view.register
def _(result: Terms) -> list[Part]:
    if len(result) == 1:
        (each,) = result
        said = (("meaning", each.meaning), ("also called", ", ".join(each.names)), ("defined by", each.source))
        return [Title(each.term, each.group), Table("", (text(""), wide("")), [row for row in said if row[1]])]
    rows: list[tuple[str, ...] | str] = []
    for group, terms in groupby(result, key=lambda each: each.group):
        rows.append(group)
        rows += [(each.term, each.meaning, ", ".join(each.names)) for each in terms]
    columns = (text("term"), wide("meaning"), wide("also called"))
    return [Title("Glossary", "linecard explain TERM shows one term"), Table("", columns, rows)]
