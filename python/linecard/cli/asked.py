"""Command-line options that are derived from the requests declared by the core (`linecard._options`)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linecard._options import options
from linecard.cli import completion
from linecard.cli.options import read_share
from linecard.cli.output import Json, Output, Outputs
from linecard.errors import ConfigError

if TYPE_CHECKING:
    from linecard._options import Option

# The type of each kind of value on the command line, and the kinds that may be repeated.
_TYPES: dict[str, Any] = {"whole": int, "number": float, "switch": bool, "path": Path, "share": float}
_SEVERAL = ("settings", "texts", "maps")
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
# The options that replace the argument `outputs` of a command.
_OUTPUTS = (
    inspect.Parameter("json", _KEYWORD, annotation=Json, default=False),
    inspect.Parameter("output", _KEYWORD, annotation=Output, default=None),
)


def maps(given: Sequence[str]) -> dict[str, str]:
    """Parse strings of the form NAME=FILE into map names and their files."""
    found: dict[str, str] = {}
    for each in given:
        name, equals, file = each.partition("=")
        if not (name and equals and file):
            raise ConfigError.at("--map", "", f"found {each!r}, expected NAME=FILE, such as --map routes=routes.csv")
        found[name] = file
    return found


def takes(*groups: str, into: str = "asked") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the options of the given groups to a command, and pass their values as a dictionary keyed by Python name.

    If the command itself declares an option of a group, the declaration of the command applies. A command that `asks`
    for arguments, too, receives all values in one dictionary.
    """
    several = {each.name: each for each in options(*groups) if each.flags or each.required}
    # Options of a request precede options of its results; options of a program alone follow their subject.
    return added(
        {name: _parameter(each) for name, each in several.items()},
        into,
        lambda name, value: _read(several[name], value),
        first=groups != ("program",),
    )


def added(
    parameters: Mapping[str, inspect.Parameter], into: str, read: Callable[[str, Any], Any], *, first: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add parameters before or after a command's own parameters, and pass the added values as one argument.

    The options ``--json`` and ``--output`` replace the argument ``outputs`` of a command.
    """

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = [
            option
            for each in signature.parameters.values()
            if each.name != into
            for option in (_OUTPUTS if each.name == "outputs" else (each.replace(kind=_KEYWORD),))
        ]
        several = {name: each for name, each in parameters.items() if name not in signature.parameters}

        @functools.wraps(command)
        def call(*args: Any, **kwargs: Any) -> None:
            given = kwargs.pop(into, {}) | {name: read(name, kwargs.pop(name)) for name in several}
            if "outputs" in signature.parameters:
                kwargs["outputs"] = Outputs(kwargs.pop("json"), kwargs.pop("output"))
            command(*args, **kwargs, **({into: given} if into else {}))

        shown = [*several.values(), *own] if first else [*own, *several.values()]
        call.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
        call.__annotations__ = {each.name: each.annotation for each in shown}
        return call

    return with_options


def prints(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options ``--json`` and ``--output`` to a command that declares all of its other options."""
    return added({}, "", lambda _, value: value)(command)


def _read(option: Option, value: Any) -> Any:
    return maps(value or ()) if option.kind == "maps" else value or () if option.kind == "texts" else value


def _parameter(option: Option) -> inspect.Parameter:
    several = option.kind in _SEVERAL
    kind: Any = list[str] if several else _TYPES.get(option.kind, str)
    said: dict[str, Any] = {
        "metavar": option.metavar,
        "help": option.help.removesuffix(".") + "; repeatable." if several else option.help,
    }
    if option.kind == "chip":
        said["autocompletion"] = completion.chips
    if option.required and not option.flags:
        annotation: Any = Annotated[kind, typer.Argument(**said)]
        return inspect.Parameter(option.name, _KEYWORD, annotation=annotation)
    if option.kind == "share":
        said["parser"] = read_share
    if option.least or option.most:
        # The check of requests words an error for a negative number.
        said |= {"min": option.least, "max": option.most}
    default = inspect.Parameter.empty if option.required else None if several else option.usual
    annotation = Annotated[kind if default is not None else kind | None, typer.Option(*option.flags, **said)]
    return inspect.Parameter(option.name, _KEYWORD, annotation=annotation, default=default)
