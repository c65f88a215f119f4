"""Plots of a study: bars of a table, lines of a figure.

Published numbers are light, measured ones dark; configurations keep the document's own names.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from linecard.plot.axes import begin
from linecard.plot.style import (
    ERROR_BARS,
    LETTER_INCHES,
    LINES,
    MARKS,
    MUTED,
    PALE,
    STYLE,
    Drawing,
    finish,
    load_pyplot,
)
from linecard.study.columns import varying_columns
from linecard.study.compare import item_name
from linecard.words import label as words_for
from linecard.words import valued

if TYPE_CHECKING:
    from linecard.study.compare import Cell
    from linecard.study.result import FigureResult, StudyResult, TableResult

PUBLISHED, MEASURED, CALIBRATED = PALE, LINES[0], LINES[3]
# More lines than these leave no room for their names.
MOST_LINES_WITH_LEGEND_INSIDE = 4
# More bars than these leave no room for what each is off, which stands in the table; their names stand upright.
MOST_BARS_WITH_ERRORS = 30


def draw_study(result: StudyResult) -> dict[str, Drawing]:
    """Every plot of a study by file name, in the document's order: bars per table, curves per figure."""
    pyplot = load_pyplot()
    drawings: dict[str, Drawing] = {}
    for table in result.tables:
        if table.cells:
            with pyplot.rc_context(STYLE):
                drawings[_file_name(table.spec.id)] = finish(pyplot, _table_figure(pyplot, result, table))
    for figure in result.figures:
        with pyplot.rc_context(STYLE):
            drawings[_file_name(figure.spec.id)] = finish(pyplot, _sweep_figure(pyplot, result, figure))
    return drawings


def _file_name(item: str) -> str:
    return item_name(item).replace(" ", "_")


def _naming_columns(table: TableResult) -> list[str]:
    """The columns that name a bar: those that vary, or of them those that the table names its rows by."""
    return [column for column in varying_columns(table) if column in (table.spec.named_by or varying_columns(table))]


def _label_column(table: TableResult) -> str:
    """The column that labels the bars: the ranked one, else the last that varies."""
    columns = _naming_columns(table)
    return table.spec.rank if table.spec.rank in columns else next(reversed(columns), "")


def cell_groups(table: TableResult) -> list[tuple[str, list[tuple[str, Cell]]]]:
    """Cells of a table as groups of labelled bars: one group per value of what is not ranked."""
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
        value = varying.get(label_column, "")
        label = value if isinstance(value, str) else f"{value}"
        groups.setdefault(", ".join(rest), []).append((label, cell))
    return list(groups.items())


def difference_text(table: TableResult, cell: Cell) -> str:
    """How far a cell is off, in the terms in which its table is judged: percent, or points of its own unit."""
    if cell.measured is None:
        return "failed"
    if cell.relation != "=":
        return "kept" if not cell.difference else "not kept"
    if table.spec.tolerance_points is not None:
        return f"{cell.difference:+.1f} points"
    return "" if cell.error is None else f"{cell.error * 100:+.1f} %"


