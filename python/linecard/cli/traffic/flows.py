"""`linecard flows`: count the packets and flows of a capture or a link profile."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import linecard
from linecard.cli.options import Exit, Packets
from linecard.cli.output import Json, Output, Outputs


def flows(
    trace: Annotated[
        Path,
        typer.Argument(
            metavar="CAPTURE",
            help="Capture (pcap, pcapng, ERF, TSH or CSV; plain, gzip, zstd or bzip2), or a link profile "
            "(`edge`, `core`, FILE.toml).",
        ),
    ],
    packets: Packets = 0,
    json: Json = False,
    output: Output = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")] = False,
    most_flows: Annotated[
        int,
        typer.Option(
            min=1,
            max=1 << 40,
            metavar="N",
            help="Maximum number of flows; more flows are an error. Each flow takes up to 220 bytes of memory.",
        ),
    ] = 20_000_000,
) -> None:
    """Count the packets and flows of a capture or a link profile.

    The command prints the number of packets and bytes, the duration, the size distribution, the one-way flows, and the
    skipped packets by reason. The command reports each damaged record with its file, byte offset and packet number, and
    continues with the next record.

    **Examples**

        linecard flows examples/captures/edge-mix.pcap.gz

        linecard flows examples/captures/edge-mix.pcap.gz --json

        linecard flows my_capture.pcapng --strict

        linecard flows edge --packets 50000
    """
    from linecard.cli import stderr

    outputs = Outputs(json, output)
    with stderr.progress("Reading", "bytes") as progress:
        statistics = linecard.flows(trace, packets=packets, strict=strict, most_flows=most_flows, progress=progress)
    outputs.give(statistics)
    stderr.diagnose_capture(statistics)
    if not statistics.clean:
        raise typer.Exit(Exit.CAPTURE)
