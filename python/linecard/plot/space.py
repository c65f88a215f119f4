"""Static plots of a space for papers: a sweep's number over an axis, and the front of an optimisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.chip.length import has_numbers
from linecard.errors import ConfigError, ConfigProblem
from linecard.plot.axes import begin
from linecard.plot.style import ERROR_BARS, INK, LINES, MARKS, MUTED, SOFT, draw
from linecard.words import label as words_for
from linecard.words import objective, valued

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from linecard.explore.optimize_result import OptimizeResult
    from linecard.explore.result import SweepResult


def write_table(result: SweepResult, path: str | Path, across: str | None = None, up: str | None = None) -> Path:
    """Draw one column of a sweep over another, a line for each value of the other axes, seeds as mean and range.

    Where there are more lines than can be told apart, or neither column is an axis, there are points alone.

    Args:
        result: The sweep.
        path: File to write, .png or .svg.
        across: Column of the horizontal axis; the first axis whose values are numbers, else the first, if left out.
        up: Column of the vertical axis, of numbers; the first one to look at if left out.

    Raises:
        ConfigError: There is no such column, no point went well, or the name ends in something else.
        MissingExtraError: The extra ``plot`` is not installed.
    """
    rows = [row for row in result.rows if has_numbers(row)]
    axes = [name for name in result.axes if name != "seed"]
    numeric = [name for name in axes if all(_is_number(row[name]) for row in rows)]
    shown = [name for name in result.shown_columns(len(result.axes) + 8) if name not in result.axes]
    across = across or next(iter([*numeric, *axes, *result.axes]), None) or "run"
    up = up or next((name for name in shown if rows and _is_number(rows[0][name])), "")
    for name in (across, up):
        if name not in result.columns:
            message = f"found no column {name!r}, expected one of {', '.join(result.columns)}"
            raise ConfigError.of([ConfigProblem("plot", "", message)])
    rows = [row for row in rows if _is_number(row[up]) and row[across] is not None]
    if not rows:
        message = f"no point has a number {up!r}; nothing can be drawn"
        raise ConfigError.of([ConfigProblem("plot", "", message)])
    return draw(path, lambda pyplot: _table(pyplot, result, rows, across, up))


def _table(pyplot: Any, result: SweepResult, rows: Sequence[Mapping[str, Any]], across: str, up: str) -> Any:
    figure, axes = pyplot.subplots(figsize=(6.5, 4.4))
    names: list[Any] = []
    if not all(_is_number(row[across]) for row in rows):
        names = list(dict.fromkeys(str(row[across]) for row in rows))

    def place(row: Mapping[str, Any]) -> float:
        return names.index(str(row[across])) if names else float(row[across])

    others = [name for name in result.axes if name not in (across, up, "seed")]
    groups: dict[tuple[Any, ...], dict[float, list[float]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in others), {}).setdefault(place(row), []).append(float(row[up]))
    note = ""
    if across in result.axes and len(groups) <= len(LINES):
        for number, (group, places) in enumerate(groups.items()):
            across_all = sorted(places)
            means = [sum(places[x]) / len(places[x]) for x in across_all]
            reach = [
                [mean - min(places[x]) for x, mean in zip(across_all, means, strict=True)],
                [max(places[x]) - mean for x, mean in zip(across_all, means, strict=True)],
            ]
            label = ", ".join(valued(name, value) for name, value in zip(others, group, strict=True))
            look: dict[str, Any] = {"marker": MARKS[number], "ms": 5, "lw": 1.2, "color": LINES[number], "label": label}
            if any(len(values) > 1 for values in places.values()):
                axes.errorbar(across_all, means, yerr=reach, **look, **ERROR_BARS)
                most = max(len(values) for values in places.values())
                note = f"points: means of {most} seeds; bars: the smallest and the largest"
            else:
                axes.plot(across_all, means, **look)
        if others:
            axes.legend()
    else:
        axes.scatter([place(row) for row in rows], [float(row[up]) for row in rows], s=12, color=LINES[0])
    if names:
        axes.set_xticks(range(len(names)), names)
    begin(axes, [float(row[up]) for row in rows])
    axes.set_xlabel(words_for(across))
    axes.set_ylabel(words_for(up))
    _head(axes, result.title, note)
    return figure


def write_front(result: OptimizeResult, path: str | Path) -> Path:
    """Draw the points that were run and the front, with 95 % intervals, over the first two objectives.

    With one objective its values stand in the order in which the points were run.

    Raises:
        ConfigError: The name ends in neither .png nor .svg, or the file cannot be written.
        MissingExtraError: The extra ``plot`` is not installed.
    """
    from linecard.explore.columns import OBJECTIVE

    columns = [OBJECTIVE + text for text in result.objectives[:2]]
    rows = [row for row in result.rows if has_numbers(row)]
    return draw(path, lambda pyplot: _front(pyplot, result, columns, rows))


def _front(pyplot: Any, result: OptimizeResult, columns: list[str], rows: Sequence[Mapping[str, Any]]) -> Any:
    figure, axes = pyplot.subplots(figsize=(6.5, 4.6))
    if len(columns) == 1:
        values = [row[columns[0]] for row in rows]
        axes.scatter(range(1, len(rows) + 1), values, s=12, color=SOFT, label=f"{len(rows):,} runs")
        axes.axhline(result.front[0]["objectives"][0], color=LINES[1], lw=1, label="the best")
        begin(axes, values)
        axes.set_xlabel("run, in the order of the search")
        axes.set_ylabel(objective(result.objectives[0]))
        axes.legend()
        _head(axes, result.title, "")
    else:
        _draw_front(axes, result, [[row[name] for name in columns] for row in rows])
    return figure


def _draw_front(axes: Any, result: OptimizeResult, points: Sequence[Sequence[float]]) -> None:
    axes.scatter(*zip(*points, strict=True), s=12, color=SOFT, label=f"{len(points):,} runs")
    front = sorted(result.front, key=lambda row: tuple(row["objectives"]))
    x, y = ([row["objectives"][n] for row in front] for n in range(2))
    reach = [
        None if row["low"][0] is None else [(row["high"][n] - row["low"][n]) / 2 for n in range(2)] for row in front
    ]
    note = ""
    if all(each is not None for each in reach):
        halves = [[each[n] for each in reach if each is not None] for n in range(2)]
        axes.errorbar(x, y, xerr=halves[0], yerr=halves[1], fmt="none", **ERROR_BARS)
        note = "bars: 95 % intervals"
    # With two objectives the front is a line; with more, these two show a part of it.
    line = "-" if len(result.objectives) == 2 else ""
    axes.plot(x, y, linestyle=line, marker="s", ms=4, lw=1, color=LINES[1], label=f"front, {len(front):,}")
    knee = next(row for row in front if row["knee"])
    at = [[value] for value in knee["objectives"][:2]]
    axes.plot(*at, linestyle="", marker="o", ms=11, mfc="none", mew=1.5, color=INK, label="best compromise")
    for along, number in (("x", 0), ("y", 1)):
        begin(axes, [point[number] for point in points], along=along)
    axes.legend()
    axes.set_xlabel(objective(result.objectives[0]))
    axes.set_ylabel(objective(result.objectives[1]))
    _head(axes, result.title, note)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _head(axes: Any, title: str, note: str) -> None:
    axes.set_title(title)
    if note:
        axes.set_title(note, loc="right", fontsize=7.5, fontweight="normal", color=MUTED)
