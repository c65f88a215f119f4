"""`linecard hierarchy`: packets that go up to the core and across the link to the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import pieces, stdout
from linecard.cli.options import Html
from linecard.cli.vrp.options import RATE_HELP, Json, Preset, Seed, Set
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from linecard.vrp.host import HierarchyResult


def hierarchy(
    preset: Preset = "ixp1200_host",
    rate: Annotated[str, typer.Option(metavar="RATE", help=RATE_HELP)] = "1.128Mpps",
    packet_bytes: Annotated[int, typer.Option("--bytes", metavar="N", help="Bytes of a packet.")] = 64,
    message_bytes: Annotated[
        int | None, typer.Option("--message", metavar="N", help="Bytes that go up and come back; all if left out.")
    ] = None,
    one_in: Annotated[
        int, typer.Option(metavar="N", help="Of so many packets one asks to be sent up, on average.")
    ] = 1,
    seed: Seed = 1,
    set: Set = None,
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Send packets to the core and across the link to the host: how many are reached, and what can be spent on each.

    A chip like any other: `linecard run ixp1200_host` runs it, `linecard draw` draws it. Engines, core and link share
    the DRAM.

    **Examples**

        linecard hierarchy ixp1200_host --rate 1.128Mpps

        linecard hierarchy ixp1200_host --rate 48.1kpps --bytes 1500 --message 64

        linecard hierarchy ixp1200_host --one-in 100 --set attention.every_ns=500 --json
    """
    from linecard.tables import Table

    files = Files(csv, parquet, html)
    found = linecard.hierarchy(
        preset, rate, packet_bytes=packet_bytes, message_bytes=message_bytes, one_in=one_in, seed=seed, set=set
    )
    if json:
        stdout.print_json(found.to_dict())
    else:
        _print_hierarchy(found)
    values = [(name, value) for name, value in found.to_dict().items() if isinstance(value, (int, float))]
    files.write(Table(("measure", "value"), values), f"{found.preset}: core and host")


def _print_hierarchy(found: HierarchyResult) -> None:
    facts = pieces.grid("l", "w")
    for name, value in found.facts():
        facts.add_row(Text(name, style=pieces.DIM), value)
    busy = pieces.grid("l", "l", "r")
    for name, share in found.busy():
        busy.add_row(name, pieces.bar(share, "blue"), f"{share:.0%}")
    title = f"{found.preset}, {found.rate_pps / 1e3:,.4g} kpps of {found.packet_bytes} bytes"
    stdout.show(
        Padding(Text(title, style="bold"), (1, 0, 0, 2)),
        pieces.section(facts),
        pieces.section(pieces.heading("Busy", "without the work that messages are sent for"), busy),
        Text(""),
    )
