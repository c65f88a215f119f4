"""The charts of a study: bars of published and measured values for each table, and one chart for each figure panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.study.columns import varying_columns
from linecard.study.compare import item_name
from linecard.view import Axis, Chart, Grouped, Series, Title
from linecard.words import label as words_for
from linecard.words import valued

if TYPE_CHECKING:
    from linecard.study.compare import Cell, Point
    from linecard.study.keys import Panel
    from linecard.study.result import FigureResult, StudyResult, TableResult
    from linecard.view import Part


def study_charts(result: StudyResult) -> dict[str, list[Part]]:
    """Return the title and the charts of each table and figure; the dictionary's keys are file names without suffix."""
    tables: dict[str, list[Part]] = {
        each.spec.id: [_title(each), table_chart(result, each)] for each in result.tables if each.cells
    }
    figures: dict[str, list[Part]] = {
        each.spec.id: [_title(each), *figure_charts(result, each)] for each in result.figures
    }
    return {item_name(name).replace(" ", "_"): parts for name, parts in {**tables, **figures}.items()}


def _title(item: TableResult | FigureResult) -> Title:
    return Title(f"{item_name(item.spec.id).capitalize()}: {item.spec.title}")


def _naming_columns(table: TableResult) -> list[str]:
    """The columns that name a bar: varying columns, restricted to those by which the table names its rows."""
    return [column for column in varying_columns(table) if column in (table.spec.named_by or varying_columns(table))]


def _label_column(table: TableResult) -> str:
    """The column that labels the bars: the ranked one, else the last that varies."""
    columns = _naming_columns(table)
    return table.spec.rank if table.spec.rank in columns else next(reversed(columns), "")


def cell_groups(table: TableResult) -> list[tuple[str, list[tuple[str, Cell]]]]:
    """Convert the cells of a table to groups of labelled bars; within a group, only one key column varies."""
    columns = _naming_columns(table)
    groups: dict[str, list[tuple[str, Cell]]] = {}
    several = len(table.spec.cells) > 1
    for cell in table.cells:
        varying = {column: cell.keys[column] for column in columns}
        label_column = _label_column(table)
        rest = [
            value if isinstance(value, str) else valued(column, value)
            for column, value in varying.items()
            if column != label_column
        ]
        if several:
            rest.insert(0, cell.column.replace("_", " "))
        groups.setdefault(", ".join(rest), []).append((str(varying.get(label_column, "")), cell))
    return list(groups.items())


def difference_text(table: TableResult, cell: Cell) -> str:
    """The error of a cell as text, in the unit of the table's tolerance: percent or percentage points."""
    if cell.measured is None:
        return "failed"
    if cell.relation != "=":
        return "kept" if not cell.difference else "not kept"
    if table.spec.tolerance_points is not None:
        return f"{cell.difference:+.1f} points"
    return "" if cell.error is None else f"{cell.error * 100:+.1f} %"


def table_chart(result: StudyResult, table: TableResult) -> Grouped:
    """A bar chart of published and measured values with their errors; calibrated cells have a separate colour."""
    rows: list[tuple[str, tuple[float | None, ...], str, float] | str] = []
    for title, cells in cell_groups(table):
        rows += [title] if title else []
        for name, cell in cells:
            measured = (None, cell.measured) if cell.calibrated else (cell.measured, None)
            rows.append((name, (cell.published, *measured), difference_text(table, cell), cell.spread or 0.0))
    measures = {result.study.spec.measures[each].label for each in table.spec.cells.values() if each != "*"}
    units = ", ".join(sorted({cell.unit for cell in table.cells}))
    scale = f"{measures.pop()} ({units})" if len(measures) == 1 else units
    said = "" if any(isinstance(row, str) for row in rows) else words_for(_label_column(table))
    return Grouped("", scale, ("published", "measured", "measured, calibrated"), rows, said, pale=True)


def figure_charts(result: StudyResult, figure: FigureResult) -> list[Chart | Grouped]:
    """Return one chart per panel of the figure."""
    return [_panel(result, figure, panel) for panel in figure.spec.panels]


def _panel(result: StudyResult, figure: FigureResult, panel: Panel) -> Chart | Grouped:
    spec = figure.spec
    curves: dict[str, list[Point]] = {}
    for series in spec.series:
        for measure in panel.measures:
            names = [series.label] if len(spec.series) > 1 else []
            names += [result.study.spec.measures[measure].label] if len(panel.measures) > 1 else []
            curves[", ".join(names) or series.label] = figure.curve(series.label, measure)
    values = [str(value) for value in spec.values]
    if panel.kind == "line":
        lines = [_line(name, points) for name, points in curves.items()]
        return Chart("", Axis(spec.axis, names=values), Axis(panel.label, zero=None), lines)
    rows = [(value, [points[at].measured for points in curves.values()], "", 0.0) for at, value in enumerate(values)]
    return Grouped("", panel.label, list(curves), rows, spec.axis)


def _line(name: str, points: list[Point]) -> Series:
    there = [(at, point.measured, point.spread or 0.0) for at, point in enumerate(points) if point.measured is not None]
    ranges = [(value - spread, value + spread) for _, value, spread in there]
    return Series(
        name, [(at, value) for at, value, _ in there], ranges=ranges if any(each[2] for each in there) else ()
    )
