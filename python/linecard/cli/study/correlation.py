"""`linecard reproduce --correlation`: predictions beside measured rates of devices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from linecard.cli.options import Exit
from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from rich.console import RenderableType

    from linecard.study.correlation.result import Correlation, Device


def correlation(study: str | None, *, parts: bool, band: bool, json: bool, jobs: int | None, out: Path | None) -> None:
    """Predict the published rates of the study's device, or of all; print and write them.

    Raises:
        ConfigError: A part of a study was asked for, or the study names no device.
    """
    from linecard.cli import stderr, stdout
    from linecard.files import check_outputs
    from linecard.study.correlation.run import correlate

    if parts:
        message = "the correlation is of all rates of a device, always as quick: leave it out"
        raise ConfigError.of([ConfigProblem("--table, --chapter, --quick, --check", "", message)])
    folder = out if out is not None else Path("results") / "correlation"
    check_outputs(folders=[folder])
    with stderr.progress("Simulating", "parts") as progress:
        found = correlate(study=study, band=band, jobs=jobs, progress=progress)
    if json:
        stdout.print_json(found.to_dict())
    else:
        for device in found.devices:
            stdout.show(*_screen(device))
    stderr.note_written(_write(found, folder), folder=True)
    for failure in found.failures:
        stderr.diagnose(failure)
    if found.failures:
        raise typer.Exit(Exit.RUN)


def _write(found: Correlation, folder: Path) -> list[Path]:
    """The result as JSON, and the page with its pictures."""
    from linecard.files import make_folder, write_text
    from linecard.study.correlation.documents import page, pictures_of
    from linecard.tables import json_text

    written = [write_text(make_folder(folder) / "correlation.json", json_text(found.to_dict()))]
    written.append(write_text(folder / "correlation.md", page(found, ".")))
    return [*written, *(write_text(folder / name, picture) for name, picture in pictures_of(found).items())]


def _screen(device: Device) -> Iterator[RenderableType]:
    """The numbers of a device, null models, knees and what makes its bands."""
    from rich.text import Text

    from linecard.cli import pieces
    from linecard.study.correlation import documents

    calibrated = sum(point.calibrated for point in device.points)
    said = f"{len(device.judged)} rates predicted, {calibrated} calibrated and not counted"
    numbers = pieces.lined(*((name, "w" if name == "worst" else "r") for name in documents.NUMBER_COLUMNS))
    for row in documents.number_rows(device):
        numbers.add_row(*row)
    yield pieces.section(pieces.heading(device.chip, said), numbers)
    null = pieces.lined(*((name, "r") for name in documents.NULL_COLUMNS))
    for row in documents.null_rows(device):
        null.add_row(*row)
    yield pieces.section(pieces.heading("Mean errors", "of the prediction, and of null models"), null)
    if device.knees:
        knees = pieces.lined(("curve", "l"), ("published", "r"), ("predicted", "r"), ("steps", "r"))
        for row in documents.knee_rows(device):
            knees.add_row(*row)
        yield pieces.section(pieces.heading("Knees", f"over {device.axis}"), knees)
    yield pieces.section(Text(documents.band_words(device).replace("`", ""), style=pieces.DIM))
    yield Text()
