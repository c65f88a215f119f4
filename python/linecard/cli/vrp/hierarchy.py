"""`linecard hierarchy`: send packets to the core, and across the link to the host."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli.options import Chip
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.vrp.options import RATE_HELP, Seed, Set


def hierarchy(
    chip: Chip = "ixp1200_host",
    rate: Annotated[str, typer.Option(metavar="RATE", help=RATE_HELP)] = "1.128Mpps",
    packet_bytes: Annotated[int, typer.Option("--bytes", metavar="N", help="Packet size in bytes.")] = 64,
    message_bytes: Annotated[
        int | None,
        typer.Option("--message", metavar="N", help="Bytes sent to the host and back; by default, the whole packet."),
    ] = None,
    one_in: Annotated[int, typer.Option(metavar="N", help="Send one packet in N, on average, to the host.")] = 1,
    seed: Seed = 1,
    set: Set = None,
    json: Json = False,
    output: Output = None,
) -> None:
    """Measure the packet rate of the core and the host, and the cycles that each of them needs per packet.

    `linecard run ixp1200_host` runs the simulated chip, and `linecard draw` draws it. The engines, the core and the
    link share the DRAM.

    **Examples**

        linecard hierarchy ixp1200_host --rate 1.128Mpps

        linecard hierarchy ixp1200_host --rate 48.1kpps --bytes 1500 --message 64

        linecard hierarchy ixp1200_host --one-in 100 --set attention.every_ns=500 --json
    """
    outputs = Outputs(json, output)
    found = linecard.hierarchy(
        chip, rate, packet_bytes=packet_bytes, message_bytes=message_bytes, one_in=one_in, seed=seed, set=set
    )
    outputs.give(found)
