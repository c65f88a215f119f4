"""Writes the output of every command: a screen or JSON to stdout, then the files of `--output`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linecard.cli import stderr, stdout
from linecard.cli.options import JSON_HELP, command_line
from linecard.errors import ConfigError, NotWrittenError

if TYPE_CHECKING:
    from linecard.result import Result

Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]
Output = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the result: .json, .csv, .html, .svg, .parquet (extra: frames) or .png (extra: plot); repeatable.",
    ),
]


class Outputs:
    """The outputs that the user requested with `--json` and `--output`.

    The constructor checks the file names, before the command starts its work.

    Raises:
        ConfigError: A file name has no known extension, the file cannot be written, or several outputs are stdout.
        MissingExtraError: The package extra that a file format requires is not installed.
    """

    def __init__(self, json: bool, output: list[str] | None) -> None:
        from linecard.files import check_outputs
        from linecard.result import named_format, need_for

        self.json, self.files = json, tuple(output or ())
        named = [named_format(file) for file in self.files]
        to_stdout = sum(name == "-" for _, name in named)
        # The data on stdout is for another program, so neither a screen nor other data may surround it.
        self.screen = not json and to_stdout == 0
        if to_stdout + json > 1:
            raise ConfigError.at(
                "--output", "", "stdout takes only one of --json and the outputs to `-`; omit the others"
            )
        check_outputs(*(name for _, name in named))
        for kind, _ in named:
            need_for(kind)

    def of(self, function: Callable[..., Any], asked: Mapping[str, Any], doing: str, unit: str) -> Any:
        """Call a function with its arguments and show its progress; print its result, and return it.

        Raises:
            NotWrittenError: A file of the function could not be written; its result is printed.
        """
        unwritten = None
        with stderr.progress(doing, unit) as progress:
            try:
                result = function(**asked, progress=progress)
            except NotWrittenError as error:
                result, unwritten = error.result, error
        self.give(result)
        if unwritten is not None:
            raise unwritten
        return result

    def give(self, result: Result) -> None:
        """Print the result, unless a file is stdout; then write the files, so no file error suppresses the result."""
        if self.json:
            stdout.print_json(result.to_dict())
        elif self.screen:
            from linecard.cli.screen import print_result

            print_result(result)
        self.write(result)

    def write(self, result: Result) -> None:
        """Write the `--output` files of a result that is already printed."""
        for file in self.files:
            stderr.note_written([result.save(file, command=command_line())])
