"""Compares measured results with published results: cells, orders, gains, shapes of curves, checks and deviations.

This module only processes existing results; it starts no simulation.

Linecard evaluates every study by the following comparisons:

- **Cells**: the error of each measured value, relative to the published value.
- **Orders**: whether the measured values rank two rows in the same order as the published values. A pair of rows is
  compared if the rows differ only in the ranked column and have different published values.
- **Gains**: the measured improvement minus the improvement that the document states, in percentage points.
- **Calibrated cells**: the cells whose published values were used to choose the value of a parameter. Reports show
  calibrated cells, but mean errors do not include calibrated cells. Nevertheless, each calibrated cell must meet the
  tolerance of its table and the limit on the largest error.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linecard.study.keys import Calibration, CheckSpec, KnownDeviation, ShapeCheck, TableSpec, Value, Where

# A number that meets its limit exactly may miss it by rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Sample:
    """The results of all runs of one cell: one measured value per seed, or the reason why no measured value exists."""

    values: tuple[float, ...]
    failure: str | None = None

    @property
    def mean(self) -> float | None:
        """Mean of the measured values of all seeds; ``None`` if a run failed."""
        return statistics.fmean(self.values) if self.values and self.failure is None else None

    @property
    def spread(self) -> float | None:
        """Standard deviation of the measured values; ``None`` for fewer than two seeds or if a run failed."""
        return statistics.stdev(self.values) if len(self.values) > 1 and self.failure is None else None


class Measured:
    """A number that was measured with several seeds."""

    __slots__ = ()
    sample: Sample

    @property
    def measured(self) -> float | None:
        """Mean of the measured values of all seeds; ``None`` if a run failed."""
        return self.sample.mean

    @property
    def spread(self) -> float | None:
        """Standard deviation of the measured values of all seeds."""
        return self.sample.spread

    @property
    def failure(self) -> str | None:
        """Reason why the measured value is missing."""
        return self.sample.failure


@dataclass(frozen=True, slots=True)
class Cell(Measured):
    """One published number and its measured value.

    Attributes:
        keys: The key columns of the cell's row, with their values.
        column: Name of the published column.
        unit: Unit of ``published``, ``measured`` and ``spread``.
        sample: Measured values, one per seed, or the reason why no measured value exists.
        calibrated: Whether the published value of the cell was used to calibrate a parameter.
        run_ids: Identifiers of the runs, one per seed.
        relation: Whether ``published`` is a value (``=``), an upper bound (``<``) or a lower bound (``>``).
        measure: Name of the measure in the results of the runs; cells with the same runs and the same measure count as
            one quantity.
    """

    table: str
    keys: Where
    column: str
    unit: str
    published: float
    sample: Sample
    calibrated: bool
    run_ids: tuple[str, ...] = ()
    relation: str = "="
    measure: str = ""

    @property
    def error(self) -> float | None:
        """Relative error as a fraction of the published value; 0 if the measured value meets a published bound."""
        return None if self.difference is None or self.published == 0 else self.difference / self.published

    @property
    def bound(self) -> str:
        """Prefix of the published number: ``<`` or ``>`` and a space if the number is a bound; otherwise empty."""
        return "" if self.relation == "=" else f"{self.relation} "

    @property
    def difference(self) -> float | None:
        """Measured minus published value, in the unit of the cell; 0 if the measured value meets a published bound."""
        if self.measured is None:
            return None
        return _beyond(self.measured - self.published, self.relation)

    @property
    def name(self) -> str:
        """The key values of the cell as text, such as ``l3fwd16, banks 2, REF_BASE``."""
        return words(self.keys)

    @property
    def row(self) -> dict[str, Any]:
        """The fields of the cell that follow the cell's keys in tables and in JSON."""
        return {
            "measure": self.column,
            "unit": self.unit,
            "relation": self.relation,
            "published": self.published,
            "measured": self.measured,
            "spread": self.spread,
            "error": self.error,
            "calibrated": self.calibrated,
            "failure": self.failure,
            "run_ids": list(self.run_ids),
        }


