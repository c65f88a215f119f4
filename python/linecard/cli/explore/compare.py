"""`linecard compare`: two designs, runs or sweeps side by side."""

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
from linecard.cli.options import CAPTURE_HELP, Exit, Precision
from linecard.cli.output import Json, Output, Outputs


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
    output: Output = None,
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

    outputs = Outputs(json, output)
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
    outputs.give(result)
    counts = result.counts
    if counts.found + counts.run:
        stderr.note(f"{counts.found:,} runs found, {counts.run:,} run; kept in {store}")
    if not result.answered:
        stderr.diagnose("nothing can be compared: " + "; ".join(result.notes))
        raise typer.Exit(Exit.RUN)
    end_by_store(counts)
