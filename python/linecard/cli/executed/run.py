"""`linecard program run`: run an XDP program on a capture, or a RISC-V program without packets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

import linecard
from linecard.cli import stderr, stdout
from linecard.cli.executed.tracing import end_with_damage
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks
from linecard.errors import ConfigError
from linecard.executed.riscv import RUN_BUDGET
from linecard.executed.xdp import BUDGET, is_xdp


@asks(linecard.xdp_run, "program", "budget", cpus=Word(least=1), interface=Word(least=0))
def run(
    program: Annotated[
        str,
        typer.Argument(metavar="PROGRAM", help="An XDP program (shipped, FILE.c, FILE.o), or an ELF file for RISC-V."),
    ],
    budget: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Instruction limit: per packet for XDP (1000000), in total for RISC-V (10^9)."
        ),
    ] = None,
    *,
    outputs: Outputs,
    asked: dict[str, Any],
) -> None:
    """Run an XDP program on a capture, or a RISC-V program without packets.

    An XDP program processes every frame of the capture, one after another. The command prints verdicts, instruction
    counts, accesses by memory region, instructions by source line, and the final contents of the maps. The command
    reports unsupported features as errors before the run. If the program executes an instruction that the kernel's
    verifier would reject, the run ends with an error (exit status 4). The error message names the faulting instruction
    and its source line.

    A RISC-V program, such as an instruction-set test, runs from its entry point until it executes `ecall` with a7 = 93.
    The exit status is 0 if a RISC-V program ends with a0 = 0, and 1 otherwise.

    **Examples**

        linecard program run my_xdp.c --trace edge

        linecard program run my_xdp.o --section xdp --map routes=routes.csv --trace edge --json

        linecard program run reads --define N=8

        linecard program run rv32ui-p-add
    """
    if is_xdp(program) or not Path(program).is_file() or program.endswith(".c"):
        asked |= {"program": program, "budget": budget or BUDGET}
        end_with_damage(outputs.of(linecard.xdp_run, asked, "Running", "packets").traffic)
        return
    if outputs.files:
        message = (
            "has no effect on a program for RISC-V, because the only result is the value of a0; "
            "to write a file, use `linecard program trace`"
        )
        raise ConfigError.at("--output", "", message)
    with stderr.progress("Running", "instructions") as progress:
        result, instructions = linecard.program_run(program, budget or RUN_BUDGET, progress=progress)
    if outputs.json:
        stdout.print_json({"program": program, "result": result, "instructions": instructions})
    else:
        stdout.show(Text(f"  a0 = {result} after {instructions:,} instructions"))
    if result != 0:
        raise typer.Exit(1)
