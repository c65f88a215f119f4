"""`linecard compare`: two designs, runs or sweeps side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from linecard.cli import pieces, stderr, stdout
from linecard.cli.executed.program_options import takes_program
from linecard.cli.explore.options import (
    STORE,
    Executor,
    Jobs,
    Json,
    StoreOption,
    end_by_store,
    read_settings,
    say_how_to_go_on,
)
from linecard.cli.options import CAPTURE_HELP, Exit, Html, Precision, command_line
from linecard.cli.plain_text import shortened
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linecard.explore.compare_result import CompareResult, LineMoved, Moved


@takes_program
def compare(
    a: Annotated[
        str, typer.Argument(metavar="A", help="A design, or a file that `run --json` or `sweep --json` printed.")
    ],
    b: Annotated[
        str | None,
        typer.Argument(metavar="[B]", help="The other, of the same kind; or a second program of A, with --program."),
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change both designs; repeatable.")
    ] = None,
    set_a: Annotated[
        list[str] | None, typer.Option("--set-a", metavar="KEY=VALUE", help="Change the first alone; repeatable.")
    ] = None,
    set_b: Annotated[
        list[str] | None, typer.Option("--set-b", metavar="KEY=VALUE", help="Change the second alone; repeatable.")
    ] = None,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Application of both designs.")] = None,
    trace: Annotated[str | None, typer.Option(metavar="CAPTURE", help=CAPTURE_HELP)] = None,
    packets: Annotated[int | None, typer.Option(metavar="N", help="Packets of each run, at first.")] = None,
    precision: Precision = None,
    seeds: Annotated[int, typer.Option(metavar="N", help="Seeds of each design.")] = 5,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The first of them.")] = 1,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Put two designs, programs, runs or sweeps side by side: what differs, what moved, and whether beyond noise.

    Designs are run with the same seeds, on the same packets, and compared seed by seed. Runs that are not steady are
    made again, longer; where that does not help, nothing is said to have moved, and the status is 4. With two programs
    (`compare CHIP --program a.c b.c`) the source lines of both stand side by side, with what each costs a packet.

    **Examples**

        linecard compare example_smartnic example_smartnic --set-b packets.part=hbm2 --packets 5000

        linecard compare my_chip.toml my_next_chip.toml --trace edge --json

        linecard compare nfp4000 --program before.c after.c -D N=8

        linecard compare before.json after.json
    """
    from linecard.executed.for_chip import is_program
    from linecard.explore.compare import compare as ask
    from linecard.explore.execute import Interrupted
    from linecard.explore.store import Store
    from linecard.files import check_outputs
    from linecard.tables import records

    files = Files(csv, parquet)
    check_outputs(html)
    program_b = None
    if b is not None and executed["program"] is not None and is_program(b):
        b, program_b = None, b
    try:
        with stderr.progress("Simulating", "runs") as progress:
            result = ask(
                a,
                b,
                program_b=program_b,
                set=read_settings(set or []),
                set_a=read_settings(set_a or []),
                set_b=read_settings(set_b or []),
                app=app_name,
                trace=trace,
                packets=packets,
                precision=precision,
                seeds=seeds,
                seed=seed,
                store=None if a.endswith(".json") else store,
                jobs=jobs,
                executor=executor,
                progress=progress,
                **executed,
            )
    except Interrupted as stopped:
        say_how_to_go_on(stopped, Store(store))
        raise
    if json:
        stdout.print_json(result.to_dict())
    else:
        print_compare(result)
    counts = result.counts
    if counts.found + counts.run:
        stderr.note(f"{counts.found:,} runs found, {counts.run:,} run; kept in {store}")
    lines = (replace(moved, name=f"{line.name}: {moved.name}") for line in result.lines for moved in line.costs)
    files.write(records((*result.metrics, *result.measurements, *lines)))
    if html is not None:
        stderr.note_written([result.write_html(html, command=command_line())])
    if not result.answered:
        stderr.diagnose("nothing can be compared: " + "; ".join(result.notes))
        raise typer.Exit(Exit.RUN)
    end_by_store(counts)


_KEYS_SHOWN, _MOVED_SHOWN, _LINES_SHOWN = 30, 12, 20


def print_compare(result: CompareResult) -> None:
    """What differs, then what moved."""
    from linecard.explore.wording import cell_text, change_text, noise_text

    parts: list[Any] = [Padding(Text(f"{result.a}  and  {result.b}"), (1, 0, 0, 2))]
    if result.limits is not None:
        limits = pieces.grid("l", "w")
        for side, limit in zip(("a", "b"), result.limits, strict=True):
            limits.add_row(f"limit of {side}", Text(limit, style="bold"))
        parts.append(pieces.section(limits))
    keys = pieces.lined(("key", "l"), ("a", "l"), ("b", "l"), ("unit", "l"))
    for each in result.configuration[:_KEYS_SHOWN]:
        keys.add_row(each.key, cell_text(each.a), cell_text(each.b), each.unit)
    more = len(result.configuration) - _KEYS_SHOWN
    below = [Text(f"{more:,} more: --json has all", style=pieces.DIM)] if more > 0 else []
    differs = keys if result.configuration else Text("nothing")
    parts.append(pieces.section(pieces.heading("What differs"), differs, *below))
    for title, several in (("What moved", result.shown), ("Parts that moved", result.measurements[:_MOVED_SHOWN])):
        if not several:
            continue
        rows = pieces.lined(
            *(("number", "l"), ("a", "r"), ("b", "r"), ("change", "r")),
            *(("beyond noise", "l"), ("95 % of the difference", "l")),
        )
        for moved in several:
            style = "bold" if moved.beyond_noise else ""
            cells = (moved.name, cell_text(moved.a), cell_text(moved.b), change_text(moved), noise_text(moved))
            between = (
                "" if moved.low is None or moved.high is None else f"{cell_text(moved.low)} to {cell_text(moved.high)}"
            )
            rows.add_row(*(Text(cell, style=style) for cell in (*cells, between)))
        parts.append(pieces.section(pieces.heading(title, result.basis), rows))
    if result.lines:
        parts.append(_lines(result.lines))
    if result.notes:
        parts.append(pieces.section(*(Text(note, style="yellow") for note in result.notes)))
    stdout.show(*parts)


def _lines(lines: Sequence[LineMoved]) -> Any:
    """Source lines of two programs, those whose time moved most first; what moved beyond noise is bold."""
    from linecard.explore.wording import noise_text

    numbers = [(name, "r") for name in ("cycles", "stall", "instructions")]
    table = pieces.lined(("source", "l"), ("a", "l"), ("b", "l"), *numbers, ("beyond noise", "l"))
    for line in lines[:_LINES_SHOWN]:
        style = "bold" if line.beyond_noise else ""
        cells = [shortened(line.text), line.a or "–", line.b or "–", *map(_both, line.costs), noise_text(line)]
        table.add_row(*(Text(cell, style=style) for cell in cells))
    more = len(lines) - _LINES_SHOWN
    below = [Text(f"{more:,} more: --json has all", style=pieces.DIM)] if more > 0 else []
    said = "of a packet; those whose cycles and stalls moved most first"
    return pieces.section(pieces.heading("Lines of the programs", said), table, *below)


def _both(moved: Moved) -> str:
    from linecard.explore.wording import cell_text

    a, b = cell_text(moved.a), cell_text(moved.b)
    return a if a == b else f"{a} → {b}"
