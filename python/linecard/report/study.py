"""Writes one self-contained HTML page for each study; the page has no scripts and is suitable for print.

The HTML template contains the texts and the layout of the page. The module `study` passes plain data and charts (as
SVG) to the template. Writing the page of a study requires the optional dependencies ``report``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from linecard._core import __version__
from linecard.errors import MissingExtraError
from linecard.report.chart import drawn
from linecard.report.sheet import style
from linecard.study import compare
from linecard.study.charts import difference_text
from linecard.study.columns import constant_keys, percent, varying_columns
from linecard.view import Chart, Grouped
from linecard.words import label

if TYPE_CHECKING:
    from jinja2 import Template

    from linecard.study.result import FigureResult, StudyResult, TableResult
    from linecard.view import Part


def study_report(
    result: StudyResult, charts: Mapping[str, Sequence[Part]], calibrations: Sequence[Mapping[str, Any]] = ()
) -> str:
    """Return the complete HTML page of a study. The same study always produces the same page.

    Args:
        result: The result of the study.
        charts: The charts of each table and figure; the dictionary's keys are the file names of the tables and figures.
        calibrations: The calibrations of the study, with the calibrated values in the presets.
    """
    spec = result.study.spec
    page: str = template(files(__package__).joinpath("study.html.j2").read_text(encoding="utf-8")).render(
        result=result,
        spec=spec,
        version=__version__,
        figures={name: _figures(parts) for name, parts in charts.items()},
        calibrations=calibrations,
        tables=[_table_view(result, table) for table in result.tables],
        figure_name=lambda item: compare.item_name(item).replace(" ", "_"),
        item_name=compare.item_name,
        effort=spec.quick if result.quick else spec.full,
        commands=_command(result),
        gap_text=compare.gap_text,
        words=compare.words,
        is_tie=compare.is_tie,
        table_words=_table_words,
        figure_words=_figure_words,
    )
    return named_cells(page)


def _figures(parts: Sequence[Part]) -> str:
    found = (drawn(part) for part in parts if isinstance(part, (Chart, Grouped)))
    return "".join(each.figure() for each in found if each)


def named_cells(page: str) -> str:
    """Add the column name to each table cell of a page; phones show each row as a list with these names.

    The first row of a table contains the names of the columns; a cell that spans several columns gets no
    column name.
    """

    def named(table: re.Match[str]) -> str:
        head, *rows = table[0].split("<tr")[1:]
        if "<td" in head:
            return table[0]
        names = [re.sub(r"<[^>]*>", "", each).strip() for each in re.findall(r"<th[^>]*>(.*?)</th>", head, re.DOTALL)]
        written = [table[0].split("<tr")[0], head.replace("<th", '<th scope="col"')]
        for row in rows:
            places = iter(names)

            def cell(match: re.Match[str], places: Iterator[str] = places) -> str:
                name = "" if "colspan" in match[1] else next(places, "")
                return f'<td data-name="{name}"{match[1]}>' if name else match[0]

            written.append(re.sub(r"<td([^>]*)>", cell, row))
        return "<tr".join(written)

    return re.sub(r"<table>.*?</table>", named, page, flags=re.DOTALL)


def _table_words(table: TableResult) -> str:
    """A description of the plot of a table for readers who cannot see it."""
    title = f"{compare.item_name(table.spec.id).capitalize()}: {table.spec.title}"
    return f"{title}. Bars of published and measured numbers; see the table for the numbers."


def _figure_words(figure: FigureResult) -> str:
    """A description of the plot of a figure for readers who cannot see it: panels, series, and their values."""
    spec = figure.spec
    said = [f"{compare.item_name(spec.id).capitalize()}: {spec.title}, over {spec.axis}."]
    for panel in spec.panels:
        for series in spec.series:
            for measure in panel.measures:
                points = [point for point in figure.curve(series.label, measure) if point.measured is not None]
                if points:
                    values = ", ".join(f"{point.measured:.4g}" for point in points)
                    said.append(f"{panel.label}, {series.label}, {measure.replace('_', ' ')}: {values}.")
    return " ".join(said)


def template(text: str) -> Template:
    """A template with the filters that all pages of studies share."""
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError("the HTML report", "report") from error
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["document_css"] = style("colours", "chart", "document")
    environment.filters["percent"] = percent
    environment.filters["number"] = _number
    environment.filters["signed"] = lambda value, digits=1: "–" if value is None else f"{value:+.{digits}f}"
    return environment.from_string(text)


def _command(result: StudyResult) -> str:
    command = f"linecard reproduce {result.study.spec.id}" + (" --quick" if result.quick else "")
    if result.items != result.study.item_ids:
        command += "".join(f" --table {item}" for item in result.items)
    return command


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _table_view(result: StudyResult, table: TableResult) -> dict[str, Any]:
    """A table as rows of texts, with a colour class per cell."""
    columns = varying_columns(table)
    constant = constant_keys(table)
    several = len(table.spec.cells) > 1
    rows = [
        {
            "keys": [cell.keys[column] for column in columns] + ([cell.column.replace("_", " ")] if several else []),
            "cell": cell,
            "digits": _digits(result, cell),
            "difference": difference_text(table, cell),
            "grade": grade(table, cell),
        }
        for cell in table.cells
    ]
    header = [label(column) for column in columns] + (["measure"] if several else [])
    return {
        "table": table,
        "header": header,
        "same": compare.words(constant) if constant else "",
        "unit": ", ".join(sorted({cell.unit for cell in table.cells})),
        "rows": rows,
    }


def _digits(result: StudyResult, cell: compare.Cell) -> int:
    for measure in result.study.spec.measures.values():
        if measure.unit == cell.unit:
            return measure.decimals
    return 2


def grade(table: TableResult, cell: compare.Cell) -> str:
    """The CSS class that colours a cell; it depends on the ratio of the cell's error to the table's tolerance."""
    if cell.measured is None:
        return "failed"
    if cell.calibrated:
        return "bad" if compare.beyond_tolerance(cell, table.spec) else "calibrated"
    if table.spec.tolerance_points is not None:
        off, allowed = abs(cell.difference or 0.0), table.spec.tolerance_points
    elif cell.error is not None:
        off, allowed = abs(cell.error), table.spec.tolerance
    else:
        return "plain"
    if not allowed:
        return "bad" if off else "good"
    share = off / allowed
    return "good" if share <= 0.3 else "fair" if share <= 0.6 else "poor" if share <= 1.0 else "bad"
