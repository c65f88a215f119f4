"""`linecard flows`: count the packets and flows of a capture or a link profile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

import linecard
from linecard.cli import stderr
from linecard.cli.options import Exit
from linecard.cli.output import Outputs
from linecard.cli.question import ARGUMENT, Word, asks


@asks(linecard.flows, trace=Word(ARGUMENT, "CAPTURE", kind=Path), most_flows=Word(least=1, most=1 << 40))
def flows(outputs: Outputs, asked: dict[str, Any]) -> None:
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
    statistics = outputs.of(linecard.flows, asked, "Reading", "bytes")
    stderr.diagnose_capture(statistics)
    if not statistics.clean:
        raise typer.Exit(Exit.CAPTURE)
