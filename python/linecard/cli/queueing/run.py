"""`linecard queueing run`: compare queue managers under one workload."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks
from linecard.cli.queueing.options import Trace, Workload, end_with_damage, source_of


@asks(linecard.queueing_run, "workload", "trace", managers=Word("--manager", "NAME,…"))
def run(
    workload: Workload = None,
    trace: Trace = None,
    *,
    outputs: Outputs,
    asked: dict[str, Any],
) -> None:
    """Compare queue managers under one workload.

    The command prints throughput, hit rate, latency and memory traffic of each queue manager, beside the predictions of
    the analytical model. The command also prints the distribution of distances, in packets, between arrivals in the
    same queue. The same command with the same seed prints byte-identical output.

    **Examples**

        linecard queueing run --workload SD16_90

        linecard queueing run --workload L1.1 --set threads=16 --set entries=64 --manager qc,sqc --json

        linecard queueing run --trace examples/captures/edge-mix.pcap.gz -o queues.csv

        linecard queueing run --workload R --manager qarray --set threads=8

        linecard queueing run --workload R --machine queues.toml
    """
    source = source_of(workload, trace)
    end_with_damage(outputs.of(linecard.queueing_run, asked | source, "Simulating", "operations"))
