"""What follows from the code in the documents. ``make docs`` runs ``python -m linecard.cli.reference``.

It writes the pages of commands, keys and metrics, which tests compare with the code; the scorecard in README.md and on
its page, which a test compares with studies/scorecard.json (``make scorecard`` runs the studies that fill it); the page
of robustness with its pictures, likewise from studies/robustness.json (``make robustness``); the page of correlations,
likewise from studies/correlation.json (``make correlation``); and the screen of the main job in README.md, whose
numbers are those of the model at that moment. It has to run in the top folder.
"""

from __future__ import annotations

import inspect
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from linecard import cli, files
from linecard.cli.documents.chip_keys import chip_page
from linecard.cli.documents.memory_keys import memory_page
from linecard.cli.documents.metrics import metrics_page
from linecard.cli.documents.other_keys import others_page
from linecard.cli.documents.requests import request_texts
from linecard.cli.documents.schemas import schema_texts
from linecard.study.correlation import documents as correlated
from linecard.study.correlation.result import Correlation
from linecard.study.robustness import documents as robust
from linecard.study.robustness.result import Robustness
from linecard.study.scorecard import documents
from linecard.study.scorecard.card import limited_studies
from linecard.study.targets import load_targets

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = "<!-- Written by `make docs`. Do not edit. -->\n"
PAGES = {
    "keys/chip.md": chip_page,
    "keys/memory.md": memory_page,
    "keys/others.md": others_page,
    "metrics.md": metrics_page,
}
MAIN_JOB = "linecard run ixp1200 --app l3fwd16 --trace examples/captures/edge-mix.pcap.gz"
SCORECARD = re.compile(r"(<!-- scorecard: begin -->\n).*?(<!-- scorecard: end -->)", re.DOTALL)
PICTURES = "robustness"
DEVICES = "correlation"
SCREEN = re.compile(r"(<!-- screen: begin -->\n).*?(<!-- screen: end -->)", re.DOTALL)


def commands_page() -> str:
    """Every command with its arguments, options and examples, as Markdown."""
    root: Any = typer.main.get_command(cli.app)
    parts = [HEADER, "# Commands\n", inspect.getdoc(cli) or "", ""]
    for name, command in _commands(root.commands):
        parts += [f"## linecard {name}\n", _help_text(command), ""]
        parts += ["| argument | meaning |", "|---|---|"]
        for parameter in command.params:
            parts.append(f"| {_parameter_name(parameter)} | {_parameter_help(parameter)} |")
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _commands(commands: dict[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """Every command by its full name, those of groups after their group's name."""
    for name, command in commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command.commands, f"{group}{name} ")
        else:
            yield f"{group}{name}", command


def _help_text(command: Any) -> str:
    text, _, examples = inspect.cleandoc(command.callback.__doc__ or "").partition("**Examples**")
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    block = ["```console", *(f"$ {line}" for line in lines), "```"] if lines else []
    return "\n".join([text.strip(), "", *block]).strip() + "\n"


def _parameter_name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    return f"{names} `{parameter.metavar}`" if parameter.metavar else names


def _parameter_help(parameter: Any) -> str:
    text = (parameter.help or "").replace("|", "\\|")
    default = parameter.default
    shown = default is not None and not isinstance(default, bool) and not callable(default)
    return f"{text} Default: {default}." if shown else text


def written_modules() -> dict[str, str]:
    """What is written into the package: requests, and schemas of files."""
    return {**request_texts(), **{f"schemas/{name}": text for name, text in schema_texts().items()}}


def main_screen() -> str:
    """The main job and its screen, as Markdown; the last line, which holds the real time, is left out."""
    command = [sys.executable, "-m", *shlex.split(MAIN_JOB)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return f"```text\n$ {MAIN_JOB}\n{shown.rstrip().rpartition(chr(10))[0].rstrip()}\n```\n"


def scorecard_table(folder: Path) -> str:
    """The README's table of the scorecard, from the rows in a folder of studies."""
    return documents.overview(_scorecard_rows(folder), load_targets(folder))


def scorecard_page(folder: Path) -> str:
    """The page with every limit, from the rows in a folder of studies."""
    text = "# Scorecard\n\nEvery limit that the studies are held to, and what `make scorecard` measured.\n"
    return "\n".join((HEADER, text, documents.page(_scorecard_rows(folder), load_targets(folder))))


def _scorecard_rows(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((folder / "scorecard.json").read_text(encoding="utf-8"))["rows"]
    return rows


def _robustness(folder: Path) -> list[Robustness]:
    data = json.loads((folder / "robustness.json").read_text(encoding="utf-8"))
    return [Robustness.from_dict(each) for each in data["studies"]]


def robustness_page(folder: Path) -> str:
    """The page of robustness, from what is kept in a folder of studies."""
    found = _robustness(folder)
    missing = [name for name in limited_studies() if name not in {one.study for one in found}]
    return "\n".join((HEADER, robust.INTRODUCTION, robust.page(found, PICTURES, missing)))


def robustness_pictures(folder: Path) -> dict[str, str]:
    """Its pictures by file name."""
    return {f"{one.study}.svg": robust.picture(one) for one in _robustness(folder)}


def _correlation(folder: Path) -> Correlation:
    return Correlation.from_dict(json.loads((folder / "correlation.json").read_text(encoding="utf-8")))


def correlation_page(folder: Path) -> str:
    """The page of correlations, from what is kept in a folder of studies."""
    return "\n".join((HEADER, correlated.page(_correlation(folder), DEVICES)))


def correlation_pictures(folder: Path) -> dict[str, str]:
    """Its pictures by file name."""
    return correlated.pictures_of(_correlation(folder))


def _write_correlation(studies: Path) -> None:
    place = Path("docs/reference")
    files.write_text(place / "correlation.md", correlation_page(studies))
    for name, picture in correlation_pictures(studies).items():
        files.write_text(files.make_folder(place / DEVICES) / name, picture)


def _write_robustness(studies: Path) -> None:
    place = Path("docs/reference")
    files.write_text(place / "robustness.md", robustness_page(studies))
    for name, picture in robustness_pictures(studies).items():
        files.write_text(files.make_folder(place / PICTURES) / name, picture)


def main() -> None:
    """Write everything; with ``--scorecard``, ``--robustness`` or ``--correlation`` only what tells of it."""
    studies, readme = Path("studies"), Path("README.md")
    asked = [option for option in ("--scorecard", "--robustness", "--correlation") if option in sys.argv[1:]]
    if not asked or "--correlation" in asked:
        _write_correlation(studies)
    if not asked or "--robustness" in asked:
        _write_robustness(studies)
    if asked and "--scorecard" not in asked:
        return
    table = scorecard_table(studies)
    text = SCORECARD.sub(lambda found: found[1] + table + found[2], readme.read_text(encoding="utf-8"))
    files.write_text("docs/reference/scorecard.md", scorecard_page(studies))
    if "--scorecard" not in sys.argv[1:]:
        files.write_text("docs/reference/commands.md", commands_page())
        for name, page in PAGES.items():
            files.write_text(Path("docs/reference") / name, HEADER + "\n" + page())
        for name, text in written_modules().items():
            files.write_text(Path("python/linecard") / name, text)
        text = SCREEN.sub(lambda found: found[1] + main_screen() + found[2], text)
    files.write_text(readme, text)


if __name__ == "__main__":
    main()
