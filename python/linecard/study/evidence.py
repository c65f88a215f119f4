"""The results that decide a scorecard line: cells, orders and gains of tables, and shapes of curves.

A scorecard line is not judged if the study was run without a table or figure that the line names. If a simulation for
a scorecard line failed, the limit of this line is not met.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linecard.errors import ConfigError
from linecard.study.compare import Cell, gap_text, is_tie, item_name, mean_abs, quantities

if TYPE_CHECKING:
    from linecard.study.compare import Gain, Order, Shape
    from linecard.study.keys import Value
    from linecard.study.result import FigureResult, TableResult
    from linecard.study.spec import Study


class NotRunError(Exception):
    """The study was run without a table or figure that a scorecard line requires."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The measured number of a scorecard line, with an explanation.

    Attributes:
        measured: The number to compare with the limit; ``None`` if a run failed or if there is no cell to evaluate.
        detail: Explanation of the measured number: the worst cell or the reversed pairs, and the number of cells or
            pairs.
        calibrated: The cells of the scorecard line that were used to calibrate a parameter.
        of: Total number of counted items, such as 13 in ``12 of 13``; ``None`` if the limit does not count items.
        spoiled: Reason why the limit counts as not met although the measured number is within the limit; otherwise
            empty.
    """

    measured: float | None
    detail: str
    calibrated: tuple[Cell, ...] = ()
    of: int | None = None
    spoiled: str = ""


class Evidence:
    """The tables and figures of a study result, by identifier; ``asked`` contains the requested identifiers."""

    def __init__(self, study: Study, tables: Iterable[TableResult], figures: Iterable[FigureResult]) -> None:
        self.study = study
        self.asked: set[str] = set()
        self._tables = {table.spec.id: table for table in tables}
        self._figures = {figure.spec.id: figure for figure in figures}

    def table(self, name: str) -> TableResult:
        """Return a table, or raise an error if the study was run without this table."""
        self.asked.add(name)
        if name not in self._tables:
            raise NotRunError(name)
        return self._tables[name]

    def figure(self, name: str) -> FigureResult:
        """Return a figure, or raise an error if the study was run without this figure."""
        self.asked.add(name)
        if name not in self._figures:
            raise NotRunError(name)
        return self._figures[name]

    def cells(self, *names: str, columns: Sequence[str] = (), where: Mapping[str, Value] | None = None) -> list[Cell]:
        """The cells of the named tables whose keys match ``where``; ``columns`` can select some of the columns."""
        wanted = {key: str(value) for key, value in (where or {}).items()}
        return [
            cell
            for name in names
            for cell in self.table(name).cells
            if (not columns or cell.column in columns)
            and all(str(cell.keys.get(key)) == value for key, value in wanted.items())
        ]

    def orders(self, *names: str) -> list[Order]:
        """All pairs of configurations that the named tables rank."""
        return [order for name in names for order in self.table(name).orders]

    def gains(self, *names: str) -> list[Gain]:
        """The gains that the published document states for the named tables."""
        return [gain for name in names for gain in self.table(name).gains]

    def curve(self, figure: str, series: str, measure: str) -> dict[Value, float] | None:
        """The measured values on one line of a figure, keyed by swept value; ``None`` if a run of the line failed."""
        points = self.figure(figure).curve(series, measure)
        values = {point.x: point.measured for point in points if point.measured is not None}
        return values if len(values) == len(points) else None

    def shapes(self, figure: str, chosen: Callable[[str], bool] | None = None) -> list[Shape]:
        """The published document's statements about a figure; ``chosen`` can select some of the statements."""
        return [shape for shape in self.figure(figure).shapes if chosen is None or chosen(shape.id)]


