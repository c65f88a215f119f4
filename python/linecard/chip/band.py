"""The band of a number over the intervals of parameters.

Each interval runs at both ends with all other values as stated: 2n runs. One more run combines the ends that raise the
number, and one the ends that lower it. With the run of the stated values, this makes 2n + 3 runs. Intervals with
opposite effects, such as a latency and a number of banks, therefore do not hide each other. Each interval has its own
part of the band.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linecard.chip.reports import ValueRange

# Less than this share of the number is no effect; less than the other one says nothing to a reader.
NO_EFFECT, STILL = 1e-9, 1e-3


@dataclass(frozen=True, slots=True)
class Width:
    """The part of a band that one interval causes alone.

    Attributes:
        key: The parameter.
        low: Smallest number at its two ends and at the stated value.
        high: Largest number at its two ends and at the stated value.
    """

    key: str
    low: float
    high: float

    @property
    def width(self) -> float:
        """The difference of the largest and the smallest number."""
        return self.high - self.low


def alone(ranges: Sequence[ValueRange]) -> list[tuple[str, ...]]:
    """The changes of the runs with one parameter at one end: both ends of the first range, of the second, and so on."""
    return [(end,) for each in ranges for end in each.ends]


def together(
    stated: float, ranges: Sequence[ValueRange], numbers: Sequence[float]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The changes of the last two runs: all ends that lower the number, and all ends that raise it.

    ``numbers`` are the results of the runs of `alone`, in order. The difference between the ends of an interval has the
    sign of its effect. Of each interval, one run takes the end with the smaller result, the other
    run the end with the larger one.
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
    """The effect of each interval alone, the widest first; intervals without effect are left out."""
    found = []
    for position, each in enumerate(ranges):
        ends = (stated, *numbers[2 * position : 2 * position + 2])
        found.append(Width(each.key, min(ends), max(ends)))
    small = abs(stated) * NO_EFFECT
    return sorted((each for each in found if each.width > small), key=lambda each: (-each.width, each.key))
