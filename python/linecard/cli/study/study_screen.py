"""The screen of a study: one line per table, then limits and deviations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from linecard.cli.pieces import DIM, grid, heading, lined, section
from linecard.cli.stdout import show
from linecard.cli.study.lines import target_lines, yes_no

if TYPE_CHECKING:
    from rich.console import RenderableType

    from linecard.cli.table import Table
    from linecard.study.result import StudyResult, TableResult


def print_study(result: StudyResult) -> None:
    """The screen of a study: one line per table, then limits and deviations."""
    from linecard.study.columns import constant_keys
    from linecard.study.columns import percent as off
    from linecard.study.compare import item_name, words

    parts: list[RenderableType] = []
    spec = result.study.spec
    parts.append(Padding(Text(spec.title, style="bold"), (1, 0, 0, 2)))
    parts.append(Padding(Text(spec.document, style=DIM), (0, 0, 0, 2)))
    numbers = grid("l", "w")
    numbers.add_row(
        "Cells", f"{len(result.counted_cells)} compared, {result.calibrated_cells} calibrated and not counted"
    )
    numbers.add_row("Error", f"mean {off(result.mean_abs_error)}, largest {off(result.max_abs_error)}")
    if result.point_cells:
        numbers.add_row(
            "Percentages", f"{len(result.point_cells)} compared, {result.mean_abs_points:.1f} points off on average"
        )
    if result.bounds:
        numbers.add_row("Bounds", f"{sum(cell.difference == 0 for cell in result.bounds)} of {len(result.bounds)} kept")
    numbers.add_row(
        "Order", f"{len(result.orders) - result.order_violations} of {len(result.orders)} pairs as published"
    )
    points = result.gains_mean_abs_error_points
    numbers.add_row("Gains", "–" if points is None else f"{points:.1f} percentage points off on average")
    parts.append(section(numbers))

    if len(result.items) <= 2:
        for table in result.tables:
            title = f"{table.spec.title}: {words(constant_keys(table))}"
            parts.append(section(heading(item_name(table.spec.id).capitalize(), title), _cells(table)))
    parts.extend(_study_overview(result))
    parts.extend(_study_judgements(result))
    runs = f"{len(result.runs)} runs in {result.seconds:.1f} s" + (", quick" if result.quick else "")
    parts.append(Padding(Text(runs, style=DIM), (1, 0, 1, 2)))
    show(*parts)


def _study_overview(result: StudyResult) -> Iterator[RenderableType]:
    """One line per table, and what the text says of each figure."""
    from linecard.study.compare import item_name

    if result.tables:
        overview = lined(
            ("", "l"),
            ("", "w"),
            ("cells", "r"),
            ("mean error", "r"),
            ("largest", "r"),
            ("order", "r"),
            ("gains", "r"),
        )
        for table in result.tables:
            gains = [abs(gain.difference_points) for gain in table.gains if gain.difference_points is not None]
            overview.add_row(
                item_name(table.spec.id).capitalize(),
                table.spec.title,
                str(len(table.cells)),
                _off(table),
                _largest(table),
                f"{len(table.orders) - table.order_violations}/{len(table.orders)}" if table.orders else "",
                f"{sum(gains) / len(gains):.1f} pt" if gains else "",
            )
        yield section(overview)
    for figure in result.figures:
        lines = grid("l", "w")
        for shape in figure.shapes:
            lines.add_row(yes_no(shape.holds, "agrees", "differs"), shape.text)
        yield section(heading(item_name(figure.spec.id).capitalize(), figure.spec.title), lines)


def _study_judgements(result: StudyResult) -> Iterator[RenderableType]:
    """The scorecard's lines of this study, limits of its own and deviations."""
    from linecard.study.columns import percent as off

    targets = [line for line in result.lines if line.kept is not None]
    if targets:
        note = "meant for the full study" if result.quick else ""
        yield section(heading("Scorecard", note), target_lines(targets))
    judged = [check for check in result.checks if check.holds is not None]
    if judged:
        lines = grid("l", "w")
        for check in judged:
            reached = check.reached
            if reached is None:
                text = "–"
            elif check.kind in ("max_abs_points", "max_gain_points"):
                text = f"{reached:.1f} points"
            else:
                text = f"{reached:.0f}" if check.kind == "order_violations" else off(reached)
            lines.add_row(yes_no(check.holds), Text.assemble(check.id, (f"   reached {text}", DIM)))
        yield section(heading("Limits of its own"), lines)
    if result.deviations and result.quick:
        count = f"{len(result.deviations)}; judged in the full study"
        yield section(heading("Deviations", count))
    elif result.deviations:
        counts = {
            state: sum(each.state == state for each in result.deviations) for state in ("known", "unlisted", "gone")
        }
        said = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
        lines = grid("l", "w")
        for deviation in result.deviations:
            style = DIM if deviation.state == "known" else "yellow"
            lines.add_row(Text(deviation.state, style=style), Text(deviation.detail or deviation.id))
        yield section(heading("Deviations", said), lines)


def _off(table: TableResult) -> str:
    from linecard.study.columns import percent as off
    from linecard.study.compare import mean_abs

    if table.spec.tolerance_points is None:
        return off(table.mean_abs_error)
    points = mean_abs(cell.difference for cell in table.counted)
    return "–" if points is None else f"{points:.1f} pt"


def _largest(table: TableResult) -> str:
    from linecard.study.columns import percent as off
    from linecard.study.compare import max_abs

    if table.spec.tolerance_points is None:
        return off(table.max_abs_error)
    points = max_abs(cell.difference for cell in table.counted)
    return "–" if points is None else f"{points:.1f} pt"


def _cells(table: TableResult) -> Table:
    from linecard.study.columns import percent as off
    from linecard.study.columns import varying_columns
    from linecard.study.compare import beyond_tolerance

    keys = varying_columns(table)
    several = len(table.spec.cells) > 1
    header = [(key.replace("_", " "), "l") for key in keys] + ([("measure", "l")] if several else [])
    numbers = [("published", "r"), ("measured", "r"), ("± seeds", "r"), ("difference", "r"), ("", "l")]
    lines = lined(*header, *numbers)
    for cell in table.cells:
        style = "red" if beyond_tolerance(cell, table.spec) else DIM if cell.calibrated else ""
        difference = off(cell.error, sign=True)
        if table.spec.tolerance_points is not None and cell.measured is not None:
            difference = f"{cell.difference or 0.0:+.1f} pt"
        lines.add_row(
            *(str(cell.keys[key]) for key in keys),
            *([cell.column.replace("_", " ")] if several else []),
            f"{cell.bound}{cell.published:g}",
            "–" if cell.measured is None else f"{cell.measured:.3f}",
            "–" if cell.spread is None else f"{cell.spread:.3f}",
            Text(difference, style=style),
            Text("calibrated" if cell.calibrated else "failed" if cell.failure else "", style=DIM),
        )
    return lines
