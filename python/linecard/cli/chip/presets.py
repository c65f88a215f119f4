"""`linecard presets` and `linecard describe`: what is shipped."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli.options import JSON_HELP


def presets(json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False) -> None:
    """List the shipped presets.

    **Examples**

        linecard presets

        linecard presets --json
    """
    from linecard.cli import stdout
    from linecard.cli.chip.presets_screen import print_presets
    from linecard.records import plain

    found = linecard.presets()
    if json:
        stdout.print_json(plain(found))
    else:
        print_presets(found)


def describe(
    preset: Annotated[str, typer.Argument(metavar="PRESET", help="Name of a shipped preset, or path of a TOML file.")],
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Show every parameter of a preset with unit and source, and what follows from them.

    **Examples**

        linecard describe ixp1200

        linecard describe hasan2003_all_pf --set dram.banks=2 --json
    """
    from linecard.cli import stdout
    from linecard.cli.chip.presets_screen import print_description

    description = linecard.describe(preset, set)
    if json:
        stdout.print_json(description.to_dict())
    else:
        print_description(description)
