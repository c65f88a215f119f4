"""`linecard presets` and `linecard describe`: what is shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import linecard
from linecard.cli import completion
from linecard.cli.options import JSON_HELP, Html
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from linecard.description import PresetInfo


def presets(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND",
            help="List the presets of one kind: platforms, programs, cores, dram, standards, policies, queueing or "
            "traffic.",
            autocompletion=completion.kinds,
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option("--search", metavar="WORDS", help="List presets with all of these words in name or title."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Csv = None,
    parquet: Parquet = None,
) -> None:
    """List the shipped presets: how many of each kind, those of one kind, or those with a word.

    **Examples**

        linecard presets

        linecard presets platforms

        linecard presets --search ddr4

        linecard presets --json
    """
    from linecard.cli import stderr, stdout
    from linecard.cli.chip.presets_screen import print_kinds, print_presets
    from linecard.records import plain
    from linecard.tables import Table

    files = Files(csv, parquet)
    found = linecard.presets(kind, search)
    if json:
        stdout.print_json(plain(found))
    elif kind is None and search is None:
        print_kinds(found)
    elif found:
        print_presets(found)
    else:
        stderr.note(f"no preset has all words of `{search}`; linecard presets KIND lists a kind")
    files.write(Table(("kind", "name", "title", "extends"), [_row(each) for each in found]))


def _row(preset: PresetInfo) -> tuple[str, str, str, str]:
    return preset.kind, preset.name, preset.title, ", ".join(preset.extends)


def describe(
    preset: Annotated[
        str,
        typer.Argument(
            metavar="PRESET",
            help="Name of a shipped preset, or path of a TOML file.",
            autocompletion=completion.presets,
        ),
    ],
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Show every parameter of a preset with unit and source, and what follows from them.

    Of a preset that extends another, what it changes in that one comes first.

    **Examples**

        linecard describe ixp1200

        linecard describe hasan2003_all_pf --set dram.banks=2 --json
    """
    from linecard.cli import stdout
    from linecard.cli.chip.presets_screen import print_description
    from linecard.tables import Table

    files = Files(csv, parquet, html)
    description = linecard.describe(preset, set)
    if json:
        stdout.print_json(description.to_dict())
    else:
        print_description(description)
    columns = ("key", "value", "unit", "meaning", "allowed", "source")
    rows = [
        (each.key, each.text, each.unit, each.meaning, each.allowed, each.source) for each in description.parameters
    ]
    files.write(Table(columns, rows), description.preset, description.title)
