"""`linecard why`: what limits a chip, and what would help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from linecard.cli import stderr, stdout
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
from linecard.cli.explore.why_screen import print_why
from linecard.cli.options import CAPTURE_HELP, Chip, Exit, Html, Precision, command_line
from linecard.cli.written import Csv, Files, Parquet


@takes_program
def why(
    chip: Chip,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value; repeatable.")
    ] = None,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Another program.")] = None,
    trace: Annotated[str | None, typer.Option(metavar="CAPTURE", help=CAPTURE_HELP)] = None,
    packets: Annotated[int, typer.Option(metavar="N", help="Packets that each run measures, at first.")] = 4_000,
    precision: Precision = None,
    seeds: Annotated[int, typer.Option(metavar="N", help="Seeds of each statement, for its interval.")] = 3,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The first of them.")] = 1,
    over_range: Annotated[
        bool,
        typer.Option(
            "--global", help="Add Morris' screening and Sobol's indices, half to twice each (extra: explore)."
        ),
    ] = False,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the tornado: .png or .svg (extra: plot).")
    ] = None,
    html: Html = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Say what limits a chip and what would help; every statement is measured.

    Prints what each part can carry at most, what lifting each limit gains, alone and in pairs, and how throughput
    follows each parameter. Where the chip carries all of its traffic, it is asked with a packet always waiting.

    **Examples**

        linecard why example_smartnic

        linecard why my_chip.toml --set island.threads=4 --plot tornado.png

        linecard why example_smartnic --set traffic.rate_gbps=180 --json

        linecard why example_smartnic --global --packets 2000
    """
    from linecard.explore.execute import Interrupted
    from linecard.explore.store import Store
    from linecard.explore.why import why as ask
    from linecard.explore.why_result import Lifted
    from linecard.files import check_outputs
    from linecard.tables import records

    files = Files(csv, parquet)
    check_outputs(plot, html)
    try:
        with stderr.progress("Simulating", "runs") as progress:
            result = ask(
                chip,
                set=read_settings(set or []),
                app=app_name,
                trace=trace,
                packets=packets,
                precision=precision,
                seeds=seeds,
                seed=seed,
                global_=over_range,
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
        print_why(result)
    counts = result.counts
    stderr.note(f"{counts.found:,} runs found, {counts.run:,} run, {counts.refused:,} refused; kept in {store}")
    several = [", ".join(f"{key}={value}" for key, value in each.settings.items()) for each in result.lifts]
    files.write(records(result.lifts, Lifted, settings=several))
    if plot is not None:
        stderr.note_written([result.write_plot(plot)])
    if html is not None:
        stderr.note_written([result.write_html(html, command=command_line())])
    if not result.answered:
        raise typer.Exit(Exit.RUN)
    end_by_store(counts)
