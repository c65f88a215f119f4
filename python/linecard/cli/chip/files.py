"""`linecard new`, `check` and `draw`: commands for chip files."""

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
        typer.Option("--like", metavar="PRESET", help="Preset to start from.", autocompletion=completion.chips),
    ] = "example_smartnic",
) -> None:
    """Write a file for a new chip, based on a preset.

    For a shipped chip, the command writes the whole file with its comments. For another platform, the command writes a
    few lines that extend the platform. The command also writes `chip.schema.json`, a JSON Schema; the first line of the
    new file refers to it. With this schema, an editor completes and checks the file.

    **Examples**

        linecard new my_chip.toml --like example_smartnic

        linecard run my_chip.toml
    """
    written = linecard.new(file, like=like)
    stderr.note_written([written, written.with_name("chip.schema.json")])


@takes_program
def check(
    chip: Chip,
    trace: Annotated[str | None, typer.Option(metavar="CAPTURE", help=CAPTURE_HELP)] = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES|KIND", help="Frame sizes of the traffic: bytes, imix, rfc2544, or a mix of the chip."
        ),
    ] = None,
    set: Set = None,
    json: Json = False,
    output: Output = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Check a chip file, and print the unloaded latency and the peak rate of each memory.

    The latency and the peak rates follow from the chip file alone. A trial run of 200 packets detects an
    endless run, packets larger than every buffer, and idle channels of packet memory. With traffic or a
    program, the command prints the load and the capacity of each part, measured in a short run at light load.

    **Examples**

        linecard check my_chip.toml

        linecard check example_smartnic --set packets.part=hbm2

        linecard check example_smartnic --program secure_gateway --size 64

        linecard check nfp4000 --program my_xdp.c --trace edge

        linecard check example_smartnic --json
    """
    outputs = Outputs(json, output)
    found = linecard.check(chip, set=set, trace=trace, size=size, **executed)
    outputs.give(found)
    for warning in found.warnings:
        stderr.diagnose(f"warning: {warning}")


def draw(
    chip: Chip,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Drawing to write: .svg, or .png (extra: plot).")
    ] = Path("chip.svg"),
    set: Set = None,
    result: Annotated[
        Path | None,
        typer.Option(
            "--result", metavar="FILE", help="JSON file of a run; the utilisation in this run colours the parts."
        ),
    ] = None,
) -> None:
    """Draw a chip as a block diagram.

    **Examples**

        linecard draw example_smartnic -o chip.svg

        linecard draw example_smartnic -o chip.png

        linecard run example_smartnic --json > run.json && linecard draw example_smartnic --result run.json -o busy.svg
    """
    stderr.note_written([linecard.draw(chip, output, set=set, result=result)])
