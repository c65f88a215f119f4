"""Generates the points of a sweep: a full grid or a sample, without the points that break a constraint.

The order of points is fixed: seeds vary fastest, and the first axis varies slowest. The order in which runs are
executed has no effect on the order of points.
"""

from __future__ import annotations

import difflib
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, MissingExtraError
from linecard.explore.content import Keys
from linecard.explore.costs import cost_of
from linecard.explore.expression import COST, MEASURED, UnknownName
from linecard.explore.spec import MOST_POINTS, Sample, Spec
from linecard.explore.subject import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from linecard.explore.axes import Axis, Value

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
        if not all(each.evaluate(look.of(row)) for each in spec.constraints):
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


class Lookup:
    """Looks up the value of a name at a point: in the axes, in the settings of the sweep, and in the design."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._keys: dict[str, Keys] = {}

    def keys(self, chip: str) -> Keys:
        """Return the keys of a design; each design is read only once."""
        if chip not in self._keys:
            self._keys[chip] = Keys(chip)
        return self._keys[chip]

    def request(self, values: Mapping[str, Value]) -> Request:
        """Return the request of the run that simulates a point."""
        spec = self._spec
        subject = spec.subject
        arguments = {**spec.arguments, **{name: each for name, each in values.items() if name in subject.arguments}}
        changes = {**spec.settings, **{name: each for name, each in values.items() if name not in subject.arguments}}
        if spec.what in {"run", "ndr"} and isinstance(arguments.get("chip"), str):
            keys = self.keys(arguments["chip"])
            changes = {keys.full(key): value for key, value in changes.items()}
        return Request(spec.what, arguments, changes)

    def of(self, values: Mapping[str, Value]) -> Callable[[str], Any]:
        """Return a function that maps a name to its value at a point."""
        said = {**self._spec.settings, **self._spec.arguments, **values}
        chip = said.get("chip") if self._spec.what in {"run", "ndr"} else None

        def look(name: str) -> Any:
            if name.startswith(COST):
                try:
                    return cost_of(self._spec.costs, name.removeprefix(COST))
                except KeyError as error:
                    raise UnknownName(f"uses {error.args[0]}") from None
            found = find(said, name)
            if found is not None:
                return found[0]
            if name.startswith(MEASURED):
                raise UnknownName("uses a measurement, but constraints are evaluated before the runs")
            if isinstance(chip, str):
                keys = self.keys(chip)
                full = keys.full(name)
                if full in said:
                    return said[full]
                if full in keys.values:
                    return keys.values[full]
                said_of = [*said, *keys.values]
            else:
                said_of = list(said)
            raise UnknownName(f"uses `{name}`, {nearest(name, said_of)}")

        return look


def find(said: Mapping[str, Any], name: str) -> tuple[Any] | None:
    """Return the value of ``name``; if ``name`` is unknown, the value of the only known name that ends in it."""
    if name in said:
        return (said[name],)
    ends = [key for key in said if key.endswith(f".{name}")]
    if len(ends) > 1:
        raise UnknownName(f"uses `{name}`, which can mean {' or '.join(ends[:4])}; write the full name")
    return (said[ends[0]],) if ends else None


def nearest(name: str, known: list[str]) -> str:
    """Return the end of the error message about an unknown name: a list of the most similar known names."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    near += [key for key in known if key.rpartition(".")[2] == name.rpartition(".")[2] and key not in near][:3]
    return f"which is not a known name; nearest: {', '.join(near[:4])}" if near else "which is not a known name"
