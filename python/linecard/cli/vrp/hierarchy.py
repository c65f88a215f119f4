"""`linecard hierarchy`: send packets to the core, and across the link to the host."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.question import Word, asks


@asks(linecard.hierarchy, "packets", packet_bytes=Word("--bytes"), message_bytes=Word("--message"))
def hierarchy(json: Json = False, output: Output = None, *, asked: dict[str, Any]) -> None:
    """Measure the packet rate of the core and the host, and the cycles that each of them needs per packet.

    `linecard run ixp1200_host` runs the simulated chip, and `linecard draw` draws it. The engines, the core and the
    link share the DRAM.

    **Examples**

        linecard hierarchy ixp1200_host --rate 1.128Mpps

        linecard hierarchy ixp1200_host --rate 48.1kpps --bytes 1500 --message 64

        linecard hierarchy ixp1200_host --one-in 100 --set attention.every_ns=500 --json
    """
    outputs = Outputs(json, output)
    outputs.give(linecard.hierarchy(**asked))
