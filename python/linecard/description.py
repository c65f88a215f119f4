"""The description of a preset: every parameter with its unit, meaning and source, and the derived values."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import ClassVar

from linecard._reports import DescriptionReport, Parameter
from linecard.result import Result
from linecard.tables import Table
from linecard.view import Fact, Facts, Lines, Part, Said, Title, text, view, wide
from linecard.view import Table as TablePart
from linecard.words import Value, value_text


@dataclass(frozen=True, slots=True)
class Change:
    """A parameter whose value differs between a preset and the preset that it extends.

    Attributes:
        key: Dotted path of the key.
        value: Value in the preset itself; ``None`` if this preset does not contain the parameter.
        base: Value in the base preset, which this preset extends; ``None`` if the base preset does not contain the
            parameter.
        unit: Unit of ``value`` and ``base``.
    """

    key: str
    value: Value | None
    base: Value | None
    unit: str


class Description(Result, DescriptionReport, frozen=True, kw_only=True):
    """Every parameter of a preset, with its unit and source, and the derived values.

    Attributes:
        changes: Differences from the direct parent, which is the last preset in ``extends``. Empty for a DRAM part:
            the standard that it extends contains formulas instead of values.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("preset", "title", "extends")
    INPUT: ClassVar[str] = "preset"

    changes: tuple[Change, ...]

    def __getitem__(self, key: str) -> Parameter:
        """Return the parameter of this key path: ``memory.dram.banks``, or ``dram.banks`` as ``set`` takes it."""
        for parameter in self.parameters:
            if parameter.key == key or parameter.key.partition(".")[2] == key:
                return parameter
        near = difflib.get_close_matches(key, [parameter.key for parameter in self.parameters], n=3)
        raise KeyError(f"{self.preset} has no parameter {key!r}" + (f"; nearest: {', '.join(near)}" if near else ""))

    def table(self) -> Table:
        """The parameters as a table; all values are text, because their types differ."""
        columns = ("key", "text", "unit", "meaning", "allowed", "source")
        rows = [[getattr(each, name) for name in columns] for each in self.parameters]
        return Table(tuple(name if name != "text" else "value" for name in columns), rows)

    def __repr__(self) -> str:
        return f"<Description {self.preset}: {len(self.parameters)} parameters>"


@view.register
def _(result: Description) -> list[Part]:
    rows: list[str | tuple[str | Said | Lines, ...]] = []
    group = None
    for each in result.parameters:
        if each.key.partition(".")[0] != group:
            group = each.key.partition(".")[0]
            rows.append(group)
        between = "" if each.interval is None else f"; from {each.interval[0]:g} to {each.interval[1]:g}"
        meaning = "; ".join(part for part in (each.meaning, each.allowed) if part)
        value = Said(f"{each.text or '(none)'} {each.unit}".rstrip())
        rows.append((each.key, value, Lines(meaning, f"{each.source}{between}")))
    changes = [(each.key, _shown(each.base, each.unit), Said(_shown(each.value, each.unit))) for each in result.changes]
    derived = [(each.name, Said(f"{each.value:,.6g}"), each.unit, Said(each.formula, "dim")) for each in result.derived]
    extends = [Fact("Extends", " → ".join(reversed(result.extends)))] if result.extends else []
    return [
        Title(result.preset, result.title),
        *([Facts(extends)] if extends else []),
        TablePart(
            f"Changes to {result.extends[-1] if result.extends else ''}",
            (text("parameter"), wide("base"), wide("preset")),
            changes,
        ),
        TablePart("Parameters", (text("parameter"), wide("value"), wide("meaning and source")), rows),
        TablePart("Derived values", (wide("quantity"), "value", text("unit"), wide("formula")), derived),
    ]


def _shown(value: Value | None, unit: str) -> str:
    return "–" if value is None else f"{value_text(value) or '(none)'} {unit}".rstrip()
