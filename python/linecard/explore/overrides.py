"""Decides which value counts if a sweep names a key more than once: options replace what the file states.

A key has several spellings: ``island.threads`` and ``cluster.island.threads`` are one key of a chip that has a cluster
``island``. Names that are one key are compared in every spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigProblem
from linecard.explore.keys import Keys

if TYPE_CHECKING:
    from linecard.explore.axes import Axis

SameKey = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Fixed:
    """An argument or a key with one value for all points.

    Attributes:
        key: Name of the argument or key.
        value: The value.
        place: Origin of the value, for error messages: file and line, or the option.
    """

    key: str
    value: Any
    place: str


@dataclass(slots=True)
class Stated:
    """What a file states, or what options state.

    Attributes:
        fixed: Arguments and keys with one value for all points.
        axes: Axes.
    """

    fixed: list[Fixed] = field(default_factory=list)
    axes: list[Axis] = field(default_factory=list)

    def values_of(self, name: str) -> list[Any]:
        """Return all values of an argument or key."""
        fixed = [each.value for each in self.fixed if each.key == name]
        return fixed + [value for axis in self.axes if axis.name == name for value in axis.values]


def same_key(chips: Iterable[str]) -> SameKey:
    """Return a function that tests whether two names are one key of one of the chips."""
    chips = tuple(dict.fromkeys(chips))
    known: list[Keys] = []

    def is_same(one: str, other: str) -> bool:
        if one == other:
            return True
        # Only a longer spelling ends in the other one, so most sweeps need no description of a chip.
        if not (one.endswith(f".{other}") or other.endswith(f".{one}")):
            return False
        if not known:
            known.extend(map(Keys.of, chips))
        return any(keys.full(one) == keys.full(other) for keys in known)

    return is_same


def together(file: Stated, options: Stated, is_same: SameKey) -> tuple[Stated, list[ConfigProblem]]:
    """Return what counts, and the problems: keys that are set twice, varied twice, or both set and varied."""
    replaced = [each.key for each in options.fixed]
    varied = [axis.name for axis in options.axes]
    whole = Stated(
        [each for each in file.fixed if not _is_in(each.key, [*replaced, *varied], is_same)] + options.fixed,
        [axis for axis in file.axes if not _is_in(axis.name, varied, is_same)] + options.axes,
    )
    problems = [*_set_twice(whole.fixed, is_same), *_varied_twice(whole.axes, is_same)]
    return whole, [*problems, *_both(whole, options, is_same)]


def _is_in(key: str, several: Sequence[str], is_same: SameKey) -> bool:
    return any(is_same(key, each) for each in several)


def _set_twice(fixed: Sequence[Fixed], is_same: SameKey) -> Iterable[ConfigProblem]:
    for first, second in combinations(fixed, 2):
        # Of one spelling, the later value counts.
        if first.key != second.key and is_same(first.key, second.key):
            message = f"is set twice{_spelled(second.key, first.key)}; expected one value"
            yield ConfigProblem(second.place, second.key, message)


def _varied_twice(axes: Sequence[Axis], is_same: SameKey) -> Iterable[ConfigProblem]:
    for first, second in combinations(axes, 2):
        if is_same(first.name, second.name):
            message = f"is varied twice{_spelled(second.name, first.name)}; expected one list of values"
            yield ConfigProblem(second.place, second.name, message)


def _both(whole: Stated, options: Stated, is_same: SameKey) -> Iterable[ConfigProblem]:
    for each in whole.fixed:
        for axis in whole.axes:
            if not is_same(each.key, axis.name):
                continue
            message = f"is set, but {axis.place} varies it{_spelled(each.key, axis.name)}; omit the value or the axis"
            if axis not in options.axes:
                message += f". In `linecard sweep`, --vary {axis.name}={each.value} replaces the axis"
            yield ConfigProblem(each.place, each.key, message)


def _spelled(one: str, other: str) -> str:
    return "" if one == other else f", because `{other}` and `{one}` are one key"
