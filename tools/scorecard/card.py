"""Runs all studies with limits, and writes the files of their lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard import __version__, files, tables
from linecard.report.study import named_cells, template
from linecard.study.compare import item_name
from linecard.study.evidence import cell_name
from linecard.study.folders import study_folders
from linecard.study.limits import NOT_JUDGED, OUTCOMES
from linecard.study.targets import load_targets
from tools.scorecard.printed import draw_printed
from tools.scorecard.whole import run_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from linecard.request import ProgressCallback
    from linecard.study.compare import Cell
    from linecard.study.limits import Line
    from linecard.study.result import StudyResult


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Every line of ``targets.csv`` for these studies, judged on full runs.

    Attributes:
        studies: The studies' results, in the order of ``targets.csv``.
    """

    studies: tuple[StudyResult, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of all studies."""
        return tuple(line for study in self.studies for line in study.lines)

    @property
    def counts(self) -> str:
        """The numbers of lines that are kept, are contradicted, depend on an input, and are missed."""
        return f"{len(self.lines)} limits: {counts(line.outcome for line in self.lines)}"

    @property
    def failures(self) -> dict[str, str]:
        """Runs that failed, and the reasons."""
        return {run: why for study in self.studies for run, why in study.failures.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: one row per line."""
        return {"rows": [line.to_dict() for line in self.lines]}

    def html(self) -> str:
        """The page; equal studies result in equal pages."""
        text = Path(__file__).with_name("page.html.j2").read_text(encoding="utf-8")
        page: str = template(text).render(
            card=self, outcomes=OUTCOMES, version=__version__, item_name=item_name, calibrated_text=_calibrated_text
        )
        return named_cells(page)

    def write(self, folder: Path) -> list[Path]:
        """Write the rows as JSON, the page, and a plot per study; return the files."""
        folder = files.make_folder(folder)
        rows = files.write_text(folder / "scorecard.json", tables.json_text(self.to_dict()))
        page = files.write_text(folder / "scorecard.html", self.html())
        return [
            rows,
            page,
            *(files.write_text(folder / f"{s.study.spec.id}.svg", draw_printed(s)) for s in self.studies),
        ]


def counts(outcomes: Iterable[str]) -> str:
    """The four counts in words, with the number of lines that were not judged, if any."""
    found = list(outcomes)
    words = {"input": "dependent on an unpublished input"}
    said = [f"{found.count(outcome)} {words.get(outcome, outcome)}" for outcome in OUTCOMES]
    if NOT_JUDGED in found:
        said.append(f"{found.count(NOT_JUDGED)} {NOT_JUDGED}")
    return ", ".join(said)


def _calibrated_text(cell: Cell) -> str:
    """A cell on which a parameter was calibrated, with its measured value."""
    off = "–" if cell.error is None else f"{cell.error:+.1%}"
    measured = "–" if cell.measured is None else f"{cell.measured:.4g}"
    return f"{cell_name(cell)}: {cell.published:g} published, {measured} measured ({off})"


def limited_studies() -> list[str]:
    """Names of the shipped studies for which ``targets.csv`` has a limit."""
    named = {target.study for folder in study_folders().values() for target in load_targets(folder.parent)}
    return sorted(named & study_folders().keys())


def scorecard(
    studies: Iterable[str] | None = None, jobs: int | None = None, progress: ProgressCallback | None = None
) -> Scorecard:
    """Run whole studies and compare them with every limit that was set for them (``studies/targets.csv``).

    Args:
        studies: Names of shipped studies; ``None`` for all five studies with limits, which take many minutes.
        jobs: Number of parallel runs; ``None`` for one per core. The result does not depend on it.
        progress: Called repeatedly with (parts done, total parts).

    Returns:
        For each limit, the measured number, whether the limit is met, and otherwise the contradiction in the document,
        the unpublished input, or the reason.

    Raises:
        ConfigError: There is no such study, or a study's files contradict each other.
    """
    return Scorecard(run_whole(limited_studies() if studies is None else studies, jobs=jobs, progress=progress))
