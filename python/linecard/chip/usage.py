"""Utilisation of the parts of a chip, and its bottleneck, for results and drawings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The bottleneck of a run, and the evidence.

    Attributes:
        component: The resource; if the chip carries all of its traffic, the offered load.
        utilization: Fraction of the time for which it was busy.
        why: The deciding numbers, as a sentence.
    """

    component: str
    utilization: float
    why: str


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """Fraction of the simulated time for which one resource was busy, 0 to 1.

    Attributes:
        component: The resource; of several alike, the mean and the busiest one.
        utilization: The fraction.
    """

    component: str
    utilization: float
