"""One axis of a sweep: a name and its values, written as a list or a range.

| text | values |
|---|---|
| `1, 2, 4, 8` or `[1, 2, 4, 8]` | 1, 2, 4, 8 |
| `5..10` | whole numbers from 5 to 10 |
| `5..10 step 2` | 5, 7, 9 |
| `1..64 times 2` | 1, 2, 4, … 64 |
| `0.5..2 points 4` | 0.5, 1, 1.5, 2 |
| `1..1000 log points 4` | 1, 10, 100, 1000 |

A range without `step`, `times` or `points` is continuous. With `log`, the values of a range are evenly spaced on a
logarithmic scale. A sample can use a continuous range of fractional numbers; a grid cannot. In a grid, a range of
whole numbers without `step`, `times` or `points` means all whole numbers from its start to its end.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike, fspath
from typing import Any

from linecard.errors import ConfigError, ConfigProblem
from linecard.request import plain_value

Value = int | float | str | bool

MOST_VALUES = 1_000_000
# The most digits of a range's numbers, before the point or as zeros after it; more digits are a typing error.
_DIGITS = 15
# Digits of values with logarithmic spacing: precise enough, and readable.
_LOG_DIGITS = 6
_NUMBER = r"[+-]?(?:\d[\d_]*)(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(
    rf"(?P<low>{_NUMBER})\s*\.\.\s*(?P<high>{_NUMBER})(?P<log>\s+log)?"
    rf"(?:\s+(?P<how>step|times|points)\s+(?P<by>{_NUMBER}))?"
)


@dataclass(frozen=True, slots=True)
class Interval:
    """A continuous range from which a sample draws the values of an axis.

    Attributes:
        low: Smallest value of the range.
        high: Largest value of the range.
        log: Whether samples are distributed uniformly on a logarithmic scale.
        whole: Whether the range contains whole numbers only.
    """

    low: float
    high: float
    log: bool
    whole: bool

    def at(self, share: float) -> Value:
        """Return the value at a relative position in the range, from 0 (lower end) to 1 (upper end)."""
        if self.whole:
            # Each whole number has the same width, the last one included.
            low, high = (int(self.low), int(self.high) + 1)
            if self.log:
                value = int(math.exp(math.log(low) + share * (math.log(high) - math.log(low))))
            else:
                value = int(low + share * (high - low))
            return min(max(value, int(self.low)), int(self.high))
        if self.log:
            return _rounded(math.exp(math.log(self.low) + share * (math.log(self.high) - math.log(self.low))))
        return _rounded(self.low + share * (self.high - self.low))


@dataclass(frozen=True, slots=True)
class Axis:
    """A key or an argument that a sweep varies.

    Attributes:
        name: A key as in ``--set KEY=VALUE``, or an argument such as ``chip`` or ``seed``.
        values: The values in order; empty if the axis is a continuous range of fractional numbers.
        interval: The continuous range from which a sample draws values; ``None`` for a list, or for a range with steps.
        place: Origin of the axis, for error messages: file and line, or the command-line option.
        group: Number of the group to which the axis belongs; the axes of a group change to their next values together.
    """

    name: str
    values: tuple[Value, ...]
    interval: Interval | None
    place: str
    group: int

    def at(self, share: float) -> Value:
        """Return the value at a relative position in the range or the list, from 0 (start) to 1 (end)."""
        if self.interval is not None:
            return self.interval.at(share)
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]


def _rounded(value: float) -> float:
    return float(f"{value:.12g}")


def read_axis(name: str, written: object, place: str, group: int) -> Axis:
    """Make an axis from a list, a single value or the text of a range.

    Raises:
        ConfigError: The list is empty, a value has an invalid type, or the range is invalid.
    """
    if isinstance(written, str) and (found := _RANGE.fullmatch(written.strip())):
        try:
            values, interval = _range(found)
        except _Wrong as error:
            raise ConfigError.at(place, name, f"found {written!r}, {error}") from error
        return Axis(name, values, interval, place, group)
    several: list[Any] = list(written) if isinstance(written, (list, tuple, range)) else [written]
    several = [fspath(value) if isinstance(value, PathLike) else value for value in several]
    if not several:
        raise ConfigError.at(place, name, "found no value, expected at least one")
    for value in several:
        if not isinstance(value, (bool, int, float, str)):
            raise ConfigError.at(place, name, f"found a {type(value).__name__}, expected numbers, texts, true or false")
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError.at(place, name, f"found {value}, expected a finite number")
        if isinstance(value, str) and re.search(r"\d\s*\.\.\s*\d", value) and " " in value.strip():
            raise ConfigError.at(
                place, name, f"found {value!r}, expected a range such as 5..10 step 2, 1..64 times 2, 1..9 log points 5"
            )
    return Axis(name, tuple(several), None, place, group)


class _Wrong(Exception):
    """A range is invalid."""


def _range(found: re.Match[str]) -> tuple[tuple[Value, ...], Interval | None]:
    if any(len(found[name] or "") > 2 * _DIGITS for name in ("low", "high", "by")):
        raise _Wrong(f"expected numbers of at most {_DIGITS} digits")
    low, high = Decimal(found["low"].replace("_", "")), Decimal(found["high"].replace("_", ""))
    if any(each and abs(each.adjusted()) > _DIGITS for each in (low, high)):
        raise _Wrong(f"expected numbers of at most {_DIGITS} digits")
    whole = (
        low == low.to_integral_value() and high == high.to_integral_value() and "." not in found[0].replace("..", "")
    )
    whole = whole and not re.search("[eE]", found[0].split(" ")[0])
    log, how = found["log"] is not None, found["how"]
    by = None if how is None else Decimal(found["by"].replace("_", ""))
    if by is not None and abs(by.adjusted()) > _DIGITS:
        raise _Wrong(f"expected {how} of at most {_DIGITS} digits")
    if high <= low:
        raise _Wrong("expected the smaller number first")
    if (log or how == "times") and low <= 0:
        raise _Wrong("expected numbers above 0, because each step multiplies the previous number")
    if log and how in {"step", "times"}:
        raise _Wrong(f"`log` cannot be combined with `{how}`; use `log points N`, or omit `log`")
    if by is None:
        interval = Interval(float(low), float(high), log, whole)
        fits = whole and not log and high - low < MOST_VALUES
        return (tuple(range(int(low), int(high) + 1)) if fits else ()), interval
    if how == "points":
        if by != by.to_integral_value() or not 2 <= by <= MOST_VALUES:
            raise _Wrong(f"expected 2 to {MOST_VALUES} points")
        return _points(low, high, int(by), log=log, whole=whole), None
    if how == "step" and by <= 0:
        raise _Wrong("expected a step above 0")
    if how == "times" and by <= 1:
        raise _Wrong("expected a factor above 1")
    values: list[Value] = []
    at = low
    while at <= high:
        exact = at == at.to_integral_value() and whole
        values.append(int(at) if exact else float(at))
        at = at + by if how == "step" else at * by
        if len(values) > MOST_VALUES:
            raise _Wrong(f"expected at most {MOST_VALUES} values")
    return tuple(values), None


def _points(low: Decimal, high: Decimal, points: int, *, log: bool, whole: bool) -> tuple[Value, ...]:
    found: dict[Value, None] = {}
    for number in range(points):
        if log:
            share = number / (points - 1)
            value = float(f"{math.exp(math.log(low) + share * (math.log(high) - math.log(low))):.{_LOG_DIGITS}g}")
        else:
            value = float(low + (high - low) * number / (points - 1))
        found[round(value) if whole else value] = None
    return tuple(found)


def _parts(text: str) -> list[str]:
    """The values of a list with commas; commas inside quotes belong to the value."""
    return [part.strip() for part in re.findall(r"""(?:[^,"']|"[^"]*"|'[^']*')+""", text) if part.strip()]


def read_option(text: str, group: int, option: str = "--vary") -> list[Axis]:
    """Return the axes of one ``--vary`` option (``KEY=VALUES``); a semicolon separates axes that vary together.

    Raises:
        ConfigError: The ``=`` is missing, or a list of values is invalid.
    """
    axes = []
    for part in text.split(";"):
        name, found, values = part.partition("=")
        if not found or not name.strip():
            message = f"found {part.strip()!r}, expected KEY=VALUES, such as island.threads=1,2,4"
            raise ConfigError.at(option, "", message)
        values = values.strip()
        written: object = values if _RANGE.fullmatch(values) else [plain_value(each) for each in _parts(values)]
        axes.append(read_axis(name.strip(), written, option, group))
    return axes


def check_groups(axes: Sequence[Axis]) -> list[ConfigProblem]:
    """List the errors in the axes: repeated values, and lists of different lengths in one group."""
    problems = []
    for group in dict.fromkeys(axis.group for axis in axes):
        members = [axis for axis in axes if axis.group == group]
        # In a group, the rows must differ.
        rows = [
            tuple((type(value), value) for value in row)
            for row in zip(*(axis.values for axis in members), strict=False)
        ]
        double = next((row for number, row in enumerate(rows) if row in set(rows[:number])), None)
        if double is not None:
            values = " and ".join(repr(value) for _, value in double)
            message = f"found {values} twice, expected each value once; for more seeds, use `repeat`"
            problems.append(ConfigProblem(members[0].place, members[0].name, message))
        if len({len(axis.values) for axis in members}) > 1:
            lengths = ", ".join(f"{axis.name} has {len(axis.values)}" for axis in members)
            problems.append(
                ConfigProblem(
                    members[0].place, "", f"expected the same number of values for every axis of a group: {lengths}"
                )
            )
    return problems
