"""Exit statuses and texts that all commands share."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from enum import IntEnum
from typing import Annotated

import typer

from linecard.cli import completion


class Exit(IntEnum):
    """Exit statuses that all commands share."""

    OK = 0
    CHECK_FAILED = 1
    USAGE = 2
    CAPTURE = 3
    RUN = 4
    INTERRUPTED = 130
    CLOSED_PIPE = 141


EPILOG = (
    "Exit status: 0 ok · 1 reproduce --check or compare-models found a difference, vrp check rejected an extension, or"
    " a RISC-V program returned a value other than 0 · 2 wrong usage or configuration · 3 damaged capture"
    " (the result is still printed), or unusable capture · 4 the run failed, or no result is conclusive"
    " · 130 interrupted · 141 the reader of stdout closed the pipe"
)


def command_line(words: Sequence[str] | None = None) -> str:
    """The current command line without `--output`, in the form shown on an HTML page."""
    kept = []
    several = iter(sys.argv[1:] if words is None else words)
    for word in several:
        if word in {"--output", "-o"}:
            next(several, None)
        elif not word.startswith(("--output=", "-o")):
            kept.append(word)
    return shlex.join(["linecard", *kept])


Chip = Annotated[
    str,
    typer.Argument(
        metavar="CHIP", help="Name of a shipped chip, or path to a TOML file.", autocompletion=completion.chips
    ),
]

CAPTURE_HELP = "A capture, or a link profile: `edge`, `core`, or a TOML file in the format of `presets/traffic`."
Packets = Annotated[
    int, typer.Option(min=0, metavar="N", help="Maximum number of packets to read; 0 reads the whole capture.")
]

JSON_HELP = "Print the result as one JSON object on stdout."


def read_share(text: str) -> float:
    """Parse the text of an option as a fraction.

    Raises:
        typer.BadParameter: The text of the option is not a fraction.
    """
    from linecard.chip.length import share_of

    try:
        return share_of(text)
    except ValueError:
        raise typer.BadParameter(f"found {text!r}, expected a fraction such as 1% or 0.01") from None
