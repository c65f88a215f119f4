"""Searches for the highest load at which the loss meets a goal, for several goals in one search, similar to MLRsearch.

Loads form a geometric sequence: load n is the largest load times (1 - width)^n. The result for each loss goal is a pair
of adjacent loads: only the lower load meets the goal.

This search requires fewer trials than the bisection of RFC 2544, for four reasons:

- The search tries the largest load first.
- The result of every trial is used for all goals.
- If a load overloads the device, the measured throughput predicts the next load to try.
- If a load meets the goal, the simulated utilisation of the busiest part predicts the highest load that meets the goal.

The search runs no simulations: its caller requests a load, simulates a trial at this load, and reports the loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

# The most grid steps down after one trial.
_FARTHEST = 32
# The largest loss that bursts may cause.
_MUCH = 0.02
# If throughput grows nearly as fast as load, the line through it does not meet the load.
_STEEPEST = 0.9
# Steps up from the first, second and third load that held, if the loss predicts that load.
_STRIDES = (1, 8, 32)


@dataclass(slots=True)
class Search:
    """A search that finds, for each of several loss goals, the highest load that meets the goal.

    Attributes:
        goals: Maximum losses as fractions, such as 0 and 0.005.
        width: Relative difference between adjacent loads; for example, 0.005 means 0.5 %.
        floor: Lowest load to try, as a fraction of the largest load.
        losses: Measured loss of each tried load, by load index.
        busy: Utilisation of the busiest part, if known, by load index.
    """

    goals: tuple[float, ...]
    width: float
    floor: float
    losses: dict[int, float] = field(default_factory=dict)
    busy: dict[int, float] = field(default_factory=dict)

    def share(self, number: int) -> float:
        """Return the load with the given index, as a fraction of the largest load."""
        return (1 - self.width) ** number

    def tell(self, number: int, lost: float, busy: float | None = None) -> None:
        """Store the loss ratio, and the utilisation of the busiest part, for a load."""
        self.losses[number] = lost
        if busy is not None and busy > 0:
            self.busy[number] = min(1.0, busy)

    def _last(self) -> int:
        """The number of the lowest load of the search."""
        return math.ceil(math.log(self.floor) / math.log(1 - self.width))

    def bounds(self, goal: float) -> tuple[int | None, int | None]:
        """Return the indices of the highest passing and the lowest failing load; an unknown index is ``None``.

        A load that passes is ignored if a lower load fails.
        """
        failed = [number for number, lost in self.losses.items() if lost > goal]
        worst = max(failed, default=None)
        held = [number for number, lost in self.losses.items() if lost <= goal and (worst is None or number > worst)]
        return min(held, default=None), worst

    def done(self, goal: float) -> bool:
        """Whether the search has found the final pair of loads for a goal."""
        held, failed = self.bounds(goal)
        if held is None:
            return failed is not None and failed >= self._last()
        return held == 0 or failed == held - 1

    def next(self) -> int | None:
        """Return the index of the next load to try; ``None`` if the results for all goals are known."""
        if not self.losses:
            return 0
        # A goal that allows more loss is nearer to known loads, and its trials help the other goals.
        for goal in sorted(self.goals, reverse=True):
            if not self.done(goal):
                return self._next_for(goal)
        return None

    def _next_for(self, goal: float) -> int:
        held, failed = self.bounds(goal)
        if failed is None:
            assert held is not None
            return held - 1
        # The search goes from the load that failed down to the load that its loss predicts, and further after each
        # failure.
        down = self._guess(goal, failed)
        if held is None:
            return min(self._last(), down)
        if down < held:
            return down
        # The load that holds is as high as the loss predicts. A device that forwards less under overload predicts too
        # low a load, so the utilisation once predicts a higher one. Otherwise the search steps up, further while loads
        # hold.
        several = sum(lost <= goal for lost in self.losses.values())
        carried = self._carried(held)
        if carried is not None and several == 1 and failed < carried < held - 1:
            return carried
        if several <= len(_STRIDES):
            stride = _STRIDES[several - 1]
            if down - held <= stride and held - failed > 2 * stride:
                return held - stride
        return (held + failed) // 2

    def _carried(self, held: int) -> int | None:
        """The load at which the busiest part is always busy, predicted from a load that holds."""
        if held not in self.busy:
            return None
        return math.ceil(math.log(min(1.0, self.share(held) / self.busy[held])) / math.log(1 - self.width) - 1e-9)

    def _guess(self, goal: float, failed: int) -> int:
        """The load whose loss is predicted to be the goal.

        The throughput of an overloaded device is constant in most cases. If it changes with load, a line through the
        two lowest loads that failed predicts the load: throughput over load, in logarithms. If the loss is small,
        bursts cause it, and it falls as the square of the distance.
        """
        lost = self.losses[failed]
        target = min(1.0, self.share(failed) * (1 - lost) / (1 - goal))
        if target <= self.floor:
            return self._last()
        by_rate = math.ceil(math.log(target) / math.log(1 - self.width) - 1e-9)
        above = max((number for number, each in self.losses.items() if number < failed and each > lost), default=None)
        further = failed + self._stride(failed, -1, goal)
        if above is None:
            return max(by_rate, further)
        forwarded = [self.share(number) * (1 - self.losses[number]) for number in (above, failed)]
        if abs(forwarded[0] / forwarded[1] - 1) < self.width / 4:
            return by_rate
        if lost > _MUCH or failed - above > _FARTHEST:
            slope = math.log(forwarded[0] / forwarded[1]) / math.log(self.share(above) / self.share(failed))
            if slope > _STEEPEST:
                return max(by_rate, further)
            share = math.log(self.share(failed)) + math.log((1 - lost) / (1 - goal)) / (1 - slope)
            return min(self._last(), max(further, math.ceil(share / math.log(1 - self.width) - 1e-9)))
        slope = (math.sqrt(self.losses[above] - goal) - math.sqrt(lost - goal)) / (failed - above)
        return max(by_rate, failed + min(_FARTHEST, max(1, math.ceil(math.sqrt(lost - goal) / slope))))

    def _stride(self, number: int, way: int, goal: float) -> int:
        """The next step in a direction: twice the last step that was near and had the same outcome, else 1."""
        before = [
            abs(number - other)
            for other, lost in self.losses.items()
            if (other - number) * way > 0 and (lost <= goal) == (way > 0)
        ]
        return 2 * min(before) if before and min(before) <= _FARTHEST else 1
