"""The description of a preset: every parameter with unit, meaning and source, and the values that follow."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import msgspec

from linecard.result import Result
from linecard.tables import Table
from linecard.view import Fact, Facts, Lines, Part, Said, Title, text, view, wide
from linecard.view import Table as TablePart


@dataclass(frozen=True, slots=True)
class PresetInfo:
    """A shipped preset.

    Attributes:
        name: The name that ``run`` and ``describe`` take.
        kind: Its folder: ``platforms`` can be run, the others hold parts.
        title: Its title, one line.
        extends: The presets that it extends.
    """

    name: str
    kind: str
    title: str
    extends: tuple[str, ...]


def value_text(value: float | str | list[float | str]) -> str:
    """A value of a preset as ``--set`` takes it."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.15g}"
        case list():
            return ", ".join(value_text(each) for each in value)
        case _:
            return str(value)


class Declared(msgspec.Struct, frozen=True):
    """A key as the reader of a file declares it, whether the file has it or not.

    Attributes:
        file: The file that has the key; the reader of a chip also reads the files of its DRAM parts.
        key: Dotted key path.
        type: Type of its value; ``least``, ``most``, ``list`` and ``names`` restrict it.
        words: The allowed values in words.
        unit: Unit of a number; empty for others.
        units: Other units that a text with a number may have.
        meaning: What it means.
        needed: Whether the file must have it.
        default: Its default.
        value: What it is.
    """

    file: str
    key: str
    type: Literal["whole", "number", "switch", "text", "name", "other"]
    words: str
    unit: str
    units: tuple[str, ...]
    meaning: str
    needed: bool
    default: Any
    value: Any
    least: float | None = None
    most: float | None = None
    list: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a preset.

    Attributes:
        key: Dotted key path, as ``--set`` takes it.
        value: The value: a number, True or False, text, or a list of these.
        unit: Its unit; empty for names and switches.
        meaning: Meaning of the parameter.
        allowed: Its range or its names; empty if any text is allowed.
        source: Source of the value.
        interval: Lower and upper end of the interval in its sources; ``None`` without one.
    """

    key: str
    value: int | float | bool | str | list[float | str]
    unit: str
    meaning: str
    allowed: str
    source: str
    interval: tuple[float, float] | None = None

    @property
    def text(self) -> str:
        """The value as ``--set`` takes it."""
        return value_text(self.value)


@dataclass(frozen=True, slots=True)
class Change:
    """A parameter in which a preset differs from the one that it extends.

    Attributes:
        key: Dotted key path.
        value: Value in the preset; ``None`` if it lacks the parameter.
        base: Value in the extended preset; ``None`` if it lacks the parameter.
        unit: Unit of both values.
    """

    key: str
    value: int | float | bool | str | list[float | str] | None
    base: int | float | bool | str | list[float | str] | None
    unit: str


@dataclass(frozen=True, slots=True)
class Derived:
    """A quantity that follows from the parameters, and its formula.

    Attributes:
        name: What it is.
        value: The value.
        unit: Its unit.
        formula: Its formula.
    """

    name: str
    value: float
    unit: str
    formula: str


@dataclass(frozen=True, slots=True, repr=False)
class Description(Result):
    """Every parameter of a preset, with unit and source, and the values that follow.

    Attributes:
        preset: Its name.
        title: What it is.
        extends: The presets on which it is based, the one that it extends directly last.
        parameters: Its parameters, in the order of the file.
        derived: Derived values.
        changes: Differences from the last preset of ``extends``; empty for a DRAM part, whose standard has formulas.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("preset", "title", "extends")
    INPUT: ClassVar[str] = "preset"

    preset: str
    title: str
    extends: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    derived: tuple[Derived, ...]
    changes: tuple[Change, ...] = ()

    def __getitem__(self, key: str) -> Parameter:
        """Return the parameter of this key path: ``memory.dram.banks``, or ``dram.banks`` as ``set`` takes it."""
        for parameter in self.parameters:
            if parameter.key == key or parameter.key.partition(".")[2] == key:
                return parameter
        near = difflib.get_close_matches(key, [parameter.key for parameter in self.parameters], n=3)
        raise KeyError(f"{self.preset} has no parameter {key!r}" + (f"; nearest: {', '.join(near)}" if near else ""))

    def table(self) -> Table:
        """The parameters; values are text, because their types differ."""
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


def _shown(value: int | float | bool | str | list[float | str] | None, unit: str) -> str:
    return "–" if value is None else f"{value_text(value) or '(none)'} {unit}".rstrip()
