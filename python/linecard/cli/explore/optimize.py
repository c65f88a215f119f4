"""`linecard optimize`: find the best designs of a design space."""

from __future__ import annotations

from typing import Any

from linecard.cli import stderr
from linecard.cli.executed.program_options import takes_program
from linecard.cli.explore.options import end_by_store
from linecard.cli.explore.question import answered, asks
from linecard.cli.output import Json, Output, Outputs
from linecard.explore.optimize import optimize as ask


@takes_program
@asks(ask)
def optimize(json: Json = False, output: Output = None, *, asked: dict[str, Any], executed: dict[str, Any]) -> None:
    """Find the best designs of a design space, for one objective or for several conflicting objectives.

    If the budget covers every point, the command runs all points. If the budget is smaller than the space, a search
    chooses the points. The choice of points depends on the file alone, not on `--jobs`. The command prints the Pareto
    front and marks the best compromise.

    **Examples**

        linecard optimize examples/explore/small_nic.toml

        linecard optimize examples/explore/dram_part.toml --budget 1000 --json

        linecard optimize my_space.toml --set packets=5000 --precision 1% -o front.csv

        linecard optimize my_space.toml --program my_xdp.c -D N=8
    """
    outputs = Outputs(json, output)
    result = answered(ask, {**asked, **executed})
    outputs.give(result)
    counts = result.counts
    stderr.note(
        f"{counts.found:,} runs reused, {counts.run:,} executed, {counts.refused:,} refused; "
        f"results are kept in {asked['store']}"
    )
    end_by_store(counts)
