"""Makes commands from functions of the package, with arguments as options and docstrings as help texts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from linecard.cli import completion
from linecard.cli.asked import added, maps
from linecard.cli.options import read_share
from linecard.errors import ConfigError

# In place of flags: an argument, not an option.
ARGUMENT = "-"
STORE = Path("results/store")


class Word(NamedTuple):
    """The command-line form of an argument, if this form does not follow from the argument's name and type.

    Attributes:
        flags: Flags of the option, separated by spaces; by default, the name with ``--``. A required argument of a
            function has no flag.
        metavar: Placeholder of the value. A placeholder that ends in ``,…`` means a comma-separated list; for other
            lists, the user repeats the option.
        least: Minimum of a number.
        most: Maximum of a number.
        kind: Type of the value, if it is not the type of the function's argument.
        usual: Default on the command line, if it differs from the function's default.
    """

    flags: str = ""
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    kind: Any = None
    usual: Any = None


# The spellings that all commands share.
_WORDS = {
    "a": Word(ARGUMENT, "A"),
    "b": Word(ARGUMENT, "[B]"),
    "bits": Word(metavar="N"),
    "budget": Word(least=1),
    "cache": Word(metavar="FOLDER", kind=Path),
    "cflags": Word(metavar="FLAGS"),
    "chip": Word(ARGUMENT, "CHIP"),
    "columns": Word("--column", "NAME=EXPRESSION"),
    "constraints": Word("--where", "EXPRESSION"),
    "control": Word(metavar="FILE", kind=Path),
    "defines": Word("--define -D", "NAME=VALUE"),
    "fib": Word(metavar="FILE.csv", kind=Path),
    "file": Word(ARGUMENT, "FILE.toml", kind=Path),
    "global_": Word("--global"),
    "lengthen": Word("--lengthen/--no-lengthen"),
    "machine": Word(metavar="M"),
    "maps": Word("--map", "NAME=FILE"),
    "net": Word(ARGUMENT, "NET", kind=Path),
    "overrides": Word("--set", "NAME=VALUE"),
    "packets": Word(least=0),
    "payload": Word(metavar="KIND"),
    "precision": Word(metavar="SHARE"),
    "preset": Word(ARGUMENT, "PRESET"),
    "program": Word(metavar="PROGRAM"),
    "rate": Word(metavar="RATE"),
    "routes": Word("--map-addresses", "ROUTES", kind=Path),
    "sample": Word(metavar="KIND"),
    "seed": Word(least=0),
    "shard": Word(metavar="I/N"),
    "search": Word(metavar="WORDS"),
    "sizes": Word("--size", "BYTES,…"),
    "store": Word(metavar="DIR", kind=Path, usual=STORE),
    "target": Word(ARGUMENT, "TARGET"),
    "term": Word(ARGUMENT, "[TERM]"),
    "trace": Word(metavar="CAPTURE"),
    "vary": Word(metavar="KEY=VALUES"),
    "warmup_packets": Word("--warmup"),
    "width": Word(metavar="SHARE"),
}
_COMPLETED = {
    "chip": completion.chips,
    "kind": completion.kinds,
    "like": completion.chips,
    "preset": completion.presets,
    "term": completion.terms,
}
_TYPES = {"int": (int, "N"), "float": (float, "N"), "bool": (bool, None)}


def asks(
    function: Callable[..., object], *without: str, into: str = "asked", **words: Word
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a function's arguments, except `without`, to a command as options; pass their values as the argument `into`.

    `words` contains command-line forms that only this command uses.
    """
    meanings = _meanings(function)
    spelled = {**_WORDS, **words}
    arguments = {
        name: each
        for name, each in inspect.signature(function).parameters.items()
        if name not in (*without, "progress") and each.kind is not inspect.Parameter.VAR_KEYWORD
    }
    parameters = {name: _parameter(each, spelled.get(name, Word()), meanings[name]) for name, each in arguments.items()}

    def read(name: str, value: Any) -> Any:
        if name == "maps":
            return maps(value or ())
        if value is None and arguments[name].default == ():
            return ()
        if isinstance(value, str) and _is_list(spelled.get(name, Word())):
            return [
                _item(name, each.strip(), str(arguments[name].annotation)) for each in value.split(",") if each.strip()
            ]
        return value

    return added(parameters, into, read)


def _meanings(function: Callable[..., object]) -> dict[str, str]:
    """Return the first sentence of each argument's description in the docstring."""
    section = (inspect.getdoc(function) or "").partition("Args:\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", section, re.MULTILINE)
    sentences = {name: re.split(r"(?<=\.) ", " ".join(text.split()))[0] for name, text in rows}
    return {name: re.sub(r'``"([^"`]*)"``|``(.*?)``', r"`\1\2`", text) for name, text in sentences.items()}


def _is_list(word: Word) -> bool:
    return (word.metavar or "").endswith(",…")


def _item(name: str, text: str, annotation: str) -> str | int:
    """One value of a list: a whole number if the list may have numbers."""
    if "int" not in annotation or ("str" in annotation and not text.isdigit()):
        return text
    try:
        return int(text)
    except ValueError:
        message = f"found {text!r}, expected whole numbers separated by commas, such as 4,8"
        raise ConfigError.at(f"--{name}", "", message) from None


def _parameter(argument: inspect.Parameter, word: Word, meaning: str) -> inspect.Parameter:
    name, annotation = argument.name, str(argument.annotation)
    default = argument.default if word.usual is None else word.usual
    is_required = default is argument.empty
    said: dict[str, Any] = {"metavar": word.metavar, "help": meaning}
    if name in _COMPLETED:
        said["autocompletion"] = _COMPLETED[name]
    usual_kind, usual = _TYPES.get(annotation.removesuffix(" | None"), (str, "NAME"))
    kind: Any = word.kind or usual_kind
    if word.flags == ARGUMENT or (is_required and not word.flags):
        argument_type: Any = Annotated[kind if default is not None else kind | None, typer.Argument(**said)]
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=argument_type, default=default)
    said["metavar"] = word.metavar or usual
    if name == "precision":
        said["parser"] = read_share
    if kind in (int, float):
        said |= {"min": word.least, "max": word.most}
    if _is_list(word):
        default = ",".join(map(str, default)) if isinstance(default, tuple) else default
    elif re.search(r"Mapping\[|Iterable\[|Sequence\[|Settings", annotation):
        kind = list[int] if "[int]" in annotation else list[str]
        default = None
        said |= {"metavar": word.metavar or "KEY=VALUE", "help": f"{meaning.removesuffix('.')}; repeatable."}
    flags = word.flags.split() or [f"--{name.replace('_', '-')}"]
    option_type: Any = Annotated[kind if default is not None else kind | None, typer.Option(*flags, **said)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=option_type, default=default)
