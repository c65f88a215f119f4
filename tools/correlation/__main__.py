"""`python -m tools.correlation`: predicted and measured rates of devices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from linecard.cli import pieces, stderr, stdout
from linecard.cli.options import Exit
from linecard.files import check_outputs, make_folder, write_text
from linecard.tables import json_text
from tools import command
from tools.correlation import documents
from tools.correlation.run import correlate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from tools.correlation.result import Correlation, Device


def correlation(
    study: command.Study = None,
    band: Annotated[bool, typer.Option("--band/--no-band", help="Whether to run the ends of intervals, too.")] = True,
    json: command.Json = False,
    jobs: command.Jobs = None,
    out: command.Output = None,
    keep: command.Keep = False,
) -> None:
    """Predict the published rates of a study's device, or of all devices, with bands and null models.

    The command writes the rates, the page and its pictures to the output folder, by default results/correlation.

    Raises:
        ConfigError: The study names no device.
    """
    command.check_whole(study, keep=keep)
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
    if keep:
        documents.keep(found)


def _write(found: Correlation, folder: Path) -> list[Path]:
    """Write the result as JSON, and the page with its pictures."""
    written = [write_text(make_folder(folder) / "correlation.json", json_text(found.to_dict()))]
    written.append(write_text(folder / "correlation.md", documents.page(found, ".")))
    pictures = documents.pictures_of(found).items()
    return [*written, *(write_text(folder / name, picture) for name, picture in pictures)]


def _screen(device: Device) -> Iterator[RenderableType]:
    """Show the numbers of a device, its null models, its knees, and the sources of its bands."""
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


if __name__ == "__main__":
    command.run(correlation)
