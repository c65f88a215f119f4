"""`linecard reproduce --scorecard`: every limit that the studies are held to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

import linecard
from linecard.cli.options import Exit
from linecard.errors import ConfigError, ConfigProblem, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from linecard.study.result import StudyResult
    from linecard.study.scorecard import Line
    from linecard.study.scorecard.card import Scorecard


def scorecard(
    study: str | None, *, parts: bool, quick: bool, json: bool, jobs: int | None, out: Path | None, check: bool
) -> None:
    """Run the study, or all, in full; print and write the scorecard.

    Raises:
        ConfigError: Less than whole studies was asked for, or there is no such study.
    """
    from linecard.cli import stderr, stdout
    from linecard.files import check_outputs
    from linecard.study.scorecard.card import limited_studies

    problems = [
        ConfigProblem(option, "", "the scorecard judges full studies: leave it out")
        for option, given in (("--quick", quick), ("--table, --chapter", parts))
        if given
    ]
    known = limited_studies()
    if study is not None and study not in known:
        expected = f"expected a study that studies/targets.csv holds to limits: {', '.join(known)}"
        problems.append(ConfigProblem("--scorecard", "", f"found {study!r}, {expected}"))
    if problems:
        raise ConfigError.of(problems)
    folder = out if out is not None else Path("results") / "scorecard"
    check_outputs(folders=[folder])
    if study is None and not json:
        stderr.note("all studies with limits, in full: many minutes of simulation; name a study for one of them")
    with stderr.progress("Simulating", "steps") as progress:
        card = linecard.scorecard(None if study is None else [study], jobs=jobs, progress=progress)
    if json:
        stdout.print_json(card.to_dict())
    else:
        stdout.show(*_screen(card))
    try:
        stderr.note_written(card.write(folder), folder=True)
    except MissingExtraError as error:
        stderr.note(f"left out: {error}")
    for failed, why in card.failures.items():
        stderr.diagnose(f"{failed}: {why}")
    if check:
        for problem in missed(card.lines):
            stderr.diagnose(problem)
    if card.failures:
        raise typer.Exit(Exit.RUN)
    if check and any(not line.kept for line in card.lines):
        raise typer.Exit(Exit.CHECK_FAILED)


def missed(lines: Iterable[Line]) -> list[str]:
    """A line of text for each limit that is not kept."""
    return [
        f"{line.target.id} {line.outcome}: {line.target.what} ({line.measured_text}, {line.limit_text})"
        for line in lines
        if not line.kept
    ]


def _screen(card: Scorecard) -> Iterator[RenderableType]:
    """The limits of each study; below those that are not kept what excludes them, their input, and the reason."""
    from rich.padding import Padding
    from rich.text import Text

    from linecard.cli import pieces
    from linecard.cli.study.lines import target_lines
    from linecard.study.scorecard import counts

    yield Padding(Text(card.counts, style="bold"), (1, 0, 0, 2))
    for study in card.studies:
        said = counts(line.outcome for line in study.lines)
        yield pieces.section(pieces.heading(study.study.spec.id, said), target_lines(study.lines), _first(study))
    yield Text()


def _first(study: StudyResult) -> RenderableType:
    """What stands behind the lines: numbers, bounds, and what is listed apart."""
    from rich.text import Text

    from linecard.cli import pieces
    from linecard.study.columns import percent
    from linecard.study.compare import item_name

    words = [
        f"{len(study.counted_cells)} numbers, mean error {percent(study.mean_abs_error)}, "
        f"largest {percent(study.max_abs_error)}"
    ]
    if study.point_cells:
        words.append(f"{len(study.point_cells)} percentages, {study.mean_abs_points:.1f} points off on average")
    if study.bounds:
        kept = sum(cell.difference == 0 for cell in study.bounds)
        words.append(f"{kept} of {len(study.bounds)} bounds kept")
    words.append(f"{study.calibrated_cells} cells calibrated and in none of these numbers")
    if study.apart:
        words.append("apart: " + ", ".join(item_name(table.spec.id) for table in study.apart))
    return Text("; ".join(words), style=pieces.DIM)
