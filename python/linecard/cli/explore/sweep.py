"""`linecard sweep`: run every point of a design space, and print one table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from linecard.cli import stderr
from linecard.cli.explore.dry_run import estimate_of, print_estimate
from linecard.cli.explore.options import filled
from linecard.cli.explore.question import asks, reported
from linecard.cli.explore.sweep_spec import asked_sweep, read_shard
from linecard.cli.options import Exit
from linecard.cli.output import Json, Output, Outputs
from linecard.explore.sweep import run_sweep
from linecard.explore.sweep import sweep as ask


@asks(ask, "together")
def sweep(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print the number of runs and their estimated time.")
    ] = False,
    json: Json = False,
    output: Output = None,
    across: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of the chart's horizontal axis; default: the first axis."),
    ] = None,
    up: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of the chart's vertical axis; default: the first number.")
    ] = None,
    *,
    asked: dict[str, Any],
) -> None:
    """Run every point of a design space, and print one table.

    An axis is a list `1,2,4` or a range: `5..10`, `5..10 step 2`, `1..64 times 2`, `0.5..2 points 4`,
    `1..1000 log points 4`. A `;` separates axes that change together. The store recognises finished runs by the hash of
    their inputs. A repeated, restarted or extended sweep executes only the missing points. If a run is not steady,
    Linecard repeats it with more packets. The status of a point states whether its result is conclusive. Each refused
    or failed point has a row with the reason and the command that repeats the point. The numbers of reused, executed
    and refused runs go to stderr; they do not affect the table. To estimate the time, `--dry-run` executes up to three
    points and stores their results. Exit status 4 means that a run failed or that no point is conclusive; exit status 2
    means that all points were refused.

    **Examples**

        linecard sweep example_smartnic --vary 'island.threads=1,2,4,8' --vary 'packets.part=ddr4_2400,hbm2'

        linecard sweep sweep.toml --dry-run

        linecard sweep example_smartnic --vary 'island.count=2..8 step 2' --where 'island.count * engines <= 48' --json

        linecard sweep ddr4_2400 --what dram --set pattern=random --vary policy=frfcfs_open,frfcfs_closed -o dram.csv

        linecard sweep sweep.toml --shard 3/20 --store /shared/store

        linecard sweep sweep.toml -o rate.svg --across island.threads --up throughput_gbps
    """
    from linecard.explore.store import Store

    outputs = Outputs(json, output)
    spec, part = asked_sweep(asked), read_shard(asked["shard"])
    kept, jobs = Store(asked["store"]), asked["jobs"]
    with reported(asked["store"]) as progress:
        if dry_run:
            print_estimate(estimate_of(spec, kept, jobs, part, progress), json=json)
            return
        result = run_sweep(spec, store=kept, jobs=jobs, executor=asked["executor"], shard=part, progress=progress)
    outputs.give(result.charted(across, up))
    for warning in result.warnings:
        stderr.diagnose(warning)
    counts, use = result.counts, kept.use()
    stderr.note(
        f"{counts.found:,} runs reused, {counts.run:,} executed, {counts.refused:,} refused, {counts.failed:,} failed; "
        f"{result.left_out:,} points excluded by constraints"
    )
    mended = len(kept.damaged - kept.not_kept.keys())
    stderr.note(f"{asked['store']}: {filled(use)}" + (f"; {mended:,} damaged files replaced" if mended else ""))
    statuses = {row["status"] for row in result.rows}
    if "failed" in statuses or counts.not_kept:
        raise typer.Exit(Exit.RUN)
    if statuses == {"refused"}:
        raise typer.Exit(Exit.USAGE)
    if not result.answered:
        stderr.diagnose("no point is conclusive, so no points can be compared: " + "; ".join(result.doubts))
        raise typer.Exit(Exit.RUN)
