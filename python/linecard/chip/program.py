"""The program that runs for each packet: an application, a list of steps, or a program that the chip executes.

A program name with a suffix or a path separator refers to a file. Any other name refers to an application or a shipped
program; an application and a shipped program never have the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


@contextmanager
def chip_program(
    program: str | PathLike[str] | Program | None, *, chip: str, overrides: Sequence[str], **options: Any
) -> Iterator[str | dict[str, Any] | None]:
    """The program that runs for each packet, as the core expects it; ``None`` for the chip's own program.

    When the ``with`` block ends, the function deletes the files that the function wrote or compiled. ``options`` are
    the options of an executed program.

    Raises:
        ConfigError: The program does not exist, or one of the options has no effect on this program.
        CompileError: The source does not compile.
        MissingExtraError: The compiler is not installed.
    """
    if program is None or isinstance(program, Program) or is_listed(program):
        usual = {each.name: each.default for each in _options.options("program")}
        if given := [name for name, value in options.items() if value and value != usual[name]]:
            message = "has no effect without a program to execute (program, --program)"
            raise ConfigError.at(", ".join(given), "", message)
        if program is None:
            yield None
            return
        with listed(program) as named:
            yield named
        return
    with executed(name_of("program", program), chip, overrides, **options) as executable:
        yield executable
