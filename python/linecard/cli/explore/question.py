"""Makes commands from functions of `linecard.explore`, with arguments as options and docstrings as help texts."""

from __future__ import annotations

import inspect
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from linecard.cli import completion, stderr
from linecard.cli.asked import added
from linecard.cli.explore.options import STORE, Executor, Jobs, StoreOption, say_how_to_go_on
from linecard.cli.options import read_share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Word(NamedTuple):
    """Flag and metavar of an argument, if its name and its type do not imply them."""

    flag: str = ""
    metavar: str | None = None


_WORDS = {
    "chip": _Word("", "CHIP"),
    "a": _Word("", "A"),
    "b": _Word("", "[B]"),
    "file": _Word("", "FILE.toml"),
    "target": _Word("", "TARGET"),
    "vary": _Word("--vary", "KEY=VALUES"),
    "constraints": _Word("--where", "EXPRESSION"),
    "columns": _Word("--column", "NAME=EXPRESSION"),
    "program": _Word("--program", "PROGRAM"),
    "warmup_packets": _Word("--warmup", "N"),
    "shard": _Word("--shard", "I/N"),
    "sizes": _Word("--size", "BYTES,…"),
    "trace": _Word("--trace", "CAPTURE"),
    "what": _Word("--what", "NAME"),
    "sample": _Word("--sample", "KIND"),
    "width": _Word("--width", "SHARE"),
    "global_": _Word("--global"),
    "lengthen": _Word("--lengthen/--no-lengthen"),
}
_OWN: dict[str, tuple[Any, Any]] = {
    "store": (StoreOption, STORE),
    "jobs": (Jobs, None),
    "executor": (Executor, "threads"),
}
_TYPES = {"int": (int, "N"), "float": (float, "N"), "bool": (bool, None)}


def asks(function: Callable[..., object], *without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a function's arguments, except those in `without`, to a command as options; pass the values as `asked`."""
    meanings = _meanings(function)
    parameters = {
        name: _parameter(each, meanings[name])
        for name, each in inspect.signature(function).parameters.items()
        if name not in (*without, "progress") and each.kind is not inspect.Parameter.VAR_KEYWORD
    }
    lists = {name for name, each in inspect.signature(function).parameters.items() if "Sequence[" in each.annotation}

    def read(name: str, value: Any) -> Any:
        if name not in lists or value is None:
            return value
        return [part.strip() for part in value.split(",") if part.strip()]

    return added(parameters, "asked", read)


def answered(function: Callable[..., Any], asked: dict[str, Any]) -> Any:
    """Call the function with a progress display, and return its result."""
    with reported(asked["store"]) as progress:
        return function(**asked, progress=progress)


@contextmanager
def reported(store: Path) -> Iterator[Callable[[float, int], None] | None]:
    """Show the progress of runs; if the user interrupts the command, print how to continue."""
    from linecard.explore.execute import Interrupted
    from linecard.explore.store import Store

    try:
        with stderr.progress("Simulating", "runs") as progress:
            yield progress
    except Interrupted as stopped:
        say_how_to_go_on(stopped, Store(store))
        raise


def _meanings(function: Callable[..., object]) -> dict[str, str]:
    """Return the first sentence of each argument's description in the docstring."""
    section = (inspect.getdoc(function) or "").partition("Args:\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", section, re.MULTILINE)
    return {name: re.split(r"(?<=\.) ", " ".join(text.split()))[0].replace("``", "`") for name, text in rows}


def _parameter(argument: inspect.Parameter, meaning: str) -> inspect.Parameter:
    name, annotation = argument.name, str(argument.annotation)
    flag, metavar = _WORDS.get(name, _Word(f"--{name.replace('_', '-')}"))
    default = None if argument.default is argument.empty else argument.default
    said: dict[str, Any] = {"metavar": metavar, "help": meaning}
    kind: Any
    if name in _OWN:
        kind, default = _OWN[name]
    elif not flag:
        kind, default = Path if name == "file" else str, argument.default
        if name == "chip":
            said["autocompletion"] = completion.chips
        kind = Annotated[kind if default is argument.empty else kind | None, typer.Argument(**said)]
    else:
        kind, usual = _TYPES.get(annotation.removesuffix(" | None"), (str, "NAME"))
        said["metavar"] = metavar or usual
        if name == "precision":
            said |= {"metavar": "SHARE", "parser": read_share}
        if name == "seed":
            said["min"] = 0
        if re.search(r"Mapping\[|Iterable\[|Settings", annotation):
            kind, default = list[str], None
            said |= {"metavar": metavar or "KEY=VALUE", "help": f"{meaning.removesuffix('.')}; repeatable."}
        kind = Annotated[kind if default is not None else kind | None, typer.Option(flag, **said)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
