"""`linecard reproduce`: simulate a published study, and show each simulated number beside its published number."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import linecard
from linecard.cli.options import Exit
from linecard.cli.output import Json
from linecard.cli.question import Word, asks
from linecard.errors import ConfigError


@asks(linecard.reproduce, "study", tables=Word("--table", "N"), chapters=Word("--chapter", "N"))
def reproduce(
    study: Annotated[
        str | None, typer.Argument(metavar="[STUDY]", help="Name of a shipped study, or path to a study folder.")
    ] = None,
    json: Json = False,
    out: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Output folder; default: results/STUDY.")
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Exit with status 1 if a result violates a limit, or the list of deviations is not up to date.",
        ),
    ] = False,
    *,
    asked: dict[str, Any],
) -> None:
    """Reproduce a published study, and print every simulated number beside its published number.

    The command writes tidy tables, charts and one self-contained HTML report to the output folder. The result of the
    study does not depend on `--jobs`.

    **Examples**

        linecard reproduce hasan2003 --quick

        linecard reproduce hasan2003 --table 1 --table figure5

        linecard reproduce hasan2003 --json --jobs 2 -o results/mine
    """
    if study is None:
        from linecard.study.folders import study_folders

        expected = f"expected one of {', '.join(sorted(study_folders()))}"
        raise ConfigError.at("reproduce", "", f"found no STUDY, {expected}")
    from linecard.cli import stderr, stdout
    from linecard.cli.screen import print_result
    from linecard.files import check_outputs
    from linecard.study.write import write_study

    folder = out if out is not None else Path("results") / Path(study).name
    check_outputs(folders=[folder])
    with stderr.progress("Simulating", "packets") as progress:
        result = linecard.reproduce(study, **asked, progress=progress)
    # The result goes out before anything that can still fail.
    if json:
        stdout.print_json(result.to_dict())
    else:
        print_result(result)
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
