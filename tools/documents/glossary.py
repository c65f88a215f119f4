"""The page of terms, from the package's glossary."""

from __future__ import annotations

from itertools import groupby

from linecard.glossary import glossary
from tools.documents.markdown import table


def glossary_page() -> str:
    """Every term with its meaning, other names and source, as Markdown."""
    parts = [
        "# Glossary\n",
        "Linecard has one term for each thing, and takes it from the field. `linecard explain TERM` prints an entry, "
        "and pages link row names to it.\n",
    ]
    for group, terms in groupby(glossary(), key=lambda each: each.group):
        rows = ((f"**{each.term}**", each.meaning, ", ".join(each.names), each.source) for each in terms)
        parts += [f"## {group}\n", *table(("term", "meaning", "also called", "defined by"), rows), ""]
    return "\n".join(parts).rstrip() + "\n"
