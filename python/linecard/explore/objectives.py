"""The description of an optimisation, read from a task file: a design space with objectives, limits and a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

from linecard.chip.length import INTERVALS
from linecard.errors import ConfigError
from linecard.explore.expression import Expression
from linecard.explore.keys import OF_CHIPS
from linecard.explore.overrides import Fixed
from linecard.explore.spec import Draft, Spec, read_spec
from linecard.explore.toml_file import read_table

MOST_BUDGET = 1_000_000
KEYS = ("objectives", "limits", "budget", "search_seed", "halving")
MOST_HALVING = 10
# Prefixes of the columns of objectives and limits.
OBJECTIVE, LIMIT = "objective: ", "limit: "


@dataclass(frozen=True, slots=True)
class Objective:
    """An objective: a value to maximise or to minimise.

    Attributes:
        text: The objective as written in the file.
        sign: The number -1 if the objective is maximised, and 1 if the objective is minimised.
        expression: The expression that computes the value.
    """

    text: str
    sign: int
    expression: Expression


@dataclass(frozen=True, slots=True)
class Task:
    """The task of an optimisation.

    Attributes:
        spec: The design space of the optimisation.
        objectives: The objectives; each consists of ``max`` or ``min`` and an expression.
        limits: Boolean expressions over the results of a point; a point is feasible only if all expressions are true.
        budget: Maximum number of points to run, 2 to 1,000,000.
        seed: Seed of the search.
        halving: Number of times, 0 to 10, that the full run length is halved to obtain the length of the first runs.
    """

    spec: Spec
    objectives: tuple[Objective, ...]
    limits: tuple[Expression, ...]
    budget: int
    seed: int
    halving: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The task as plain data."""
        return {
            **self.spec.to_dict(),
            "objectives": [each.text for each in self.objectives],
            "limits": [each.text for each in self.limits],
            "budget": self.budget,
            "search_seed": self.seed,
            "halving": self.halving,
        }

    def shortened(self, times: int) -> Spec:
        """Return the same design space with shorter runs: the run length is halved ``times`` times."""
        name = self.spec.subject.length
        length = self.spec.arguments[name]
        short = length / 2**times if isinstance(length, float) else max(1, round(length / 2**times))
        return replace(self.spec, arguments={**self.spec.arguments, name: short})


def read_task(
    path: str | PathLike[str],
    budget: int | None = None,
    precision: float | None = None,
    changes: Mapping[str, object] | None = None,
    program: Mapping[str, Any] | None = None,
) -> Task:
    """Read the task of an optimisation from a file.

    Args:
        path: Path of the file.
        budget: Maximum number of points; replaces the budget in the file.
        precision: Precision; replaces the precision in the file.
        changes: New values of keys and arguments of all points; they replace the values in the file.
        program: Program of all points, with its options, as `program_arguments` returns them.

    Raises:
        ConfigError: The task file is invalid; the error lists every problem.
    """
    table, lines = read_table(fspath(path))
    draft = read_spec(fspath(path), also=KEYS)
    draft.title = draft.title or fspath(path)
    draft.precision = draft.precision if precision is None else precision
    for key, value in (changes or {}).items():
        draft.fix("set", key, value, is_option=True)
    if program and draft.what not in OF_CHIPS:
        draft.note(", ".join(program), "", f"has no effect on `{draft.what}`, expected run or ndr")
    draft.options.fixed += [Fixed(key, value, "program") for key, value in (program or {}).items()]
    if table.get("kind") != "optimize":
        draft.note(lines.at("kind"), "kind", f"found {table.get('kind')!r}, expected 'optimize'")
    if draft.sample is not None:
        draft.note(lines.at("sample"), "sample", "has no effect, because the search chooses the points; omit it")
    objectives = _objectives(table.get("objectives"), draft, lines.at("objectives"))
    limits = []
    for text in _texts(table.get("limits", []), "limits", draft, lines.at("limits")):
        with draft.catching():
            limits.append(Expression.parse(text, lines.at("limits")))
    allowed = table.get("budget") if budget is None else budget
    seed = table.get("search_seed", 1)
    halving = table.get("halving", 0)
    for name, value, least, most in (
        ("budget", allowed, 2, MOST_BUDGET),
        ("search_seed", seed, 0, 2**32 - 1),
        ("halving", halving, 0, MOST_HALVING),
    ):
        draft.is_whole(lines.at(name), name, value, least, most)
    spec = draft.finish()
    if halving:
        _check_length(spec, lines.at("halving"))
    assert isinstance(allowed, int)
    asked = {name for each in (*(o.expression for o in objectives), *limits) for name in each.names}
    asked |= {name for _, column in spec.columns for name in column.names}
    if "verdict" in spec.subject.arguments and not asked & {"bottleneck", "bottleneck_utilization"}:
        # A verdict takes several times the work of a run, and no objective uses it.
        spec = replace(spec, arguments={"verdict": False, **spec.arguments})
    named = {name for each in objectives for name in each.expression.names}
    spec = replace(spec, precise=tuple(name for name in INTERVALS if name in named) or spec.precise)
    return Task(spec, tuple(objectives), tuple(limits), allowed, seed, halving)


def _check_length(spec: Spec, place: str) -> None:
    """Refuse to halve runs without a length, and runs whose length is not stated or varies."""
    name = spec.subject.length
    if not name:
        message = f"a run of `{spec.what}` has no length that the search can halve; omit this key"
    elif any(axis.name == name for axis in spec.axes):
        message = f"an axis varies `{name}`, so the search cannot halve `{name}`; omit this key or the axis"
    elif name not in spec.arguments:
        message = f"needs the length of a full run, expected `{name} = …`"
    else:
        return
    raise ConfigError.at(place, "halving", message)


def _texts(value: object, key: str, draft: Draft, place: str) -> list[str]:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    draft.note(place, key, "expected a list of texts")
    return []


def _objectives(value: object, draft: Draft, place: str) -> list[Objective]:
    found = []
    for text in _texts(value, "objectives", draft, place):
        way, _, rest = text.strip().partition(" ")
        if way not in {"max", "min"} or not rest.strip():
            draft.note(place, "objectives", f"found {text!r}, expected `max` or `min` and an expression")
            continue
        with draft.catching():
            found.append(Objective(text.strip(), -1 if way == "max" else 1, Expression.parse(rest, place)))
    if not found and not draft.problems:
        draft.note(place, "objectives", "found none, expected at least one, such as ['max throughput_gbps']")
    return found