def _table_figure(pyplot: Any, result: StudyResult, table: TableResult) -> Any:
    groups = cell_groups(table)
    bars = sum(len(cells) for _, cells in groups)
    width = min(max(5.4, 0.92 * bars + 0.4 * len(groups) + 0.8), 12.0)
    figure, axes = pyplot.subplots(figsize=(width, 3.1))
    position = 0.0
    pitch_inches = width / (bars + 0.55 * len(groups) + 0.5)
    dense = bars > MOST_BARS_WITH_ERRORS
    longest = max(len(label) for _, cells in groups for label, _ in cells)
    crowded = bars > 12 or longest * LETTER_INCHES > pitch_inches
    ticks, labels = [], []
    top = max(max(cell.published, cell.measured or 0.0) for cell in table.cells)
    for title, cells in groups:
        start = position
        for label, cell in cells:
            axes.bar(position - 0.2, cell.published, 0.38, color=PUBLISHED)
            if cell.measured is not None:
                colour = CALIBRATED if cell.calibrated else MEASURED
                axes.bar(position + 0.2, cell.measured, 0.38, color=colour, yerr=cell.spread, error_kw=ERROR_BARS)
                height = max(cell.published, cell.measured) + (cell.spread or 0.0)
                text = "" if dense else difference_text(table, cell)
                axes.text(position, height + top * 0.025, text, ha="center", fontsize=7.5, color=MUTED)
            ticks.append(position)
            labels.append(label)
            position += 1.0
        middle = (start + position - 1) / 2
        if title:
            room = len(cells) * pitch_inches + 0.45 * pitch_inches
            axes.annotate(
                textwrap.fill(title, max(int(room / LETTER_INCHES / 1.2), 8)),
                (middle, 0),
                xycoords=axes.get_xaxis_transform(),
                xytext=(0, -58 if dense else -48 if crowded else -22),
                textcoords="offset points",
                ha="center",
                va="top",
                color=MUTED,
            )
        position += 0.55
    turn = 90 if dense else 24 if crowded else 0
    axes.set_xticks(ticks, labels, rotation=turn, ha="right" if turn == 24 else "center", fontsize=7.5)
    axes.tick_params(axis="x", length=0)
    if not any(title for title, _ in groups):
        axes.set_xlabel(words_for(_label_column(table)), color=MUTED)
    axes.set_ylim(0, top * 1.16)
    measures = {result.study.spec.measures[measure].label for measure in table.spec.cells.values() if measure != "*"}
    units = {cell.unit for cell in table.cells}
    axes.set_ylabel(f"{measures.pop()} ({units.pop()})" if len(measures) == 1 else ", ".join(sorted(units)))
    title = f"{item_name(table.spec.id).capitalize()}: {table.spec.title}"
    axes.set_title(textwrap.fill(title, int(width * 9.5)), pad=24)
    handles = [
        pyplot.Rectangle((0, 0), 1, 1, color=PUBLISHED, label="published"),
        pyplot.Rectangle((0, 0), 1, 1, color=MEASURED, label="measured"),
    ]
    if any(cell.calibrated for cell in table.cells):
        handles.append(pyplot.Rectangle((0, 0), 1, 1, color=CALIBRATED, label="measured, calibrated"))
    axes.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(-0.01, 0.99),
        ncols=3,
        fontsize=8,
        borderpad=0,
        handlelength=1.2,
    )
    return figure


def _sweep_figure(pyplot: Any, result: StudyResult, figure_result: FigureResult) -> Any:
    spec = figure_result.spec
    wide = any(len(spec.series) * len(panel.measures) > MOST_LINES_WITH_LEGEND_INSIDE for panel in spec.panels)
    size = ((5.1 if wide else 4.3) * len(spec.panels), 3.1)
    figure, all_axes = pyplot.subplots(1, len(spec.panels), figsize=size, squeeze=False)
    positions = list(range(len(spec.values)))
    for panel, axes in zip(spec.panels, all_axes[0], strict=True):
        drawn: list[float] = []
        lines = [(series.label, measure) for series in spec.series for measure in panel.measures]
        for number, (series, measure) in enumerate(lines):
            points = figure_result.curve(series, measure)
            values = [float("nan") if point.measured is None else point.measured for point in points]
            spreads = [point.spread or 0.0 for point in points]
            words = result.study.spec.measures[measure].label
            names = [series] if len(spec.series) > 1 else []
            names += [words] if len(panel.measures) > 1 else []
            label = ", ".join(names) or series
            colour = LINES[number % len(LINES)]
            if panel.kind == "line":
                look = {"color": colour, "marker": MARKS[number % len(MARKS)], "ms": 4, "label": label}
                if any(spreads):
                    axes.errorbar(positions, values, yerr=spreads, **look, **ERROR_BARS)
                else:
                    axes.plot(positions, values, **look)
                drawn += [
                    value + way * spread for value, spread in zip(values, spreads, strict=True) for way in (-1, 1)
                ]
            else:
                width = 0.8 / len(lines)
                places = [position + (number - (len(lines) - 1) / 2) * width for position in positions]
                axes.bar(places, values, width * 0.94, color=colour, label=label)
        axes.set_xticks(positions, [str(value) for value in spec.values])
        axes.set_xlabel(spec.axis)
        axes.set_title(panel.label, fontsize=9, fontweight="normal")
        if panel.kind == "line":
            begin(axes, drawn)
        else:
            axes.margins(y=0.18)
            axes.set_ylim(bottom=0)
        if len(lines) > MOST_LINES_WITH_LEGEND_INSIDE:
            axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        else:
            axes.legend(fontsize=8, loc="best")
    figure.suptitle(
        f"{item_name(spec.id).capitalize()}: {spec.title}", x=0.01, ha="left", fontsize=10, fontweight="bold"
    )
    return figure
