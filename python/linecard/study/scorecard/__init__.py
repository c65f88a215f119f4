"""The scorecard: every line of ``studies/targets.csv`` held against what the studies gave.

A line has an evaluator of its own (a module a study), which computes one number from the study's result: nothing here
knows what that number should be. Cells on which a parameter was chosen are left out of means, are listed with their
error, and make a line miss when they are beyond its limit.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from linecard.study.compare import ROUNDING, item_name
from linecard.study.scorecard.evidence import Evidence, NotRunError, Reading, cell_name
from linecard.study.targets import load_targets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from linecard.study.compare import Cell
    from linecard.study.result import FigureResult, TableResult
    from linecard.study.spec import Study
    from linecard.study.targets import Target

# Unit of the number and evaluator, by the line's name.
Lines = Mapping[str, tuple[str, Callable[[Evidence], Reading]]]


@dataclass(frozen=True, slots=True)
class Line:
    """One line, judged.

    Attributes:
        target: What was set.
        unit: Of the limit and the measured number: ``fraction``, ``points``, ``th-eq``, ``factor`` or ``count``.
        measured: What came out; ``None`` when a run behind it failed or it was not run.
        of: Of how many, where things are counted.
        kept: Whether the limit is kept; ``None`` when not all of its items were run.
        calibrated: Cells inside on which a parameter was chosen.
        detail: Where the number comes from.
        reason: Why it is missed, as the study's ``deviations.toml`` explains it.
    """

    target: Target
    unit: str
    measured: float | None
    of: int | None
    kept: bool | None
    calibrated: tuple[Cell, ...]
    detail: str
    reason: str = ""

    @property
    def limit(self) -> float | None:
        """The number that is to be reached or kept; where all that is stated has to hold, how many that is."""
        if self.target.kind == "shape":
            return self.of
        return self.target.number

    @property
    def over(self) -> float | None:
        """How far beyond the limit, in the line's unit; 0 when it is kept."""
        if self.measured is None or self.limit is None:
            return None
        low = self.target.kind in ("at_least", "shape")
        return max(self.limit - self.measured if low else self.measured - self.limit, 0.0)

    @property
    def limit_text(self) -> str:
        """The limit in words: ``≤ 3.0 %``."""
        if self.target.kind == "shape":
            return "all" if self.target.of is None else self.target.limit
        if self.target.of is not None:
            return f"≥ {self.target.limit}"
        sign = "≥" if self.target.kind == "at_least" else "≤"
        return f"{sign} {quantity(self.target.number, self.unit)}"

    @property
    def measured_text(self) -> str:
        """What came out, in words."""
        if self.measured is not None and self.of is not None:
            return f"{self.measured:.0f} of {self.of}"
        return quantity(self.measured, self.unit)

    @property
    def over_text(self) -> str:
        """By how much it is missed, in words; nothing when it is kept or not judged."""
        if self.kept is not False:
            return ""
        return "no number" if self.over is None else f"by {quantity(self.over, self.unit)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: numbers where ``targets.csv`` has numbers, its words where it has words."""
        counted = self.target.of is not None or self.target.kind == "shape"
        return {
            "id": self.target.id,
            "study": self.target.study,
            "limit": self.target.limit if counted else self.target.number,
            "measured": (None if self.measured is None else self.measured_text) if counted else self.measured,
            "kept": self.kept,
            "calibrated_cells": len(self.calibrated),
            "reason": self.reason,
        }


def quantity(value: float | None, unit: str) -> str:
    """A number in the words of its unit; a dash for none."""
    if value is None:
        return "–"
    if unit == "fraction":
        percent = value * 100
        return f"{percent:.2f} %" if 0 < percent < 0.1 else f"{percent:.1f} %"
    if unit == "count":
        return f"{value:,.0f}"
    if unit == "factor":
        return f"{value:.2f}"
    return f"{round(value, 2):g} {unit}"


def target_id(name: str) -> str:
    """Name of a line in deviations.toml, which says why it is missed."""
    return f"target: {name}"


def judge(target: Target, unit: str, reading: Reading) -> Line:
    """Hold one number against its limit."""
    measured, limit = reading.measured, target.number
    if measured is None:
        kept = False
    elif target.kind == "shape":
        kept = reading.of is not None and measured == reading.of and target.of in (None, reading.of)
    elif target.kind == "at_least":
        kept = measured >= (limit or 0.0) - ROUNDING and target.of in (None, reading.of)
    else:
        kept = measured <= (limit or 0.0) + ROUNDING
    detail = "; ".join(part for part in (reading.spoiled, reading.detail) if part)
    return Line(target, unit, measured, reading.of, kept and not reading.spoiled, reading.calibrated, detail)


def lines_of(study: Study, tables: Iterable[TableResult], figures: Iterable[FigureResult]) -> tuple[Line, ...]:
    """The lines of a shipped study, judged; none for a study that ``targets.csv`` does not name."""
    targets = [target for target in load_targets(study.folder.parent) if target.study == study.spec.id]
    if not targets:
        return ()
    evidence = Evidence(study, tables, figures)
    evaluators = evaluators_of(study.spec.id)
    reasons = {deviation.id: deviation.reason for deviation in study.deviations}
    judged = []
    for target in targets:
        unit, evaluate = evaluators[target.id]
        try:
            line = judge(target, unit, evaluate(evidence))
        except NotRunError as error:
            missing = f"not judged: {item_name(str(error))} not run"
            line = Line(target, unit, None, None, None, (), missing)
        reason = reasons.get(target_id(target.id), "") if line.kept is False else ""
        judged.append(Line(line.target, unit, line.measured, line.of, line.kept, line.calibrated, line.detail, reason))
    return tuple(judged)


def items_behind(study: Study, tables: Iterable[TableResult], figures: Iterable[FigureResult]) -> set[str]:
    """The tables and figures that a study's lines are computed from."""
    evidence = Evidence(study, tables, figures)
    for _, evaluate in evaluators_of(study.spec.id).values():
        with suppress(NotRunError):
            evaluate(evidence)
    return evidence.asked


def evaluators_of(study: str) -> Lines:
    """The evaluators of a study's lines, by name; none for a study that has no module here."""
    module = f"{__name__}.{study}"
    if find_spec(module) is None:
        return {}
    lines: Lines = importlib.import_module(module).LINES
    return lines


def calibrated_text(cell: Cell) -> str:
    """A cell on which a parameter was chosen, with what it came out at."""
    off = "–" if cell.error is None else f"{cell.error:+.1%}"
    measured = "–" if cell.measured is None else f"{cell.measured:.4g}"
    return f"{cell_name(cell)}: {cell.published:g} published, {measured} measured ({off})"
