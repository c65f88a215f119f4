"""Finds the varying and the constant columns of study tables, and formats fractions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linecard.study.result import TableResult

COMPARISON_COLUMNS = (
    "study",
    "table",
    "row",
    "measure",
    "unit",
    "published",
    "measured",
    "spread",
    "error",
    "calibrated",
    "failure",
)


def varying_columns(table: TableResult) -> list[str]:
    """The key columns of a study table whose values differ between rows."""
    columns = list(table.cells[0].keys) if table.cells else []
    return [column for column in columns if len({cell.keys[column] for cell in table.cells}) > 1]


def constant_keys(table: TableResult) -> dict[str, str | int | float]:
    """The key columns that have the same value in every row of a study table, each with its value."""
    varying = varying_columns(table)
    return (
        {column: value for column, value in table.cells[0].keys.items() if column not in varying} if table.cells else {}
    )


def percent(fraction: float | None, *, sign: bool = False) -> str:
    """Format a fraction as a percentage with one decimal place, and ``None`` as a dash."""
    if fraction is None:
        return "–"
    return f"{fraction * 100:{'+' if sign else ''}.1f} %"
