"""`python -m tools.robustness`: measures the changes that affect a study's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from linecard.cli import pieces, stderr, stdout
from linecard.files import check_outputs, make_folder, write_text
from linecard.study.spec import load_study
from linecard.tables import json_text
from tools import command
from tools.robustness import documents
from tools.robustness.documents import effort, line_rows
from tools.robustness.kept import Kept
from tools.robustness.result import error_text
from tools.robustness.run import robustness as run
from tools.robustness.run import what_is_kept
from tools.scorecard.card import limited_studies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from tools.robustness.result import Robustness


def robustness(
    study: command.Study = None,
    quick: Annotated[bool, typer.Option("--quick", help="On quick runs.")] = False,
    json: command.Json = False,
    jobs: command.Jobs = None,
    out: command.Output = None,
    keep: command.Keep = False,
) -> None:
    """Run a study, or all studies with limits, with eight seeds and with each calibrated value 10 % higher and lower.

    The command writes the changes of the mean error and of each limit to the output folder, by default
    results/robustness. This folder keeps finished steps: after Ctrl-C, the same command continues with the next step.

    Raises:
        ConfigError: There is no such study.
    """
    command.check_whole(study, keep=keep)
    folder = out if out is not None else Path("results") / "robustness"
    check_outputs(folders=[folder])
    found: list[Robustness] = []
    written: list[Path] = []
    for name in [study] if study is not None else limited_studies():
        loaded = load_study(name)
        kept = Kept(folder / f"{loaded.spec.id}.steps.json", loaded.folder, quick=quick)
        if kept.steps:
            stderr.note(f"{loaded.spec.id}: {len(kept.steps)} steps were kept in {kept.file}")
        try:
            with stderr.progress(f"Simulating {loaded.spec.id}", "steps") as progress:
                one = run(name, quick=quick, jobs=jobs, kept=kept, progress=progress)
        except KeyboardInterrupt:
            so_far = what_is_kept(loaded, kept, quick=quick)
            if so_far.by_seed:
                stderr.note_written(_write(so_far, folder), folder=True)
            done = f"{so_far.done} of {so_far.steps} steps of {so_far.study}"
            stderr.note(f"{done} are kept in {kept.file}: the same command goes on from there")
            raise
        found.append(one)
        if not json:
            stdout.show(*_screen(one))
        written += _write(one, folder)
    if json:
        stdout.print_json({"studies": [one.to_dict() for one in found]})
    if keep:
        documents.keep(found)
    stderr.note_written(written, folder=True)
    # The steps are deleted only now: until here, an interrupt in a later study lost nothing.
    for one in found:
        (folder / f"{one.study}.steps.json").unlink(missing_ok=True)


def _write(found: Robustness, folder: Path) -> list[Path]:
    """Write the result as JSON and as a page."""
    rows = write_text(make_folder(folder) / f"{found.study}.json", json_text(found.to_dict()))
    return [rows, write_text(folder / f"{found.study}.html", documents.html(found))]


def _screen(found: Robustness) -> Iterator[RenderableType]:
    """Show the mean error for each seed and each value, and the effects on each limit."""
    said = f"mean error {error_text(found.base.error)} with seed {next(iter(found.by_seed))}"
    seeds = pieces.grid("l", "r")
    for seed, outcome in found.by_seed.items():
        seeds.add_row(f"seed {seed}", error_text(outcome.error))
    yield pieces.section(pieces.heading(found.study, said), seeds, Text(effort(found), style=pieces.DIM))
    table = pieces.lined(("value", "w"), ("chosen", "r"), ("down", "r"), ("error", "r"), ("up", "r"), ("error", "r"))
    for each in found.variations:
        numbers = (f"{each.low:g}", error_text(each.down.error), f"{each.high:g}", error_text(each.up.error))
        table.add_row(each.key, f"{each.value:g}", *numbers)
    if found.variations:
        yield pieces.section(pieces.heading("Calibrated values", "a tenth down and up"), table)
    lines = pieces.lined(
        ("line", "l"),
        ("limit", "r"),
        ("as chosen", "r"),
        ("seeds", "r"),
        ("values", "r"),
        ("kept by", "r"),
        ("moved by", "w"),
    )
    for row in line_rows(found):
        lines.add_row(row.id, row.limit, row.chosen, row.seeds, row.values, row.kept, row.moved_by)
    yield pieces.section(pieces.heading("Limits", "lowest and highest"), lines)
    for name, why in found.base.silent.items():
        yield pieces.section(Text(f"not judged with one seed: {name} ({why})", style=pieces.DIM))
    for name, why in found.left_out.items():
        yield pieces.section(Text(f"not varied: {name} ({why})", style=pieces.DIM))
    failed = sum(outcome.failed_runs for _, outcome in found.outcomes)
    if failed:
        yield pieces.section(Text(f"{failed} runs failed; their cells are in no mean", style="yellow"))
    yield Text()


if __name__ == "__main__":
    command.run(robustness)
