"""The program that a chip executes, as every question takes it: `program` with all of its options, declared once."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING, Any, TypedDict

from linecard.errors import ConfigError, ConfigProblem
from linecard.request import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from linecard.explore.subject import Request


class Executed(TypedDict, total=False):
    """An XDP or C program and what it is made of, as `linecard.run` takes them.

    Attributes:
        program: A shipped program, a C file or an object file.
        section: Of an XDP object with several programs: function or section.
        entry: Of a C program: the function of a packet.
        maps: Files that fill maps of an XDP program, by map.
        defines: Macros of the C file, each ``NAME`` or ``NAME=VALUE``.
        fib: Routes that ``bpf_fib_lookup`` finds.
        control: What ``app_init`` of a C program is given.
        cpus: Processors of per-processor maps.
        unchecked: Let a C program touch bytes beyond packets and blocks of the heap.
        cflags: Further flags of the compiler, as a shell splits them.
        bits: 32 or 64: what a C file is compiled for.
    """

    program: str | PathLike[str] | None
    section: str | None
    entry: str | None
    maps: Mapping[str, str | PathLike[str]] | None
    defines: Sequence[str]
    fib: str | PathLike[str] | None
    control: str | PathLike[str] | None
    cpus: int
    unchecked: bool
    cflags: str
    bits: int


class ProgramOptions(Executed, total=False):
    """The same with the instructions that a packet may take, which `optimize` takes in ``set``.

    Attributes:
        budget: Instructions that a packet may take.
    """

    budget: int | None


# The option of each on the command line, by its name in a request.
OPTIONS = {
    "program": "--program",
    "section": "--section",
    "entry": "--entry",
    "map": "--map",
    "define": "--define",
    "fib": "--fib",
    "control": "--control",
    "cpus": "--cpus",
    "budget": "--budget",
    "unchecked": "--unchecked",
    "cflags": "--cflags",
    "bits": "--bits",
}
_PATHS = {"program", "fib", "control"}
_RENAMED = {"maps": "map", "defines": "define"}
_USUAL = {"cpus": 1, "bits": 32}


def program_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a question as arguments of a run; what is left out or usual is not there.

    Raises:
        ConfigError: There is no such option, or it has no effect without a program.
    """
    unknown = sorted(options.keys() - ProgramOptions.__annotations__.keys())
    if unknown:
        raise TypeError(f"got an unexpected keyword argument {unknown[0]!r}")
    given = {name: value for name, value in options.items() if value and value != _USUAL.get(name)}
    if given and "program" not in given:
        message = "has no effect without a program to execute (program, --program)"
        raise ConfigError.of([ConfigProblem(", ".join(given), "", message)])
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name in _PATHS:
            plain: Any = name_of(name, value)
        elif name == "maps":
            plain = {key: fspath(file) for key, file in value.items()}
        elif name == "defines":
            plain = list(value)
        else:
            plain = value
        found[_RENAMED.get(name, name)] = plain
    return found


def options_of(request: Request) -> dict[str, Any]:
    """The program of a run and its options, as `linecard.executed.for_chip.executed` takes them."""
    asked = request.arguments
    defines = asked.get("define", ())
    return {
        **{name: asked.get(name) for name in ("section", "entry", "fib", "control", "budget")},
        "maps": asked.get("map"),
        "defines": [str(defines)] if not isinstance(defines, (list, tuple)) else list(map(str, defines)),
        "cpus": asked.get("cpus", 1),
        "unchecked": asked.get("unchecked", False),
        "cflags": str(asked.get("cflags", "")),
        "bits": asked.get("bits", 32),
    }
