"""`linecard vrp budget`: what is left for extensions at line rate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from linecard.cli import pieces, stderr, stdout
from linecard.cli.options import Html
from linecard.cli.vrp.options import RATE_HELP, Json, Preset, Seed, Set
from linecard.cli.written import Csv, Files, Parquet
from linecard.records import plain

if TYPE_CHECKING:
    from linecard.vrp.budget import VrpBudget


def budget(
    preset: Preset = "ixp1200_eval",
    rate: Annotated[str, typer.Option(metavar="RATE,…", help=f"{RATE_HELP} Several give a row each.")] = "1.128Mpps",
    set: Set = None,
    seed: Seed = 1,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the budget over the rates: .png or .svg (extra: plot)."),
    ] = None,
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Find what a program may do for every 64 bytes at a packet rate, beside forwarding.

    Operations of one kind are added to the forwarding program until it no longer keeps up (0.1 % lost, or 1 % piling
    up): that is the head room. Extensions are given a share of it (`vrp.margin_percent`).

    **Examples**

        linecard vrp budget ixp1200_eval --rate 1.128Mpps

        linecard vrp budget ixp1200_eval --rate 400kpps,800kpps,1.128Mpps --plot budget.png

        linecard vrp budget ixp1200_eval --rate 1Mpps --set clock.dram_mhz=133 --json
    """
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.files import check_outputs
    from linecard.plot.style import kind_of
    from linecard.tables import records
    from linecard.vrp.budget import budgets_over

    rates = [part.strip() for part in rate.split(",") if part.strip()]
    if not rates:
        raise ConfigError.of([ConfigProblem("--rate", "", "found none, expected packets per second: 1.128Mpps")])
    files = Files(csv, parquet, html)
    check_outputs(plot)
    if plot is not None:
        kind_of(plot)
    with stderr.progress("Searching", "simulations") as progress:
        found = budgets_over(preset, rates, set=set, seed=seed, progress=progress)
    if json:
        stdout.print_json(plain(found[0]) if len(found) == 1 else {"budgets": plain(found)})
    else:
        for each in found:
            _print_budget(each)
    table = records(
        [row for each in found for row in each.resources],
        rate_pps=[each.rate_pps for each in found for _ in each.resources],
    )
    files.write(table, f"Budget of an extension on {preset}", "for every 64 bytes, beside forwarding")
    if plot is not None:
        from linecard.plot.vrp import write_budgets

        stderr.note_written([write_budgets(found, plot)])


def _print_budget(found: VrpBudget) -> None:
    title = f"{found.preset} at {found.rate_pps / 1e6:g} Mpps of 64 bytes"
    table = pieces.lined(("resource", "l"), ("head room", "r"), ("budget", "r"), ("cycles each", "r"), ("", "l"))
    for row in found.resources:
        name = row.resource.replace("_", " ")
        table.add_row(name, f"{row.head_room:,}", f"{row.budget:,}", f"{row.cost_cycles:.0f}", row.unit)
    also = f"{found.registers} registers, {found.istore_instructions} instructions of store"
    stdout.show(
        Padding(Text(title, style="bold"), (1, 0, 0, 2)),
        pieces.section(
            pieces.heading("Beside forwarding", f"for every 64 bytes; {found.margin_percent:g} % given"), table
        ),
        Padding(Text(also, style=pieces.DIM), (0, 0, 1, 2)),
    )
