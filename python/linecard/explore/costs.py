"""Costs of parts: areas, energies and prices from data files, for the columns and objectives of a design space.

A cost file has one table for each cost, with ``unit``, ``source`` and ``value``. Instead of ``value``, a cost can have
the key ``of``, a table that maps names, such as the names of DRAM parts, to values. Linecard ships with ``costs.toml``;
your own cost file adds tables, or replaces tables of the same name. An expression reads costs with
``cost("thread_mm2")`` or ``cost("dram_standby_mw", packets.part)``.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linecard.errors import ConfigError, ConfigProblem
from linecard.numbers import is_number

Costs = Mapping[str, "float | Mapping[str, float]"]
SHIPPED = Path(__file__).with_name("costs.toml")
_HEAD = ("kind", "title")
KEYS = frozenset({"unit", "source", "value", "of"})


def read_costs(files: Sequence[str]) -> Costs:
    """Read the shipped costs, then the given files; a cost in a file replaces the shipped cost of the same name.

    Raises:
        ConfigError: A cost file is invalid; the error lists every problem.
    """
    found: dict[str, float | Mapping[str, float]] = {}
    problems: list[ConfigProblem] = []
    for path in (str(SHIPPED), *files):
        found |= _read(path, problems)
    ConfigError.check(problems)
    return found


def _read(path: str, problems: list[ConfigProblem]) -> dict[str, float | Mapping[str, float]]:
    from linecard.explore.toml_file import read_table

    table, lines = read_table(path)
    if table.get("kind") != "costs":
        problems.append(ConfigProblem(lines.at("kind"), "kind", f"found {table.get('kind')!r}, expected 'costs'"))
    found: dict[str, float | Mapping[str, float]] = {}
    for name, cost in table.items():
        if name in _HEAD:
            continue
        wrong = _wrong(cost)
        if wrong:
            problems.append(ConfigProblem(lines.at(name), name, wrong))
        else:
            of = cost.get("of")
            found[name] = float(cost["value"]) if of is None else {key: float(each) for key, each in of.items()}
    return found


def _wrong(cost: Any) -> str:
    if not isinstance(cost, dict):
        return "expected a table with `unit`, `source`, and either `value` or `of`"
    unknown = sorted(cost.keys() - KEYS)
    if unknown:
        return f"no such key: {', '.join(unknown)}; expected `unit`, `source`, and either `value` or `of`"
    if not all(isinstance(cost.get(key), str) and cost[key].strip() for key in ("unit", "source")):
        return "expected a unit and a source; write `assumed` as the source if no document states the cost"
    if ("value" in cost) == ("of" in cost):
        return "expected either `value` (a number) or `of` (numbers by name)"
    values = list(cost["of"].values()) if isinstance(cost.get("of"), dict) else [cost.get("value")]
    if not values or not all(map(is_number, values)):
        return "expected numbers"
    return ""


def cost_of(costs: Costs, name: str) -> float | Mapping[str, float]:
    """Return the value of one cost.

    Raises:
        KeyError: No cost has the given name; the message lists similar names.
    """
    if name in costs:
        return costs[name]
    near = difflib.get_close_matches(name, costs, n=3, cutoff=0.4) or sorted(costs)
    raise KeyError(f"no cost {name!r}, expected {', '.join(near)}")
