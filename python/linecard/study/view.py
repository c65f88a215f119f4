"""The view of a study: one row per table, then the figures, the scorecard, the limits and the deviations."""

from __future__ import annotations

from collections.abc import Sequence

from linecard.study.charts import figure_charts
from linecard.study.columns import constant_keys, percent, varying_columns
from linecard.study.compare import Check, beyond_tolerance, item_name, max_abs, mean_abs, words
from linecard.study.limits import Line
from linecard.study.result import FigureResult, StudyResult, TableResult
from linecard.view import (
    BAR,
    Bar,
    Cell,
    Column,
    Fact,
    Facts,
    Paragraphs,
    Part,
    Said,
    Table,
    Title,
    text,
    view,
    wide,
)

# Up to this number of requested tables and figures, a terminal also shows the cells.
FEW = 2
# The error at which the bar of a table has full length.
WHOLE = 0.2


@view.register
def _(result: StudyResult) -> list[Part]:
    runs = f"{len(result.runs)} runs in {result.seconds:.1f} s" + (", quick" if result.quick else "")
    return [
        Title(result.study.spec.title, result.study.spec.document),
        Facts([*_facts(result), Fact("Runs", runs)]),
        *(_cells(table, folded=len(result.items) > FEW) for table in result.tables),
        _overview(result),
        *(part for figure in result.figures for part in _figure(result, figure)),
        *_judgements(result),
    ]


def _facts(result: StudyResult) -> list[Fact]:
    calibrated = f"compared, {result.calibrated_cells} calibrated cells not counted"
    facts = [
        Fact("Cells", f"{len(result.counted_cells)}", calibrated),
        Fact("Error", f"mean {percent(result.mean_abs_error)}", f"largest {percent(result.max_abs_error)}", "strong"),
    ]
    if result.point_cells:
        off = f"compared, mean difference {result.mean_abs_points:.1f} percentage points"
        facts.append(Fact("Percentages", f"{len(result.point_cells)}", off))
    if result.bounds:
        kept = sum(cell.difference == 0 for cell in result.bounds)
        facts.append(Fact("Bounds", f"{kept} of {len(result.bounds)}", "kept"))
    in_order = len(result.orders) - result.order_violations
    facts.append(Fact("Order", f"{in_order} of {len(result.orders)} pairs", "as published"))
    points = result.gains_mean_abs_error_points
    off = "–" if points is None else f"{points:.1f} percentage points"
    return [*facts, Fact("Gains", off, "" if points is None else "mean difference")]


def _overview(result: StudyResult) -> Table:
    columns = (text(""), wide(""), "cells", BAR, "mean error", "largest", "order", "gains")
    return Table("Tables", columns, [_line(table) for table in result.tables])


def _line(table: TableResult) -> tuple[Cell, ...]:
    gains = [abs(gain.difference_points) for gain in table.gains if gain.difference_points is not None]
    mean, largest = percent(table.mean_abs_error), percent(table.max_abs_error)
    if table.spec.tolerance_points is not None:
        differences = [cell.difference for cell in table.counted]
        mean, largest = _points(mean_abs(differences)), _points(max_abs(differences))
    return (
        item_name(table.spec.id).capitalize(),
        table.spec.title,
        len(table.cells),
        Bar((table.mean_abs_error or 0.0) / WHOLE),
        mean,
        largest,
        f"{len(table.orders) - table.order_violations}/{len(table.orders)}" if table.orders else "",
        f"{sum(gains) / len(gains):.1f} pt" if gains else "",
    )


def _points(points: float | None) -> str:
    return "–" if points is None else f"{points:.1f} pt"


