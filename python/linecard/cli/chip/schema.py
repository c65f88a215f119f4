"""`linecard schema`: what editors know of a file."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard


def schema(
    name: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="What the file is: chip, program, dram, policy, traffic, queueing, sweep or study.",
            autocompletion=lambda: list(_names()),
        ),
    ] = "chip",
) -> None:
    """Print the JSON Schema of a file, by which an editor completes and checks it.

    A first line `#:schema ./chip.schema.json` names it to an editor; `linecard new` writes both.

    **Examples**

        linecard schema chip > chip.schema.json

        linecard schema sweep > sweep.schema.json
    """
    from linecard.cli import stdout

    stdout.print_json(linecard.schema(name))


def _names() -> dict[str, str]:
    from linecard.schemas import NAMES

    return NAMES
