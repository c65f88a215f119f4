"""The program that runs for each packet: an application, a list of steps, or a program that the chip executes.

A program name with a suffix or a path separator refers to a file. Any other name refers to an application or a shipped
program; an application and a shipped program never have the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

from linecard import _core, _options
from linecard.chip.steps import Program, listed
from linecard.errors import ConfigError
from linecard.executed.for_chip import executed
from linecard.request import name_of


def is_listed(program: str | PathLike[str]) -> bool:
    """Whether a program is an application or a file of steps; other programs are code that the chip executes."""
    name = name_of("program", program)
    return name.endswith(".toml") or name in _core.applications()


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a program, without options that have their default values.

    Raises:
        ConfigError: An option has no effect, because there is no program to execute.
    """
    usual = {each.name: each.default for each in _options.options("program")}
    given = {name: value for name, value in options.items() if value and value != usual[name]}
    if given and "program" not in given:
        raise ConfigError.at(", ".join(given), "", "has no effect without a program to execute (program, --program)")
    return given


@contextmanager
def chip_program(
    options: Mapping[str, Any], *, chip: str, overrides: Sequence[str]
) -> Iterator[str | dict[str, Any] | None]:
    """The program that runs for each packet, as the core expects it; ``None`` for the chip's own program.

    When the ``with`` block ends, the function deletes the files that the function wrote or compiled. ``options`` are
    the name of the program and the options of an executed program; a missing option has its default value.

    Raises:
        ConfigError: The program does not exist, or one of the options has no effect on this program.
        CompileError: The source does not compile.
        MissingExtraError: The compiler is not installed.
    """
    program = options.get("program")
    if program is None or isinstance(program, Program) or is_listed(program):
        given_options({**options, "program": None})
        if program is None:
            yield None
            return
        with listed(program) as named:
            yield named
        return
    usual = {each.name: each.default for each in _options.options("program")}
    with executed(name_of("program", program), chip, overrides, usual | {**options}) as executable:
        yield executable