def published(study: Study, file: str, column: str, **keys: str) -> float:
    """Look up a published number by its file (in the folder ``published``), its column and its keys.

    Raises:
        ConfigError: The file does not exist, or the column and the keys do not select exactly one number.
    """
    path = study.folder / "published" / file
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            rows = [row for row in csv.DictReader(stream) if keys.items() <= row.items()]
        (row,) = rows
        return float(row[column])
    except (OSError, ValueError, KeyError) as error:
        found = f"expected one number in column {column!r} where {keys or 'there is one row'}: {error}"
        raise ConfigError.at(str(path), column, found) from error


def cell_name(cell: Cell) -> str:
    """Describe a cell by its table, keys and column."""
    keys = ", ".join(part for part in (cell.name, cell.column.replace("_", " ")) if part)
    return f"{item_name(cell.table)}, {keys}"


def _sizes(cells: Sequence[Cell], size: Callable[[Cell], float | None]) -> list[float | None]:
    return [None if cell.failure is not None else size(cell) for cell in cells]


def relative(cell: Cell) -> float | None:
    """Absolute value of the relative error of a cell."""
    return None if cell.error is None else abs(cell.error)


def points(cell: Cell) -> float | None:
    """Absolute difference between measured and published value, in the unit of the cell."""
    return None if cell.difference is None else abs(cell.difference)


def _calibrated(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    return tuple(cell for cell in cells if cell.calibrated)


def largest(cells: Sequence[Cell], size: Callable[[Cell], float | None] = relative) -> Reading:
    """The largest error among the cells, including calibrated cells."""
    sizes = _sizes(cells, size)
    inside = _calibrated(cells)
    if not cells or None in sizes:
        failed = sizes.count(None)
        return Reading(None, f"{failed} of {len(cells)} cells have no measured value", inside)
    worst = max(range(len(cells)), key=lambda number: sizes[number] or 0.0)
    cell = cells[worst]
    chosen = ", calibrated" if cell.calibrated else ""
    found = f"{cell.published:g} published, {cell.measured:.4g} measured"
    return Reading(sizes[worst], f"largest of {len(cells)}: {cell_name(cell)}{chosen}: {found}", inside)


def mean(cells: Sequence[Cell], size: Callable[[Cell], float | None] = relative) -> Reading:
    """The mean error of the cells; the mean counts each quantity once, and excludes calibrated cells and bounds."""
    once = quantities(cells)
    counted = [cell for cell in once if not cell.calibrated and cell.relation == "="]
    sizes = _sizes(counted, size)
    inside = _calibrated(once)
    if not counted or None in sizes:
        return Reading(None, f"{sizes.count(None)} of {len(counted)} cells have no measured value", inside)
    restated = len(cells) - len(once)
    said = f"over {len(counted)} cells" + (f"; {restated} more cells repeat one of these cells" if restated else "")
    return Reading(mean_abs(sizes), said, inside)


def shapes_kept(shapes: Sequence[Shape]) -> Reading:
    """Count the published shapes that the measured curves reproduce."""
    missed = [shape for shape in shapes if not shape.holds]
    detail = "; ".join(f"{shape.id}: {shape.found}" for shape in missed)
    if any(shape.holds is None for shape in shapes):
        return Reading(None, detail, of=len(shapes))
    return Reading(len(shapes) - len(missed), detail, of=len(shapes))


def turned(orders: Sequence[Order], tie_percent: float | None = None) -> Reading:
    """Count reversed pairs of configurations, except pairs whose published values count as a tie."""
    counted = [order for order in orders if tie_percent is None or not is_tie(order, tie_percent)]
    missing = sum(order.agrees is None for order in counted)
    if missing:
        return Reading(None, f"{missing} of {len(counted)} pairs have no measured value")
    wrong = [order for order in counted if order.agrees is False]
    named = "; ".join(
        f"{item_name(order.table)}, {' '.join(str(value) for value in order.group.values())}: {order.first} over "
        f"{order.second} (published {gap_text(order.published_gap_percent)}, measured "
        f"{gap_text(order.measured_gap_percent)})"
        for order in wrong
    )
    return Reading(len(wrong), f"of {len(counted)} pairs" + (f"; {named}" if named else ""))
