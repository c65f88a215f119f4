"""`linecard optimize`: the best designs of a space."""

from __future__ import annotations

from pathlib import Path
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
from linecard.cli.options import Precision
from linecard.cli.output import Json, Output, Outputs


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
    output: Output = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Find the best designs of a space, for one objective or several that pull apart.

    Where the budget holds every point, all are run. Otherwise a search chooses which; it depends on the file alone, not
    on `--jobs`. Prints the points that no other one beats, the best compromise marked.

    **Examples**

        linecard optimize examples/explore/small_nic.toml

        linecard optimize examples/explore/dram_part.toml --budget 1000 --json

        linecard optimize my_space.toml --set packets=5000 --precision 1% -o front.csv

        linecard optimize my_space.toml --program my_xdp.c -D N=8
    """
    from linecard.explore.execute import Interrupted
    from linecard.explore.optimize import optimize as ask
    from linecard.explore.store import Store

    outputs = Outputs(json, output)
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
    outputs.give(result)
    counts = result.counts
    stderr.note(f"{counts.found:,} runs found, {counts.run:,} run, {counts.refused:,} refused; kept in {store}")
    end_by_store(counts)
