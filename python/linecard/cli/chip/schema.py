"""`linecard schema`: print the JSON Schema of a file kind, for editors."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard


def schema(
    name: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="Kind of file: chip, program, dram, policy, traffic, queueing, sweep or study.",
            autocompletion=lambda: list(_names()),
        ),
    ] = "chip",
) -> None:
    """Print the JSON Schema of a file kind; editors use the schema to complete keys and to check values.

    The first line `#:schema ./chip.schema.json` of a file tells the editor where the schema is. `linecard new` writes
    the schema file, and adds the `#:schema` line to the chip file.

    **Examples**

        linecard schema chip > chip.schema.json

        linecard schema sweep > sweep.schema.json
    """
    from linecard.cli import stdout

    stdout.print_json(linecard.schema(name))


def _names() -> dict[str, str]:
    from linecard.schemas import NAMES

    return NAMES