@dataclass(frozen=True, slots=True)
class Order:
    """Two configurations that a published table ranks; ``first`` has the larger published value.

    Attributes:
        group: The key columns that have the same value in the two configurations, each with its value.
        published_gap_percent: Difference between the published values of ``first`` and ``second``, in percent of
            ``second``; ``None`` if ``second`` is zero.
        measured_gap_percent: Difference between the measured values of ``first`` and ``second``, in percent of
            ``second``; negative if the measured order is reversed.
        agrees: Whether the measured order equals the published order; ``None`` if a run failed.
    """

    table: str
    group: Where
    column: str
    first: Value
    second: Value
    published_gap_percent: float | None
    measured_gap_percent: float | None
    agrees: bool | None
    calibrated: bool


@dataclass(frozen=True, slots=True)
class Gain:
    """An improvement that the published document states in percent, and the measured improvement."""

    table: str
    section: str
    text: str
    published_percent: float
    measured_percent: float | None
    difference_points: float | None
    calibrated: bool

    @property
    def error(self) -> float | None:
        """Relative error of the gain: measured gain minus published gain, divided by the published gain."""
        if self.difference_points is None or self.published_percent == 0:
            return None
        return self.difference_points / self.published_percent


@dataclass(frozen=True, slots=True)
class Point(Measured):
    """One measured point of a figure."""

    series: str
    x: Value
    measure: str
    unit: str
    sample: Sample
    run_ids: tuple[str, ...]

    @property
    def row(self) -> dict[str, Any]:
        """The point in the same format as a table cell, but without a published value."""
        return {
            "measure": self.measure,
            "unit": self.unit,
            "published": None,
            "measured": self.measured,
            "spread": self.spread,
            "error": None,
            "calibrated": False,
            "failure": self.failure,
            "run_ids": list(self.run_ids),
        }


@dataclass(frozen=True, slots=True)
class Shape:
    """A statement of the published document about a curve, and whether the measured curve confirms the statement."""

    id: str
    text: str
    holds: bool | None
    found: str


@dataclass(frozen=True, slots=True)
class Check:
    """A limit of the study, and whether the limit is met.

    ``holds`` is ``None`` if the study was run without a table that the limit names.
    """

    id: str
    kind: str
    limit: float
    reached: float | None
    holds: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Deviation:
    """A deviation: a cell beyond its tolerance, a reversed order, a curve of a different shape, or an unmet limit.

    ``state`` is ``known`` if the deviation was found and is listed in ``deviations.toml``. ``state`` is ``unlisted`` if
    the deviation was found but is not listed, and ``gone`` if it is listed but was not found.
    """

    id: str
    state: str
    detail: str
    reason: str
    tried: str


def words(keys: Where) -> str:
    """Values of key columns as text, such as ``l3fwd16, banks 2``; a number is preceded by the name of its column."""
    return ", ".join(
        value if isinstance(value, str) else f"{column.replace('_', ' ')} {value}" for column, value in keys.items()
    )


def item_name(item_id: str) -> str:
    """The name of a table, figure or section as text, such as ``table 5``, ``figure 5`` or ``section 5.3``."""
    return f"table {item_id}" if item_id[:1].isdigit() else re.sub(r"^([A-Za-z]+)(?=\d)", r"\1 ", item_id)


def matches(where: Where, keys: Mapping[str, Value]) -> bool:
    """Whether every key column in ``where`` has the same value in ``keys``."""
    return all(column in keys and str(keys[column]) == str(value) for column, value in where.items())


