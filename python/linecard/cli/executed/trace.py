"""`linecard program trace`: execute a program on the packets of a capture."""

from __future__ import annotations

from typing import Any

import linecard
from linecard.cli import stderr
from linecard.cli.executed.tracing import CacheLimit, end_with_damage, note_kept
from linecard.cli.output import Outputs
from linecard.cli.question import asks


@asks(linecard.program_trace, "cache_bytes")
def trace(cache_limit: CacheLimit = 4096, *, outputs: Outputs, asked: dict[str, Any]) -> None:
    """Execute a program on the packets of a capture, and count its instructions and accesses.

    The command prints the values that the program returned. For each packet, the command prints the number of
    instructions, of locks, and of accesses to packet data and tables. The command also prints the instructions by
    function and source line. If the program faults, the error names the packet, the address and the function (exit
    status 4).

    **Examples**

        linecard program trace my_filter.c -D BUCKETS=64 --trace edge

        linecard program trace patricia --trace core --packets 50000 --json

        linecard program trace my_lookup.elf --control routes.txt --map-addresses routes.txt --trace edge
    """
    with stderr.progress("Tracing", "packets") as progress:
        found = linecard.program_trace(**asked, cache_bytes=cache_limit << 20, progress=progress)
    note_kept(found)
    outputs.give(found)
    end_with_damage(found.traffic)
