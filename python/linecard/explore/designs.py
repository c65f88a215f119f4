"""The points of a design space during an optimisation, with objective values and neighbouring points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from linecard.chip.length import RATE_ONLY, RATES, has_numbers
from linecard.errors import ConfigError
from linecard.explore.expression import MEASURED
from linecard.explore.front import crowding, front_of
from linecard.explore.lookup import Lookup
from linecard.explore.objectives import LIMIT, OBJECTIVE, Task
from linecard.explore.points import Point, Points, make_points
from linecard.interval import Estimate
from linecard.numbers import is_number

if TYPE_CHECKING:
    from linecard.explore.result import Parts
    from linecard.explore.spec import Spec


def better_half(task: Task, judged: Mapping[int, Judged], batch: Sequence[int], count: int) -> list[int]:
    """Select the best points of a batch, one Pareto front after another; points that violate a limit come last."""
    found: list[int] = []
    good = [number for number in batch if judged[number].keeps]
    while good and len(found) < count:
        small = [minimised(task, judged[number]) for number in good]
        places = front_of(small)
        gaps = crowding([small[place] for place in places])
        order = sorted(range(len(places)), key=lambda n: (-gaps[n], n))
        found += [good[places[n]] for n in order]
        taken = set(found)
        good = [number for number in good if number not in taken]
    taken = set(found)
    # A longer run may meet a limit that a short run breaks; a refused point stays refused.
    found += [number for number in batch if number not in taken and judged[number].values]
    found += [number for number in batch if not judged[number].values]
    return found[:count]


def minimised(task: Task, judged: Judged) -> tuple[float, ...]:
    """Return the objective values of a point; objectives to maximise are negated, so lower is always better."""
    return tuple(each.sign * value for each, value in zip(task.objectives, judged.values, strict=True))


@dataclass(frozen=True, slots=True)
class Judged:
    """A point of the design space, and the results of the runs at this point.

    Attributes:
        number: Index of the point in the design space.
        values: Mean of each objective over the seeds; empty if a run has no results.
        estimates: Mean and confidence interval of each objective.
        keeps: Whether every run meets every limit and is conclusive; short first runs need not be conclusive.
        rows: Runs.
        parts: Utilisation of each part of the chip, and time of a packet in each part, for each run.
    """

    number: int
    values: tuple[float, ...]
    estimates: tuple[Estimate, ...]
    keeps: bool
    rows: tuple[Mapping[str, Any], ...]
    parts: tuple[Parts, ...]


def is_sure(task: Task, row: Mapping[str, Any]) -> bool:
    """Return whether the objectives, limits and columns use only conclusive results of a run."""
    if row["status"] != RATE_ONLY:
        return bool(row["status"] == "ok")
    expressions = [
        *(each.expression for each in task.objectives),
        *task.limits,
        *(each for _, each in task.spec.columns),
    ]
    known = {*RATES, "steady", *(axis.name for axis in task.spec.axes), *(name for name, _ in task.spec.columns)}
    names = {name for each in expressions for name in each.names} - known
    return not any(name in row or name.startswith(MEASURED) for name in names)


def judge(
    task: Task, number: int, rows: Sequence[Mapping[str, Any]], parts: Sequence[Parts], *, short: bool = False
) -> Judged:
    """Compute the objectives of a design point from the point's runs, and check the limits.

    Args:
        task: The optimisation task.
        number: Index of the point in the design space.
        rows: Runs.
        parts: Utilisation of each part of the chip, and time of a packet in each part, for each run.
        short: Whether the runs are short first runs, which need not be conclusive.

    Raises:
        ConfigError: An objective has no value at the point.
    """
    columns = [[row[OBJECTIVE + each.text] for row in rows] for each in task.objectives]
    went_well = all(has_numbers(row) for row in rows)
    numbers = [all(is_number(value) for value in column) for column in columns]
    if went_well and not all(numbers):
        text = task.objectives[numbers.index(False)].text
        message = f"`{text}` has no value for the run `{rows[0]['command']}`, expected a number"
        raise ConfigError.at("objectives", "", message)
    if not went_well:
        return Judged(number, (), (), False, tuple(rows), tuple(parts))
    estimates = tuple(Estimate.of([float(value) for value in column]) for column in columns)
    keeps = short or all(is_sure(task, row) for row in rows)
    keeps = keeps and all(bool(row[LIMIT + each.text]) for row in rows for each in task.limits)
    return Judged(number, tuple(each.value for each in estimates), estimates, keeps, tuple(rows), tuple(parts))


class Space:
    """The design points that satisfy the constraints, and their coordinates: one value index per axis."""

    def __init__(self, task: Task) -> None:
        spec = task.spec
        extra = [(OBJECTIVE + each.text, each.expression) for each in task.objectives]
        extra += [(LIMIT + each.text, each) for each in task.limits]
        self.spec = replace(spec, columns=(*spec.columns, *extra))
        self.all = make_points(replace(spec, repeat=1))
        self.points = self.all.points
        self._task, self._extra = task, tuple(extra)
        # Axes of one group count as one axis, which is ordered if its values are numbers.
        firsts = [
            next(axis for axis in spec.axes if axis.group == g) for g in dict.fromkeys(a.group for a in spec.axes)
        ]
        self.sizes = [len(axis.values) for axis in firsts]
        self.ordered = [all(is_number(value) for value in axis.values) for axis in firsts]
        self.coordinates = [
            tuple(axis.values.index(point.values[axis.name]) for axis in firsts) for point in self.points
        ]
        self.number_of = {each: number for number, each in enumerate(self.coordinates)}

    def shortened(self, times: int) -> Spec:
        """Return the design space with shorter runs: the run length is halved ``times`` times."""
        short = self._task.shortened(times)
        return replace(short, columns=(*short.columns, *self._extra))

    def repeated(self, numbers: Sequence[int], spec: Spec) -> Points:
        """Return one run for each seed of each point; ``spec`` contains the run length."""
        repeat = spec.repeat
        look = Lookup(spec)
        if repeat == 1:
            several = [self.points[number].values for number in numbers]
            return replace(self.all, points=tuple(Point(values, look.request(values)) for values in several))
        first = int(spec.arguments.get("seed", 1))
        points = []
        for number in numbers:
            for seed in range(first, first + repeat):
                values = {**self.points[number].values, "seed": seed}
                points.append(Point(values, look.request(values)))
        return replace(self.all, names=(*self.all.names, "seed"), points=tuple(points))

    def neighbours(self, number: int) -> list[int]:
        """Return the points that differ from the given point by one step on one axis.

        On an axis of names, all names are one step apart.
        """
        at = self.coordinates[number]
        found = []
        for axis, size in enumerate(self.sizes):
            steps = (at[axis] - 1, at[axis] + 1) if self.ordered[axis] else range(size)
            for step in steps:
                other = (*at[:axis], step, *at[axis + 1 :])
                if other != at and other in self.number_of:
                    found.append(self.number_of[other])
        return found
