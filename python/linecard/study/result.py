"""The result of a study: measured numbers, published numbers and verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.records import plain
from linecard.result import Result
from linecard.study.columns import COMPARISON_COLUMNS
from linecard.study.compare import (
    Cell,
    Check,
    Deviation,
    Gain,
    Order,
    Point,
    Shape,
    limit_id,
    max_abs,
    mean_abs,
    quantities,
)
from linecard.study.limits import target_id
from linecard.tables import Table

if TYPE_CHECKING:
    from linecard.study.keys import FigureSpec, TableSpec, Where
    from linecard.study.limits import Line
    from linecard.study.plan import RunSpec
    from linecard.study.runners import StudyRun
    from linecard.study.spec import Study


@dataclass(frozen=True, slots=True)
class TableResult:
    """The result of one published table: its cells, orders and gains."""

    spec: TableSpec
    cells: tuple[Cell, ...]
    orders: tuple[Order, ...]
    gains: tuple[Gain, ...]

    @property
    def counted(self) -> tuple[Cell, ...]:
        """Cells that were not used to calibrate a parameter."""
        return tuple(cell for cell in self.cells if not cell.calibrated)

    @property
    def _errors(self) -> list[float | None]:
        """Errors of the counted cells; a bound is met or not, and has no error."""
        return [cell.error for cell in self.counted if cell.relation == "="]

    @property
    def mean_abs_error(self) -> float | None:
        """Mean absolute relative error, as a fraction, of the uncalibrated cells that are not bounds."""
        return mean_abs(self._errors)

    @property
    def max_abs_error(self) -> float | None:
        """Largest absolute relative error, as a fraction, of the uncalibrated cells that are not bounds."""
        return max_abs(self._errors)

    @property
    def order_violations(self) -> int:
        """Number of pairs of configurations whose measured order is the reverse of the published order."""
        return sum(order.agrees is False for order in self.orders)

    @property
    def rows(self) -> list[tuple[Where, dict[str, Any]]]:
        """The key columns and the other fields of each cell, such as the measured value."""
        return [(each.keys, each.row) for each in self.cells]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "id": self.spec.id,
            "kind": "table",
            "title": self.spec.title,
            "headline": self.spec.headline,
            "mean_abs_error": self.mean_abs_error,
            "max_abs_error": self.max_abs_error,
            "rows": [{**keys, **row} for keys, row in self.rows],
            "orders": [
                {
                    **order.group,
                    "measure": order.column,
                    "first": order.first,
                    "second": order.second,
                    "published_gap_percent": order.published_gap_percent,
                    "measured_gap_percent": order.measured_gap_percent,
                    "agrees": order.agrees,
                    "calibrated": order.calibrated,
                }
                for order in self.orders
            ],
            "gains": [{name: value for name, value in plain(gain).items() if name != "table"} for gain in self.gains],
        }


@dataclass(frozen=True, slots=True)
class FigureResult:
    """The result of one figure: the measured points, and the published statements about the shapes of the curves."""

    spec: FigureSpec
    points: tuple[Point, ...]
    shapes: tuple[Shape, ...]

    def curve(self, series: str, measure: str) -> list[Point]:
        """The points of one line of the figure, in the order of the horizontal axis."""
        return [point for point in self.points if point.series == series and point.measure == measure]

    @property
    def rows(self) -> list[tuple[Where, dict[str, Any]]]:
        """The key columns and the other fields of each point, such as the measured value."""
        return [({"series": each.series, self.spec.sweep: each.x}, each.row) for each in self.points]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "id": self.spec.id,
            "kind": "figure",
            "title": self.spec.title,
            "headline": False,
            "rows": [{**keys, **row} for keys, row in self.rows],
            "shapes": plain(self.shapes),
        }


# The unit of values that are judged by their difference, in points.
PERCENT = "percent"


@dataclass(frozen=True, slots=True, repr=False)
class StudyResult(Result):
    """The result of a study.

    Except for ``seconds``, the result is identical on any computer and for any value of ``jobs``.

    Attributes:
        study: The definition of the study.
        quick: Whether the study was run with fewer seeds and packets (``--quick``).
        items: Identifiers of the tables and figures in the result.
        checks: Limits in the file ``study.toml``, each with its result.
        lines: The lines of ``targets.csv`` for the study, with their verdicts.
        deviations: All deviations that were found or that ``deviations.toml`` lists.
        runs: All runs without duplicates, each with its result or its error message.
        seconds: Wall-clock time in seconds; the only field that differs between two runs of the same study.
    """

    study: Study
    quick: bool
    items: tuple[str, ...]
    tables: tuple[TableResult, ...]
    figures: tuple[FigureResult, ...]
    checks: tuple[Check, ...]
    lines: tuple[Line, ...]
    deviations: tuple[Deviation, ...]
    runs: dict[RunSpec, StudyRun | str]
    seconds: float = field(compare=False)

    @property
    def headline(self) -> tuple[TableResult, ...]:
        """Tables that determine the main numbers: the headline tables, or all tables if none is a headline table."""
        chosen = tuple(table for table in self.tables if table.spec.headline)
        return chosen or self.tables

    @property
    def _quantities(self) -> tuple[Cell, ...]:
        """The uncalibrated cells of the headline tables, each quantity once."""
        cells = quantities(cell for table in self.headline for cell in table.cells)
        return tuple(cell for cell in cells if not cell.calibrated)

    @property
    def counted_cells(self) -> tuple[Cell, ...]:
        """Uncalibrated cells that are judged by relative error, from the headline tables."""
        in_points = self._tables_in_points
        return tuple(
            cell
            for cell in self._quantities
            if cell.relation == "=" and cell.unit != PERCENT and cell.table not in in_points
        )

    @property
    def point_cells(self) -> tuple[Cell, ...]:
        """Uncalibrated cells that are judged by absolute difference, from the headline tables."""
        in_points = self._tables_in_points
        return tuple(
            cell
            for cell in self._quantities
            if cell.relation == "=" and (cell.unit == PERCENT or cell.table in in_points)
        )

    @property
    def bounds(self) -> tuple[Cell, ...]:
        """Published bounds in the headline tables; a bound is either met or not met, and mean errors exclude bounds."""
        return tuple(cell for cell in self._quantities if cell.relation != "=")

    @property
    def _tables_in_points(self) -> set[str]:
        return {table.spec.id for table in self.tables if table.spec.tolerance_points is not None}

    @property
    def apart(self) -> tuple[TableResult, ...]:
        """Tables that the main numbers exclude: their cells follow from inputs, repeat inputs, or are unpublished."""
        return tuple(table for table in self.tables if table not in self.headline)

    @property
    def mean_abs_points(self) -> float | None:
        """Mean absolute difference between measured and published value, for cells compared in percentage points."""
        return mean_abs(cell.difference for cell in self.point_cells)

    @property
    def calibrated_cells(self) -> int:
        """Number of calibrated cells in all tables of the result."""
        return sum(cell.calibrated for table in self.tables for cell in table.cells)

    @property
    def mean_abs_error(self) -> float | None:
        """Mean absolute relative error of ``counted_cells``, as a fraction."""
        return mean_abs(cell.error for cell in self.counted_cells)

    @property
    def max_abs_error(self) -> float | None:
        """Largest absolute relative error of ``counted_cells``, as a fraction."""
        return max_abs(cell.error for cell in self.counted_cells)

    @property
    def orders(self) -> tuple[Order, ...]:
        """All pairs of configurations that the headline tables rank."""
        return tuple(order for table in self.headline for order in table.orders)

    @property
    def order_violations(self) -> int:
        """Number of ranked pairs in the headline tables whose measured order is the reverse of the published order."""
        return sum(order.agrees is False for order in self.orders)

    @property
    def gains_mean_abs_error_points(self) -> float | None:
        """Mean absolute error of the gains in percentage points; the mean excludes calibrated gains."""
        gains = (gain for table in self.tables for gain in table.gains if not gain.calibrated)
        return mean_abs(gain.difference_points for gain in gains)

    @property
    def failures(self) -> dict[str, str]:
        """The runs that failed, each with the reason for the failure."""
        return {str(run): outcome for run, outcome in self.runs.items() if isinstance(outcome, str)}

    @property
    def problems(self) -> tuple[str, ...]:
        """Reasons why ``--check`` fails: unmet limits, unlisted deviations, outdated deviations and failed runs.

        If a limit is not met, ``--check`` fails even if ``deviations.toml`` lists a reason.
        """
        reasons = {deviation.id: deviation.reason for deviation in self.deviations}
        targets = [
            f"{line.target.id} {line.outcome}: {line.target.what} ({line.measured_text}, {line.limit_text}): "
            f"{line.reason or 'no reason listed'}"
            for line in self.lines
            if line.kept is False
        ]
        missed = [
            f"limit missed: {check.id} ({check.detail}): {reasons.get(limit_id(check)) or 'no reason listed'}"
            for check in self.checks
            if check.holds is False
        ]
        stale = [
            f"deviation {deviation.state}: {deviation.id} ({deviation.detail})"
            for deviation in self.deviations
            if deviation.state != "known"
            and not (deviation.state == "unlisted" and deviation.id.startswith(("limit: ", target_id(""))))
        ]
        return (*targets, *missed, *stale, *(f"run failed: {run}: {why}" for run, why in self.failures.items()))

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data for JSON; mean and largest errors are fractions, and exclude calibrated cells."""
        return {
            "study": self.study.spec.id,
            "cells": len(self.counted_cells),
            "calibrated_cells": self.calibrated_cells,
            "mean_abs_error": self.mean_abs_error,
            "max_abs_error": self.max_abs_error,
            "order_pairs": len(self.orders),
            "order_violations": self.order_violations,
            "gains_mean_abs_error_points": self.gains_mean_abs_error_points,
            "point_cells": len(self.point_cells),
            "mean_abs_points": self.mean_abs_points,
            "bounds": len(self.bounds),
            "bounds_kept": sum(cell.difference == 0 for cell in self.bounds),
            "seconds": round(self.seconds, 3),
            "tables": [*(table.to_dict() for table in self.tables), *(figure.to_dict() for figure in self.figures)],
        }

    def comparison_rows(self) -> list[tuple[object, ...]]:
        """One row per compared cell or measured point, with the columns :data:`COMPARISON_COLUMNS`."""
        shown = COMPARISON_COLUMNS[3:]
        items = [(table.spec.id, table.rows) for table in self.tables]
        items += [(figure.spec.id, figure.rows) for figure in self.figures]
        return [
            (
                self.study.spec.id,
                item,
                " ".join(f"{column}={value}" for column, value in keys.items()),
                *map(row.get, shown),
            )
            for item, rows in items
            for keys, row in rows
        ]

    def table(self) -> Table:
        """The comparison as a table, with one row for each cell or measured point."""
        return Table(COMPARISON_COLUMNS, self.comparison_rows())

    def manifest(self) -> dict[str, Any]:
        """All information that is needed to repeat the study and to recognise its results."""
        from linecard.study.write import manifest

        return {**Result.manifest(self), **manifest(self)}

    def write(self, folder: str | Path) -> list[Path]:
        """Write tables, manifest, plots and the HTML report to a folder, and return the written files."""
        from linecard.study.write import write_study

        return write_study(self, folder).written

    def __repr__(self) -> str:
        mean = "none" if self.mean_abs_error is None else f"{self.mean_abs_error:.1%}"
        return f"<StudyResult {self.study.spec.id}: {len(self.counted_cells)} cells, mean error {mean}>"
