"""The Python types and functions of requests, as text, from the core's declarations (`linecard._options`)."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linecard._options import Option, options
from linecard.chip.run import run
from linecard.dram.run import dram

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_WRITTEN = "`make docs` writes this module from the requests of the core."
_TYPES = """
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from linecard.chip.steps import Program
    from linecard.request import Settings
"""
_IMPORTS = """
from __future__ import annotations

{standard}
from typing import TYPE_CHECKING

from linecard._arguments import plain
from linecard._schema import {shape}
from {module} import simulate

if TYPE_CHECKING:
{imports}
"""
# Names that annotations may use, and their modules.
_NAMES = {
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "PathLike": "os",
    "Program": "linecard.chip.steps",
    "Settings": "linecard.request",
    "ProgressCallback": "linecard.request",
    "RunResult": "linecard.chip.result",
    "MemoryResult": "linecard.dram.result",
}
_PROGRESS = "progress: ProgressCallback | None = None,"


@dataclass(frozen=True, slots=True)
class _Request:
    """A request: the Python function that accepts it, and the type that holds it.

    The function keeps its text, except the arguments.
    """

    function: Callable[..., object]
    shape: str
    groups: tuple[str, ...]
    result: str
    counted: str

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def folder(self) -> str:
        return self.function.__module__.split(".")[1]

    @property
    def fields(self) -> tuple[Option, ...]:
        return options(*self.groups)


_REQUESTS = (
    _Request(run, "Run", ("run", "program", "question"), "RunResult", "packets done and total packets"),
    _Request(
        dram, "Dram", ("dram", "dram question"), "MemoryResult", "requests done and total requests, or 0 if unknown"
    ),
)


def request_texts() -> dict[str, str]:
    """The generated modules by path below the package."""
    return {
        "_schema.py": formatted(_schema()),
        **{f"{request.folder}/run.py": formatted(_function(request)) for request in _REQUESTS},
    }


def _schema() -> str:
    # A search has a separate budget.
    executed, budget = ([each for each in options("program") if (each.name == "budget") == has] for has in (0, 1))
    parts = [f'"""Types of the requests that Python sends to the core. {_WRITTEN}"""', _TYPES]
    for request in _REQUESTS:
        parts += [
            f"@dataclass(frozen=True, slots=True, kw_only=True)\nclass {request.shape}:",
            f'    """The request of `linecard.{request.name}`, whose docstring describes the fields."""\n',
            *(f"    {each.name}: {each.annotation}{_default(each)}" for each in request.fields),
        ]
    documents = "the docstring of `linecard.run` describes them"
    for head, of, several in (
        ("class Executed(TypedDict, total=False):", "Options of a program that a chip executes", executed),
        (
            "class ProgramOptions(Executed, total=False):",
            "Options of a program, and a limit on instructions per packet",
            budget,
        ),
    ):
        parts += [head, f'    """{of}; {documents}."""\n']
        # Only `run` writes a `Program` to a file.
        parts += [f"    {each.name}: {each.annotation.replace(' | Program', '')}" for each in several]
    return "\n".join(parts)


def _function(request: _Request) -> str:
    head, _, tail = (inspect.getdoc(request.function) or "").partition("\n\nArgs:")
    tail = tail.partition("\n\n")[2]
    first, others = ([each for each in request.fields if each.first == has] for has in (True, False))
    arguments = [f"{each.name}: {each.annotation}{_default(each)}," for each in first]
    arguments += ["*,", *(f"{each.name}: {each.annotation}{_default(each)}," for each in others), _PROGRESS]
    counted = (
        f"progress: Progress callback with two arguments: {request.counted}. "
        f"The callback runs in the thread that calls ``{request.name}``"
    )
    signature = f"def {request.name}({' '.join(arguments)}) -> {request.result}:"
    standard, imports = _imports(signature)
    module = f"linecard.{request.folder}.simulate"
    return "\n".join(
        (
            f'"""`linecard.{request.name}`. {_WRITTEN}"""',
            _IMPORTS.format(shape=request.shape, module=module, standard=standard, imports=imports),
            f"@plain\n{signature}",
            documented(head, "Args", [*said(request.fields), f"{counted}."], tail),
            '    asked = {name: value for name, value in locals().items() if name != "progress"}',
            f"    return simulate({request.shape}(**asked), progress)",
        )
    )


def _imports(signature: str) -> tuple[str, str]:
    """The imports that annotations need: those of the standard library, and those for types alone."""
    named: dict[str, list[str]] = {}
    for name, module in _NAMES.items():
        if re.search(rf"\b{name}\b", signature):
            named.setdefault(module, []).append(name)
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(named.items())]
    own = [f"    {line}" for line in lines if "linecard" in line]
    return "\n".join(line for line in lines if "linecard" not in line), "\n".join(own)


def _default(option: Option) -> str:
    return "" if option.required else f" = {option.default!r}"


def said(several: Iterable[Option]) -> list[str]:
    """The meaning of each option."""
    texts = [f"{each.name}: {' '.join(filter(None, (each.help, each.details)))}" for each in several]
    return [text.replace("`", "``") for text in texts]


def documented(head: str, name: str, several: Iterable[str], tail: str = "") -> str:
    """A docstring with a section of names and their meanings."""
    rows = [
        textwrap.fill(text, 112, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        for text in several
    ]
    text = "\n".join((head, "", f"{name}:", textwrap.indent("\n".join(rows), "    "), *([f"\n{tail}"] if tail else [])))
    return textwrap.indent(f'"""{text}\n"""', "    ", lambda line: bool(line.strip()))


def formatted(text: str, name: str = "x.py") -> str:
    """The text of a module, formatted as by ruff."""
    command = (sys.executable, "-m", "ruff", "format", "--line-length", "120", "--stdin-filename", name, "-")
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
