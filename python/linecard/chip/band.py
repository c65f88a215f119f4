"""The band of a result: the result's range when parameters vary over their stated intervals.

For n intervals, each of 2n runs sets one parameter to one end of its interval and keeps the stated values of all other
parameters. One more run combines all interval ends that raise the result, and another run combines all interval ends
that lower the result. Including the run with the stated values, a band of n intervals requires 2n + 3 runs. For the
last two runs, Linecard selects the end of each interval by its effect on the result. A run with all parameters at their
upper ends would not show the full range. For example, a higher latency lowers the throughput, but more banks raise it.
For each interval, the report also contains the range of the result when only the parameter of this interval varies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linecard.chip.reports import ValueRange

# A change below the first share is no effect; a change below the second is not worth reporting.
NO_EFFECT, STILL = 1e-9, 1e-3


@dataclass(frozen=True, slots=True)
class Width:
    """The range of the result when only one parameter varies over its interval.

    Attributes:
        key: Key of the parameter.
        low: Smallest of the results at the two ends of the interval and at the stated value.
        high: Largest of the results at the two ends of the interval and at the stated value.
    """

    key: str
    low: float
    high: float

    @property
    def width(self) -> float:
        """The difference between the largest and the smallest result."""
        return self.high - self.low


def alone(ranges: Sequence[ValueRange]) -> list[tuple[str, ...]]:
    """Return the settings of the first runs; each of these runs sets one parameter to one end of its interval."""
    return [(end,) for each in ranges for end in each.ends]


def together(
    stated: float, ranges: Sequence[ValueRange], numbers: Sequence[float]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the settings of the last two runs: those for a low result, then those for a high result.

    ``numbers`` contains the results of the runs with the settings that `alone` returns, in the order of these settings.
    The settings for a low result contain those interval ends whose runs had the lower result. The settings for a high
    result contain the other ends.
    """
    lower: list[str] = []
    raised: list[str] = []
    for position, each in enumerate(ranges):
        least, most = sorted(zip(numbers[2 * position : 2 * position + 2], each.ends, strict=True))
        if most[0] - least[0] > abs(stated) * NO_EFFECT:
            lower.append(least[1])
            raised.append(most[1])
    return tuple(lower), tuple(raised)


def widths(stated: float, ranges: Sequence[ValueRange], numbers: Sequence[float]) -> list[Width]:
    """The effect of each interval by itself, sorted from largest to smallest; omits intervals without an effect."""
    found = []
    for position, each in enumerate(ranges):
        ends = (stated, *numbers[2 * position : 2 * position + 2])
        found.append(Width(each.key, min(ends), max(ends)))
    small = abs(stated) * NO_EFFECT
    return sorted((each for each in found if each.width > small), key=lambda each: (-each.width, each.key))
