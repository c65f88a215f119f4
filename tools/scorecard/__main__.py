"""`python -m tools.scorecard`: every limit of the studies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from linecard import files
from linecard.cli import pieces, stderr, stdout
from linecard.cli.options import Exit
from linecard.errors import ConfigError, ConfigProblem
from linecard.study.columns import percent
from linecard.study.compare import item_name
from tools import command
from tools.scorecard import card as cards
from tools.scorecard import documents
from tools.scorecard.lines import target_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from linecard.study.limits import Line
    from linecard.study.result import StudyResult


def scorecard(
    study: command.Study = None,
    json: command.Json = False,
    jobs: command.Jobs = None,
    out: command.Output = None,
    check: Annotated[bool, typer.Option("--check", help="End with status 1 if a limit is not met.")] = False,
    keep: command.Keep = False,
) -> None:
    """Run a study, or all studies with limits, in full, and compare it with every line of studies/targets.csv.

    The command writes the rows, a page and a plot per study to the output folder, by default results/scorecard.

    Raises:
        ConfigError: There is no such study with limits.
    """
    command.check_whole(study, keep=keep)
    known = cards.limited_studies()
    if study is not None and study not in known:
        expected = f"expected a study with limits in studies/targets.csv: {', '.join(known)}"
        raise ConfigError.of([ConfigProblem("STUDY", "", f"found {study!r}, {expected}")])
    folder = out if out is not None else Path("results") / "scorecard"
    files.check_outputs(folders=[folder])
    if study is None and not json:
        stderr.note("all studies with limits, in full: many minutes of simulation; name a study for one of them")
    with stderr.progress("Simulating", "steps") as progress:
        card = cards.scorecard(None if study is None else [study], jobs=jobs, progress=progress)
    if json:
        stdout.print_json(card.to_dict())
    else:
        stdout.show(*_screen(card))
    stderr.note_written(card.write(folder), folder=True)
    for failed, why in card.failures.items():
        stderr.diagnose(f"{failed}: {why}")
    if check:
        for problem in missed(card.lines):
            stderr.diagnose(problem)
    if card.failures:
        raise typer.Exit(Exit.RUN)
    if keep:
        documents.keep(card)
    if check and any(not line.kept for line in card.lines):
        raise typer.Exit(Exit.CHECK_FAILED)


def missed(lines: Iterable[Line]) -> list[str]:
    """A line of text for each unmet limit."""
    return [
        f"{line.target.id} {line.outcome}: {line.target.what} ({line.measured_text}, {line.limit_text})"
        for line in lines
        if not line.kept
    ]


def _screen(card: cards.Scorecard) -> Iterator[RenderableType]:
    """Show the limits of each study; below an unmet limit, show its contradiction, its input or the reason."""
    yield Padding(Text(card.counts, style="bold"), (1, 0, 0, 2))
    for study in card.studies:
        said = cards.counts(line.outcome for line in study.lines)
        yield pieces.section(pieces.heading(study.study.spec.id, said), target_lines(study.lines), _first(study))
    yield Text()


def _first(study: StudyResult) -> RenderableType:
    """The data behind the lines: numbers, bounds, and separately listed cells."""
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


if __name__ == "__main__":
    command.run(scorecard)
