"""Writes the output folder of a study: long-format tables, a manifest, plots and one self-contained report."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard import files, tables
from linecard._core import __version__
from linecard.catalogue import describe
from linecard.errors import MissingExtraError
from linecard.records import plain
from linecard.study.charts import study_charts
from linecard.study.columns import COMPARISON_COLUMNS

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec
    from linecard.study.result import StudyResult
    from linecard.study.runners import StudyRun
    from linecard.study.spec import Study
    from linecard.view import Part


@dataclass(slots=True)
class Written:
    """Files that were written, and files that were omitted because their optional dependencies are missing."""

    written: list[Path] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def finished_runs(result: StudyResult) -> list[StudyRun]:
    """The runs that have a result, without duplicates, in the order of the plan."""
    by_id = {run.run_id: run for run in result.runs.values() if not isinstance(run, str)}
    return list(by_id.values())


def calibrations(study: Study) -> list[dict[str, Any]]:
    """The calibrations of the study, each with the values that its preset contains."""
    rows = []
    for calibration in study.spec.calibrations:
        values = {calibration.parameter: calibration.value} if calibration.value else {}
        if calibration.preset:
            description = describe(calibration.preset)
            parameters = [description[key] for key in calibration.keys]
            values |= {parameter.key: f"{parameter.text} {parameter.unit}".strip() for parameter in parameters}
        rows.append({**plain(calibration), "values": values})
    return rows


def _names(run: RunSpec) -> Iterator[str]:
    """Names in a run that may be files: its program, its capture, and values of settings."""
    for text in (run.program, run.trace, *(override.partition("=")[2] for override in run.overrides)):
        if text:
            yield text


def manifest(result: StudyResult) -> dict[str, Any]:
    """All data that are needed to repeat the study and to recognise its results; the data are deterministic."""
    study = result.study
    named = {study.folder / name for run in result.runs for name in _names(run)}
    used = {file for file in named if file.is_file() and file.is_relative_to(study.folder)}
    files = sorted({study.folder / "study.toml", *used, *(study.folder / table.file for table in study.spec.tables)})
    return {
        "linecard_version": __version__,
        "study": study.spec.id,
        "title": study.spec.title,
        "document": study.spec.document,
        "quick": result.quick,
        "items": list(result.items),
        "effort": plain(study.spec.quick if result.quick else study.spec.full),
        "inputs": {
            file.relative_to(study.folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files
        },
        "checks": [{name: value for name, value in plain(check).items() if name != "kind"} for check in result.checks],
        "scorecard": [line.to_dict() for line in result.lines],
        "deviations": plain(result.deviations),
        "calibrations": calibrations(study),
        "failures": result.failures,
        "runs": [run.manifest() for run in finished_runs(result)],
    }


def write_study(result: StudyResult, folder: str | Path) -> Written:
    """Write the output files to a folder; files whose optional dependencies are missing are omitted and listed."""
    folder = files.make_folder(folder)
    done = Written()
    contents = (
        ("measurements", tables.METRIC_COLUMNS, tables.metric_rows(finished_runs(result))),
        ("comparison", COMPARISON_COLUMNS, result.comparison_rows()),
    )

    def write_tables(kind: str) -> list[Path]:
        return [tables.write_table(folder / f"{name}.{kind}", columns, rows, kind) for name, columns, rows in contents]

    done.written.extend(write_tables("csv"))
    done.written.append(files.write_text(folder / "manifest.json", tables.json_text(manifest(result))))
    done.written.append(files.write_text(folder / "result.json", tables.json_text(result.to_dict())))
    charts = study_charts(result)
    done.written.extend(_write_pictures(charts, folder, "svg"))
    parts: tuple[Callable[[], list[Path]], ...] = (
        lambda: write_tables("parquet"),
        lambda: _write_pictures(charts, folder, "png"),
        lambda: _write_report(result, folder, charts),
    )
    for write_part in parts:
        try:
            done.written.extend(write_part())
        except MissingExtraError as error:
            done.left_out.append(str(error))
    return done


def _write_pictures(charts: Mapping[str, Sequence[Part]], folder: Path, kind: str) -> list[Path]:
    from linecard.report.picture import picture, png

    plots = files.make_folder(folder / "plots")
    drawn = {plots / f"{name}.{kind}": picture(parts) for name, parts in charts.items()}
    return [files.write_bytes(path, png(svg) if kind == "png" else svg.encode()) for path, svg in drawn.items()]


def _write_report(result: StudyResult, folder: Path, charts: Mapping[str, Sequence[Part]]) -> list[Path]:
    from linecard.report.study import study_report

    return [files.write_text(folder / "report.html", study_report(result, charts, calibrations(result.study)))]
