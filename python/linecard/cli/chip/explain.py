"""`linecard explain`: the meaning of a term."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli import completion
from linecard.cli.output import Json, Output, Outputs


def explain(
    term: Annotated[
        str | None,
        typer.Argument(
            metavar="[TERM]",
            help="A term of the glossary or a synonym; by default, all terms.",
            autocompletion=completion.terms,
        ),
    ] = None,
    json: Json = False,
    output: Output = None,
) -> None:
    """Explain a term that occurs on screens, in files or in documents.

    **Examples**

        linecard explain

        linecard explain "row hit"

        linecard explain NDR --json
    """
    outputs = Outputs(json, output)
    outputs.give(linecard.explain(term))
