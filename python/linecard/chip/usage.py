"""How busy the parts of a chip were, and which of them limits it: what results and drawings share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """What limits the run, and how that was decided.

    Attributes:
        component: The resource; of a chip that carries all that comes, the offered load.
        utilization: Share of the time for which it was busy.
        why: The numbers that decide it, as a sentence.
    """

    component: str
    utilization: float
    why: str


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """Share of the simulated time for which one resource was busy, 0 to 1.

    Attributes:
        component: The resource; of several that are alike the mean, and the busiest.
        utilization: The share.
    """

    component: str
    utilization: float
