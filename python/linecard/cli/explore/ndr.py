"""`linecard ndr`: find no-drop rates by frame size."""

from __future__ import annotations

from typing import Any

from linecard.cli.asked import takes
from linecard.cli.explore.runs import answered, end
from linecard.cli.output import Outputs
from linecard.cli.question import asks
from linecard.explore.ndr import ndr as ask


@takes("program")
@asks(ask)
def ndr(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Search for the no-drop rate and the partial-drop rate of a chip, by frame size.

    NDR is the highest rate without loss, and PDR is the highest rate with at most 0.5 % loss. Packets that accumulate
    inside the chip count as lost. By default, frames arrive evenly spaced; `--set traffic.arrivals=poisson` selects
    Poisson arrivals. The result includes the latency at 10 %, 50 % and 90 % of the PDR.

    **Examples**

        linecard ndr example_smartnic

        linecard ndr example_smartnic --size 64,imix,1518 -o rates.png

        linecard ndr my_chip.toml --set island.threads=4 --seeds 3 --json
    """
    result = answered(ask, outputs, asked)
    end(result.counts, answered=any(row.answered for row in result.rows))
