"""`linecard vrp check`: whether an extension fits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import pieces, stderr, stdout
from linecard.cli.options import Exit, Html
from linecard.cli.vrp.options import RATE_HELP, Json, Seed, Set
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from linecard.vrp.extension import VrpCheck


def check(
    extension: Annotated[Path, typer.Argument(metavar="EXTENSION", help="A TOML file of operations.")],
    preset: Annotated[str, typer.Option("--preset", metavar="NAME", help="The platform.")] = "ixp1200_eval",
    rate: Annotated[str, typer.Option(metavar="RATE", help=RATE_HELP)] = "1.128Mpps",
    set: Set = None,
    seed: Seed = 1,
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Check that an extension fits the budget at a packet rate, then run it.

    An extension is a list of `[[ops]]` without loops, done for every 64 bytes of a packet. One that takes too much is
    refused with the resource and by how much (exit status 1); a loop, an unknown operation or a count below one is an
    error with its line (exit status 2).

    **Examples**

        linecard vrp check filter.toml

        linecard vrp check filter.toml --rate 800kpps --json
    """
    from linecard.tables import records

    files = Files(csv, parquet, html)
    with stderr.progress("Searching", "simulations") as progress:
        found = linecard.vrp_check(extension, preset, rate, set=set, seed=seed, progress=progress)
    if json:
        stdout.print_json(found.to_dict())
    else:
        _print_check(found)
    verdict = "accepted" if found.accepted else "refused"
    files.write(records(found.uses), f"{found.name}: {verdict}", "budget for every 64 bytes")
    if not found.accepted:
        raise typer.Exit(Exit.CHECK_FAILED)


def _print_check(found: VrpCheck) -> None:
    table = pieces.lined(("resource", "l"), ("used", "r"), ("allowed", "r"), ("", "l"))
    for use in found.uses:
        mark = (
            Text("fits", style="green") if use.fits else Text(f"{use.used - use.budget:g} too many", style="bold red")
        )
        table.add_row(use.resource.replace("_", " "), f"{use.used:g}", f"{use.budget:g}", mark)
    verdict = Text("accepted", style="bold green") if found.accepted else Text("refused", style="bold red")
    facts = pieces.grid("l", "w")
    facts.add_row(Text("Verdict", style=pieces.DIM), verdict)
    if found.cause:
        facts.add_row(Text("Because", style=pieces.DIM), found.cause)
    if found.loss_fraction is not None and found.latency_ns is not None:
        ran = f"{found.loss_fraction:.2%} lost at {found.rate_pps / 1e6:g} Mpps, {found.latency_ns:,.0f} ns a packet"
        facts.add_row(Text("Run", style=pieces.DIM), ran)
    facts.add_row(Text("Loading", style=pieces.DIM), f"{found.load_cycles:,.0f} engine cycles")
    stdout.show(
        Padding(Text(found.name, style="bold"), (1, 0, 0, 2)),
        pieces.section(facts),
        pieces.section(pieces.heading("Budget", "for every 64 bytes"), table),
        Text(""),
    )
