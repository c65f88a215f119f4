"""Python's types and functions of requests, as text, from what the core declares (`linecard._options`)."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

from linecard._options import Option, options
from linecard.chip.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Iterable

_WRITTEN = "Written by `make docs` from crates/platform/src/request.rs."
_TYPES = """
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from linecard.chip.steps import Program
    from linecard.request import Settings
"""
_IMPORTS = """
from __future__ import annotations

from typing import TYPE_CHECKING

from linecard._arguments import plain
from linecard._schema import Run
from linecard.chip.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from linecard.chip.result import RunResult
    from linecard.chip.steps import Program
    from linecard.request import ProgressCallback, Settings
"""


def request_texts() -> dict[str, str]:
    """The generated modules by path below the package."""
    run = options("run", "program", "question")
    return {"_schema.py": _formatted(_schema(run)), "chip/run.py": _formatted(_function(run))}


def _schema(run: Iterable[Option]) -> str:
    program = options("program")
    # A search has a budget of its own.
    executed, budget = ([each for each in program if (each.name == "budget") == has] for has in (False, True))
    fields = "\n".join(f"    {each.name}: {each.annotation}{_default(each)}" for each in run)
    return "\n".join(
        (
            f'"""Requests. {_WRITTEN}"""',
            _TYPES,
            "@dataclass(frozen=True, slots=True, kw_only=True)\nclass Run:",
            _documented("What `linecard.run` is asked for.", "Attributes", run),
            fields,
            "class Executed(TypedDict, total=False):",
            _documented("A program that a chip executes, as `linecard.run` takes it.", "Attributes", executed),
            "\n".join(f"    {each.name}: {each.annotation}" for each in executed),
            "class ProgramOptions(Executed, total=False):",
            _documented("The same with the instructions that a packet may take.", "Attributes", budget),
            "    budget: int | None",
        )
    )


def _function(run: tuple[Option, ...]) -> str:
    head, _, tail = (inspect.getdoc(simulate) or "").partition("\n\nArgs:")
    tail = tail.partition("\n\n")[2]
    first, *others = run
    said = ["progress: Called now and then with (packets done, packets in all), from the thread that calls ``run``."]
    return "\n".join(
        (
            f'"""`linecard.run`. {_WRITTEN}"""',
            _IMPORTS,
            "@plain",
            f"def run({first.name}: {first.annotation}, *,",
            *(f"{each.name}: {each.annotation}{_default(each)}," for each in others),
            "progress: ProgressCallback | None = None,) -> RunResult:",
            _documented(head, "Args", run, said, tail),
            f"    return simulate(Run({', '.join(f'{each.name}={each.name}' for each in run)}), progress)",
        )
    )


def _default(option: Option) -> str:
    return "" if option.required else f" = {option.default!r}"


def _documented(head: str, name: str, several: Iterable[Option], also: Iterable[str] = (), tail: str = "") -> str:
    """A docstring with what each option means."""
    said = [f"{each.name}: {' '.join(filter(None, (each.help, each.details)))}" for each in several]
    said = [text.replace("`", "``") for text in said]
    rows = [
        textwrap.fill(text, 112, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        for text in (*said, *also)
    ]
    text = "\n".join((head, "", f"{name}:", textwrap.indent("\n".join(rows), "    "), *([f"\n{tail}"] if tail else [])))
    return textwrap.indent(f'"""{text}\n"""', "    ", lambda line: bool(line.strip()))


def _formatted(text: str) -> str:
    command = (sys.executable, "-m", "ruff", "format", "--line-length", "120", "--stdin-filename", "x.py", "-")
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
