"""JSON Schemas of the files that Linecard reads; editors use the schemas for completion and checks.

``make docs`` writes the schemas from the declarations in the code that reads the files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from linecard.errors import ConfigError, unknown
from linecard.files import write_text

# Names of schemas, and the files for which each schema is.
NAMES = {
    "chip": "a chip",
    "program": "a program of steps",
    "dram": "a DRAM part or a standard",
    "policy": "a policy of a DRAM controller",
    "traffic": "a link profile",
    "queueing": "a machine that runs queue managers",
    "sweep": "a sweep or an optimisation",
    "study": "a study",
}


def schema(name: str = "chip") -> dict[str, Any]:
    """The JSON Schema (draft-07) of a kind of file: all keys with types, units, ranges, choices, meanings and defaults.

    Args:
        name: Kind of file: ``chip``, ``program``, ``dram``, ``policy``, ``traffic``, ``queueing``, ``sweep`` or
            ``study``.

    Raises:
        ConfigError: No schema with the name ``name`` exists.

    Example:
        >>> import linecard
        >>> linecard.schema("chip")["properties"]["kind"]["const"]
        'chip'
    """
    found: dict[str, Any] = json.loads(_text(name))
    return found


def write_schema(name: str, beside: Path) -> Path:
    """Write a schema to the folder that contains ``beside``; overwrite an existing file only if it is a schema."""
    file = beside.with_name(f"{name}.schema.json")
    if not file.exists() or f'"title": "Linecard: {name}"' in file.read_text(encoding="utf-8", errors="replace"):
        write_text(file, _text(name))
    return file


def line(name: str) -> str:
    """The first line of a TOML file, which refers editors to the schema that `write_schema` writes."""
    return f"#:schema ./{name}.schema.json\n"


def _text(name: str) -> str:
    if name not in NAMES:
        raise ConfigError.at("schema", "", unknown(str(name), NAMES))
    return Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8")
