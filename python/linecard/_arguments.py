"""What every public function makes of its arguments before it looks at them.

Numbers of NumPy, also within settings and axes, become those of Python. A bool is no count, what is no callable no
progress, and what is no mapping no settings; a name that no file can have, or a number that nothing takes, is told as
such. What a parameter takes follows from its annotation, so that no function says it twice.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import Any, ParamSpec, TypeVar

from linecard.errors import ConfigError, ConfigProblem

P = ParamSpec("P")
R = TypeVar("R")
# Numbers beyond this many bits are in no range, and Python refuses to write them down.
_MOST_BITS = 1024
_SHOWN = 80


def plain(function: Callable[P, R]) -> Callable[P, R]:
    """A function that takes plain arguments, and says of others in words what is wrong with them."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        bound = signature.bind(*args, **kwargs)
        problems: list[ConfigProblem] = []
        for name, value in bound.arguments.items():
            bound.arguments[name] = _taken(name, str(signature.parameters[name].annotation), value, problems)
        if problems:
            raise ConfigError.of(problems)
        return function(*bound.args, **bound.kwargs)

    return call


def _taken(name: str, annotation: str, value: Any, problems: list[ConfigProblem]) -> Any:
    def refuse(expected: str) -> Any:
        problems.append(ConfigProblem(name, "", f"found {shown(value)}, expected {expected}"))

    if value is None:
        return None
    options = set(annotation.split(" | "))
    if "Buffer" not in options:
        value = _plain_value(name, value, problems)
    if options <= {"int", "None"}:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            refuse("a whole number")
    elif options <= {"float", "None"}:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            refuse("a number")
        elif isinstance(value, int) and abs(value) > 1 << 63:
            value = float(value)
    elif "Progress" in annotation or annotation.startswith("Callable["):
        if not callable(value):
            refuse("a function that is called with what is done and how much there is")
    elif annotation.startswith("Mapping[") and "Iterable" not in annotation:
        if not isinstance(value, Mapping):
            refuse("a mapping of names to values, such as {'dram.banks': 2}")
    elif options <= {"str", "PathLike[str]", "None"} and not isinstance(value, (str, PathLike)):
        refuse("a name or the path of a file")
    return value


def _plain_value(name: str, value: Any, problems: list[ConfigProblem]) -> Any:
    """A value without anything of NumPy in it."""
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
    elif isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() > _MOST_BITS:
            problems.append(ConfigProblem(name, "", f"found {shown(value)}, expected a number of 64 bits at most"))
            return 0
    elif type(value) in {list, tuple}:
        return type(value)(_plain_value(name, each, problems) for each in value)
    elif type(value) is dict:
        return {key: _plain_value(f"{name}[{shown(key)}]", each, problems) for key, each in value.items()}
    return value


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_unicode(text: str) -> str:
    found = text[:_SHOWN].encode(errors="backslashreplace").decode()
    return f"found {found}, a name that is not UTF-8; rename the file, or use a link to it"


def shown(value: object) -> str:
    """A value as messages show it: not longer than a line, whatever it is."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"a number of {value.bit_length():,} bits"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
