"""`linecard compare`: compare two designs, runs or sweeps side by side."""

from __future__ import annotations

from typing import Any

from linecard.cli import stderr
from linecard.cli.asked import takes
from linecard.cli.explore.runs import answered, end
from linecard.cli.output import Outputs
from linecard.cli.question import asks
from linecard.explore.compare import compare as ask


@takes("program")
@asks(ask, "program_b")
def compare(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Compare two designs, programs, runs or sweeps: settings that differ, and metrics that change beyond the noise.

    Both designs run with the same seeds on the same packets, and Linecard compares them seed by seed. If a run is not
    steady, Linecard repeats it with more packets. If a run stays unsteady, the comparison reports no metric as changed,
    and the exit status is 4. Two files of `run --json` are compared by the intervals of their runs: a metric changed if
    the intervals do not overlap. Two files of `sweep --json` are compared point by point in the same way. Points with
    several seeds in common are compared seed by seed. The table shows at how many points a metric rose or fell beyond
    noise; a metric without intervals has no verdict. For two programs (`compare CHIP --program a.c b.c`), the
    comparison also lists the source lines of both programs with their cost per packet.

    **Examples**

        linecard compare example_smartnic example_smartnic --set-b packets.part=hbm2 --packets 5000

        linecard compare my_chip.toml my_next_chip.toml --trace edge --json

        linecard compare nfp4000 --program before.c after.c -D N=8

        linecard compare before.json after.json
    """
    result = answered(ask, outputs, asked)
    if not result.answered:
        stderr.diagnose("nothing can be compared: " + "; ".join(result.notes))
    end(result.counts, answered=result.answered)
