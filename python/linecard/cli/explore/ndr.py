"""`linecard ndr`: find no-drop rates by frame size."""

from __future__ import annotations

from typing import Any

import typer

from linecard.cli import stderr
from linecard.cli.executed.program_options import takes_program
from linecard.cli.explore.options import end_by_store
from linecard.cli.explore.question import answered, asks
from linecard.cli.options import Exit
from linecard.cli.output import Json, Output, Outputs
from linecard.explore.ndr import ndr as ask


@takes_program
@asks(ask)
def ndr(json: Json = False, output: Output = None, *, asked: dict[str, Any], executed: dict[str, Any]) -> None:
    """Search for the no-drop rate and the partial-drop rate of a chip, by frame size.

    NDR is the highest rate without loss, and PDR is the highest rate with at most 0.5 % loss. Packets that accumulate
    inside the chip count as lost. By default, frames arrive evenly spaced; `--set traffic.arrivals=poisson` selects
    Poisson arrivals. The result includes the latency at 10 %, 50 % and 90 % of the PDR.

    **Examples**

        linecard ndr example_smartnic

        linecard ndr example_smartnic --size 64,imix,1518 -o rates.png

        linecard ndr my_chip.toml --set island.threads=4 --seeds 3 --json
    """
    outputs = Outputs(json, output)
    result = answered(ask, {**asked, **executed})
    outputs.give(result)
    counts = result.counts
    stderr.note(f"{counts.found:,} runs reused, {counts.run:,} executed; results are kept in {asked['store']}")
    end_by_store(counts)
    if not any(row.answered for row in result.rows):
        raise typer.Exit(Exit.RUN)
