"""One self-contained page for a sweep or an optimisation: scatter plot, parallel coordinates, Pareto front, and runs.

The page needs no other file, and can therefore be opened from a disk or an e-mail. The data on the page are the rows of
the result table.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.chip.length import has_numbers
from linecard.explore.objectives import OBJECTIVE
from linecard.explore.subject import SUBJECTS
from linecard.explore.wording import FIRST_NUMBERS
from linecard.numbers import is_number
from linecard.report.sheet import style
from linecard.words import label, objective

if TYPE_CHECKING:
    from linecard.explore.optimize_result import OptimizeResult
    from linecard.explore.result import Parts, SweepResult

_TEMPLATE = Path(__file__).with_name("explorer.html")
# Columns that are shown only for a single point.
_TEXTS = ("run", "reason", "command")
_MOST_COORDINATES = 8
# Columns of which more is better, and columns of which less is better; the reader decides about others.
_MORE = ("throughput", "mpps", "mops", "gbps", "bandwidth", "hit_rate", "packets_per_mcycle", "packets_out")
_LESS = ("latency", "loss", "dropped", "miss", "cost", "area", "energy", "power", "_ns", "_clocks")
_DIGITS = 4


def sweep_page(result: SweepResult) -> str:
    """Write the page of a sweep."""
    shown = [name for name in result.shown_columns(len(result.axes) + 4) if name not in result.axes]
    numbers = [name for name in shown if any(is_number(row[name]) for row in result.rows)]
    y = next((name for name in numbers if _better(name)), numbers[0] if numbers else "status")
    follows = [name for name in numbers if name not in FIRST_NUMBERS and name != y and name in shown[:1]]
    x = next(iter([*follows, *result.axes]), "status")
    bad = sum(not has_numbers(row) for row in result.rows)
    said = f"{len(result.rows):,} points" + (f", of which {bad:,} were refused or failed" if bad else "")
    said = "; ".join((said, *result.doubts))
    return _page(
        title=result.title,
        said=said,
        axes=result.axes,
        columns=result.columns,
        rows=result.rows,
        given=result.given,
        parts=result.parts,
        better={name: way for name in result.columns if (way := _better(name))},
        x=x,
        y=y,
        coordinates=[*result.axes, *numbers][:_MOST_COORDINATES],
        front=(),
        knee=0,
        objectives=0,
    )


def optimized_page(result: OptimizeResult) -> str:
    """Write the page of an optimisation; the page marks the designs of the Pareto front."""
    first = result.rows[0]
    objectives = [OBJECTIVE + text for text in result.objectives]
    names = [name for name in first if name not in {*objectives, *_TEXTS, "status"}]
    columns = [*objectives, *names, "status", *_TEXTS]
    commands = {row["command"]: number for number, row in enumerate(result.rows)}
    front = [commands[row["command"]] for row in result.front]
    asked = {OBJECTIVE + text: 1 if text.startswith("max") else -1 for text in result.objectives}
    return _page(
        title=result.title,
        said=f"{result.runs:,} of {result.points:,} points were run; {len(front):,} are on the Pareto front",
        axes=result.axes,
        columns=columns,
        rows=result.rows,
        given=result.given,
        parts=result.parts,
        better={**{name: way for name in names if (way := _better(name))}, **asked},
        x=objectives[-1],
        y=objectives[0],
        coordinates=[*result.axes, *objectives][:_MOST_COORDINATES],
        front=front,
        knee=next(number for number, row in enumerate(result.front) if row["knee"]),
        objectives=len(objectives),
    )


def _better(name: str) -> int:
    """1 if more is better, -1 if less is better, 0 if unknown."""
    if any(word in name for word in _LESS):
        return -1
    return 1 if any(word in name for word in _MORE) and "offered" not in name else 0


def _page(
    *,
    columns: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    axes: Sequence[str],
    given: Mapping[str, Any],
    parts: Sequence[Parts],
    **said: Any,
) -> str:
    kinds = {}
    for kind in ("busy", "packet"):
        names = list(dict.fromkeys(name for each in parts for name in getattr(each, kind)))
        # Shares and times of a bar are rounded: more digits than a bar can show would only enlarge the page.
        values = [[_rounded(getattr(each, kind).get(name)) for name in names] for each in parts]
        kinds[kind] = {"names": names, "values": values}
    subject = SUBJECTS.get(str(given.get("what")))
    data = {
        **said,
        "axes": list(axes),
        "columns": list(columns),
        "labels": _labels(columns),
        "texts": list(_TEXTS),
        "given": given,
        "arguments": sorted(subject.arguments) if subject else [],
        "parts": kinds,
        "rows": [[row.get(name) for name in columns] for row in rows],
    }
    # The data must not end the element that contains them.
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    template = _TEMPLATE.read_text(encoding="utf-8").replace("/*STYLE*/", style("colours", "style"))
    return template.replace("/*DATA*/", text)


def _labels(columns: Sequence[str]) -> dict[str, str]:
    """Columns in words; columns with equal words keep their names."""
    words = {
        name: objective(name.removeprefix(OBJECTIVE)) if name.startswith(OBJECTIVE) else label(name) for name in columns
    }
    many = Counter(words.values())
    return {name: text for name, text in words.items() if many[text] == 1 and text != name}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_DIGITS}g}")
