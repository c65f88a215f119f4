"""`linecard optimize`: the best designs of a space."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from linecard.chip.length import RATE_ONLY
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
from linecard.cli.explore.sweep_screen import reason_lines
from linecard.cli.options import Precision
from linecard.cli.written import Files, Parquet

if TYPE_CHECKING:
    from linecard.explore.optimize_result import OptimizeResult


@takes_program
def optimize(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help='A space with objectives: `kind = "optimize"`.')],
    budget: Annotated[
        int | None, typer.Option(metavar="N", help="Points that may be run, in place of the file's.")
    ] = None,
    precision: Precision = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Of all points; repeatable.")
    ] = None,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    json: Json = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the front as CSV.")] = None,
    parquet: Parquet = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page to explore it in.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw runs and front: .png or .svg (extra: plot).")
    ] = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Find the best designs of a space, for one objective or several that pull apart.

    Where the budget holds every point, all are run. Otherwise a search chooses which; it depends on the file alone, not
    on `--jobs`. Prints the points that no other one beats, the best compromise marked.

    **Examples**

        linecard optimize examples/explore/small_nic.toml

        linecard optimize examples/explore/dram_part.toml --budget 1000 --json

        linecard optimize my_space.toml --set packets=5000 --precision 1% --csv front.csv

        linecard optimize my_space.toml --program my_xdp.c -D N=8
    """
    from linecard.explore.execute import Interrupted
    from linecard.explore.optimize import optimize as ask
    from linecard.explore.store import Store
    from linecard.files import check_outputs
    from linecard.tables import Table

    files = Files(csv, parquet)
    check_outputs(html, plot)
    try:
        with stderr.progress("Simulating", "runs") as progress:
            result = ask(
                file,
                budget=budget,
                precision=precision,
                set=read_settings(set or []),
                store=store,
                jobs=jobs,
                executor=executor,
                progress=progress,
                **executed,
            )
    except Interrupted as stopped:
        say_how_to_go_on(stopped, Store(store))
        raise
    # The result goes out before anything that can still fail.
    if json:
        stdout.print_json(result.to_dict())
    else:
        print_optimize(result)
    counts = result.counts
    stderr.note(f"{counts.found:,} runs found, {counts.run:,} run, {counts.refused:,} refused; kept in {store}")
    last = ("steady", "knee", "command")
    columns = (*result.axes, *result.objectives, *last)
    rows = [
        [*(row[name] for name in result.axes), *row["objectives"], *(row[name] for name in last)]
        for row in result.front
    ]
    files.write(Table(columns, list(rows)))
    if html is not None:
        stderr.note_written([result.write_html(html)])
    if plot is not None:
        stderr.note_written([result.write_plot(plot)])
    end_by_store(counts)


_FRONT_SHOWN = 40


def print_optimize(result: OptimizeResult) -> None:
    """The front, how it was found, and what was not steady or refused."""
    from linecard.explore.wording import cell_text

    facts = pieces.grid("l", "w")
    how = "all of them" if result.method == "exhaustive" else "chosen by search"
    shorter = f", after {result.short_runs:,} shorter runs" if result.short_runs else ""
    facts.add_row("Run", f"{result.runs:,} of {result.points:,} points, {how}{shorter}")
    if result.refused or result.beyond_limits:
        facts.add_row("", f"{result.refused:,} were refused or failed, {result.beyond_limits:,} break a limit")
    for said in result.doubts:
        facts.add_row("", Text(said, style="yellow"))
    for text, best, worst in zip(result.objectives, result.best, result.worst, strict=True):
        facts.add_row("Objective", f"{text}: {best:,.5g} at best, {worst:,.5g} at worst")
    facts.add_row("Front", f"{len(result.front):,} points; it covers {result.hypervolume:.1%} of the box between these")
    numbers = {name: any(isinstance(row.get(name), (int, float)) for row in result.front) for name in result.axes}
    table = pieces.lined(
        *((name, "r" if is_number else "l") for name, is_number in numbers.items()),
        *((name, "r") for name in result.objectives),
        ("", "l"),
    )
    for row in result.front[:_FRONT_SHOWN]:
        style = "bold" if row["knee"] else ""
        values = [cell_text(row[name]) for name in result.axes]
        objectives = [_with_interval(*each) for each in zip(row["objectives"], row["low"], row["high"], strict=True)]
        marks = [*(["best compromise"] if row["knee"] else []), *([RATE_ONLY] if row["steady"] is False else [])]
        mark = Text(", ".join(marks), style=style)
        table.add_row(*(Text(cell, style=style) for cell in (*values, *objectives)), mark)
    parts: list[Any] = [table]
    if len(result.front) > _FRONT_SHOWN:
        parts.append(Text(f"{len(result.front) - _FRONT_SHOWN:,} more: --csv and --json have all", style=pieces.DIM))
    knee = next(row for row in result.front if row["knee"])
    parts.append(Text(f"again: {knee['command']}", style=pieces.DIM))
    stdout.show(
        Padding(Text(result.title), (1, 0, 0, 2)),
        pieces.section(facts),
        pieces.section(pieces.heading("The best", "no other point is as good in all and better in one"), *parts),
    )
    if result.reasons:
        stdout.show(pieces.section(*reason_lines(result.reasons)))


def _with_interval(value: float, low: float | None, high: float | None) -> str:
    return f"{value:,.5g}" if low is None or high is None else f"{value:,.5g} ± {(high - low) / 2:.2g}"
