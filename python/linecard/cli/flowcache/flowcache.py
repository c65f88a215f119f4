"""`linecard flowcache`: compare flow caches by size, number of ways and replacement policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import linecard
from linecard.cli import stderr
from linecard.cli.options import Exit
from linecard.cli.output import Outputs
from linecard.cli.question import ARGUMENT, Word, asks
from linecard.errors import ConfigError

# The idle time that ends a flow in Girish 2008.
_TIME_OUT_SECONDS = 1.0


@asks(
    linecard.flowcache,
    "time_out_seconds",
    trace=Word(ARGUMENT, "CAPTURE", kind=Path),
    entries=Word(metavar="N,…"),
    ways=Word(metavar="N,…"),
    policy=Word(metavar="NAME,…"),
    key=Word(metavar="FIELDS"),
    width=Word(metavar="BITS"),
    result_bits=Word(metavar="BITS"),
    cold_window_packets=Word("--cold-window"),
    foresight_packets=Word("--foresight"),
)
def flowcache(
    traffic: Annotated[
        bool,
        typer.Option(
            "--traffic", help="Add flow statistics: the sizes of flows, and the number of flows active at once."
        ),
    ] = False,
    time_out: Annotated[
        float, typer.Option(metavar="SECONDS", help="Idle time after which a flow ends, for --traffic.")
    ] = _TIME_OUT_SECONDS,
    *,
    outputs: Outputs,
    asked: dict[str, Any],
) -> None:
    """Compare the hit rate and the miss classes of flow caches by size, number of ways and replacement policy.

    A flow cache stores packet-classification results, with a digest of the flow as the key. For each cache, the command
    prints the hit rate and the miss classes (cold, capacity, conflict). For each size, the command prints the best
    policy that hardware can implement, compared with the optimal policy. The output does not depend on `--jobs`.

    **Examples**

        linecard flowcache examples/captures/edge-mix.pcap.gz

        linecard flowcache examples/captures/edge-mix.pcap.gz --entries 512,1024 --ways 4,full --policy lru,sp,srrip,opt

        linecard flowcache examples/captures/edge-mix.pcap.gz --key dst/24 --hash crc32c --width 16 --false-hits

        linecard flowcache examples/captures/edge-mix.pcap.gz --policy lru,sp,pred,opt_bypass -o caches.csv --json

        linecard flowcache examples/captures/edge-mix.pcap.gz --curves --traffic -o caches.html

        linecard flowcache core --policy lru,sp --packets 50000
    """
    if not traffic and time_out != _TIME_OUT_SECONDS:
        raise ConfigError.at("--time-out", "", "has no effect without --traffic; add --traffic, or omit --time-out")
    result = outputs.of(
        linecard.flowcache, {**asked, "time_out_seconds": time_out if traffic else None}, "Simulating", ""
    )
    stderr.diagnose_capture(result)
    if result.damaged_records:
        raise typer.Exit(Exit.CAPTURE)