def is_calibrated(
    calibrations: Iterable[Calibration],
    keys: Where,
    measure: str,
    column: str,
    table: str | None = None,
    *,
    anywhere: bool = False,
) -> bool:
    """Whether the published value of the cell was used to calibrate a parameter.

    If ``anywhere`` is true, a calibration entry for a configuration applies in every table. A gain is checked with
    ``anywhere`` set to true.
    A calibration entry that names no configuration applies to all cells of one table.
    """
    here: dict[str, Value] = {**keys, "measure": measure}
    for calibration in calibrations:
        for cell in calibration.cells:
            wanted = dict(cell)
            marked_table = wanted.pop("table", None)
            whole_table = not wanted.keys() - {"measure"}
            elsewhere = marked_table is not None and str(marked_table) != table
            if elsewhere and (whole_table or not anywhere):
                continue
            if matches(wanted, here) or matches(wanted, {**here, "measure": column}):
                return True
    return False


def _beyond(difference: float, relation: str) -> float:
    """The part of a difference that counts: all of it, or the part on the wrong side of a bound."""
    if relation == "<":
        return max(difference, 0.0)
    return min(difference, 0.0) if relation == ">" else difference


def quantities(cells: Iterable[Cell]) -> list[Cell]:
    """Keep only the first cell of each quantity, because several tables can contain the same measure of the same runs.

    A quantity that was used to calibrate a parameter counts as calibrated in every table that contains the quantity.
    """
    found: dict[tuple[tuple[str, ...], str], Cell] = {}
    single: list[Cell] = []
    for cell in cells:
        if not cell.run_ids:
            single.append(cell)
            continue
        key = (cell.run_ids, cell.measure)
        first = found.setdefault(key, cell)
        if cell.calibrated and not first.calibrated:
            found[key] = replace(first, calibrated=True)
    return [*found.values(), *single]


def find_orders(cells: Sequence[Cell], rank: str | None) -> tuple[Order, ...]:
    """Find all pairs of cells whose published values differ and whose keys differ only in the ranked column."""
    if rank is None:
        return ()
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        if rank in cell.keys:
            shared = tuple((column, value) for column, value in cell.keys.items() if column != rank)
            groups.setdefault((cell.column, *shared), []).append(cell)
    orders = []
    for group in groups.values():
        for index, one in enumerate(group):
            for other in group[index + 1 :]:
                if one.published != other.published:
                    first, second = (one, other) if one.published > other.published else (other, one)
                    orders.append(_order(first, second, rank))
    return tuple(orders)


def _order(first: Cell, second: Cell, rank: str) -> Order:
    gap = agrees = None
    if first.measured is not None and second.measured is not None:
        agrees = first.measured > second.measured
        gap = (first.measured / second.measured - 1) * 100 if second.measured else None
    return Order(
        table=first.table,
        group={column: value for column, value in first.keys.items() if column != rank},
        column=first.column,
        first=first.keys[rank],
        second=second.keys[rank],
        published_gap_percent=(first.published / second.published - 1) * 100 if second.published else None,
        measured_gap_percent=gap,
        agrees=agrees,
        calibrated=first.calibrated or second.calibrated,
    )


