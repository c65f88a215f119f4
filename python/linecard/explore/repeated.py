"""Averages the results of sweep points over seeds, with confidence intervals, and finds the best point.

All points use the same seeds, and therefore the same traffic. Two points are compared seed by seed: for each seed, both
points have equal traffic, whose effect cancels in the difference.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linecard.chip.length import DOUBTS, RATE_ONLY, RATES, SAME, has_numbers
from linecard.explore.wording import cell_text
from linecard.interval import Estimate
from linecard.numbers import is_number

# The ranked number: the first of these that the table has.
_RANKED = ("throughput_gbps", "ndr_mpps", "bandwidth_gbytes_s", "hit_rate_percent", "throughput_mops")
# 99.5 % points of Student's t by degrees of freedom; beyond the list, that of the normal distribution. The best is one
# of several points, so 95 % per comparison would name a wrong one too often.
_T = (63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947)
_T_NORMAL = 2.576
# The most points that a sentence names.
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Repeated:
    """One point of a sweep, summarised over its seeds.

    Attributes:
        point: Value of each axis except the seed.
        seeds: Seeds of the successful runs, ascending.
        status: Status: ``ok``, ``refused``, ``failed``, or the reason why a run was not conclusive, such as ``not
            steady``.
        numbers: Mean and 95 % confidence interval of each metric that all runs of the point have.
        values: Values of each metric by name, in the order of the seeds.
    """

    point: Mapping[str, Any]
    seeds: tuple[int, ...]
    status: str
    numbers: Mapping[str, Estimate]
    values: Mapping[str, tuple[float, ...]]

    def name(self) -> str:
        """Return the axis values of the point as text."""
        return ", ".join(f"{axis}={cell_text(value)}" for axis, value in self.point.items()) or "the one point"


@dataclass(frozen=True, slots=True)
class Best:
    """The point of a sweep with the best mean, and the points that cannot be distinguished from it.

    Attributes:
        number: Name of the metric that ranks the points.
        point: The point with the highest mean among the points whose runs are steady.
        rivals: Points that are not significantly worse than the best point: the 99 % interval of the paired difference
            contains zero.
        unknown: Points that may have a higher mean than the best point, but whose runs are inconclusive; only longer
            runs can decide.
        left_out: Number of points that are not ranked because a run was inconclusive, refused or failed.
    """

    number: str
    point: Repeated
    rivals: tuple[Repeated, ...]
    unknown: tuple[Repeated, ...]
    left_out: int

    def sentence(self) -> str:
        """Return a sentence that names the best point."""
        unranked = f"; {self.left_out:,} not ranked (not steady, refused or failed)" if self.left_out else ""
        if self.unknown:
            named = "; ".join(each.name() for each in self.unknown[:_NAMED])
            was = " or ".join(dict.fromkeys(each.status for each in self.unknown))
            return (
                f"highest {self.number}: not known. The result of {named} was {was}, and may exceed the result of "
                f"{self.point.name()}{unranked}. Use longer runs (--packets) to decide"
            )
        if not self.rivals:
            return f"highest {self.number}: {self.point.name()} (statistically significant){unranked}"
        tied = [self.point, *self.rivals]
        named = "; ".join(each.name() for each in tied[:_NAMED])
        more = f" and {len(tied) - _NAMED:,} more" if len(tied) > _NAMED else ""
        return (
            f"highest {self.number}: these {len(tied):,} points cannot be distinguished: {named}{more}{unranked}. "
            "More seeds (--repeat) or more packets (--packets) narrow the intervals"
        )


def over_seeds(axes: Sequence[str], numbers: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[Repeated]:
    """Group the rows of a table by point, if points have several seeds; the order of the table is kept."""
    kept = [axis for axis in axes if axis != "seed"]
    groups: dict[tuple[tuple[type, Any], ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple((type(row[axis]), row[axis]) for axis in kept), []).append(row)
    return [_point(kept, numbers, sorted(group, key=_seed_of)) for group in groups.values()]


def _seed_of(row: Mapping[str, Any]) -> float:
    """The seed of a row; a seed that is no number, whose run was refused, sorts last."""
    return float(row["seed"]) if is_number(row["seed"]) else math.inf


def _point(axes: Sequence[str], numbers: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Repeated:
    well = [row for row in rows if has_numbers(row)]
    # Errors come before doubts.
    wrong = [row["status"] for row in rows if not has_numbers(row)]
    wrong += [row["status"] for row in well if row["status"] != "ok"]
    values = {}
    for name in numbers:
        column = [row[name] for row in well]
        if column and all(map(is_number, column)):
            values[name] = tuple(float(each) for each in column)
    return Repeated(
        point={axis: rows[0][axis] for axis in axes},
        seeds=tuple(int(row["seed"]) for row in well),
        status=wrong[0] if wrong else "ok",
        numbers={name: Estimate.of(column) for name, column in values.items()},
        values=values,
    )


def best_of(points: Sequence[Repeated]) -> Best | None:
    """Return the best of several points; ``None`` if fewer than two points can be ranked."""
    number = next((name for name in _RANKED if any(name in each.numbers for each in points)), None)
    if number is None:
        return None
    sure = {"ok", RATE_ONLY} if number in RATES else {"ok"}
    ranked = [each for each in points if each.status in sure and number in each.numbers and len(each.seeds) > 1]
    if len(ranked) < 2:
        return None
    first = max(ranked, key=lambda each: each.numbers[number].value)
    rivals = [each for each in ranked if each is not first and not _clear(first, each, number)]
    unsure = [each for each in points if each.status in DOUBTS and each.status not in sure and number in each.numbers]
    unknown = [each for each in unsure if not _clear(first, each, number)]
    rivals.sort(key=lambda each: -each.numbers[number].value)
    return Best(number, first, tuple(rivals), tuple(unknown), len(points) - len(ranked))


def _clear(first: Repeated, other: Repeated, number: str) -> bool:
    """Whether one point significantly exceeds another, on the seeds that both have.

    The standard error is the larger of two: that of the paired differences, which a few seeds can make small by chance,
    and that of the runs' own intervals, if they have any.
    """
    places = {seed: place for place, seed in enumerate(other.seeds)}
    pairs = [(place, places[seed]) for place, seed in enumerate(first.seeds) if seed in places]
    differences = [first.values[number][a] - other.values[number][b] for a, b in pairs]
    freedom = len(differences) - 1
    if freedom < 1:
        return False
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    within = [_own_error(first, number, a) ** 2 + _own_error(other, number, b) ** 2 for a, b in pairs]
    own = math.sqrt(sum(within)) / len(pairs)
    bound = max(error * (_T[freedom - 1] if freedom <= len(_T) else _T_NORMAL), own * _T_NORMAL)
    # If only the rate of a run is conclusive, it has this margin.
    bound += sum(SAME * each.numbers[number].value for each in (first, other) if each.status == RATE_ONLY)
    return bool(statistics.fmean(differences) > bound)


def _own_error(point: Repeated, number: str, place: int) -> float:
    """Return the standard error of one run's number from its own 95 % interval; 0 without an interval."""
    low, high = (point.values.get(f"{number}_{bound}") for bound in ("low", "high"))
    return 0.0 if low is None or high is None else (high[place] - low[place]) / (2 * 1.96)
