"""Means over seeds with their 95 % confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# 97.5 % points of Student's t by degrees of freedom; beyond the list, that of the normal distribution.
_T = (12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over seeds and its 95 % confidence interval; only two or more seeds yield an interval.

    Attributes:
        value: The mean over the seeds.
        low: Lower bound of the confidence interval; ``None`` if there is only one seed.
        high: Upper bound of the confidence interval; ``None`` if there is only one seed.
    """

    value: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """Compute the mean and the 95 % confidence interval of values from runs with independent seeds."""
        n = len(values)
        mean = sum(values) / n
        if n == 1:
            return cls(mean, None, None)
        spread = (sum((value - mean) ** 2 for value in values) / (n - 1) / n) ** 0.5
        half = spread * (_T[n - 2] if n - 2 < len(_T) else 1.96)
        return cls(mean, mean - half, mean + half)
