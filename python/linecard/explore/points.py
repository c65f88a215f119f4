"""Generates the points of a sweep: a full grid or a sample, without the points that break a constraint.

The order of points is fixed: seeds vary fastest, and the first axis varies slowest. The order in which runs are
executed has no effect on the order of points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, MissingExtraError
from linecard.explore.lookup import Lookup
from linecard.explore.spec import MOST_POINTS, Sample, Spec

if TYPE_CHECKING:
    from linecard.explore.axes import Axis, Value
    from linecard.explore.expression import Expression
    from linecard.explore.subject import Request

_U64_MAX = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a sweep.

    Attributes:
        values: Value of each axis, in axis order, followed by the seed if points have several seeds.
        request: The request of the run that simulates the point.
    """

    values: Mapping[str, Value]
    request: Request


@dataclass(frozen=True, slots=True)
class Points:
    """All points of a sweep.

    Attributes:
        names: Names of the varied keys and arguments, in column order.
        points: All points that meet the constraints.
        left_out: Number of points that break a constraint.
    """

    names: tuple[str, ...]
    points: tuple[Point, ...]
    left_out: int


def make_points(spec: Spec) -> Points:
    """Make all points of a sweep.

    Raises:
        ConfigError: The sweep has too many points, a constraint uses an unknown name, or no point meets the
            constraints.
        MissingExtraError: The sweep uses a random sample, but the extra ``explore`` is not installed.
    """
    groups = [
        [axis for axis in spec.axes if axis.group == group] for group in dict.fromkeys(a.group for a in spec.axes)
    ]
    if spec.sample is None:
        size = math.prod(len(group[0].values) for group in groups) * spec.repeat
    else:
        size = spec.sample.points * spec.repeat
    if size > MOST_POINTS:
        remedy = "use fewer values or a random sample (`sample`)"
        raise ConfigError.at("sweep", "", f"found {size:,} points, expected at most {MOST_POINTS:,}; {remedy}")
    names = tuple(axis.name for axis in spec.axes)
    names += ("seed",) if spec.repeat > 1 else ()
    rows = _grid(groups) if spec.sample is None else _drawn(groups, spec.sample)
    seeds = _seeds(spec)
    look = Lookup(spec)
    points: dict[tuple[tuple[str, type, Value], ...], Point] = {}
    left_out = 0
    for row in rows:
        if spec.constraints and not _meets(spec.constraints, look.of(look.request(row))):
            left_out += spec.repeat
            continue
        for seed in seeds:
            values = {name: row[name] for name in names if name in row}
            if seed is not None:
                values["seed"] = seed
            # Samples of axes with few values may coincide; each point is kept once.
            same = tuple((name, type(value), value) for name, value in values.items())
            points.setdefault(same, Point(values, look.request(values)))
    if not points:
        reason = f"all {left_out:,} points violate a constraint" if left_out else "found no points"
        raise ConfigError.at("sweep", "", f"{reason}: no point is left to run")
    return Points(names, tuple(points.values()), left_out)


def _meets(constraints: Sequence[Expression], look: Callable[[str], Any]) -> bool:
    return all(each.evaluate(look) for each in constraints)


def _seeds(spec: Spec) -> list[int | None]:
    if spec.repeat == 1:
        return [None]
    first = spec.arguments.get("seed", 1)
    if isinstance(first, bool) or not isinstance(first, int) or not 0 <= first <= _U64_MAX - spec.repeat:
        raise ConfigError.at("seed", "", f"found {first!r}, expected a whole number, 0 or more")
    return [first + number for number in range(spec.repeat)]


def _grid(groups: list[list[Axis]]) -> Iterator[dict[str, Value]]:
    for chosen in itertools.product(*(range(len(group[0].values)) for group in groups)):
        yield {axis.name: axis.values[number] for group, number in zip(groups, chosen, strict=True) for axis in group}


def _drawn(groups: list[list[Axis]], sample: Sample) -> Iterator[dict[str, Value]]:
    try:
        from scipy.stats import qmc
    except ImportError as error:
        raise MissingExtraError("a sample", "explore") from error
    if not groups:
        yield {}
        return
    if sample.kind == "sobol":
        engine = qmc.Sobol(len(groups), scramble=True, rng=sample.seed)
        # A sequence is balanced at powers of two: the next power is drawn, and the first points are taken.
        shares = engine.random_base2(max(0, math.ceil(math.log2(sample.points))))[: sample.points]
    else:
        shares = qmc.LatinHypercube(len(groups), rng=sample.seed).random(sample.points)
    for row in shares.tolist():
        yield {axis.name: axis.at(share) for group, share in zip(groups, row, strict=True) for axis in group}
