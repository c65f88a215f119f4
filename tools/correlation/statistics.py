"""Statistics of pairs of published and predicted rates: arithmetic on plain numbers."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# A curve is on its plateau while it is within this share of its largest value.
PLATEAU = 0.05


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of predictions.

    Attributes:
        points: Number of pairs.
        mean_abs: Mean absolute relative error, a fraction.
        median_abs: Median of the absolute relative errors, a fraction.
        bias: Mean relative error with its sign, a fraction; above zero, predictions are too high.
        worst: The error with the largest absolute value, a fraction.
        worst_at: Position of the pair with this error.
    """

    points: int
    mean_abs: float
    median_abs: float
    bias: float
    worst: float
    worst_at: int


def errors_of(published: Sequence[float], predicted: Sequence[float]) -> Errors | None:
    """Errors of predictions, each relative to its published value; ``None`` without pairs."""
    errors = [guess / true - 1 for true, guess in zip(published, predicted, strict=True)]
    if not errors:
        return None
    sizes = [abs(error) for error in errors]
    worst_at = sizes.index(max(sizes))
    return Errors(
        points=len(errors),
        mean_abs=statistics.fmean(sizes),
        median_abs=statistics.median(sizes),
        bias=statistics.fmean(errors),
        worst=errors[worst_at],
        worst_at=worst_at,
    )


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b: 1 if both lists rank all pairs in the same order, -1 if in opposite orders; ties do not count.

    The result is ``None`` if all values of one list are equal.
    """
    agreeing = only_first = only_second = 0
    for later in range(len(first)):
        for earlier in range(later):
            one = _sign(first[later] - first[earlier])
            other = _sign(second[later] - second[earlier])
            agreeing += one * other
            only_first += one != 0
            only_second += other != 0
    if not only_first or not only_second:
        return None
    return agreeing / math.sqrt(only_first * only_second)


def knee(rates: Sequence[float]) -> int:
    """Position from which on a curve stays within 5 % of its largest value."""
    enough = max(rates) * (1 - PLATEAU)
    at = len(rates) - 1
    while at > 0 and rates[at - 1] >= enough:
        at -= 1
    return at


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