def gain_percent(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Mean percentage by which the first value of a pair exceeds the second value; ``None`` if a value is missing."""
    gains = []
    for of, over in pairs:
        if of is None or over is None or over == 0:
            return None
        gains.append((of / over - 1) * 100)
    return statistics.fmean(gains) if gains else None


def judge_shape(
    check: ShapeCheck, values: Sequence[Value], curve: Mapping[tuple[str, str], Sequence[float | None]]
) -> Shape:
    """Check whether a measured curve has the shape that the published document describes.

    Args:
        check: The statement to check.
        values: The swept values in ascending order.
        curve: The measured values in the order of ``values``; the dictionary's keys are pairs (series, measure).
    """

    def result(holds: bool | None, found: str) -> Shape:
        return Shape(id=check.id, text=check.text, holds=holds, found=found)

    ys = [y for y in curve[check.series, check.measure] if y is not None]
    others_key = (check.than or check.series, check.measure_than or check.measure)
    others = [y for y in curve[others_key] if y is not None] if check.kind == "above" else ys
    if len(ys) < len(values) or len(others) < len(values):
        return result(None, "a run failed")
    xs = list(values)
    listed = ", ".join(f"{x}: {y:.3f}" for x, y in zip(xs, ys, strict=True))
    if check.kind == "peak_at":
        peak = xs[ys.index(max(ys))]
        return result(peak == check.at, f"largest at {peak} ({listed})")
    if check.kind in ("rises", "falls"):
        first = -math.inf if check.from_ is None else check.from_
        last = math.inf if check.at is None else check.at
        kept = [y for x, y in zip(xs, ys, strict=True) if first <= float(x) <= last]
        sign = 1 if check.kind == "rises" else -1
        return result(all(sign * later >= sign * earlier for earlier, later in pairwise(kept)), listed)
    if check.kind == "above":
        pairs = [
            (x, y, other)
            for x, y, other in zip(xs, ys, others, strict=True)
            if check.at is None or float(x) >= check.at
        ]
        found = ", ".join(f"{x}: {y:.3f} against {other:.3f}" for x, y, other in pairs)
        return result(all(y > other * (1 + check.margin) for _, y, other in pairs), found)
    index = next((number for number, x in enumerate(xs) if x == check.at), None)
    if index is None or not 0 < index < len(xs) - 1:
        return result(
            None,
            f"{check.at:g} is not an inner point of the sweep"
            if check.at is not None
            else "the check has no `at` value",
        )
    before = ys[index] - ys[index - 1]
    after = ys[index + 1] - ys[index]
    levels = after < before and abs(after) <= check.within * abs(ys[index])
    return result(levels, f"{before:+.3f} up to {xs[index]}, {after:+.3f} after {xs[index]} ({listed})")


def mean_abs(values: Iterable[float | None]) -> float | None:
    """Mean of the absolute values, ignoring ``None`` entries; ``None`` if all entries are ``None``."""
    sizes = [abs(value) for value in values if value is not None]
    return statistics.fmean(sizes) if sizes else None


def max_abs(values: Iterable[float | None]) -> float | None:
    """Largest absolute value, ignoring ``None`` entries; ``None`` if all entries are ``None``."""
    return max((abs(value) for value in values if value is not None), default=None)


def judge_check(
    check: CheckSpec,
    ran: Sequence[str],
    cells: Sequence[Cell],
    orders: Sequence[Order],
    gains: Sequence[Gain] = (),
) -> Check:
    """Check whether the tables that a limit names meet the limit."""
    missing = [name for name in check.tables if name not in ran]
    if missing:
        detail = f"not judged: {', '.join(item_name(name) for name in missing)} not run"
        return Check(check.id, check.kind, check.limit, None, None, detail)
    averaged = check.kind == "mean_abs_error"
    chosen = [cell for cell in cells if cell.table in check.tables and not (averaged and cell.calibrated)]
    failed = sum(cell.failure is not None for cell in chosen)
    if check.kind == "order_violations":
        turned = [order for order in orders if order.table in check.tables and order.agrees is False]
        tie = check.tie_percent
        wide = [order for order in turned if tie is not None and not is_tie(order, tie)]
        holds = len(turned) <= check.limit and not wide and not failed
        detail = "; ".join(describe_order(order) for order in turned)
        return Check(check.id, check.kind, check.limit, len(turned), holds, detail)
    if check.kind in ("max_gain_points", "max_gain_error"):
        stated = [gain for gain in gains if gain.table in check.tables and not gain.calibrated]
        off = [gain.difference_points if check.kind == "max_gain_points" else gain.error for gain in stated]
        reached = max_abs(off)
        holds = reached is not None and None not in off and reached <= check.limit + ROUNDING
        return Check(check.id, check.kind, check.limit, reached, holds, f"over {len(stated)} gains")
    sizes = [cell.difference if check.kind == "max_abs_points" else cell.error for cell in chosen]
    reached = mean_abs(sizes) if averaged else max_abs(sizes)
    holds = reached is not None and reached <= check.limit + ROUNDING and not failed
    detail = f"over {len(chosen)} cells" + (f", {failed} of them failed" if failed else "")
    if not averaged and reached is not None:
        worst = max(zip(sizes, chosen, strict=True), key=lambda pair: abs(pair[0] or 0.0))[1]
        detail += f"; largest: {item_name(worst.table)}, {worst.name}"
    return Check(check.id, check.kind, check.limit, reached, holds, detail)


def is_tie(order: Order, percent: float) -> bool:
    """Whether the published values of the two configurations differ by at most ``percent`` percent."""
    return order.published_gap_percent is not None and order.published_gap_percent <= percent


def gap_text(percent: float | None) -> str:
    """A difference in percent as text with a sign; a dash for ``None``."""
    return "–" if percent is None else f"{percent:+.1f} %"


def describe_order(order: Order) -> str:
    """Describe a pair of configurations by its table, and by the published and measured differences in percent."""
    where = ", ".join(part for part in (item_name(order.table), words(order.group)) if part)
    return (
        f"{where}: {order.first} over {order.second} (published "
        f"{gap_text(order.published_gap_percent)}, measured {gap_text(order.measured_gap_percent)})"
    )


def cell_id(cell: Cell, columns: int) -> str:
    """The name that identifies a cell in deviations.toml."""
    keys = " ".join(f"{column}={value}" for column, value in cell.keys.items())
    return f"{item_name(cell.table)}: {keys}" + (f" {cell.column}" if columns > 1 else "")


def order_id(order: Order) -> str:
    """The name that identifies a ranked pair of configurations in deviations.toml."""
    keys = " ".join(f"{column}={value}" for column, value in order.group.items())
    return f"{item_name(order.table)} order: {keys} {order.first} > {order.second}"


def limit_id(check: Check) -> str:
    """The name of an unmet limit in deviations.toml."""
    return f"limit: {check.id}"


def shape_id(figure: str, shape: Shape) -> str:
    """The name that identifies a statement about the shape of a curve in deviations.toml."""
    return f"{item_name(figure)}: {shape.id}"


def beyond_tolerance(cell: Cell, table: TableSpec) -> bool:
    """Whether the error of a cell, calibrated or not, exceeds the tolerance of the cell's table."""
    if cell.difference is None:
        return False
    if table.tolerance_points is not None:
        return abs(cell.difference) > table.tolerance_points + ROUNDING
    return cell.error is not None and abs(cell.error) > table.tolerance + ROUNDING


def judge_deviations(
    present: Mapping[str, str], possible: Iterable[str], listed: Iterable[KnownDeviation], *, complete: bool
) -> tuple[Deviation, ...]:
    """Compare the deviations that were found with the deviations that the study lists in deviations.toml.

    Args:
        present: Descriptions of the deviations that were found; the dictionary's keys are the identifiers of the
            deviations.
        possible: Identifiers of all evaluated items: cells, ranked pairs, curve shapes and limits.
        listed: The deviations that the study lists in deviations.toml.
        complete: Whether the complete study was run; otherwise, a listed deviation that was not found does not count as
            outdated.
    """
    known = {deviation.id: deviation for deviation in listed}
    judged = set(possible)
    found = []
    for name, detail in present.items():
        entry = known.get(name)
        found.append(
            Deviation(
                id=name,
                state="unlisted" if entry is None else "known",
                detail=detail,
                reason="" if entry is None else entry.reason,
                tried="" if entry is None else entry.tried,
            )
        )
    for name, entry in known.items():
        if name not in present and (complete or name in judged):
            detail = "within its tolerance" if name in judged else "is not a deviation of this study"
            found.append(Deviation(id=name, state="gone", detail=detail, reason=entry.reason, tried=entry.tried))
    return tuple(found)
