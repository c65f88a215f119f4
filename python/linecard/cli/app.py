"""The command-line interface and its entry point."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from linecard.cli import interrupt, own_stdout
from linecard.cli.lazy_group import LazyGroup
from linecard.cli.options import EPILOG, Exit
from linecard.errors import LinecardError

app = typer.Typer(
    name="linecard",
    cls=LazyGroup,
    help="Simulate programmable packet processors: throughput, loss, latency, the bottleneck and its cause.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(_version_text())
        raise typer.Exit


def _version_text() -> str:
    """Versions of Linecard and Python, the platform, and paths of package and compiled core, each on one line."""
    import platform
    from pathlib import Path

    from linecard import _core

    return "\n".join(
        (
            f"linecard {_core.__version__}",
            f"Python {platform.python_version()} ({platform.python_implementation()})",
            f"platform {platform.platform()}",
            f"installed in {Path(__file__).resolve().parents[1]}",
            f"core {Path(_core.__file__).resolve()}",
        )
    )


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and build information, then exit."
        ),
    ] = False,
) -> None:
    pass


def _diagnose(message: str) -> None:
    # Commands that succeed, such as help, do not import the code that writes diagnostics.
    from linecard.cli import stderr

    stderr.diagnose(message)


def _run(command: typer.Typer) -> None:
    """Run the command. If stdout failed, end with its error."""
    status: str | int | None = 0
    try:
        command()
    except SystemExit as left:
        # Click reports a closed pipe as status 1, which means a difference or a rejection here.
        status = Exit.CLOSED_PIPE if own_stdout.is_closed_pipe() else left.code
    said = own_stdout.problem()
    if said is not None:
        _diagnose(said)
    sys.exit(status or (Exit.OK if said is None else Exit.USAGE))


def main(command: typer.Typer = app) -> None:
    """Entry point: run the command, and turn every expected error into a message and an exit status."""
    own_stdout.take_over()
    for stream in (sys.stdout, sys.stderr):
        # A file name or a table line that the encoding lacks must not end the command.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with interrupt.ends_within_a_second():
            _run(command)
    except LinecardError as error:
        from linecard.cli import stderr

        stderr.diagnose_error(error)
        sys.exit(error.exit_code)
    except UnicodeEncodeError as error:
        name = error.object[:200].encode(errors="backslashreplace").decode()
        _diagnose(f"{name}: expected a name in UTF-8; rename the file, or use a link to it")
        sys.exit(Exit.USAGE)
    except KeyboardInterrupt:
        _diagnose("interrupted")
        sys.exit(Exit.INTERRUPTED)
    except BrokenPipeError:
        # The reader has what it wanted, so no message is necessary; the status is that of a program that SIGPIPE ends.
        sys.exit(Exit.CLOSED_PIPE)
