"""Wrappers for all functions of the compiled core: they turn a panic in the core into an ordinary Linecard error.

A Rust panic reaches Python as an exception that ``except Exception`` does not catch. When Python imports the core, the
core wraps each of its functions in `guarded`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from linecard.errors import ConfigError, InternalError

# The report shows this much of a request: enough for its names, counts and seed.
_MOST_CHARACTERS = 300


def guarded(function: Callable[..., Any], panic: type[BaseException], place: Callable[[], str]) -> Callable[..., Any]:
    """Wrap a core function so that a panic raises ``InternalError``."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except OverflowError as error:
            # A number is outside of its type; a note contains the argument's name.
            notes = "".join(getattr(error, "__notes__", ())) or "while processing 'an argument'"
            name = notes.rpartition(" '")[2].removesuffix("'")
            value = named.get(name)
            found = f"the number is out of range ({error})" if value is None else f"found {_short(value)}"
            # The error does not state the type: a number of 64 bits overflows only the shorter type.
            bits = 32 if isinstance(value, int) and 0 <= value < 2**64 else 64
            raise ConfigError.at(name, "", f"{found}, expected a whole number from 0 to 2^{bits} - 1") from None
        except panic as error:
            asked = [_short(value) for value in arguments]
            asked += [f"{name}={_short(value)}" for name, value in named.items() if value not in (None, [], False)]
            raise InternalError(
                f"internal error: {error} (at {place()}); report it with the input files of this request: "
                f"{function.__name__}({', '.join(asked)})"
            ) from None

    return call


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…"
