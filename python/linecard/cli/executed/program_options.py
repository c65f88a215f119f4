"""The options of a program that a chip executes, declared once for `run` and every question."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from linecard.cli.executed.maps import maps
from linecard.cli.executed.options import Bits, Cflags, Define

# Name, type and default of each, in the order of the help.
_OPTIONS: tuple[tuple[str, Any, Any], ...] = (
    (
        "program",
        Annotated[
            str | None,
            typer.Option(
                "--program",
                metavar="PROGRAM",
                help="Execute an XDP or C program: a shipped one (`linecard program list`), a C file, an object file.",
            ),
        ],
        None,
    ),
    (
        "section",
        Annotated[
            str | None,
            typer.Option("--section", metavar="NAME", help="Of an XDP object with several: function or section."),
        ],
        None,
    ),
    (
        "entry",
        Annotated[
            str | None,
            typer.Option("--entry", metavar="NAME", help="Of a C program: function of a packet, if not app_packet."),
        ],
        None,
    ),
    (
        "fill_map",
        Annotated[
            list[str] | None,
            typer.Option(
                "--map", metavar="NAME=FILE", help="Fill a map of the XDP program from CSV or TOML; repeatable."
            ),
        ],
        None,
    ),
    ("define", Define, None),
    (
        "fib",
        Annotated[Path | None, typer.Option("--fib", metavar="FILE", help="Routes that bpf_fib_lookup finds, as CSV.")],
        None,
    ),
    (
        "control",
        Annotated[
            Path | None, typer.Option("--control", metavar="FILE", help="What app_init of a C program is given.")
        ],
        None,
    ),
    (
        "cpus",
        Annotated[int, typer.Option("--cpus", min=1, max=1024, metavar="N", help="Processors of per-processor maps.")],
        1,
    ),
    (
        "budget",
        Annotated[
            int | None,
            typer.Option("--budget", min=1, metavar="N", help="Instructions that a packet may take of the program."),
        ],
        None,
    ),
    (
        "unchecked",
        Annotated[
            bool,
            typer.Option("--unchecked", help="Let a C program touch bytes beyond packets and blocks of the heap."),
        ],
        False,
    ),
    ("cflags", Cflags, ""),
    ("bits", Bits, 32),
)


def takes_program(command: Callable[..., None]) -> Callable[..., None]:
    """A command with these options besides its own, which it takes as `executed`, named as in Python.

    A name that the command itself has stays its own.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [each for each in signature.parameters.values() if each.name != "executed"]
    several = [each for each in _OPTIONS if each[0] not in signature.parameters]

    @functools.wraps(command)
    def call(*args: Any, **kwargs: Any) -> None:
        given = {name: kwargs.pop(name) for name, _, _ in several}
        given["maps"] = maps(given.pop("fill_map") or ())
        given["defines"] = given.pop("define") or ()
        command(*args, **kwargs, executed=given)

    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
        for name, annotation, default in several
    ]
    call.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in (*own, *options)}
    return call
