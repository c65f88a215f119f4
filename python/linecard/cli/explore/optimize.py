"""`linecard optimize`: find the best designs of a design space."""

from __future__ import annotations

from typing import Any

from linecard.cli.asked import takes
from linecard.cli.explore.runs import answered, end
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks
from linecard.explore.optimize import optimize as ask


@takes("program")
@asks(ask, budget=Word())
def optimize(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Find the best designs of a design space, for one objective or for several conflicting objectives.

    If the budget permits a run of every point, the command runs all points. If the budget is smaller than the design
    space, a search algorithm chooses the points to run. The choice of points depends only on the file, not on `--jobs`.
    The command prints the Pareto front and marks the best compromise.

    **Examples**

        linecard optimize examples/explore/small_nic.toml

        linecard optimize examples/explore/dram_part.toml --budget 1000 --json

        linecard optimize my_space.toml --set packets=5000 --precision 1% -o front.csv

        linecard optimize my_space.toml --program my_xdp.c -D N=8
    """
    end(answered(ask, outputs, asked).counts)
