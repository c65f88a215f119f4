"""`linecard new`, `check` and `draw`: chips as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import completion, pieces, stderr, stdout
from linecard.cli.options import JSON_HELP, Chip, Html
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from linecard.chip.check import ChipCheck

Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value; repeatable.")]


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="File to write.")],
    like: Annotated[
        str,
        typer.Option(
            "--like", metavar="PRESET", help="Preset that the new chip is like.", autocompletion=completion.chips
        ),
    ] = "example_smartnic",
) -> None:
    """Write a chip's file to start from.

    Of a shipped chip it is the whole file with its comments; of another platform, a few lines that extend it.

    **Examples**

        linecard new my_chip.toml --like example_smartnic

        linecard run my_chip.toml
    """
    stderr.note_written([linecard.new(file, like=like)])


def check(
    preset: Chip,
    set: Set = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Say what is wrong with a chip's file, or what its places do without load and at most.

    The numbers follow from the file, so that you see at once whether it says what you meant. Beside them it tries the
    first 200 packets, and warns of what would keep a run from ending or lose packets that fit nowhere.

    **Examples**

        linecard check my_chip.toml

        linecard check example_smartnic --set packets.part=hbm2

        linecard check example_smartnic --json
    """
    from linecard.tables import records

    files = Files(csv, parquet, html)
    found = linecard.check(preset, set=set)
    if json:
        stdout.print_json(found.to_dict())
    else:
        _print_check(found)
    said = f"{found.title}; a read without load, and the most that there is"
    files.write(records(found.accesses), f"{found.preset}: places without load", said)


def draw(
    preset: Chip,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.svg", help="Drawing to write: SVG.")] = Path(
        "chip.svg"
    ),
    set: Set = None,
    result: Annotated[
        Path | None,
        typer.Option("--result", metavar="FILE", help="Colour it by the utilisation in the JSON of a run."),
    ] = None,
) -> None:
    """Draw a chip as a block diagram.

    **Examples**

        linecard draw example_smartnic -o chip.svg

        linecard run example_smartnic --json > run.json && linecard draw example_smartnic --result run.json -o busy.svg
    """
    stderr.note_written([linecard.draw(preset, output, set=set, result=result)])


def _print_check(found: ChipCheck) -> None:
    title = Text.assemble((found.preset, "bold"), "  ", (found.title, pieces.DIM))
    facts = pieces.grid("l", "w")
    facts.add_row("Program", Text(found.program, style="bold cyan"))
    facts.add_row("Engines", f"{found.engines:,} with {found.threads:,} threads")
    sides = ((found.receive_gbps, "in"), (found.transmit_gbps, "out"))
    facts.add_row("Ports", ", ".join(f"{rate:g} Gbit/s {way}" if rate else f"never busy {way}" for rate, way in sides))
    if found.unused:
        facts.add_row("Unused", ", ".join(found.unused))
    rows = pieces.lined(*_COLUMNS)
    for row in found.accesses:
        unloaded = Text(f"{row.unloaded_ns:.1f} ns", style="bold")
        parts = f"{row.there_ns:.1f} + {row.place_ns:.1f} + {row.back_ns:.1f}"
        peaks = ("no bound", "") if row.peak_mops is None else (f"{row.peak_mops:,.0f} M/s", f"{row.peak_gbps:,.1f}")
        rows.add_row(row.cluster, row.role, row.place, unloaded, parts, *peaks)
    stdout.show(
        Padding(title, (1, 0, 0, 2)),
        pieces.section(facts),
        pieces.section(pieces.heading("A read without load, and the most that there is", "over its route"), rows),
        Padding(Text("The file fits together.", style="green"), (1, 0, 1, 2)),
    )
    for warning in found.warnings:
        stderr.diagnose(f"warning: {warning}")


_COLUMNS = (
    ("cluster", "l"),
    ("role", "l"),
    ("place", "l"),
    ("unloaded", "r"),
    ("there + place + back, ns", "l"),
    ("at most", "r"),
    ("Gbit/s", "r"),
)
