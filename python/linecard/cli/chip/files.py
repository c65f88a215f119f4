"""`linecard new`, `check` and `draw`: commands for chip files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import linecard
from linecard.cli import stderr
from linecard.cli.asked import takes
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks


@asks(linecard.new, like=Word("--like", "PRESET", usual="example_smartnic"))
def new(*, asked: dict[str, Any]) -> None:
    """Write a file for a new chip, based on a preset.

    For a shipped chip, the command writes a copy of the chip's file with all comments. For any other platform, the
    command writes a short file that extends the platform. The command also writes `chip.schema.json`, a JSON Schema;
    the first line of the new file refers to this schema. An editor uses the schema to complete keys and to check
    values.

    **Examples**

        linecard new my_chip.toml --like example_smartnic

        linecard run my_chip.toml
    """
    written = linecard.new(**asked)
    stderr.note_written([written, written.with_name("chip.schema.json")])


@takes("program")
@asks(linecard.check, size=Word(metavar="BYTES|KIND"))
def check(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Check a chip file, and print the unloaded latency and the peak rate of each memory.

    The command computes the unloaded latency and the peak rates from the chip file, without a simulation. A trial run
    of 200 packets detects runs that never end, packets larger than every buffer, and packet-memory channels that stay
    idle. If you specify traffic or a program, the command also prints each part's load and capacity, measured in
    short runs at light load.

    **Examples**

        linecard check my_chip.toml

        linecard check example_smartnic --set packets.part=hbm2

        linecard check example_smartnic --program secure_gateway --size 64

        linecard check nfp4000 --program my_xdp.c --trace edge

        linecard check example_smartnic --json
    """
    found = linecard.check(**asked)
    outputs.give(found)
    for warning in found.warnings:
        stderr.diagnose(f"warning: {warning}")


@asks(
    linecard.draw,
    output=Word("--output -o", "FILE", kind=Path, usual=Path("chip.svg")),
    result=Word(metavar="FILE", kind=Path),
)
def draw(*, asked: dict[str, Any]) -> None:
    """Draw a chip as a block diagram.

    **Examples**

        linecard draw example_smartnic -o chip.svg

        linecard draw example_smartnic -o chip.png

        linecard run example_smartnic --json > run.json && linecard draw example_smartnic --result run.json -o busy.svg
    """
    stderr.note_written([linecard.draw(**asked)])
