"""`linecard vrp` and `linecard hierarchy`: what a program may do for every packet, and who else can work on some."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import screen
from linecard.cli.common import JSON_HELP
from linecard.records import plain

if TYPE_CHECKING:
    from linecard.vrp.budget import VrpBudget
    from linecard.vrp.extension import VrpCheck
    from linecard.vrp.host import HierarchyResult

REFUSED = 1

app = typer.Typer(
    help="The virtual router processor: what is left for extensions at line rate, and whether one fits.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Preset = Annotated[str, typer.Argument(metavar="PRESET", help="Name of a shipped preset, or path of a TOML file.")]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random stream.")]
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]
RATE_HELP = "Packets per second, such as 1.128Mpps or 700kpps."


@app.command("budget")
def budget(
    preset: Preset = "ixp1200_eval",
    rate: Annotated[str, typer.Option(metavar="RATE,…", help=f"{RATE_HELP} Several give a row each.")] = "1.128Mpps",
    set: Set = None,
    seed: Seed = 1,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the budget over the rates as PNG (extra: plot).")
    ] = None,
    json: Json = False,
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
    from linecard.vrp.budget import budgets_over

    rates = [part.strip() for part in rate.split(",") if part.strip()]
    if not rates:
        raise ConfigError.of([ConfigProblem("--rate", "", "found none, expected packets per second: 1.128Mpps")])
    check_outputs(plot)
    with screen.progress("Searching", "simulations") as progress:
        found = budgets_over(preset, rates, set=set, seed=seed, progress=progress)
    if json:
        screen.print_json(plain(found[0]) if len(found) == 1 else {"budgets": plain(found)})
    else:
        for each in found:
            _print_budget(each)
    if plot is not None:
        from linecard.plot.vrp import write_budgets

        screen.note_written([write_budgets(found, plot)])


@app.command("check")
def check(
    extension: Annotated[Path, typer.Argument(metavar="EXTENSION", help="A TOML file of operations.")],
    preset: Annotated[str, typer.Option("--preset", metavar="NAME", help="The platform.")] = "ixp1200_eval",
    rate: Annotated[str, typer.Option(metavar="RATE", help=RATE_HELP)] = "1.128Mpps",
    set: Set = None,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Check that an extension fits the budget at a packet rate, then run it.

    An extension is a list of `[[ops]]` without loops, done for every 64 bytes of a packet. One that takes too much is
    refused with the resource and by how much (exit status 1); a loop, an unknown operation or a count below one is an
    error with its line (exit status 2).

    **Examples**

        linecard vrp check filter.toml

        linecard vrp check filter.toml --rate 800kpps --json
    """
    with screen.progress("Searching", "simulations") as progress:
        found = linecard.vrp_check(extension, preset, rate, set=set, seed=seed, progress=progress)
    if json:
        screen.print_json(found.to_dict())
    else:
        _print_check(found)
    if not found.accepted:
        raise typer.Exit(REFUSED)


def hierarchy(
    preset: Preset = "ixp1200_eval",
    rate: Annotated[str, typer.Option(metavar="RATE", help=RATE_HELP)] = "1.128Mpps",
    packet_bytes: Annotated[int, typer.Option("--bytes", metavar="N", help="Bytes of a packet.")] = 64,
    message_bytes: Annotated[
        int | None, typer.Option("--message", metavar="N", help="Bytes that go up and come back; all if left out.")
    ] = None,
    one_in: Annotated[int, typer.Option(metavar="N", help="Of so many packets one asks to be sent up.")] = 1,
    set: Set = None,
    json: Json = False,
) -> None:
    """Send packets to the core and across the link to the host: how many are reached, and what can be spent on each.

    Engines, core and link share the DRAM; core, link and host serve one thing at a time.

    **Examples**

        linecard hierarchy ixp1200_eval --rate 1.128Mpps

        linecard hierarchy ixp1200_eval --rate 48.1kpps --bytes 1500 --message 64

        linecard hierarchy ixp1200_eval --one-in 100 --set core.signal=interrupt --json
    """
    found = linecard.hierarchy(
        preset, rate, packet_bytes=packet_bytes, message_bytes=message_bytes, one_in=one_in, set=set
    )
    if json:
        screen.print_json(found.to_dict())
    else:
        _print_hierarchy(found)


