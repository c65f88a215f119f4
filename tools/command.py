"""The common code of the commands of this folder, which handle options, errors and exit statuses as `linecard` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from linecard.cli import main
from linecard.cli.options import JSON_HELP
from linecard.errors import ConfigError, ConfigProblem
from linecard.files import make_folder, write_text

# The top folder of the repository, and the folder of the studies.
ROOT = Path(__file__).resolve().parent.parent
STUDIES = ROOT / "studies"
HEADER = "<!-- Written by `make docs`. Do not edit. -->\n"

Study = Annotated[str | None, typer.Argument(metavar="[STUDY]", help="Name of one study; by default, all that apply.")]
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Number of parallel runs; by default, one per core.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="Output folder; by default, a folder in `results`.")
]
Keep = Annotated[bool, typer.Option("--keep", help="Store the results in `studies`, and write their documents.")]


def run(command: Callable[..., Any]) -> None:
    """Run a function as a command whose options are the arguments of the function."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command()(command)
    main(app)


def check_whole(study: str | None, *, keep: bool) -> None:
    """Reject a request to keep the result of a single study.

    Raises:
        ConfigError: The result covers a single study.
    """
    if keep and study is not None:
        message = f"--keep stores the results of all studies; omit {study!r}, or --keep"
        raise ConfigError.of([ConfigProblem("--keep", "", message)])


def write(documents: Mapping[str, str]) -> None:
    """Write documents, each at its path in the repository."""
    for name, text in documents.items():
        file = ROOT / name
        make_folder(file.parent)
        write_text(file, text)
