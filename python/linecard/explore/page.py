"""One self-contained page of a sweep or of an optimisation: scatter, parallel coordinates, table, and each point's run.

The page is a file: it loads nothing, so that it opens from a disk or out of a mail. Its data are the table's rows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.tables import write_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from linecard.explore.optimize import OptimizeResult
    from linecard.explore.result import SweepResult

_TEMPLATE = Path(__file__).with_name("page.html")
# Columns that are shown for a point alone.
_TEXTS = ("run", "reason", "command")
_MOST_COORDINATES = 8


def write_sweep(result: SweepResult, path: str | Path) -> Path:
    """Write the page of a sweep."""
    shown = [name for name in result.shown_columns(len(result.axes) + 4) if name not in result.axes]
    numbers = [name for name in shown if any(_is_number(row[name]) for row in result.rows)]
    bad = sum(row["status"] != "ok" for row in result.rows)
    said = f"{len(result.rows):,} points" + (f", {bad:,} of them refused or failed" if bad else "")
    return _write(
        path,
        title=result.title,
        said=said,
        axes=result.axes,
        columns=result.columns,
        rows=result.rows,
        x=result.axes[0] if result.axes else "status",
        y=numbers[0] if numbers else "status",
        coordinates=[*result.axes, *numbers][:_MOST_COORDINATES],
        front=(),
        knee=0,
    )


def write_optimized(result: OptimizeResult, path: str | Path) -> Path:
    """Write the page of an optimisation, with the front marked."""
    from linecard.explore.optimize import OBJECTIVE

    first = result.rows[0]
    objectives = [OBJECTIVE + text for text in result.objectives]
    names = [name for name in first if name not in {*objectives, *_TEXTS, "status"}]
    columns = [*objectives, *names, "status", *_TEXTS]
    commands = {row["command"]: number for number, row in enumerate(result.rows)}
    front = [commands[row["command"]] for row in result.front]
    return _write(
        path,
        title=result.title,
        said=f"{result.runs:,} of {result.points:,} points were run; {len(front):,} are on the front",
        axes=result.axes,
        columns=columns,
        rows=result.rows,
        x=objectives[-1],
        y=objectives[0],
        coordinates=[*result.axes, *objectives][:_MOST_COORDINATES],
        front=front,
        knee=next(number for number, row in enumerate(result.front) if row["knee"]),
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _write(
    path: str | Path, *, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], axes: Sequence[str], **said: Any
) -> Path:
    data = {
        **said,
        "axes": list(axes),
        "columns": list(columns),
        "texts": list(_TEXTS),
        "rows": [[_shown(row.get(name)) for name in columns] for row in rows],
    }
    # Nothing in the data may end the element that holds them.
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return write_text(path, _TEMPLATE.read_text(encoding="utf-8").replace("/*DATA*/", text))


def _shown(value: Any) -> Any:
    return ("yes" if value else "no") if isinstance(value, bool) else value
