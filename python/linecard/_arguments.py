"""Checks and conversions of arguments at the start of every public function.

Every public function converts NumPy numbers to Python numbers, including numbers in settings and axes. An argument of
the wrong type raises an error: for example, a bool as a count, or a ``progress`` that is not callable. Invalid file
names and out-of-range numbers also raise an error. The annotation of a parameter determines which types the parameter
accepts.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, ParamSpec, TypeVar

from linecard import _schema
from linecard.errors import ConfigError, ConfigProblem, did_you_mean

P = ParamSpec("P")
R = TypeVar("R")
# Integers with more bits than this are in no range, and Python refuses to print very long ones.
_MOST_BITS = 1024
_SHOWN = 80
# No argument has nested lists deeper than this.
_DEEPEST = 8


def plain(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function convert its arguments to plain types, and reject invalid arguments with a readable error."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        bound = signature.bind(*args, **kwargs)
        problems: list[ConfigProblem] = []
        for name, value in bound.arguments.items():
            if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                _check_names(signature.parameters, str(signature.parameters[name].annotation), value)
                bound.arguments[name] = {key: _plain_value(key, each, problems) for key, each in value.items()}
                continue
            bound.arguments[name] = _taken(name, str(signature.parameters[name].annotation), value, problems)
        ConfigError.check(problems)
        return function(*bound.args, **bound.kwargs)

    return call


def _check_names(parameters: Mapping[str, inspect.Parameter], annotation: str, given: Mapping[str, Any]) -> None:
    """Refuse a keyword argument that is neither a parameter nor an option of a program.

    Raises:
        TypeError: The function has no such argument.
    """
    # A function that takes any name, such as `sweep`, checks the names itself.
    options = {"Unpack[ProgramOptions]": _schema.ProgramOptions, "Unpack[Executed]": _schema.Executed}.get(annotation)
    if options is None:
        return
    named = [name for name, each in parameters.items() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    known = dict.fromkeys([*named, *options.__annotations__])
    for name in sorted(given.keys() - known.keys()):
        hint = did_you_mean(name, known, f"expected one of {', '.join(known)}")
        raise TypeError(f"got an unexpected keyword argument {name!r}; {hint}")


def _taken(name: str, annotation: str, value: Any, problems: list[ConfigProblem]) -> Any:
    options = _alternatives(annotation)
    before = len(problems)
    # A value that is neither text nor a path may be an array, which is taken unchanged.
    if "Buffer" not in options or isinstance(value, (str, PathLike)):
        value = _plain_value(name, value, problems)
    # An iterable that can be read only once is read here, where its elements are checked.
    if isinstance(value, Iterator) and any("terable[" in option or "Settings" in option for option in options):
        value = list(value)
    if len(problems) > before:
        return value
    if not any(_fits(option, value) for option in options):
        problems.append(ConfigProblem(name, "", f"found {shown(value)}, expected {_expected(options)}"))
    if options <= {"float", "None"} and isinstance(value, int) and abs(value) > 1 << 63:
        return float(value)
    return value


# Short names for longer annotations.
_ALIASES = {
    "Settings": "Mapping[str, object] | Iterable[str]",
    "Progress": "Called",
    "ProgressCallback": "Called",
    "SweepProgress": "Called",
}
_MEANT = {
    "int": "a whole number",
    "float": "a number",
    "bool": "True or False",
    "str": "text",
    "Called": "a function with the arguments (done, total)",
    "Mapping": "a mapping of names to values, such as {'dram.banks': 2}",
}
_SEVERAL = {"int": "whole numbers", "float": "numbers", "str": "texts", "Mapping": "mappings"}
_PATHS = {"str", "PathLike[str]"}


@functools.cache
def _alternatives(annotation: str) -> frozenset[str]:
    """The alternatives of an annotation, which `|` separates outside of brackets."""
    found, depth, start = [], 0, 0
    for at, character in enumerate(annotation + "|"):
        depth += (character == "[") - (character == "]")
        if character == "|" and not depth:
            found.append(annotation[start:at].strip())
            start = at + 1
    return frozenset(each for one in found for each in (_alternatives(_ALIASES[one]) if one in _ALIASES else {one}))


def _fits(option: str, value: Any) -> bool:
    """Whether a value has a type of an annotation. Its reader checks the contents further."""
    kind, _, rest = option.partition("[")
    match kind:
        case "int":
            return hasattr(type(value), "__index__") and not isinstance(value, bool)
        case "float":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "None":
            return value is None
        case "Mapping":
            return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
        case "Callable":
            return callable(value)
        case "Called":
            return callable(value) and _takes_two(value)
        case "PathLike":
            return isinstance(value, PathLike)
        case "Sequence" | "Iterable":
            within = _alternatives(rest[:-1])
            sized = isinstance(value, Iterable if kind == "Iterable" else Sequence)
            plain_text = isinstance(value, (str, bytes, Mapping))
            return sized and not plain_text and all(any(_fits(one, each) for one in within) for each in value)
        case "tuple":
            within_tuple = [each.strip() for each in rest[:-1].split(",")]
            matches = isinstance(value, (tuple, list)) and len(value) == len(within_tuple)
            return matches and all(map(_fits, within_tuple, value))
        case "Buffer":
            return _is_buffer(value)
        case "object" | "Value":
            return True
        case _:
            # `str` and `bool`, or a class of the package.
            return kind in {each.__name__ for each in type(value).__mro__}


def _takes_two(function: Callable[..., object]) -> bool:
    """Whether a function can be called with two arguments; a function without a signature is assumed to accept them."""
    try:
        inspect.signature(function).bind(0, 0)
    except TypeError:
        return False
    except ValueError:
        pass
    return True


def _is_buffer(value: object) -> bool:
    try:
        memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _expected(options: frozenset[str]) -> str:
    """The accepted types in words."""
    words = ["a name or the path of a file"] if options >= _PATHS else []
    # A mapping comes first, because it is meant most often.
    for option in sorted(options - {"None"} - (_PATHS if words else frozenset()), reverse=True):
        kind, _, rest = option.partition("[")
        if kind in {"Sequence", "Iterable"}:
            several = (_SEVERAL.get(each.partition("[")[0], f"{each}s") for each in _alternatives(rest[:-1]))
            words.append(f"a list of {' or '.join(sorted(several))}")
        elif kind == "tuple":
            words.append(f"a pair such as (1, {len(rest.split(','))})")
        else:
            words.append(_MEANT.get(kind, f"a {kind}"))
    return " or ".join(words)


def _plain_value(name: str, value: Any, problems: list[ConfigProblem], depth: int = 0) -> Any:
    """A value without any types of NumPy."""
    if depth > _DEEPEST:
        message = f"found lists nested {_DEEPEST} levels deep, expected at most two levels"
        problems.append(ConfigProblem(name, "", message))
        return None
    if hasattr(value, "dtype") and callable(getattr(value, "tolist", None)):
        value = value.tolist()
    if isinstance(value, PathLike):
        path: Any = fspath(value)
        if not isinstance(path, str):
            problems.append(ConfigProblem(name, "", f"found {shown(path)}, expected a path as text"))
        elif not _is_unicode(path):
            problems.append(ConfigProblem(name, "", _no_unicode(path)))
    elif isinstance(value, str):
        if not _is_unicode(value):
            problems.append(ConfigProblem(name, "", _no_unicode(value)))
        elif "\0" in value:
            problems.append(ConfigProblem(name, "", f"found {shown(value)}, expected text without a NUL character"))
    elif isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() > _MOST_BITS:
            problems.append(ConfigProblem(name, "", f"found {shown(value)}, expected a number of at most 64 bits"))
            return 0
    elif type(value) in {list, tuple}:
        return type(value)(_plain_value(name, each, problems, depth + 1) for each in value)
    elif type(value) is dict:
        return {key: _plain_value(f"{name}[{shown(key)}]", each, problems, depth + 1) for key, each in value.items()}
    return value


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_unicode(text: str) -> str:
    found = text[:_SHOWN].encode(errors="backslashreplace").decode()
    return f"found {found}, expected a name in UTF-8; rename the file, or use a link to it"


def shown(value: object) -> str:
    """Format a value for a message; a long value is truncated."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"a number of {value.bit_length():,} bits"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
