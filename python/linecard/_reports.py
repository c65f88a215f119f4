"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import ParameterMethods


class Metric(msgspec.Struct, frozen=True, omit_defaults=True):
    """One measurement of one component, as a row of a long-format table.

    Attributes:
        component: Dotted path of the component, such as ``engine.3`` or ``dram.bank.0``.
        metric: Name of the measured quantity, such as ``utilization``.
        unit: Unit of the value, such as ``fraction``, ``ns`` or ``packets``.
        value: Value of the measurement.
    """

    component: str
    metric: str
    unit: str
    value: float


class PresetInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A shipped preset.

    Attributes:
        name: Name of the preset, for ``run`` and ``describe``.
        kind: Folder of the preset: ``platforms`` contains chips that can be simulated; other folders contain, for
            example, DRAM parts and programs.
        title: Title, one line.
        extends: The presets that this preset extends.
    """

    name: str
    kind: str
    title: str
    extends: tuple[str, ...]


class DescriptionReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every parameter of a preset, with its unit and source, and the derived values.

    Attributes:
        preset: Name.
        title: Title.
        extends: The presets that this preset extends, directly or indirectly; the direct parent is the last one.
        parameters: The parameters, in the order of the file.
        derived: The values derived from the parameters.
    """

    preset: str
    title: str
    extends: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    derived: tuple[Derived, ...]


class Parameter(ParameterMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """One parameter of a preset.

    Attributes:
        key: Dotted path of the key, as the option ``--set`` accepts it.
        value: Value of the parameter: a number, True or False, text, or a list of such values.
        unit: Unit of the parameter; empty for names and switches.
        meaning: Meaning of the parameter.
        allowed: Range or list of the allowed values; empty if any text is allowed.
        source: Source of the value.
        interval: Lower and upper ends of the interval that the sources state; ``None`` if the sources state no
            interval.
    """

    key: str
    value: int | float | bool | str | tuple[int | float | bool | str, ...]
    unit: str
    meaning: str
    allowed: str
    source: str
    interval: tuple[float, float] | None


class Derived(msgspec.Struct, frozen=True, omit_defaults=True):
    """A quantity derived from a preset's parameters, with its formula.

    Attributes:
        name: Title.
        value: Value of the quantity.
        unit: Unit.
        formula: Formula.
    """

    name: str
    value: float
    unit: str
    formula: str


class Declared(msgspec.Struct, frozen=True, omit_defaults=True):
    """A key that a preset file may contain, as declared in the code.

    Attributes:
        file: Path of the file to which the key belongs. Some keys of a chip belong to the separate file of a memory
            part.
        key: Dotted path of the key.
        words: The allowed values as text.
        unit: Unit of a number; empty for other values.
        units: Other units in which the file may state the value; such a value is text that contains the number and the
            unit.
        meaning: Meaning.
        needed: Whether the file must contain the key.
        default: Default.
        value: Value.
        type: One of ``whole``, ``number``, ``switch``, ``text``, ``name``, ``other``.
        least: The minimum of a number.
        most: The maximum of a number, if declared.
        list: Whether the value may be a list.
        names: The allowed names.
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
