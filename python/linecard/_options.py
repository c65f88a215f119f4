"""The fields of the requests that Python sends to the core; `crates/chips/src/request.rs` declares these fields.

From these request fields, Linecard derives the Python functions, the command options, the arguments of sweeps and the
reference documentation.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from linecard import _core

# Python annotation of each kind of value.
ANNOTATIONS = {
    "text": "str",
    "whole": "int",
    "number": "float",
    "switch": "bool",
    "texts": "Sequence[str]",
    "path": "str | PathLike[str]",
    "name": "str | PathLike[str]",
    "chip": "str | PathLike[str]",
    "program": "str | PathLike[str] | Program",
    "settings": "Settings",
    "share": "float",
    "maps": "Mapping[str, str | PathLike[str]]",
}
_KINDS = {"string": "text", "integer": "whole", "number": "number", "boolean": "switch", "array": "texts"}


@dataclass(frozen=True, slots=True)
class Option:
    """A field of a request.

    Attributes:
        name: Name of the field in Python.
        kind: Type of the field's value, as a key of `ANNOTATIONS`.
        required: Whether the field is required.
        default: Default.
        flags: All names of the command-line option; empty if the field is a positional argument or has no option.
        metavar: Placeholder for the field's value in the help of the command.
        help: Meaning.
        details: Additional text that appears only in the Python documentation.
        least: Smallest allowed value of the field, if declared.
        most: Largest allowed value of the field, if declared.
        usual: Default of the command-line option, if it differs from the default in Python.
        whole: Whether a single run accepts the field but a sweep does not.
        first: Whether the field may be a positional argument in Python.
    """

    name: str
    kind: str
    required: bool
    default: Any
    flags: tuple[str, ...]
    metavar: str | None
    help: str
    details: str
    least: float | None
    most: float | None
    usual: Any
    whole: bool
    first: bool

    @property
    def annotation(self) -> str:
        """The type of the field in Python."""
        may_be_none = not self.required and self.default is None
        return ANNOTATIONS[self.kind] + (" | None" if may_be_none else "")

    @property
    def flag(self) -> str:
        """The first name of the command-line option; empty for a positional argument."""
        return self.flags[0].partition("/")[0] if self.flags else ""


@functools.cache
def options(*groups: str) -> tuple[Option, ...]:
    """The fields of one or more option groups, such as ``run``, ``question`` and ``program``."""
    schemas = dict(_core.request_schemas())
    return tuple(each for group in groups for each in options_of(schemas[group]))


def options_of(schema: dict[str, Any]) -> list[Option]:
    """The fields of a request, read from the schema of the request."""
    return [_option(name, field, name in schema.get("required", ())) for name, field in schema["properties"].items()]


def _option(name: str, field: dict[str, Any], required: bool) -> Option:
    several = field["type"] if isinstance(field["type"], list) else [field["type"]]
    kind = field.get("x-type", _KINDS[several[0]])
    help_, _, details = field["description"].partition("\n\n")
    default = field.get("default")
    must = required and "null" not in several
    flags = field.get("x-option", "-" if must else f"--{name.replace('_', '-')}")
    return Option(
        name=name,
        kind=kind,
        required=must,
        default=None if kind == "settings" else tuple(default) if isinstance(default, list) else default,
        flags=() if flags == "-" else tuple(flags.split(" ")),
        metavar=field.get("x-metavar"),
        help=" ".join(help_.split()),
        details=" ".join(details.split()),
        least=field.get("minimum"),
        most=field.get("maximum"),
        usual=field.get("x-usual", default),
        whole=field.get("x-whole", False),
        first=field.get("x-first", must),
    )
