"""`linecard compare`: compare two designs, runs or sweeps side by side."""

from __future__ import annotations

from typing import Any

import typer

from linecard.cli import stderr
from linecard.cli.executed.program_options import takes_program
from linecard.cli.explore.options import end_by_store
from linecard.cli.explore.question import answered, asks
from linecard.cli.options import Exit
from linecard.cli.output import Json, Output, Outputs
from linecard.explore.compare import compare as ask


@takes_program
@asks(ask, "program_b")
def compare(json: Json = False, output: Output = None, *, asked: dict[str, Any], executed: dict[str, Any]) -> None:
    """Compare two designs, programs, runs or sweeps: settings that differ, and metrics that changed beyond noise.

    Both designs run with the same seeds on the same packets, and the comparison is seed by seed. If a run is not
    steady, Linecard repeats it with more packets. If runs stay unsteady, the comparison reports no metric as changed,
    and the exit status is 4. For two programs (`compare CHIP --program a.c b.c`), the comparison also lists the source
    lines of both programs with their cost per packet.

    **Examples**

        linecard compare example_smartnic example_smartnic --set-b packets.part=hbm2 --packets 5000

        linecard compare my_chip.toml my_next_chip.toml --trace edge --json

        linecard compare nfp4000 --program before.c after.c -D N=8

        linecard compare before.json after.json
    """
    outputs = Outputs(json, output)
    result = answered(ask, {**asked, **executed})
    outputs.give(result)
    counts = result.counts
    if counts.found + counts.run:
        stderr.note(f"{counts.found:,} runs reused, {counts.run:,} executed; kept in {asked['store']}")
    if not result.answered:
        stderr.diagnose("nothing can be compared: " + "; ".join(result.notes))
        raise typer.Exit(Exit.RUN)
    end_by_store(counts)
