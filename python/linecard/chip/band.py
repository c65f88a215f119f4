"""The band of a number: what it comes to over the intervals that sources give parameters.

Each interval is tried at its own ends, with all else as stated: 2n runs. What raises the number is then put together in
one run, and what lowers it in another: 2n + 2 runs beside that of the stated values. So intervals of opposite effect, a
latency and a number of banks, do not hide each other, and each says how much of the band is its own.
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
    """How much of a band one interval makes alone.

    Attributes:
        key: The parameter.
        low: The smaller of the numbers at its two ends and the stated one.
        high: The larger.
    """

    key: str
    low: float
    high: float

    @property
    def width(self) -> float:
        """How far apart they are."""
        return self.high - self.low


def alone(ranges: Sequence[ValueRange]) -> list[tuple[str, ...]]:
    """The changes of the runs with one parameter at one end: both ends of the first range, of the second, and so on."""
    return [(end,) for each in ranges for end in each.ends]


def together(
    stated: float, ranges: Sequence[ValueRange], numbers: Sequence[float]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The changes of the two last runs: all that lowers the number together, and all that raises it.

    ``numbers`` are those of the runs of `alone`, in their order. The sign of an interval's effect is that of the
    difference between its own ends: one run has the end with the smaller number, the other one that with the larger.
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
    """What each interval makes alone, the widest first; those without effect are left out."""
    found = []
    for position, each in enumerate(ranges):
        ends = (stated, *numbers[2 * position : 2 * position + 2])
        found.append(Width(each.key, min(ends), max(ends)))
    small = abs(stated) * NO_EFFECT
    return sorted((each for each in found if each.width > small), key=lambda each: (-each.width, each.key))
