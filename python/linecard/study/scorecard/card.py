"""All studies' lines together: running them, what the table in the README says, and the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard import _html, files, tables
from linecard._arguments import plain
from linecard.study.scorecard import counts
from linecard.study.spec import study_folders
from linecard.study.targets import load_targets
from linecard.study.whole import run_whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from linecard.request import ProgressCallback
    from linecard.study.result import StudyResult
    from linecard.study.scorecard import Line


@dataclass(frozen=True, slots=True, repr=False)
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
    def kept(self) -> int:
        """How many lines are kept."""
        return sum(line.kept is True for line in self.lines)

    @property
    def counts(self) -> str:
        """How many lines are kept, contradicted, hang on an input, and are missed."""
        return f"{len(self.lines)} limits: {counts(line.outcome for line in self.lines)}"

    @property
    def failures(self) -> dict[str, str]:
        """Runs that failed, and why."""
        return {run: why for study in self.studies for run, why in study.failures.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: one row per line."""
        return {"rows": [line.to_dict() for line in self.lines]}

    def write(self, folder: str | Path) -> list[Path]:
        """Write the rows as JSON, the page (extra ``report``), a plot a study (``plot``); return what was written."""
        from linecard.plot.printed import draw_printed
        from linecard.report.study import scorecard_report

        folder = files.make_folder(folder)
        rows = files.write_text(folder / "scorecard.json", tables.json_text(self.to_dict()))
        page = files.write_text(folder / "scorecard.html", scorecard_report(self))
        return [rows, page, *(draw_printed(s).write(folder / f"{s.study.spec.id}.svg") for s in self.studies)]

    def __repr__(self) -> str:
        return f"<Scorecard: {self.counts}>"

    def _repr_html_(self) -> str:
        rows = [
            (line.target.id, line.target.what, line.limit_text, line.measured_text, line.outcome) for line in self.lines
        ]
        return _html.block(self.counts, _html.table(("line", "what", "limit", "measured", ""), rows))


def limited_studies() -> list[str]:
    """Names of the shipped studies that a line of ``targets.csv`` holds to a limit."""
    named = {target.study for folder in study_folders().values() for target in load_targets(folder.parent)}
    return sorted(named & study_folders().keys())


@plain
def scorecard(
    studies: Iterable[str] | None = None,
    jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> Scorecard:
    """Run whole studies and hold them against every limit that was set for them (``studies/targets.csv``).

    Args:
        studies: Names of shipped studies; ``None`` takes all five that have limits, which is many minutes.
        jobs: Runs at the same time; ``None`` takes one per core. The result does not depend on it.
        progress: Called now and then with (parts done, parts in all).

    Returns:
        Each limit, what came out, whether it is kept, and why it is not: what in the document excludes it, the input
        that it hangs on, or the reason.

    Raises:
        ConfigError: There is no such study, or a study's files contradict each other.
    """
    return Scorecard(run_whole(limited_studies() if studies is None else studies, jobs=jobs, progress=progress))
