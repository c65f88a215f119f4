"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import ParameterMethods


class Metric(msgspec.Struct, frozen=True, omit_defaults=True):
    """One measurement of one component: a row of the tidy table.

    Attributes:
        component: Dotted component path, such as ``engine.3`` or ``dram.bank.0``.
        metric: What was measured, such as ``utilization``.
        unit: Unit of the value, such as ``fraction``, ``ns``, ``packets``.
        value: The value.
    """

    component: str
    metric: str
    unit: str
    value: float


class PresetInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A shipped preset.

    Attributes:
        name: The name that ``run`` and ``describe`` take.
        kind: The folder it comes from: ``platforms`` can be run, the others are parts that platforms extend.
        title: One line on what it is.
        extends: The presets it changes.
    """

    name: str
    kind: str
    title: str
    extends: tuple[str, ...]


class DescriptionReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every parameter of a preset, with unit and source, and what follows from them.

    Attributes:
        preset: Its name.
        title: What it is.
        extends: The presets that it goes back to, the one that it extends itself last.
        parameters: Its parameters, in the order of the file.
        derived: What follows from them.
    """

    preset: str
    title: str
    extends: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    derived: tuple[Derived, ...]


class Parameter(ParameterMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """One parameter of a preset.

    Attributes:
        key: Dotted key path, as ``--set`` takes it.
        value: The value: a number, True or False, text, or a list of these.
        unit: Its unit; empty for names and switches.
        meaning: What the parameter is.
        allowed: The range or the names that it may have; empty where any text will do.
        source: Where the value comes from.
        interval: Lower and upper end of the interval that sources give it; ``None`` where they give none.
    """

    key: str
    value: int | float | bool | str | tuple[int | float | bool | str, ...]
    unit: str
    meaning: str
    allowed: str
    source: str
    interval: tuple[float, float] | None


class Derived(msgspec.Struct, frozen=True, omit_defaults=True):
    """A quantity that follows from the parameters, and the formula that gives it.

    Attributes:
        name: What it is.
        value: The value.
        unit: Its unit.
        formula: How it follows.
    """

    name: str
    value: float
    unit: str
    formula: str


class Declared(msgspec.Struct, frozen=True, omit_defaults=True):
    """A key as the reader of a file declares it, whether the file has it or not.

    Attributes:
        file: The file that is read: a chip's reader reads those of its memories' parts, too.
        key: Dotted key path.
        words: The same in words.
        unit: Unit of a number; empty for others.
        units: Units that a text with a number may have instead.
        meaning: What it means.
        needed: Whether the file must give it.
        default: What it is if no file gives it.
        value: What it is.
        type: Its shape: ``whole``, ``number``, ``switch``, ``text``, ``name``, ``other``.
        least: The least.
        most: The most, if there is one.
        list: Whether it may be a list.
        names: The names.
    """

    file: str
    key: str
    words: str
    unit: str
    units: tuple[str, ...]
    meaning: str
    needed: bool
    default: int | float | bool | str | tuple[int | float | bool | str, ...] | None
    value: int | float | bool | str | tuple[int | float | bool | str, ...] | None
    type: str
    least: int | float | None = None
    most: int | float | None = None
    list: bool = False
    names: tuple[str, ...] = ()
