"""Plain data as results, from any number of threads.

msgspec gathers what it knows of a type when it first converts to it, runs Python meanwhile, and lets other threads see
what is not complete yet: two threads that first meet a type at the same time end the process (msgspec 0.22). The first
conversion to a type therefore happens alone.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar, overload

import msgspec

Result = TypeVar("Result")

_alone = threading.Lock()
_known: set[Any] = set()


@overload
def convert(data: Any, kind: type[Result]) -> Result: ...
@overload
def convert(data: Any, kind: Any) -> Any: ...
def convert(data: Any, kind: Any) -> Any:
    """Data as a type; as ``msgspec.convert``."""
    # A type is known when all that it is made of is complete: whoever meets a part of it anew waits for the lock.
    if kind in _known:
        return msgspec.convert(data, kind)
    with _alone:
        found = msgspec.convert(data, kind)
        _known.add(kind)
    return found
