"""A search for the highest load whose loss stays below a goal, for several goals at once, in the manner of MLRsearch.

Loads lie on a grid of equal ratios, each the goal's width below the one before: load n is the largest times
(1 - width)^n. The answer for a goal is a pair of neighbours: too much loss at the upper one, not at the lower one.
Three ideas make it short: the largest load goes first, every trial counts for every goal, and what an overloaded device
still forwards says where to look next (RFC 2544's bisection uses none of them). A fourth is open to a simulator: how
busy the busiest part was at a load that held says how much more it can carry.

The search knows nothing of what is measured: it asks for a load and is told the share that was lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

# Steps of the grid that a loss may send the search down by at once.
_FARTHEST = 32
# A loss above this is no loss of bursts.
_MUCH = 0.02
# Where forwarding grows nearly as load does, a line through it meets the load nowhere.
_STEEPEST = 0.9
# Steps up from the first, second and third load that held, where the loss says that it is the answer.
_STRIDES = (1, 8, 32)


@dataclass(slots=True)
class Search:
    """One search.

    Attributes:
        goals: Shares of loss that are allowed, such as 0 and 0.005.
        width: Relative width of the answers: 0.005 is 0.5 %.
        floor: Share of the largest load at which it gives up.
        losses: Share lost, by number of the load.
        busy: Share of the time for which the busiest part was busy, where it was told.
    """

    goals: tuple[float, ...]
    width: float
    floor: float
    losses: dict[int, float] = field(default_factory=dict)
    busy: dict[int, float] = field(default_factory=dict)

    def share(self, number: int) -> float:
        """A load as a share of the largest."""
        return (1 - self.width) ** number

    def tell(self, number: int, lost: float, busy: float | None = None) -> None:
        """Tell the share that was lost at a load, 0 to 1, and how busy the busiest part was."""
        self.losses[number] = lost
        if busy is not None and busy > 0:
            self.busy[number] = min(1.0, busy)

    def _last(self) -> int:
        """The lowest load that is tried."""
        return math.ceil(math.log(self.floor) / math.log(1 - self.width))

    def bounds(self, goal: float) -> tuple[int | None, int | None]:
        """The highest load that holds and the lowest above it that does not; ``None`` where there is none yet.

        Where loss does not grow with load, what was lost at a lower load counts: all loads up to the answer must hold.
        """
        failed = [number for number, lost in self.losses.items() if lost > goal]
        worst = max(failed, default=None)
        held = [number for number, lost in self.losses.items() if lost <= goal and (worst is None or number > worst)]
        return min(held, default=None), worst

    def done(self, goal: float) -> bool:
        """Whether the answer for a goal is known."""
        held, failed = self.bounds(goal)
        if held is None:
            return failed is not None and failed >= self._last()
        return held == 0 or failed == held - 1

    def next(self) -> int | None:
        """The load to try next; ``None`` when every goal is answered."""
        if not self.losses:
            return 0
        # A goal that allows more is nearer to what is known; what is found for it helps the others.
        for goal in sorted(self.goals, reverse=True):
            if not self.done(goal):
                return self._next_for(goal)
        return None

    def _next_for(self, goal: float) -> int:
        held, failed = self.bounds(goal)
        if failed is None:
            assert held is not None
            return held - 1
        # Down from what failed, as far as its loss says, and further each time that was not far enough.
        down = self._guess(goal, failed)
        if held is None:
            return min(self._last(), down)
        if down < held:
            return down
        # What holds is already as high as the loss says. A device that forwards less when it is overloaded says too
        # little: how busy it is says more, once. Else a step up, and further ones while they hold.
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
        """The load at which the part that is busiest at one that holds would always be busy."""
        if held not in self.busy:
            return None
        return math.ceil(math.log(min(1.0, self.share(held) / self.busy[held])) / math.log(1 - self.width) - 1e-9)

    def _guess(self, goal: float, failed: int) -> int:
        """Where the loss is the goal.

        An overloaded device goes on forwarding what it forwards. Where it forwards more or less at a lower load, the
        two lowest loads that failed say where it ends: the line through both, in logarithms, of what was forwarded over
        load; but where little is lost, bursts are, and the loss falls as the square of the distance.
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
        """How far to go on: twice as far as the last step, if there was one nearby with the same end."""
        before = [
            abs(number - other)
            for other, lost in self.losses.items()
            if (other - number) * way > 0 and (lost <= goal) == (way > 0)
        ]
        return 2 * min(before) if before and min(before) <= _FARTHEST else 1
