"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import ParameterMethods


class Metric(msgspec.Struct, frozen=True, omit_defaults=True):
    """One measurement of one component: a row of the tidy table.

    Attributes:
        component: Dotted component path, such as ``engine.3`` or ``dram.bank.0``.
        metric: The measured quantity, such as ``utilization``.
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
        kind: Folder: ``platforms`` can be run, the others hold parts.
        title: Title, one line.
        extends: The presets that it extends.
    """

    name: str
    kind: str
    title: str
    extends: tuple[str, ...]


class DescriptionReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every parameter of a preset, with unit and source, and derived values.

    Attributes:
        preset: Name.
        title: Title.
        extends: The presets on which it is based; its direct parent is the last.
        parameters: Parameters, in the order of the file.
        derived: Derived values.
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
        unit: Unit; empty for names and switches.
        meaning: Meaning of the parameter.
        allowed: Range or its names; empty if any text is allowed.
        source: Source of the value.
        interval: Lower and upper end of the interval in its sources; ``None`` without one.
    """

    key: str
    value: int | float | bool | str | tuple[int | float | bool | str, ...]
    unit: str
    meaning: str
    allowed: str
    source: str
    interval: tuple[float, float] | None


class Derived(msgspec.Struct, frozen=True, omit_defaults=True):
    """A quantity that follows from the parameters, and its formula.

    Attributes:
        name: Title.
        value: The value.
        unit: Unit.
        formula: Formula.
    """

    name: str
    value: float
    unit: str
    formula: str


class Declared(msgspec.Struct, frozen=True, omit_defaults=True):
    """A key as the code declares it, whether the file contains it or not.

    Attributes:
        file: The file: a chip's reader also reads those of its memories' parts.
        key: Dotted key path.
        words: The same as text.
        unit: Unit of a number; empty for others.
        units: Other units that a text with a number may have.
        meaning: Meaning.
        needed: Whether the file must contain it.
        default: Default.
        value: Value.
        type: Its shape: ``whole``, ``number``, ``switch``, ``text``, ``name``, ``other``.
        least: The minimum.
        most: The maximum, if there is one.
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
