"""Compares the results of a study with the study's limits. Each line of ``studies/targets.csv`` is one limit.

The file ``limits.py`` in the study folder contains one function per limit; the function computes one number from the
study's results. The module `limits` is the same for all studies and contains no expected numbers. Mean errors do not
include calibrated cells. Reports list calibrated cells with their errors; if one of these errors exceeds the limit, the
limit is not met.

An unmet limit is *contradicted* if a function in ``limits.py`` shows that the published cells themselves contradict the
limit. An unmet limit may also depend on an unpublished *input*. The table ``[[inputs]]`` in ``study.toml`` names the
input and a value at which the limit is met. Limits that are contradicted or depend on an input do not count as met.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from linecard.study.compare import ROUNDING, item_name
from linecard.study.evidence import Evidence, NotRunError, Reading
from linecard.study.folders import module_of
from linecard.study.targets import load_targets

if TYPE_CHECKING:
    from linecard.study.compare import Cell
    from linecard.study.keys import Input
    from linecard.study.result import FigureResult, TableResult
    from linecard.study.spec import Study
    from linecard.study.targets import Target

# The unit of the number and the evaluator, by the line's name.
Lines = Mapping[str, tuple[str, Callable[[Evidence], Reading]]]
# The outcomes of a line, in the order in which they are counted.
OUTCOMES = ("kept", "contradicted", "input", "missed")
NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The outcome of a computation that shows whether the published cells contradict the limit of a scorecard line.

    Attributes:
        holds: Whether the published cells contradict the limit of the scorecard line.
        text: Explanation of the computation, as text.
    """

    holds: bool
    text: str


# Evaluators of exclusions, by line name: from the study's published cells and the line's limit, without a simulation.
Contradictions = Mapping[str, Callable[["Study", float], Contradiction]]


