"""`linecard program trace`: execute a program on the packets of a capture."""

from __future__ import annotations

import linecard
from linecard.cli import stderr
from linecard.cli.executed.damage import end_with_damage, note_kept
from linecard.cli.executed.options import (
    Budget,
    Cache,
    CacheLimit,
    Control,
    Define,
    Entry,
    Payload,
    Program,
    Routes,
    Seed,
    Strict,
    Trace,
    Unchecked,
)
from linecard.cli.options import Packets
from linecard.cli.output import Json, Output, Outputs


def trace(
    program: Program,
    trace: Trace = "edge",
    entry: Entry = None,
    define: Define = None,
    control: Control = None,
    packets: Packets = 20_000,
    payload: Payload = "random",
    map_addresses: Routes = None,
    seed: Seed = 1,
    strict: Strict = False,
    budget: Budget = 20_000_000,
    unchecked: Unchecked = False,
    cache: Cache = None,
    cache_limit: CacheLimit = 4096,
    json: Json = False,
    output: Output = None,
) -> None:
    """Execute a program on the packets of a capture, and count its instructions and accesses.

    The command prints the values that the program returned. Per packet, the command prints instructions, accesses to
    packet data and tables, and locks. The command also prints the instructions by function and source line. If the
    program faults, the error names the packet, the address and the function (exit status 4).

    **Examples**

        linecard program trace my_filter.c -D BUCKETS=64 --trace edge

        linecard program trace patricia --trace core --packets 50000 --json

        linecard program trace my_lookup.elf --control routes.txt --map-addresses routes.txt --trace edge
    """
    outputs = Outputs(json, output)
    with stderr.progress("Tracing", "packets") as progress:
        found = linecard.program_trace(
            program,
            trace,
            entry=entry,
            defines=define or (),
            control=control,
            packets=packets,
            payload=payload,
            seed=seed,
            routes=map_addresses,
            strict=strict,
            budget=budget,
            unchecked=unchecked,
            cache=cache,
            cache_bytes=cache_limit << 20,
            progress=progress,
        )
    note_kept(found)
    outputs.give(found)
    end_with_damage(found)
