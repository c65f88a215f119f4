"""`linecard compare`: two designs, runs or sweeps side by side."""

from __future__ import annotations

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
from linecard.cli.options import CAPTURE_HELP, Html, command_line
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from linecard.explore.compare_result import CompareResult


@takes_program
def compare(
    a: Annotated[
        str, typer.Argument(metavar="A", help="A design, or a file that `run --json` or `sweep --json` printed.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The other, of the same kind.")],
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
    packets: Annotated[int | None, typer.Option(metavar="N", help="Packets of each run, as of `run`.")] = None,
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
    """Put two designs, runs or sweeps side by side: what differs, what moved, and whether beyond noise.

    Designs are run with the same seeds, on the same packets, and compared seed by seed.

    **Examples**

        linecard compare example_smartnic example_smartnic --set-b packets.part=hbm2 --packets 5000

        linecard compare my_chip.toml my_next_chip.toml --trace edge --json

        linecard compare before.json after.json
    """
    from linecard.explore.compare import compare as ask
    from linecard.explore.execute import Interrupted
    from linecard.explore.store import Store
    from linecard.files import check_outputs
    from linecard.tables import records

    files = Files(csv, parquet)
    check_outputs(html)
    try:
        with stderr.progress("Simulating", "runs") as progress:
            result = ask(
                a,
                b,
                set=read_settings(set or []),
                set_a=read_settings(set_a or []),
                set_b=read_settings(set_b or []),
                app=app_name,
                trace=trace,
                packets=packets,
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
    files.write(records((*result.metrics, *result.measurements)))
    if html is not None:
        stderr.note_written([result.write_html(html, command=command_line())])
    end_by_store(counts)


_KEYS_SHOWN, _MOVED_SHOWN = 30, 12


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
    if result.notes:
        parts.append(pieces.section(*(Text(note, style="yellow") for note in result.notes)))
    stdout.show(*parts)
