"""Thread-safe conversion of plain data to results.

On the first conversion to a type, msgspec executes Python code that builds a description of the type. If two threads
make the first conversion at the same time, one thread uses an incomplete type description, and the process crashes
(msgspec 0.22). A lock ensures that only one thread at a time makes a first conversion.
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
    """Convert data to a type, as ``msgspec.convert`` does."""
    # A type is known once all of its parts are complete. A thread that meets a new part waits for the lock.
    if kind in _known:
        return msgspec.convert(data, kind)
    with _alone:
        found = msgspec.convert(data, kind)
        _known.add(kind)
    return found