def _cells(table: TableResult, *, folded: bool) -> Table:
    keys = varying_columns(table)
    several = len(table.spec.cells) > 1
    rows: list[Sequence[Cell]] = []
    for cell in table.cells:
        tone = "bad" if beyond_tolerance(cell, table.spec) else "dim" if cell.calibrated else ""
        difference = percent(cell.error, sign=True)
        if table.spec.tolerance_points is not None and cell.measured is not None:
            difference = f"{cell.difference or 0.0:+.1f} pt"
        rows.append(
            (
                *(str(cell.keys[key]) for key in keys),
                *([cell.column.replace("_", " ")] if several else []),
                f"{cell.bound}{cell.published:g}",
                "–" if cell.measured is None else f"{cell.measured:.3f}",
                "–" if cell.spread is None else f"{cell.spread:.3f}",
                Said(difference, tone),
                Said("calibrated" if cell.calibrated else "failed" if cell.failure else "", "dim"),
            )
        )
    names = [text(key.replace("_", " ")) for key in keys] + ([text("measure")] if several else [])
    columns = (*names, *map(Column, ("published", "measured", "± seeds", "difference")), text(""))
    said = f"{table.spec.title}: {words(constant_keys(table))}"
    return Table(item_name(table.spec.id).capitalize(), columns, rows, said, folded=folded)


def _figure(result: StudyResult, figure: FigureResult) -> list[Part]:
    """Statements of the document about a figure, and its curves."""
    spec = figure.spec
    name = item_name(spec.id).capitalize()
    tones = {True: Said("agrees", "good"), False: Said("differs", "bad"), None: Said("not judged", "dim")}
    shapes: list[Sequence[Cell]] = [(tones[shape.holds], shape.text) for shape in figure.shapes]
    found: list[Part] = [Table(name, (text(""), wide("")), shapes, spec.title)]
    for panel, chart in zip(spec.panels, figure_charts(result, figure), strict=True):
        found.append(chart._replace(title=f"{name}: {panel.label}"))
    return found


def _judgements(result: StudyResult) -> list[Part]:
    """The lines of the scorecard for this study, its further limits, and its deviations."""
    note = "limits apply to the full study" if result.quick else ""
    found: list[Part] = [
        Table(
            "Scorecard",
            (*map(text, ("line", "outcome")), "measured", text("limit"), wide("quantity and reason")),
            [_target(line) for line in result.lines if line.kept is not None],
            note,
        ),
        Table(
            "Further limits",
            (*map(text, ("outcome", "limit")), "reached"),
            [(_kept(check.holds), check.id, _reached(check)) for check in result.checks if check.holds is not None],
        ),
    ]
    if result.deviations and result.quick:
        said = f"{len(result.deviations)} deviations; only the full study checks them"
        return [*found, Paragraphs((Said(said, "dim"),))]
    states = [each.state for each in result.deviations]
    counts = ", ".join(f"{states.count(state)} {state}" for state in ("known", "unlisted", "gone") if state in states)
    rows = [
        (Said(each.state, "dim" if each.state == "known" else "warn"), each.detail or each.id)
        for each in result.deviations
    ]
    return [*found, Table("Deviations", (text(""), wide("")), rows, counts)]


def _kept(holds: bool | None) -> Said:
    return Said("not judged", "dim") if holds is None else Said("kept", "good") if holds else Said("missed", "bad")


def _target(line: Line) -> tuple[Cell, ...]:
    said = [line.target.what]
    said += [f"{len(line.calibrated)} calibrated inside"] if line.calibrated else []
    said += [f"{line.outcome}: {line.shown}"] if line.shown else []
    said += [line.reason or "no reason listed"] if line.kept is False else []
    outcome = _kept(line.kept)._replace(text=line.outcome) if line.kept is False else _kept(line.kept)
    measured = f"{line.measured_text} {line.over_text}".rstrip()
    return line.target.id, outcome, measured, line.limit_text, "; ".join(said)


def _reached(check: Check) -> str:
    if check.reached is None:
        return "–"
    if check.kind in ("max_abs_points", "max_gain_points"):
        return f"{check.reached:.1f} points"
    return f"{check.reached:.0f}" if check.kind == "order_violations" else percent(check.reached)
