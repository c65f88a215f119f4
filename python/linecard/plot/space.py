"""Static plots of a space for papers: a sweep's number over an axis, and the front of an optimisation."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, ConfigProblem, MissingExtraError
from linecard.files import write_file
from linecard.plot.style import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from linecard.explore.optimize_result import OptimizeResult
    from linecard.explore.result import SweepResult

_COLOURS = ("#2f6db5", "#c4722e", "#3a8a4d", "#8b5fb0", "#b03a48", "#5f6b7a", "#2a9d9d", "#a08a1f")
_MARKS = "os^DvPX*"
_POINT, _FRONT = "#8fb4dd", "#c4722e"


def write_table(result: SweepResult, path: str | Path, across: str | None = None, up: str | None = None) -> Path:
    """Draw one column of a sweep over another, a line for each value of the other axes; seeds are averaged.

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
    rows = [row for row in result.rows if row["status"] == "ok"]
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
    with _figure(path, (6.5, 4.2)) as figure:
        _draw_table(figure.subplots(), result, rows, across, up)
    return _written(figure, path)


def _draw_table(axes: Any, result: SweepResult, rows: Sequence[Mapping[str, Any]], across: str, up: str) -> None:
    names: list[Any] = []
    if not all(_is_number(row[across]) for row in rows):
        names = list(dict.fromkeys(str(row[across]) for row in rows))

    def place(row: Mapping[str, Any]) -> float:
        return names.index(str(row[across])) if names else float(row[across])

    others = [name for name in result.axes if name not in (across, up, "seed")]
    groups: dict[tuple[str, ...], dict[float, list[float]]] = {}
    for row in rows:
        group = tuple(str(row[name]) for name in others)
        groups.setdefault(group, {}).setdefault(place(row), []).append(float(row[up]))
    if across in result.axes and len(groups) <= len(_COLOURS):
        for number, (group, places) in enumerate(groups.items()):
            line = sorted((x, sum(values) / len(values)) for x, values in places.items())
            label = ", ".join(f"{name} {value}" for name, value in zip(others, group, strict=True))
            axes.plot(*zip(*line, strict=True), marker=_MARKS[number], ms=4, lw=1, color=_COLOURS[number], label=label)
        if others:
            axes.legend(fontsize=8, frameon=False)
    else:
        axes.scatter([place(row) for row in rows], [float(row[up]) for row in rows], s=12, color=_COLOURS[0])
    if names:
        axes.set_xticks(range(len(names)), names)
    _label(axes, across, up, result.title)


def write_front(result: OptimizeResult, path: str | Path) -> Path:
    """Draw the points that were run and the front, with 95 % intervals, over the first two objectives.

    With one objective its values stand in the order in which the points were run.

    Raises:
        ConfigError: The name ends in neither .png nor .svg, or the file cannot be written.
        MissingExtraError: The extra ``plot`` is not installed.
    """
    from linecard.explore.columns import OBJECTIVE

    columns = [OBJECTIVE + text for text in result.objectives[:2]]
    rows = [row for row in result.rows if row["status"] == "ok"]
    with _figure(path, (6.5, 4.5)) as figure:
        axes = figure.subplots()
        if len(columns) == 1:
            axes.scatter(range(1, len(rows) + 1), [row[columns[0]] for row in rows], s=12, color=_POINT)
            axes.axhline(result.front[0]["objectives"][0], color=_FRONT, lw=1)
            _label(axes, "run", result.objectives[0], result.title)
        else:
            _draw_front(axes, result, [[row[name] for name in columns] for row in rows])
    return _written(figure, path)


def _draw_front(axes: Any, result: OptimizeResult, points: Sequence[Sequence[float]]) -> None:
    axes.scatter(*zip(*points, strict=True), s=12, color=_POINT, label=f"{len(points):,} runs")
    front = sorted(result.front, key=lambda row: tuple(row["objectives"]))
    x, y = ([row["objectives"][n] for row in front] for n in range(2))
    reach = [
        None if row["low"][0] is None else [(row["high"][n] - row["low"][n]) / 2 for n in range(2)] for row in front
    ]
    if all(each is not None for each in reach):
        halves = [[each[n] for each in reach if each is not None] for n in range(2)]
        axes.errorbar(x, y, xerr=halves[0], yerr=halves[1], fmt="none", ecolor=_FRONT, lw=0.7, capsize=2)
    # With two objectives the front is a line; with more, these two show a part of it.
    line = "-" if len(result.objectives) == 2 else ""
    axes.plot(x, y, linestyle=line, marker="o", ms=4, lw=1, color=_FRONT, label=f"front, {len(front):,}")
    knee = next(row for row in front if row["knee"])
    axes.plot(
        *([value] for value in knee["objectives"][:2]),
        linestyle="",
        marker="o",
        ms=10,
        mfc="none",
        color="#222222",
        label="best compromise",
    )
    axes.legend(fontsize=8, frameon=False)
    _label(axes, result.objectives[0], result.objectives[1], result.title)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _label(axes: Any, across: str, up: str, title: str) -> None:
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_title(title, loc="left", fontsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


@contextmanager
def _figure(path: str | Path, size: tuple[float, float]) -> Iterator[Any]:
    kind_of(path)
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("a plot", "plot") from error
    with rc_context({"font.size": 9}):
        yield Figure(figsize=size, layout="constrained")


def _written(figure: Any, path: str | Path) -> Path:
    from matplotlib import rc_context

    kind = kind_of(path)
    # The same bytes for the same result: no date, and names of parts that do not depend on chance.
    metadata = {"Software": None} if kind == "png" else {"Date": None}
    with rc_context({"svg.hashsalt": "linecard", "font.size": 9}):
        return write_file(Path(path), lambda file: figure.savefig(file, format=kind, dpi=120, metadata=metadata))
