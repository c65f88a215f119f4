"""Values that several threads share, such as a trace that many points of a sweep replay."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Shared(Generic[Value]):
    """Values by key: one thread makes a value, and all others wait for it; the least recently used ones are dropped."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; if there is none, ``make`` it."""
        with self._guard:
            alone = self._making.setdefault(key, threading.Lock())
        with alone:
            with self._guard:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]
            made = make()
            with self._guard:
                self._kept[key] = made
                while len(self._kept) > self._most:
                    gone, _ = self._kept.popitem(last=False)
                    self._making.pop(gone, None)
            return made
