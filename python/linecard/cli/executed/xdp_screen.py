"""The screens of XDP programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import pieces, stdout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from linecard.executed.traffic import Share
    from linecard.executed.xdp_result import XdpMap, XdpRows, XdpRun

# Entries of a map and source lines that the screen shows; --json has more.
MOST_SHOWN = 5
# Digits of a value that the screen shows.
MOST_DIGITS = 48


def show_list(*, json: bool) -> None:
    """The shipped XDP programs."""
    found = linecard.xdp_programs()
    if json:
        import msgspec

        stdout.print_json(msgspec.to_builtins(found))
        return
    table = pieces.lined(("program", "l"), ("what it does", "w"), ("--define", "w"), ("--map", "w"), ("after", "w"))
    for each in found:
        parameters = ", ".join(f"{name}={value}" for name, value in each.parameters.items())
        table.add_row(Text(each.name, style="bold"), each.title, parameters, ", ".join(each.maps), each.source)
    stdout.show(Text(""), Padding(table, (0, 0, 0, 2)), Text(""))


def show_run(found: XdpRun) -> None:
    """What an XDP program did."""
    facts = pieces.grid("l", "w")

    def fact(name: str, value: str) -> None:
        facts.add_row(Text(name, style=pieces.DIM), value)

    traffic = found.traffic
    fact("Traffic", f"{traffic.title}: {traffic.packets:,} packets of {traffic.flows:,} flows")
    fact(
        "Frames", f"{traffic.mean_bytes:,.0f} bytes on average, {found.mean_bytes_left:,.0f} as the program leaves them"
    )
    fact(
        "Instructions",
        f"{found.instructions_per_packet:,.1f} a packet ({found.least_instructions:,} to {found.most_instructions:,})",
    )
    parts: list[RenderableType] = [
        Padding(Text(f"{found.name}: {found.program}", style="bold"), (1, 0, 0, 2)),
        pieces.section(facts),
        pieces.section(_shares("verdict", "packets", found.verdicts)),
        pieces.section(_regions(found)),
    ]
    if found.helpers:
        parts.append(pieces.section(_shares("helper", "calls", found.helpers)))
    parts.append(pieces.section(_shares("source line", "instructions", found.lines[:MOST_SHOWN])))
    parts += [pieces.section(_map(each)) for each in found.maps if each.entries or each.records]
    stdout.show(*parts, Text(""))


def show_rows(found: XdpRows) -> None:
    """What an XDP program comes to in rows."""
    lanes = pieces.lined(("lanes", "r"), ("rows", "r"), ("instructions a row", "r"))
    for each in found.lanes:
        lanes.add_row(str(each.lanes), f"{each.rows:,}", f"{each.instructions_per_row:.2f}")
    blocks = pieces.lined(
        (f"block, {len(found.lanes)} lanes", "w"), ("rows", "r"), ("instructions", "r"), ("exit", "l")
    )
    for block in found.blocks:
        blocks.add_row(Text(block.place), f"{block.rows:,}", f"{block.instructions:,}", block.exit or "")
    stdout.show(
        Padding(
            Text(f"{found.name}: {found.program}, {found.instructions:,} instructions", style="bold"), (1, 0, 0, 2)
        ),
        pieces.section(lanes),
        pieces.section(blocks),
        Text(""),
    )


def _shares(what: str, count: str, shares: Sequence[Share]) -> RenderableType:
    table = pieces.lined((what, "w"), (count, "r"), ("", "r"))
    for share in shares:
        table.add_row(Text(share.name), f"{share.count:,}", pieces.percent(share.percent / 100, 1))
    return table


def _regions(found: XdpRun) -> RenderableType:
    table = pieces.lined(("region, a packet", "l"), ("reads", "r"), ("writes", "r"), ("atomic", "r"), ("bytes", "r"))
    for region in found.regions:
        table.add_row(
            Text(region.name),
            f"{region.reads_per_packet:,.2f}",
            f"{region.writes_per_packet:,.2f}",
            f"{region.atomics_per_packet:,.2f}",
            f"{region.bytes_per_packet:,.1f}",
        )
    return table


def _map(each: XdpMap) -> RenderableType:
    if not each.listed:
        return Text(f"{each.name} ({each.kind}): {each.records:,} records, {each.record_bytes:,} bytes")
    table = pieces.lined((f"{each.name} ({each.kind})", "l"), (f"{each.entries:,} entries", "w"))
    for entry in each.listed[:MOST_SHOWN]:
        values = [f"{number:,}" for number in entry.numbers] if entry.numbers is not None else entry.values
        shown = [value if len(value) <= MOST_DIGITS else f"{value[:MOST_DIGITS]}…" for value in values]
        table.add_row(Text(entry.key), ", ".join(shown))
    if each.entries > MOST_SHOWN:
        table.add_row(Text("…", style=pieces.DIM), Text("--json lists more", style=pieces.DIM))
    return table
