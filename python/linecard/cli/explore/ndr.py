"""`linecard ndr`: rates without loss, by frame size."""

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
from linecard.cli.options import CAPTURE_HELP, Chip, Exit, read_share
from linecard.cli.output import Json, Output, Outputs


@takes_program
def ndr(
    chip: Chip,
    size: Annotated[
        str | None,
        typer.Option(metavar="BYTES,…", help="Frame sizes, imix, rfc2544 or mixes of the chip; its own if left out."),
    ] = None,
    trace: Annotated[
        str | None, typer.Option(metavar="CAPTURE", help=f"{CAPTURE_HELP} Replayed faster or slower.")
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value; repeatable.")
    ] = None,
    app_name: Annotated[str | None, typer.Option("--app", metavar="NAME", help="Another program.")] = None,
    packets: Annotated[int, typer.Option(metavar="N", help="Packets of each trial.")] = 20_000,
    seeds: Annotated[int, typer.Option(metavar="N", help="Seeds of each trial.")] = 1,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The first of them.")] = 1,
    width: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Relative width of the answers; 0.005 if left out.")
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option("--precision", metavar="SHARE", parser=read_share, help="The same, such as 1%."),
    ] = None,
    store: StoreOption = STORE,
    jobs: Jobs = None,
    executor: Executor = "threads",
    json: Json = False,
    output: Output = None,
    *,
    executed: dict[str, Any],
) -> None:
    """Search for the no-drop and the partial-drop rate of a chip, by frame size.

    NDR is the highest rate without loss, PDR that with at most 0.5 % of it; packets that pile up inside count as lost.
    Frames come evenly spaced (`--set traffic.arrivals=poisson` for others). Latency is told at 10, 50 and 90 % of PDR.

    **Examples**

        linecard ndr example_smartnic

        linecard ndr example_smartnic --size 64,imix,1518 -o rates.png

        linecard ndr my_chip.toml --set island.threads=4 --seeds 3 --json
    """
    from linecard.explore.execute import Interrupted
    from linecard.explore.ndr import ndr as ask
    from linecard.explore.store import Store

    outputs = Outputs(json, output)
    try:
        with stderr.progress("Simulating", "runs") as progress:
            result = ask(
                chip,
                None if size is None else [part.strip() for part in size.split(",") if part.strip()],
                trace=trace,
                set=read_settings(set or []),
                app=app_name,
                packets=packets,
                seeds=seeds,
                seed=seed,
                width=width,
                precision=precision,
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
    stderr.note(f"{counts.found:,} runs found, {counts.run:,} run; kept in {store}")
    end_by_store(counts)
    if not any(row.answered for row in result.rows):
        raise typer.Exit(Exit.RUN)
