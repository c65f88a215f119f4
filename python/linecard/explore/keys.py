"""The keys of a design with their full names, and the values that a run of the design uses.

A short key is the end of a full key: ``island.threads`` means ``cluster.island.threads`` if the chip has a cluster
``island``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from linecard import _core
from linecard.chip.program import is_listed
from linecard.errors import LinecardError
from linecard.request import settings

# Subjects whose settings are keys of a chip.
OF_CHIPS = frozenset({"run", "ndr"})
_RUN, _PROGRAM, _STEP = "program.run", "program.", "step["
# Source of a value that neither a file nor a setting states.
_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a design.

    Attributes:
        values: Value of each key, by full name; empty if the design cannot be described.
        stated: Keys whose values a file or a setting states; the values of all other keys are defaults.
    """

    values: Mapping[str, Any]
    stated: frozenset[str]
    _short: dict[str, str | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, preset: str, changes: Mapping[str, Any] | None = None, program: str | None = None) -> Keys:
        """Describe a design with changed keys that runs ``program`` instead of its own program."""
        rows: Sequence[Mapping[str, Any]] = ()
        # The run refuses a design that cannot be described, with the reason.
        with suppress(LinecardError):
            rows = _rows(preset, changes or {}, program)
        return cls(
            {row["key"]: row["value"] for row in rows},
            frozenset(row["key"] for row in rows if row["source"] != _DEFAULT),
        )

    def full(self, key: str) -> str:
        """Return the only key of the design that ends in ``key``; without a unique match, return ``key`` itself."""
        if key in self.values:
            return key
        if key not in self._short:
            ends = [known for known in self.values if known.endswith(f".{key}")]
            self._short[key] = ends[0] if len(ends) == 1 else None
        return self._short[key] or key


def _rows(preset: str, changes: Mapping[str, Any], program: str | None) -> Sequence[Mapping[str, Any]]:
    if program is None:
        return _described(preset, changes)
    if not is_listed(program):
        return _of_executed(_described(preset, changes))
    with suppress(LinecardError):
        return _described(preset, {**changes, _RUN: program})
    # A chip that lists its own steps takes no other name: the steps of the program's file take their place.
    chip = _described(preset, {key: value for key, value in changes.items() if not key.startswith(_PROGRAM)})
    steps = [{**row, "key": _PROGRAM + row["key"]} for row in _described(program, {}) if row["key"].startswith(_STEP)]
    return [row for row in chip if not row["key"].startswith(_PROGRAM)] + steps


def _of_executed(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Omit the chip's own steps, which an executed program replaces unless a step states where it is executed."""
    steps = [row for row in rows if row["key"].startswith(_PROGRAM + _STEP)]
    if any(row["key"].endswith(".op") and row["value"] == "run" for row in steps):
        return rows
    return [row for row in rows if row not in steps]


def _described(preset: str, changes: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    rows: Sequence[Mapping[str, Any]] = _core.describe(preset, settings(changes))["parameters"]
    return rows
