"""`linecard program trace`: what a program does on the packets of a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import pieces, stderr, stdout
from linecard.cli.executed.damage import end_with_damage, note_kept
from linecard.cli.executed.options import (
    Budget,
    Cache,
    CacheLimit,
    Control,
    Define,
    Entry,
    Json,
    Payload,
    Program,
    Routes,
    Seed,
    Strict,
    Trace,
    Unchecked,
)
from linecard.cli.options import Html, Packets, command_line

if TYPE_CHECKING:
    from linecard.executed.trace import ProgramTrace


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
    html: Html = None,
) -> None:
    """Execute a program on the packets of a capture and say what it does.

    Prints instructions, accesses to packet and tables, and locks a packet, what the program returned, and in which
    functions and source lines its instructions are. A program that faults is an error with the packet, the address and
    the function (exit status 4).

    **Examples**

        linecard program trace my_filter.c -D BUCKETS=64 --trace edge

        linecard program trace patricia --trace core --packets 50000 --json

        linecard program trace my_lookup.elf --control routes.txt --map-addresses routes.txt --trace edge
    """
    from linecard.files import check_outputs

    check_outputs(html)
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
    if json:
        stdout.print_json(found.to_dict())
    else:
        _print_trace(found)
    if html is not None:
        stderr.note_written([found.write_html(html, command=command_line())])
    end_with_damage(found)


def _print_trace(found: ProgramTrace) -> None:
    facts = pieces.grid("l", "w")

    def fact(name: str, value: str) -> None:
        facts.add_row(Text(name, style=pieces.DIM), value)

    traffic = found.traffic
    left_out = f", {traffic.not_ip:,} others left out" if traffic.not_ip else ""
    fact("Packets", f"{traffic.packets:,} IP{left_out}; {traffic.flows:,} flows, mean {traffic.mean_bytes:.0f} bytes")
    between = f"median {traffic.median_packets_between:,} packets between two of a flow"
    fact("Traffic", f"{traffic.title}; {between}")
    fact(
        "Instructions",
        f"{found.instructions_per_packet:,.0f} a packet ({found.least_instructions:,} to {found.most_instructions:,})",
    )
    fact(
        "Accesses",
        f"{found.packet_accesses_per_packet:.1f} packet, {found.table_accesses_per_packet:.1f} tables, "
        f"{found.other_accesses_per_packet:.1f} stack and globals",
    )
    fact("Locks", f"{found.locks_per_packet:.2f} a packet, {found.locks:,} different" if found.locks else "none")
    fact("Trace", f"{found.trace_bytes_per_instruction:.2f} bytes an instruction, {found.segments:,} segments of code")
    functions = pieces.lined(("function", "l"), ("instructions", "r"), ("", "l"))
    for share in found.functions:
        functions.add_row(share.name, pieces.percent(share.percent / 100), pieces.bar(share.percent / 100, "blue"))
    lines = pieces.lined(("source line", "l"), ("instructions", "r"), ("", "l"))
    for share in found.lines:
        lines.add_row(share.name, pieces.percent(share.percent / 100), pieces.bar(share.percent / 100, "blue"))
    results = pieces.lined(("returned", "l"), ("packets", "r"), ("", "l"))
    for share in found.results:
        results.add_row(share.name, f"{share.count:,}", pieces.bar(share.percent / 100, "green"))
    stdout.show(
        Padding(Text(found.name, style="bold"), (1, 0, 0, 2)),
        pieces.section(facts),
        pieces.section(pieces.heading("Functions", "share of instructions"), functions),
        *([pieces.section(pieces.heading("Source lines", "share of instructions"), lines)] if found.lines else []),
        pieces.section(pieces.heading("Results", "what the program returned, most frequent first"), results),
        Text(""),
    )
