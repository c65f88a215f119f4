"""`linecard hierarchy`: measure the packet rates of the core and of the host."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks


@asks(linecard.hierarchy, "packets", packet_bytes=Word("--bytes"), message_bytes=Word("--message"))
def hierarchy(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Measure the packet rates of the core and of the host, and the idle cycles of each processor per message.

    The examples use the chip `ixp1200_host`; `linecard run` and `linecard draw` also accept this chip. The engines, the
    core and the link to the host share the DRAM.

    **Examples**

        linecard hierarchy ixp1200_host --rate 1.128Mpps

        linecard hierarchy ixp1200_host --rate 48.1kpps --bytes 1500 --message 64

        linecard hierarchy ixp1200_host --one-in 100 --set attention.every_ns=500 --json
    """
    outputs.give(linecard.hierarchy(**asked))
