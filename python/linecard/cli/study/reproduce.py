"""`linecard reproduce`: a published study, beside its published numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import linecard
from linecard.cli.options import JSON_HELP, Exit
from linecard.cli.study.correlation import correlation as hold_correlation
from linecard.cli.study.robustness import robustness as try_robustness
from linecard.cli.study.scorecard import scorecard as hold_scorecard
from linecard.errors import ConfigError, ConfigProblem


def reproduce(
    study: Annotated[
        str | None, typer.Argument(metavar="[STUDY]", help="Name of a shipped study, or path of a study folder.")
    ] = None,
    table: Annotated[
        list[str] | None, typer.Option("--table", metavar="N", help="Only this table or figure; repeatable.")
    ] = None,
    chapter: Annotated[
        list[int] | None,
        typer.Option("--chapter", metavar="N", help="Only the tables and figures of this chapter; repeatable."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="One seed and fewer packets, for a first look.")] = False,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", help="Runs at the same time; one per core if left out.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            "--out",
            metavar="DIR",
            help="Output folder; results/STUDY, or results/scorecard and the like, if left out.",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="End with status 1 when a limit is missed or the deviations are not up to date."),
    ] = False,
    scorecard: Annotated[
        bool,
        typer.Option(
            "--scorecard", help="Every limit of studies/targets.csv, on full studies: STUDY, or all five that have any."
        ),
    ] = False,
    robustness: Annotated[
        bool,
        typer.Option(
            "--robustness",
            help="The mean error and every limit with eight seeds, and with each calibrated value a tenth up and down: "
            "STUDY, or all five that have limits. With --quick, on quick runs.",
        ),
    ] = False,
    correlation: Annotated[
        bool,
        typer.Option(
            "--correlation",
            help="Measured rates of devices beside what is predicted, with bands and null models: of STUDY, or of all "
            "that hold any.",
        ),
    ] = False,
    band: Annotated[
        bool, typer.Option("--band/--no-band", help="With --correlation: run the ends of intervals, too, or not.")
    ] = True,
) -> None:
    """Reproduce a published study: every number beside the published one.

    Writes tidy tables, plots and one self-contained HTML report into the output folder. The result does not depend
    on `--jobs`.

    **Examples**

        linecard reproduce hasan2003 --quick

        linecard reproduce hasan2003 --table 1 --table figure5

        linecard reproduce hasan2003 --json --jobs 2 -o results/mine

        linecard reproduce --scorecard spalink2000

        linecard reproduce hasan2003 --robustness --quick

        linecard reproduce --correlation
    """
    parts = bool(table or chapter)
    asked = {"--scorecard": scorecard, "--robustness": robustness, "--correlation": correlation}
    chosen = [option for option, given in asked.items() if given]
    if len(chosen) > 1:
        raise ConfigError.of([ConfigProblem(chosen[1], "", f"found {chosen[0]} beside it, expected one of them")])
    if not band and not correlation:
        raise ConfigError.of([ConfigProblem("--no-band", "", "has no effect without --correlation: leave it out")])
    if correlation:
        hold_correlation(study, parts=parts or quick or check, band=band, json=json, jobs=jobs, out=out)
        return
    if scorecard:
        hold_scorecard(study, parts=parts, quick=quick, json=json, jobs=jobs, out=out, check=check)
        return
    if robustness:
        try_robustness(study, parts=parts or check, quick=quick, json=json, jobs=jobs, out=out)
        return
    if study is None:
        from linecard.study.spec import study_folders

        expected = f"expected one of {', '.join(sorted(study_folders()))}; --scorecard alone takes those with limits"
        raise ConfigError.of([ConfigProblem("reproduce", "", f"found no STUDY, {expected}")])
    from linecard.cli import stderr, stdout
    from linecard.cli.study.study_screen import print_study
    from linecard.files import check_outputs
    from linecard.study.write import write_study

    folder = out if out is not None else Path("results") / Path(study).name
    check_outputs(folders=[folder])
    with stderr.progress("Simulating", "packets") as progress:
        result = linecard.reproduce(study, tables=table, chapters=chapter, quick=quick, jobs=jobs, progress=progress)
    # The result goes out before anything that can still fail.
    if json:
        stdout.print_json(result.to_dict())
    else:
        print_study(result)
    written = write_study(result, out if out is not None else Path("results") / result.study.spec.id)
    stderr.note_written(written.written, folder=True)
    for reason in written.left_out:
        stderr.note(f"left out: {reason}")
    for failed, why in result.failures.items():
        stderr.diagnose(f"{failed}: {why}")
    if check:
        for problem in result.problems:
            stderr.diagnose(problem)
    if result.failures:
        raise typer.Exit(Exit.RUN)
    if check and result.problems:
        raise typer.Exit(Exit.CHECK_FAILED)
