"""`linecard new`, `check` and `draw`: chips as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import completion, pieces, stderr, stdout
from linecard.cli.executed.program_options import takes_program
from linecard.cli.options import CAPTURE_HELP, JSON_HELP, Chip, Html
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from linecard.explore.check import ChipCheck
    from linecard.explore.demand import Demand

Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value; repeatable.")]


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="File to write.")],
    like: Annotated[
        str,
        typer.Option(
            "--like", metavar="PRESET", help="Preset that the new chip is like.", autocompletion=completion.chips
        ),
    ] = "example_smartnic",
) -> None:
    """Write a chip's file to start from.

    Of a shipped chip it is the whole file with its comments; of another platform, a few lines that extend it. Beside it
    stands chip.schema.json, which its first line names: an editor completes and checks the file by it.

    **Examples**

        linecard new my_chip.toml --like example_smartnic

        linecard run my_chip.toml
    """
    written = linecard.new(file, like=like)
    stderr.note_written([written, written.with_name("chip.schema.json")])


@takes_program
def check(
    preset: Chip,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Application that it runs.")] = None,
    trace: Annotated[str | None, typer.Option(metavar="CAPTURE", help=CAPTURE_HELP)] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="BYTES|KIND", help="Frames that come: a size, imix, rfc2544, a mix of the chip."),
    ] = None,
    set: Set = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Say what is wrong with a chip's file, or what its places do without load and at most.

    The numbers follow from the file, so that you see at once whether it says what you meant. Beside them it tries the
    first 200 packets, and warns of what would keep a run from ending, lose packets that fit nowhere, or leave channels
    of the packet memory idle. With traffic or a program it says what is asked of each part and what that carries, by
    a short run at light load.

    **Examples**

        linecard check my_chip.toml

        linecard check example_smartnic --set packets.part=hbm2

        linecard check example_smartnic --app secure_gateway --size 64

        linecard check nfp4000 --program my_xdp.c --trace edge

        linecard check example_smartnic --json
    """
    from linecard.tables import records

    files = Files(csv, parquet, html)
    found = linecard.check(preset, set=set, app=app_name, trace=trace, size=size, **executed)
    if json:
        stdout.print_json(found.to_dict())
    else:
        _print_check(found)
    said = f"{found.title}; a read without load, and the most that there is"
    files.write(records(found.accesses), f"{found.preset}: places without load", said)


def draw(
    preset: Chip,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Drawing to write: .svg, or .png (extra: plot).")
    ] = Path("chip.svg"),
    set: Set = None,
    result: Annotated[
        Path | None,
        typer.Option("--result", metavar="FILE", help="Colour it by the utilisation in the JSON of a run."),
    ] = None,
) -> None:
    """Draw a chip as a block diagram.

    **Examples**

        linecard draw example_smartnic -o chip.svg

        linecard draw example_smartnic -o chip.png

        linecard run example_smartnic --json > run.json && linecard draw example_smartnic --result run.json -o busy.svg
    """
    stderr.note_written([linecard.draw(preset, output, set=set, result=result)])


def _print_check(found: ChipCheck) -> None:
    title = Text.assemble((found.preset, "bold"), "  ", (found.title, pieces.DIM))
    facts = pieces.grid("l", "w")
    facts.add_row("Program", Text(found.program, style="bold cyan"))
    facts.add_row("Engines", f"{found.engines:,} with {found.threads:,} threads")
    sides = ((found.receive_gbps, "in"), (found.transmit_gbps, "out"))
    facts.add_row("Ports", ", ".join(f"{rate:g} Gbit/s {way}" if rate else f"never busy {way}" for rate, way in sides))
    if found.unused:
        facts.add_row("Unused", ", ".join(found.unused))
    rows = pieces.lined(*_COLUMNS)
    for row in found.accesses:
        unloaded = Text(f"{row.unloaded_ns:.1f} ns", style="bold")
        parts = f"{row.there_ns:.1f} + {row.place_ns:.1f} + {row.back_ns:.1f}"
        peaks = ("no bound", "") if row.peak_mops is None else (f"{row.peak_mops:,.0f} M/s", f"{row.peak_gbps:,.1f}")
        rows.add_row(row.cluster, row.role, row.place, unloaded, parts, *peaks)
    stdout.show(
        Padding(title, (1, 0, 0, 2)),
        pieces.section(facts),
        pieces.section(pieces.heading("A read without load, and the most that there is", "over its route"), rows),
        *([_demands(found.demands)] if found.demands else []),
        Padding(Text("The file fits together.", style="green"), (1, 0, 1, 2)),
    )
    for warning in found.warnings:
        stderr.diagnose(f"warning: {warning}")


def _demands(several: Sequence[Demand]) -> RenderableType:
    """What is asked of each part, and a sentence on those that carry less."""
    offered = several[0].offered_gbps
    rows = pieces.lined(("part", "l"), ("", "l"), ("asked", "r"), ("carries, Gbit/s", "r"), ("Mpps", "r"))
    for each in several:
        if each.share >= pieces.SHOWN_SHARE:
            drawn = pieces.bar(min(each.share, 1.0), pieces.load_style(each.share))
            rows.add_row(
                each.component, drawn, pieces.percent(each.share), f"{each.most_gbps:,.1f}", f"{each.most_mpps:,.2f}"
            )
    over = [f"{each.component}: {offered:,.4g} of {each.most_gbps:,.4g} Gbit/s" for each in several if each.share > 1]
    said = [Text(line, style="red") for line in over] or [Text("Every part carries what is offered.", style="green")]
    return pieces.section(pieces.heading("Demand", f"of {offered:,.4g} Gbit/s offered"), rows, Text(""), *said)


_COLUMNS = (
    ("cluster", "l"),
    ("role", "l"),
    ("place", "l"),
    ("unloaded", "r"),
    ("there + place + back, ns", "l"),
    ("at most", "r"),
    ("Gbit/s", "r"),
)
