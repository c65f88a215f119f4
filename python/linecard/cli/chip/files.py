"""`linecard new`, `check` and `draw`: chips as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import linecard
from linecard.cli import completion, stderr
from linecard.cli.executed.program_options import takes_program
from linecard.cli.options import CAPTURE_HELP, Chip
from linecard.cli.output import Json, Output, Outputs

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

    Of a shipped chip it is the whole file with its comments; of another platform, a few lines that extend it. Beside it
    stands chip.schema.json, which its first line names: an editor completes and checks the file by it.

    **Examples**

        linecard new my_chip.toml --like example_smartnic

        linecard run my_chip.toml
    """
    written = linecard.new(file, like=like)
    stderr.note_written([written, written.with_name("chip.schema.json")])


@takes_program
def check(
    preset: Chip,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Application that it runs.")] = None,
    trace: Annotated[str | None, typer.Option(metavar="CAPTURE", help=CAPTURE_HELP)] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="BYTES|KIND", help="Frames that come: a size, imix, rfc2544, a mix of the chip."),
    ] = None,
    set: Set = None,
    json: Json = False,
    output: Output = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Say what is wrong with a chip's file, or what its places do without load and at most.

    The numbers follow from the file, so that you see at once whether it says what you meant. Beside them it tries the
    first 200 packets, and warns of what would keep a run from ending, lose packets that fit nowhere, or leave channels
    of the packet memory idle. With traffic or a program it says what is asked of each part and what that carries, by
    a short run at light load.

    **Examples**

        linecard check my_chip.toml

        linecard check example_smartnic --set packets.part=hbm2

        linecard check example_smartnic --app secure_gateway --size 64

        linecard check nfp4000 --program my_xdp.c --trace edge

        linecard check example_smartnic --json
    """
    outputs = Outputs(json, output)
    found = linecard.check(preset, set=set, app=app_name, trace=trace, size=size, **executed)
    outputs.give(found)
    for warning in found.warnings:
        stderr.diagnose(f"warning: {warning}")


def draw(
    preset: Chip,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Drawing to write: .svg, or .png (extra: plot).")
    ] = Path("chip.svg"),
    set: Set = None,
    result: Annotated[
        Path | None,
        typer.Option("--result", metavar="FILE", help="Colour it by the utilisation in the JSON of a run."),
    ] = None,
) -> None:
    """Draw a chip as a block diagram.

    **Examples**

        linecard draw example_smartnic -o chip.svg

        linecard draw example_smartnic -o chip.png

        linecard run example_smartnic --json > run.json && linecard draw example_smartnic --result run.json -o busy.svg
    """
    stderr.note_written([linecard.draw(preset, output, set=set, result=result)])
