"""`linecard reproduce --robustness`: what moves a headline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from linecard.errors import ConfigError, ConfigProblem, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from linecard.study.robustness import Robustness


def robustness(study: str, *, parts: bool, json: bool, jobs: int | None, out: Path | None) -> None:
    """Run a study's headline with other seeds and other values; print and write what moves it.

    Raises:
        ConfigError: Less than the headline was asked for, or there is no such study.
    """
    from linecard.cli import stderr, stdout
    from linecard.files import check_outputs, make_folder, write_text
    from linecard.report.study import robustness_report
    from linecard.study.robustness import robustness as run
    from linecard.tables import json_text

    if parts:
        message = "robustness is of the whole headline: leave it out"
        raise ConfigError.of([ConfigProblem("--quick, --table, --chapter, --check", "", message)])
    folder = out if out is not None else Path("results") / "robustness"
    check_outputs(folders=[folder])
    with stderr.progress("Simulating", "steps") as progress:
        found = run(study, jobs=jobs, progress=progress)
    if json:
        stdout.print_json(found.to_dict())
    else:
        stdout.show(*_robustness_screen(found))
    folder = make_folder(folder)
    written = [write_text(folder / f"{found.study}.json", json_text(found.to_dict()))]
    try:
        written.append(write_text(folder / f"{found.study}.html", robustness_report(found)))
    except MissingExtraError as error:
        stderr.note(f"left out: {error}")
    stderr.note_written(written, folder=True)


def _robustness_screen(found: Robustness) -> Iterator[RenderableType]:
    """The headline with each seed, and with each calibrated value a tenth down and up."""
    from rich.text import Text

    from linecard.cli import pieces
    from linecard.study.columns import percent

    seeds = pieces.grid("l", "r")
    for seed, error in found.by_seed.items():
        seeds.add_row(f"seed {seed}", percent(error))
    yield pieces.section(pieces.heading(found.study, f"mean error of the quick study {percent(found.error)}"), seeds)
    table = pieces.lined(("value", "w"), ("chosen", "r"), ("down", "r"), ("error", "r"), ("up", "r"), ("error", "r"))
    for each in found.variations:
        numbers = (f"{each.low:g}", percent(each.low_error), f"{each.high:g}", percent(each.high_error))
        table.add_row(each.key, f"{each.value:g}", *numbers)
    if found.variations:
        yield pieces.section(pieces.heading("Calibrated values", "a tenth down and up"), table)
    for name, why in found.left_out.items():
        yield pieces.section(Text(f"not varied: {name} ({why})", style=pieces.DIM))
    yield Text()