@dataclass(frozen=True, slots=True)
class AtPoint:
    """The result of a line of ``targets.csv`` for one value of an unpublished input.

    Attributes:
        point: The unpublished input, with the value at which the study was run.
        measured: Result of the scorecard line with the input value in ``point``, as text.
        met: Whether the limit of the scorecard line is met with the input value in ``point``.
        lost: Names of scorecard lines whose limits are met with the default value of the input, but not with the value
            in ``point``.
    """

    point: Input
    measured: str
    met: bool
    lost: tuple[str, ...]

    @property
    def text(self) -> str:
        """Describe the input, the value of the input, and the limits that are no longer met with this value."""
        lost = (
            f"limits that are newly missed at this point: {', '.join(self.lost)}"
            if self.lost
            else "no limit is newly missed at this point"
        )
        met = "met" if self.met else "not met"
        range_of = f"{self.point.input}, {self.point.range} ({self.point.reason})"
        return f"{range_of} {met} at {self.point.point}: {self.measured}; {lost}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of ``targets.csv`` with the verdict on its limit.

    Attributes:
        target: The contents of the line in ``targets.csv``.
        unit: Unit of the limit and of the measured number: ``fraction``, ``points``, ``th-eq`` (thread-equivalents),
            ``factor`` or ``count``.
        measured: The measured number; ``None`` if a necessary run failed or was omitted.
        of: Total number of counted items, such as 13 in ``12 of 13``; ``None`` if the limit does not count items.
        kept: Whether the limit is met; ``None`` if the study was run without a table or figure of the scorecard line.
        calibrated: The calibrated cells of the scorecard line.
        detail: Explanation of the measured number, such as the name of the worst cell.
        reason: Reason why the limit is not met, from ``deviations.toml``.
        contradiction: Whether the published cells contradict the limit, if the study has a function that checks for
            this contradiction.
        at_point: The result of an additional run with a plausible value of an unpublished input; ``None`` without such
            a run.
    """

    target: Target
    unit: str
    measured: float | None
    of: int | None
    kept: bool | None
    calibrated: tuple[Cell, ...]
    detail: str
    reason: str = ""
    contradiction: Contradiction | None = None
    at_point: AtPoint | None = None

    @property
    def outcome(self) -> str:
        """One of :data:`OUTCOMES`, or the text ``not judged``."""
        if self.kept is not False:
            return NOT_JUDGED if self.kept is None else "kept"
        if self.contradiction is not None and self.contradiction.holds:
            return "contradicted"
        return "input" if self.at_point is not None and self.at_point.met else "missed"

    @property
    def shown(self) -> str:
        """Describe the published cells that contradict the limit, or the input on which the limit depends."""
        if self.kept is not False:
            return ""
        said = [each.text for each in (self.contradiction, self.at_point) if each is not None]
        return "; ".join(said)

    @property
    def limit(self) -> float | None:
        """The limit as a number; for a limit on curve shapes, the number of statements that must be true."""
        if self.target.kind == "shape":
            return self.of
        return self.target.number

    @property
    def over(self) -> float | None:
        """Amount by which the measured number misses the limit, in the unit of the limit; 0 if the limit is met."""
        if self.measured is None or self.limit is None:
            return None
        low = self.target.kind in ("at_least", "shape")
        return max(self.limit - self.measured if low else self.measured - self.limit, 0.0)

    @property
    def limit_text(self) -> str:
        """The limit as text, such as ``≤ 3.0 %``."""
        if self.target.kind == "shape":
            return "all" if self.target.of is None else self.target.limit
        if self.target.of is not None:
            return f"≥ {self.target.limit}"
        sign = "≥" if self.target.kind == "at_least" else "≤"
        return f"{sign} {quantity(self.target.number, self.unit)}"

    @property
    def measured_text(self) -> str:
        """The measured result as text."""
        if self.measured is not None and self.of is not None:
            return f"{self.measured:.0f} of {self.of}"
        return quantity(self.measured, self.unit)

    @property
    def over_text(self) -> str:
        """The amount by which the limit is missed, as text; empty if the limit is met or not judged."""
        if self.kept is not False:
            return ""
        return "no number" if self.over is None else f"by {quantity(self.over, self.unit)}"

    def to_dict(self) -> dict[str, Any]:
        """The scorecard line as plain data for JSON, with numbers and texts in the format of ``targets.csv``."""
        counted = self.target.of is not None or self.target.kind == "shape"
        return {
            "id": self.target.id,
            "study": self.target.study,
            "limit": self.target.limit if counted else self.target.number,
            "measured": (None if self.measured is None else self.measured_text) if counted else self.measured,
            "kept": self.kept,
            "outcome": self.outcome,
            "calibrated_cells": len(self.calibrated),
            "shown": self.shown,
            "reason": self.reason,
        }


def quantity(value: float | None, unit: str) -> str:
    """Format a number with its unit, and ``None`` as a dash."""
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
    """The name under which deviations.toml states why the limit of a scorecard line is not met."""
    return f"target: {name}"


def judge(target: Target, unit: str, reading: Reading) -> Line:
    """Compare the measured number of a scorecard line with the limit of this line."""
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
    """Judge the scorecard lines of a shipped study; empty if ``targets.csv`` does not name the study."""
    targets = [target for target in load_targets(study.folder.parent) if target.study == study.spec.id]
    if not targets:
        return ()
    evidence = Evidence(study, tables, figures)
    reasons = {deviation.id: deviation.reason for deviation in study.deviations}
    contradictions = contradictions_of(study.spec.id)
    judged = []
    for target in targets:
        line = _judged(target, evidence)
        if line.kept is False:
            computed = contradictions[target.id](study, target.number or 0.0) if target.id in contradictions else None
            line = replace(line, reason=reasons.get(target_id(target.id), ""), contradiction=computed)
        judged.append(line)
    return tuple(judged)


def _judged(target: Target, evidence: Evidence) -> Line:
    unit, evaluate = evaluators_of(target.study)[target.id]
    try:
        return judge(target, unit, evaluate(evidence))
    except NotRunError as error:
        return Line(target, unit, None, None, None, (), f"not judged: {item_name(str(error))} not run")


def evaluators_of(study: str) -> Lines:
    """The functions that evaluate scorecard lines, keyed by line name; empty if the study has no ``limits.py``."""
    module = _module_of(study)
    lines: Lines = {} if module is None else module.LINES
    return lines


def contradictions_of(study: str) -> Contradictions:
    """The functions that compute whether published cells contradict a limit of a study, keyed by scorecard line."""
    found: Contradictions = getattr(_module_of(study), "CONTRADICTIONS", {})
    return found


def _module_of(study: str) -> ModuleType | None:
    module = module_of(study, "limits")
    return None if module is None else importlib.import_module(module)
