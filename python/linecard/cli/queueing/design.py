"""`linecard queueing design`: find the smallest queuing cache that reaches a throughput."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks
from linecard.cli.queueing.options import Trace, Workload, end_with_damage, source_of


@asks(linecard.queueing_design, "workload", "trace", target_mops=Word("--target-mops", "M"))
def design(
    workload: Workload = None,
    trace: Trace = None,
    *,
    outputs: Outputs,
    asked: dict[str, Any],
) -> None:
    """Find the smallest queuing cache that reaches a target throughput.

    For each combination of cache entries and engines, the command prints the smallest number of threads that reaches
    the target. The command also prints the combination with the smallest product of entries, engines and threads.

    **Examples**

        linecard queueing design --workload SD16_90 --target-mops 120

        linecard queueing design --trace examples/captures/edge-mix.pcap.gz --target-mops 80 --json
    """
    source = source_of(workload, trace)
    end_with_damage(outputs.of(linecard.queueing_design, asked | source, "Searching", "sizes"))
