"""`linecard why`: what limits a chip, and what would help."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from linecard.cli import stderr
from linecard.cli.executed.program_options import takes_program
from linecard.cli.explore.options import (
    STORE,
    Executor,
    Jobs,
    StoreOption,
    end_by_store,
    read_settings,
    say_how_to_go_on,
)
from linecard.cli.options import CAPTURE_HELP, Chip, Exit, Precision
from linecard.cli.output import Json, Output, Outputs


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
    output: Output = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Say what limits a chip and what would help; every statement is measured.

    Prints what each part can carry at most, what lifting each limit gains, alone and in pairs, and how throughput
    follows each parameter. Where the chip carries all of its traffic, it is asked with a packet always waiting.

    **Examples**

        linecard why example_smartnic

        linecard why my_chip.toml --set island.threads=4 -o tornado.svg

        linecard why example_smartnic --set traffic.rate_gbps=180 --json

        linecard why example_smartnic --global --packets 2000
    """
    from linecard.explore.execute import Interrupted
    from linecard.explore.store import Store
    from linecard.explore.why import why as ask

    outputs = Outputs(json, output)
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
    outputs.give(result)
    counts = result.counts
    stderr.note(f"{counts.found:,} runs found, {counts.run:,} run, {counts.refused:,} refused; kept in {store}")
    if not result.answered:
        raise typer.Exit(Exit.RUN)
    end_by_store(counts)
