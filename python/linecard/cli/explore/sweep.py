"""`linecard sweep`: run every point of a design space, and print one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linecard.cli import stderr, stdout
from linecard.cli.explore.runs import filled, reported
from linecard.cli.options import Exit
from linecard.cli.output import Outputs
from linecard.cli.question import asks
from linecard.errors import ConfigError
from linecard.explore.sweep import chosen, draft_of, run_sweep
from linecard.explore.sweep import sweep as ask

if TYPE_CHECKING:
    from linecard.explore.estimate import Estimate
    from linecard.explore.spec import Spec

# Arguments of runs that have an option.
_ARGUMENTS = ("program", "trace", "packets", "warmup_packets", "seed")


@asks(ask, "together")
def sweep(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print only the number of runs and their estimated time.")
    ] = False,
    *,
    outputs: Outputs,
    across: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of the chart's horizontal axis; default: the first axis."),
    ] = None,
    up: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of the chart's vertical axis; default: the first column of numbers."),
    ] = None,
    asked: dict[str, Any],
) -> None:
    """Run every point of a design space, and print one table.

    An axis is a list `1,2,4` or a range: `5..10`, `5..10 step 2`, `1..64 times 2`, `0.5..2 points 4`,
    `1..1000 log points 4`. Axes separated by `;` change together. The store identifies finished runs by the hash of
    their inputs. A repeated, restarted or extended sweep executes only the missing points. If a run is not steady,
    Linecard repeats it with more packets. The column `status` shows whether the result of a point is conclusive. Each
    refused or failed point has a row with the reason and the command that repeats the point. The numbers of reused,
    executed and refused runs are printed on stderr, not in the table. To estimate the time, `--dry-run` executes up to
    three points and stores their results. Exit status 4 means that a run failed or that no point is conclusive; exit
    status 2 means that all points were refused.

    **Examples**

        linecard sweep example_smartnic --vary 'island.threads=1,2,4,8' --vary 'packets.part=ddr4_2400,hbm2'

        linecard sweep sweep.toml --dry-run

        linecard sweep example_smartnic --vary 'island.count=2..8 step 2' --where 'island.count * engines <= 48' --json

        linecard sweep ddr4_2400 --what dram --set pattern=random --vary policy=frfcfs_open,frfcfs_closed -o dram.csv

        linecard sweep sweep.toml --shard 3/20 --store /shared/store

        linecard sweep sweep.toml -o rate.svg --across island.threads --up throughput_gbps
    """
    from linecard.explore.estimate import estimate
    from linecard.explore.points import make_points
    from linecard.explore.store import Store

    spec, part = _asked_sweep(asked), _read_shard(asked["shard"])
    kept, jobs = Store(asked["store"]), asked["jobs"]
    with reported(asked["store"]) as progress:
        if dry_run:
            _print_estimate(estimate(chosen(make_points(spec), part), kept, jobs, progress), json=outputs.json)
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


def _asked_sweep(asked: Mapping[str, Any]) -> Spec:
    """Build a sweep from command-line options."""
    from linecard.explore.axes import read_option
    from linecard.explore.spec import make_sample

    draft = draft_of(**{name: asked[name] for name in ("target", "what", "repeat", "precision", "lengthen", "set")})
    for name in _ARGUMENTS:
        if asked[name] is not None:
            draft.fix(f"--{name.partition('_')[0]}", name, asked[name], is_option=True)
    first = len(draft.file.axes)
    for number, text in enumerate(asked["vary"] or ()):
        with draft.catching():
            draft.add(read_option(text, first + number), is_option=True)
    for text in asked["constraints"] or ():
        draft.require(text, "--where")
    for text in asked["columns"] or ():
        name, found, expression = text.partition("=")
        if not found or not name.strip().isidentifier():
            draft.note("--column", "", f"found {text!r}, expected NAME=EXPRESSION")
        else:
            draft.column(name.strip(), expression, "--column")
    kind, points = asked["sample"], asked["points"]
    if kind is not None or points is not None:
        draft.sample = make_sample(draft, "--sample", kind or "sobol", points, asked["sample_seed"])
    return draft.finish()


def _read_shard(text: str | None) -> tuple[int, int] | None:
    """Parse I/N, which selects the I-th of N parts of a sweep."""
    if text is None:
        return None
    number, _, of = text.partition("/")
    try:
        return int(number), int(of)
    except ValueError:
        raise ConfigError.at("--shard", "", f"found {text!r}, expected I/N, such as 3/20") from None


def _print_estimate(found: Estimate, *, json: bool) -> None:
    """Print the estimate for a sweep."""
    from linecard.cli.screen import screen
    from linecard.records import plain
    from linecard.view import Fact, Facts

    if json:
        stdout.print_json(plain(found))
        return
    facts = [
        Fact("Runs", f"{found.runs:,}", f"of {found.points:,} points, {found.left_out:,} excluded by constraints"),
        Fact("Found", f"{found.found:,}", "finished runs in the store"),
    ]
    if found.seconds is None or found.seconds_each is None:
        facts.append(
            Fact("Time", "not known", "the trial runs were refused or failed; run the sweep to see the reasons")
        )
    else:
        each = f"{found.seconds_each * 1e3:,.0f} ms per run on one core, measured in {found.probes:,} runs"
        missing = f"for {found.runs - found.found:,} missing runs; {each}"
        facts.append(Fact("Time", _duration(found.seconds), missing))
    stdout.show(*screen([Facts(facts)]))


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
