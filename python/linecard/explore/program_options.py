"""The options with which exploration commands select and configure the program that a chip executes."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from linecard import _options
from linecard.chip.program import given_options
from linecard.request import name_of

if TYPE_CHECKING:
    from linecard.explore.subject import Request


PROGRAM = {each.name: each for each in _options.options("program")}
# Options whose names in a request, and of an axis, are those on the command line.
RENAMED = {"maps": "map", "defines": "define"}
# The option of each on the command line, by its name in a request.
OPTIONS = {RENAMED.get(name, name): each.flag for name, each in PROGRAM.items()}


def program_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the program options of a call to arguments of a run; options with default values are omitted.

    Raises:
        ConfigError: An option has no effect, because the call selects no program.
    """
    found: dict[str, Any] = {}
    for name, value in given_options(options).items():
        if PROGRAM[name].kind in ("name", "path"):
            plain: Any = name_of(name, value)
        elif name == "maps":
            plain = {key: fspath(file) for key, file in value.items()}
        elif name == "defines":
            plain = list(value)
        else:
            plain = value
        found[RENAMED.get(name, name)] = plain
    return found


def run_arguments(options: Mapping[str, Any], trace: str | PathLike[str] | None, **arguments: Any) -> dict[str, Any]:
    """Return the arguments that all runs of a question share: ``arguments``, the program options, and the capture.

    Raises:
        ConfigError: A program option has no effect, because the call selects no program.
    """
    return arguments | program_arguments(options) | ({} if trace is None else {"trace": fspath(trace)})


def options_of(request: Request) -> dict[str, Any]:
    """Return the program of a run and its options in the form that `linecard.chip.program.chip_program` accepts."""
    asked, defines = request.arguments, request.arguments.get("define", ())
    found = {name: asked.get(name, each.default) for name, each in PROGRAM.items()}
    found["cflags"] = str(found["cflags"])
    found["maps"] = asked.get("map")
    found["defines"] = list(map(str, defines if isinstance(defines, (list, tuple)) else [defines]))
    return found
