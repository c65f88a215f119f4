"""`linecard why`: find the limit of a chip, and the changes that raise its throughput."""

from __future__ import annotations

from typing import Any

from linecard.cli.asked import takes
from linecard.cli.explore.runs import answered, end
from linecard.cli.output import Outputs
from linecard.cli.question import asks
from linecard.explore.why import why as ask


@takes("program")
@asks(ask)
def why(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Find the bottleneck of a chip and the changes that raise its throughput, with a measurement for every statement.

    The command prints the capacity of each part, and the throughput gain from removing limits one at a time and in
    pairs. The command also prints how the throughput depends on each parameter. If the chip carries all offered
    traffic, the runs use saturating traffic instead.

    **Examples**

        linecard why example_smartnic

        linecard why my_chip.toml --set island.threads=4 -o tornado.svg

        linecard why example_smartnic --set traffic.rate_gbps=180 --json

        linecard why example_smartnic --global --packets 2000
    """
    result = answered(ask, outputs, asked)
    end(result.counts, answered=result.answered)