def _print_budget(found: VrpBudget) -> None:
    title = f"{found.preset} at {found.rate_pps / 1e6:g} Mpps of 64 bytes"
    table = screen.lined(("resource", "l"), ("head room", "r"), ("budget", "r"), ("cycles each", "r"), ("", "l"))
    for row in found.resources:
        name = row.resource.replace("_", " ")
        table.add_row(name, f"{row.head_room:,}", f"{row.budget:,}", f"{row.cost_cycles:.0f}", row.unit)
    also = f"{found.registers} registers, {found.istore_instructions} instructions of store"
    screen.show(
        Padding(Text(title, style="bold"), (1, 0, 0, 2)),
        screen.section(
            screen.heading("Beside forwarding", f"for every 64 bytes; {found.margin_percent:g} % given"), table
        ),
        Padding(Text(also, style=screen.DIM), (0, 0, 1, 2)),
    )


def _print_check(found: VrpCheck) -> None:
    table = screen.lined(("resource", "l"), ("used", "r"), ("allowed", "r"), ("", "l"))
    for use in found.uses:
        mark = (
            Text("fits", style="green") if use.fits else Text(f"{use.used - use.budget:g} too many", style="bold red")
        )
        table.add_row(use.resource.replace("_", " "), f"{use.used:g}", f"{use.budget:g}", mark)
    verdict = Text("accepted", style="bold green") if found.accepted else Text("refused", style="bold red")
    facts = screen.grid("l", "w")
    facts.add_row(Text("Verdict", style=screen.DIM), verdict)
    if found.cause:
        facts.add_row(Text("Because", style=screen.DIM), found.cause)
    if found.loss_fraction is not None and found.latency_ns is not None:
        ran = f"{found.loss_fraction:.2%} lost at {found.rate_pps / 1e6:g} Mpps, {found.latency_ns:,.0f} ns a packet"
        facts.add_row(Text("Run", style=screen.DIM), ran)
    facts.add_row(Text("Loading", style=screen.DIM), f"{found.load_cycles:,.0f} engine cycles")
    screen.show(
        Padding(Text(found.name, style="bold"), (1, 0, 0, 2)),
        screen.section(facts),
        screen.section(screen.heading("Budget", "for every 64 bytes"), table),
        Text(""),
    )


def _print_hierarchy(found: HierarchyResult) -> None:
    facts = screen.grid("l", "w")
    rows = (
        ("Reach", f"{found.reach_percent:.1f} % of the packets, {found.messages_per_second / 1e3:,.1f} kpps"),
        ("At most", f"{found.most_messages_per_second / 1e3:,.1f} kpps of {found.message_bytes} bytes there and back"),
        ("Host", f"{found.host_cycles_per_message:,.0f} cycles for each"),
        ("Core", f"{found.core_cycles_per_message:,.0f} cycles for each"),
        (
            "DRAM",
            f"engines wait {found.engine_wait_ns:,.1f} ns, {found.engine_wait_alone_ns:,.1f} without core and host",
        ),
    )
    for name, value in rows:
        facts.add_row(Text(name, style=screen.DIM), value)
    busy = screen.grid("l", "l", "r")
    for name, share in (
        ("link", found.link_utilization),
        ("host", found.host_utilization),
        ("core", found.core_utilization),
        ("dram", found.dram_utilization),
    ):
        busy.add_row(name, screen.bar(share, "blue"), f"{share:.0%}")
    title = f"{found.preset}, {found.rate_pps / 1e3:,.4g} kpps of {found.packet_bytes} bytes"
    screen.show(
        Padding(Text(title, style="bold"), (1, 0, 0, 2)),
        screen.section(facts),
        screen.section(screen.heading("Busy", "without the work that messages are sent for"), busy),
        Text(""),
    )
