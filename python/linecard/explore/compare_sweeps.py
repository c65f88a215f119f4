"""Compares two finished sweeps point by point.

The points of a sweep are different designs that share their traffic, so that the variation between points is no noise.
The noise at each point is known from the runs of the point: from the interval of each run, or from several seeds.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linecard.chip.length import LONGER
from linecard.errors import ConfigError
from linecard.explore.compare_result import CompareResult, Moved, MovedAtPoints, Setting
from linecard.explore.moved import GIVEN, as_input, differences, moved_apart, moved_between, own_interval, plain_numbers
from linecard.interval import Estimate

if TYPE_CHECKING:
    Row = Mapping[str, Any]
    Table = dict[tuple[Any, ...], list[Row]]

# Columns of a sweep's table that are not results.
_BEFORE, _AFTER = ("run",), ("reason", "command")
_SEED = "seed"
# Options of commands that state the final length of a run.
_LENGTHS = ("--packets", "--warmup-packets")
# From this number of points on, a change by chance is likely at some point.
_MANY = 20


def compared_sweeps(names: tuple[str, str], a: Sequence[Row], b: Sequence[Row]) -> CompareResult:
    """Compare the rows of two sweeps, in the form of ``sweep --json``.

    Raises:
        ConfigError: The sweeps have no axis or no point in common.
    """
    axes = [_axes(rows) for rows in (a, b)]
    shared = [name for name in axes[0] if name in axes[1]]
    if not shared:
        raise ConfigError.at("compare", "", "the two sweeps have no axis in common")
    # A point is a design; its seeds are repetitions.
    of_design = [name for name in shared if name != _SEED]
    tables = [_by_axes(rows, of_design) for rows in (a, b)]
    matched = [point for point in tables[0] if point in tables[1]]
    if not matched:
        raise ConfigError.at("compare", "", f"the two sweeps have no common point: they differ in {', '.join(shared)}")
    went_well = [point for point in matched if all(row["status"] == "ok" for table in tables for row in table[point])]
    notes = [
        f"{len(matched):,} points are in both sweeps, {len(went_well):,} of them conclusive in both; "
        f"{len(tables[0]) - len(matched):,} only in the first sweep, "
        f"{len(tables[1]) - len(matched):,} only in the second sweep"
    ]
    changed = [p for p in matched if {r["status"] for r in tables[0][p]} != {r["status"] for r in tables[1][p]}]
    if changed:
        where = dict(zip(of_design, changed[0], strict=True))
        notes.append(f"{len(changed):,} points differ in status, such as {where}")
    if len(went_well) >= _MANY:
        notes.append("at about one of 20 points without a change, a metric appears changed by chance")
    points = [(tables[0][point], tables[1][point]) for point in went_well]
    aside = {*axes[0], *axes[1], *_BEFORE, *_AFTER}
    return CompareResult(
        a=names[0],
        b=names[1],
        kind="sweeps",
        answered=bool(went_well),
        basis=_basis(points, of_design),
        limits=None,
        configuration=tuple(_settings(a, b, axes)),
        metrics=tuple(_at_points(name, points) for name in _numbers(points) if name not in aside),
        notes=tuple(notes),
    )


def _basis(points: Sequence[tuple[Sequence[Row], Sequence[Row]]], axes: Sequence[str]) -> str:
    are_paired = {_pairs(*point) is not None for point in points}
    rules = {
        True: "the 95 % interval of the difference, seed by seed, excludes zero",
        False: "the 95 % intervals of the two runs do not overlap",
    }
    rule = ", or ".join(rules[each] for each in sorted(are_paired))
    equal = f" with equal values of {', '.join(axes)}" if axes else ""
    return f"{len(points):,} points{equal} in both sweeps" + (
        f"; a metric changed at a point if {rule}" if rule else ""
    )


def _numbers(points: Sequence[tuple[Sequence[Row], Sequence[Row]]]) -> list[str]:
    """Return the names of the numbers that all rows of all points have."""
    rows = [plain_numbers(row) for point in points for rows in point for row in rows]
    return [name for name in rows[0] if all(name in row for row in rows)] if rows else []


def _at_points(name: str, points: Sequence[tuple[Sequence[Row], Sequence[Row]]]) -> MovedAtPoints:
    """Return the change of one number over the points; each point has its own verdict."""
    several = [_at_point(name, *point) for point in points]
    if name in GIVEN:
        several = [as_input(each) for each in several]
    mean = [sum(values) / len(several) for values in ([each.a for each in several], [each.b for each in several])]
    judged = [each for each in several if each.beyond_noise is not None]
    changes = [each.difference for each in judged if each.beyond_noise]
    difference = mean[1] - mean[0]
    return MovedAtPoints(
        name=name,
        a=mean[0],
        b=mean[1],
        change=difference / mean[0] if mean[0] else None,
        difference=difference,
        low=None,
        high=None,
        beyond_noise=bool(changes) if judged else None,
        points=len(judged),
        rose=sum(each > 0 for each in changes),
        fell=sum(each < 0 for each in changes),
        least_difference=min(each.difference for each in several),
        most_difference=max(each.difference for each in several),
    )


def _at_point(name: str, a: Sequence[Row], b: Sequence[Row]) -> Moved:
    pairs = _pairs(a, b)
    if pairs is not None:
        return moved_between(name, *([float(row[name]) for row in side] for side in zip(*pairs, strict=True)))
    return moved_apart(name, *(_interval(name, side) for side in (a, b)))


def _pairs(a: Sequence[Row], b: Sequence[Row]) -> list[tuple[Row, Row]] | None:
    """Pair the rows of a point by seed; ``None`` unless both sweeps have two seeds or more in common."""
    first, second = ({row[_SEED]: row for row in side if _SEED in row} for side in (a, b))
    found = [(row, second[seed]) for seed, row in first.items() if seed in second]
    return found if len(found) > 1 and len(first) == len(a) and len(second) == len(b) else None


def _interval(name: str, rows: Sequence[Row]) -> Estimate:
    """Return the mean over the rows of a point: with the interval of its run, or with that over independent seeds."""
    if len(rows) == 1:
        return own_interval(rows[0], name)
    found = Estimate.of([float(row[name]) for row in rows])
    are_seeds = len({row.get(_SEED) for row in rows}) == len(rows)
    # Rows with equal seeds are different designs, whose variation is no noise.
    return found if are_seeds else Estimate(found.value, None, None)


def _axes(rows: Sequence[Row]) -> list[str]:
    """Return the columns before the status."""
    names = list(rows[0]) if rows else []
    return [name for name in names[: names.index("status") if "status" in names else 0] if name not in _BEFORE]


def _settings(a: Sequence[Row], b: Sequence[Row], axes: Sequence[Sequence[str]]) -> list[Setting]:
    """Return the axes with different values, and the settings that are equal at all points but differ between A and B.

    The sweeps may have lengthened runs, so that a length differs only if lengthening cannot be the reason.
    """
    found = []
    for name in dict.fromkeys([*axes[0], *axes[1]]):
        values = [_values(rows, name) for rows in (a, b)]
        if values[0] != values[1]:
            found.append(Setting(name, values[0], values[1], ""))
    asked = [_asked(rows, [*axes[0], *axes[1]]) for rows in (a, b)]
    found += [each for each in differences(*asked) if each.key not in _LENGTHS or not _is_lengthened(each)]
    return found


def _is_lengthened(length: Setting) -> bool:
    """Whether lengthening makes the two lengths of one requested length."""

    def requested(text: str | None) -> int | None:
        packets = int(text) if text and text.isdigit() else 0
        while packets and packets % LONGER == 0:
            packets //= LONGER
        return packets or None

    one, other = requested(length.a), requested(length.b)
    return one is not None and one == other


def _asked(rows: Sequence[Row], axes: Sequence[str]) -> dict[str, tuple[Any, str]]:
    """Return what all runs of a sweep have in common: the chip, the settings and the options of their commands.

    The length is that of the shortest run, because a sweep can lengthen single runs.
    """
    found: list[dict[str, tuple[Any, str]]] = []
    for row in rows:
        words = shlex.split(str(row.get("command") or ""))[2:]
        asked: dict[str, tuple[Any, str]] = {}
        while words:
            key, value = words.pop(0), ""
            if not key.startswith("--"):
                key, value = "chip", key
            elif words and not words[0].startswith("--"):
                value = words.pop(0)
            if key == "--set":
                key, _, value = value.partition("=")
            if key.removeprefix("--").replace("-", "_") not in axes:
                asked[key] = (value, "")
        found.append(asked)
    for key in _LENGTHS:
        lengths = [asked[key] for asked in found if key in asked and asked[key][0].isdigit()]
        if len(lengths) == len(found):
            shortest = min(lengths, key=lambda each: int(each[0]))
            found = [{**asked, key: shortest} for asked in found]
    first = found[0] if found else {}
    return {key: value for key, value in first.items() if all(asked.get(key) == value for asked in found)}


def _values(rows: Sequence[Row], name: str) -> list[Any] | None:
    found = list(dict.fromkeys(row[name] for row in rows if name in row))
    return found or None


def _by_axes(rows: Sequence[Row], axes: Sequence[str]) -> Table:
    found: Table = {}
    for row in rows:
        found.setdefault(tuple(row.get(name) for name in axes), []).append(row)
    return found
