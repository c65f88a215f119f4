"""JSON Schemas (draft-07) of the files that Linecard reads, from the declarations of their readers.

``make docs`` writes them into the package, and ``linecard schema`` prints them. A schema is for editors: it has names,
types, units and ranges. Only the reader checks conditions on several keys.
"""

from __future__ import annotations

import json
import re
from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec

from linecard.catalogue import presets
from linecard.explore import objectives, spec
from linecard.explore.subject import SUBJECTS
from linecard.study import keys as study
from tools.documents.chip_keys import SPECIMENS, STEPS, TABLES
from tools.documents.markdown import attributes, first_sentences
from tools.documents.specimens import NAMED, Key, Specimen, keys_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from linecard._reports import Declared

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_ANY: Schema = {"type": ["string", "number", "boolean", "array"]}
_SOURCE: Schema = {
    "type": "string",
    "description": "Source of all values of this table without a separate source.",
}
_EXTENDS: Schema = {
    **_TEXTS,
    "description": "Sibling tables from which this one inherits missing keys.",
}
_NUMBER = r"[+-]?[0-9._]+([eE][+-]?[0-9]+)?"


def schemas() -> dict[str, Schema]:
    """Every schema by its name."""
    return {
        "chip": _chip(),
        "program": _program(),
        "dram": _part("dram", "A DRAM part, or a standard", ("dram", "standards")),
        "policy": _part("policy", "A policy of a DRAM controller", ("policies",)),
        "traffic": _part("traffic", "A link profile", ("traffic",), required=[]),
        "queueing": _part("queueing", "A machine that runs queue managers", ("queueing",)),
        "sweep": _sweep(),
        "study": _study(),
    }


def schema_texts() -> dict[str, str]:
    """Every schema as text, by file name, with one line for each top-level key and each definition."""
    return {f"{name}.json": _text(schema) for name, schema in schemas().items()}


def _text(schema: Schema) -> str:
    parts = []
    for key, value in schema.items():
        if key in ("properties", "definitions"):
            rows = ",\n".join(f"  {_json(name)}: {_json(each)}" for name, each in value.items())
            parts.append(f" {_json(key)}: {{\n{rows}\n }}")
        else:
            parts.append(f" {_json(key)}: {_json(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _file(name: str, title: str, properties: Schema, **more: Any) -> Schema:
    """The schema of a file, with the keys that every file may have at its top."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"Linecard: {name}",
        "description": f"{title}. Printed by `linecard schema {name}`.",
        "type": "object",
        "properties": {
            "kind": {"const": name, "description": "Kind of the file."},
            "title": {**_TEXT, "description": "Title, one line."},
            "source": {**_SOURCE, "description": "Source of all values of this file without a separate source."},
            "extends": {
                **_TEXTS,
                "description": "Files that this file extends; its values replace theirs.",
            },
            **properties,
        },
        "additionalProperties": False,
        "required": ["title"],
        **more,
    }


def _chip() -> Schema:
    keys = keys_of(SPECIMENS)
    tables, values = _tables(keys)
    del tables["source"]
    steps = tables["program"]["properties"]["step"]
    tables["program"]["properties"]["extension"] = {**steps, "description": "Steps that replace the step `extend`."}
    here = {name: {"$ref": f"#/definitions/{name}"} for name in tables}
    programs = {
        "type": "object",
        "description": "Differences that apply to one program: tables by the name of the program.",
        "additionalProperties": {"type": "object", "properties": here, "additionalProperties": False},
    }
    whole = {"if": {"not": {"required": ["extends"]}}, "then": {"required": ["kind"], **_needed(keys)}}
    return _file("chip", "A chip", {**here, "for": programs}, **whole, definitions={**tables, **values})


def _program() -> Schema:
    (alone, values), (chip, of_chip) = _tables(keys_of([Specimen(STEPS)])), _tables(keys_of(SPECIMENS))
    steps = chip["program"]["properties"]["step"]
    named = set(re.findall(r"#/definitions/(\w+)", str(steps)))
    values |= {name: table for name, table in of_chip.items() if name in named}
    top = {**alone["program"]["properties"], "step": steps}
    return _file("program", "A program of steps", top, definitions=values)


def _part(name: str, title: str, folders: tuple[str, ...], **more: Any) -> Schema:
    """The schema of files that consist of values: the keys of all shipped ones."""
    files = [Specimen(f"{each.kind}/{each.name}") for each in presets() if each.kind in folders]
    tables, values = _tables(keys_of(files))
    # Keys outside of tables.
    tables |= tables.pop("program", {}).get("properties", {})
    if "timing" in tables:
        # Formulas of a standard may have other names.
        tables["timing"]["additionalProperties"] = tables["timing"]["properties"]["tRCD"]
    return _file(name, title, tables, **more, definitions=values)


def _tables(keys: Iterable[Key]) -> tuple[Schema, Schema]:
    """Nested tables with all their keys, and definitions that these name."""
    root, values = _table(), dict[str, Any]()
    places: dict[str, dict[str, list[Key]]] = {}
    for key in keys:
        places.setdefault(key.at, {}).setdefault(key.name, []).append(key)
    for at, names in places.items():
        table = _at(root, at)
        if words := TABLES.get(at.replace("[]", "")):
            table["description"] = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", words)
        for name, same in names.items():
            value = _value(same, values)
            if name == "NAME":
                table["additionalProperties"] = value
            elif name.startswith("NAME_"):
                table["patternProperties"] = {"_(hz|khz|mhz|ghz)$": value}
            else:
                table["properties"][name] = value
        if at.endswith("[]"):
            _judge_rows(table, [key for same in names.values() for key in same])
    return root["properties"], values


def _table() -> Schema:
    return {"type": "object", "properties": {"source": _SOURCE}, "additionalProperties": False}


def _at(root: Schema, at: str) -> Schema:
    """The table at a path, created if it does not exist."""
    table = root
    for part in at.split("."):
        name = part.removesuffix("[]")
        if name == "NAME":
            if not table["additionalProperties"]:
                table["additionalProperties"] = _table()
            table = table["additionalProperties"]
            if at.partition(".")[0] in NAMED:
                table["properties"].setdefault("extends", _EXTENDS)
        elif part == name:
            table = table["properties"].setdefault(name, _table())
        else:
            table = table["properties"].setdefault(name, {"type": "array", "items": _table()})["items"]
    return table


def _judge_rows(table: Schema, keys: list[Key]) -> None:
    """Require keys of a list's rows, and restrict the keys of rows that differ by their operation."""
    for use in dict.fromkeys(key.use for key in keys):
        own = [key for key in keys if key.use == use]
        needed = sorted({key.name for key in own if key.always})
        if not use and needed:
            table["required"] = needed
        if use and "op" in table["properties"]:
            others = {key.name for key in keys} - {key.name for key in keys if key.use in ("", use)}
            then = {"propertyNames": {"not": {"enum": sorted(others)}}, **({"required": needed} if needed else {})}
            table.setdefault("allOf", []).append({"if": _says("op", use), "then": then})


def _needed(keys: Iterable[Key]) -> Schema:
    """The required keys of named tables in a file that extends none, except for tables that extend another one."""
    found: dict[tuple[str, str], list[str]] = {}
    for key in keys:
        kind, _, rest = key.at.partition(".")
        if key.always and kind in NAMED and rest == "NAME":
            found.setdefault((kind, key.use), []).append(key.name)
    properties: dict[str, list[Schema]] = {}
    for (kind, use), names in found.items():
        when = {"not": {"required": ["extends"]}, **(_says("kind", use) if use else {})}
        properties.setdefault(kind, []).append({"if": when, "then": {"required": names}})
    overlay = {kind: {"additionalProperties": {"allOf": rules}} for kind, rules in properties.items()}
    return {"properties": overlay, "additionalProperties": True}


def _says(key: str, value: str) -> Schema:
    # Some editors treat a schema as strict if it does not mention additional properties.
    return {"properties": {key: {"const": value}}, "required": [key], "additionalProperties": True}


def _value(same: list[Key], values: Schema) -> Schema:
    """The schema of a key, in any notation; that of the table with its source is added to the definitions."""
    first = same[0]
    ways = _ways([each for key in same for each in key.declared])
    table = {
        "type": "object",
        "properties": {
            "value": {"anyOf": ways},
            "source": {**_TEXT, "description": "Source of the value."},
            "unit": _TEXT,
            **({name: {"type": "number"} for name in ("low", "high")} if _is_number(first) else {}),
        },
        "required": ["value"],
        "additionalProperties": False,
    }
    name = next(name for name in _names(first) if values.setdefault(name, table) == table)
    meanings = dict.fromkeys(f"{key.meaning[:1].upper()}{key.meaning[1:]}" for key in same if key.meaning)
    said = [f"{'; or '.join(meanings) or first.name}.", *([f"In {first.unit}."] if first.unit else [])]
    schema: Schema = {"description": " ".join(said), "anyOf": [*ways, {"$ref": f"#/definitions/{name}"}]}
    defaults = [each.default for key in same for each in key.declared if each.default is not None]
    if defaults and first.default == same[-1].default and not first.default.startswith("my"):
        schema["default"] = defaults[0]
    return schema


def _names(key: Key) -> Iterator[str]:
    """Names for the definition of a key's table, the shortest first."""
    declared = key.declared[0]
    words = {"name": key.name, "other": key.name}.get(declared.type, f"{declared.words} {declared.unit}")
    name = re.sub(r"[^a-z0-9]+", "_", f"sourced {words}".lower()).strip("_")
    yield name
    yield from (f"{name}_{number}" for number in count(2))


def _is_number(key: Key) -> bool:
    return key.declared[0].type in ("whole", "number", "other")


def _ways(declared: list[Declared]) -> list[Schema]:
    """The notations of a value without its source."""
    ways: list[Schema] = []
    names = [each for each in declared if each.type == "name"]
    if any(name.startswith("my") for each in names for name in each.names):
        # Names that the author of a file chooses.
        fixed = [name for name in names[0].names if not name.startswith("my")]
        ways += [{"enum": fixed}, _TEXT] if fixed else [_TEXT]
    elif names:
        ways.append({"enum": list(dict.fromkeys(name for each in names for name in each.names))})
    numbers = [each for each in declared if each.type in ("whole", "number")]
    if numbers:
        ways.append(_range(numbers))
        if units := dict.fromkeys(unit for each in numbers for unit in each.units):
            spelled = "|".join(re.escape(unit) for unit in units)
            ways.append({**_TEXT, "pattern": rf"^\s*{_NUMBER}\s*({spelled})\s*$"})
    kinds = {each.type for each in declared}
    ways += [{"type": "boolean"}] if "switch" in kinds else []
    ways += [_TEXT] if "text" in kinds and _TEXT not in ways else []
    ways += [_ANY] if "other" in kinds else []
    if any(each.list for each in declared):
        ways.append({"type": "array", "items": {"anyOf": ways.copy()} if len(ways) > 1 else ways[0]})
    return ways


def _range(numbers: list[Declared]) -> Schema:
    """The range that covers several ranges."""
    schema: Schema = {"type": "integer" if all(each.type == "whole" for each in numbers) else "number"}
    for name, ends, widest in (
        ("minimum", [each.least for each in numbers], min),
        ("maximum", [each.most for each in numbers], max),
    ):
        known = [end for end in ends if end is not None]
        if len(known) == len(ends):
            schema[name] = _plain(widest(known))
    return schema


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def _sweep() -> Schema:
    of_spec, of_sample, of_task = attributes(spec.Spec), attributes(spec.Sample), attributes(objectives.Task)
    axis: Schema = {"type": ["string", "number", "boolean", "array", "object"]}
    axes: Schema = {"type": "object", "additionalProperties": axis}
    number = {"type": ["number", "string"]}
    shapes: Schema = {
        "kind": {
            "enum": ["sweep", "optimize"],
            "description": "`sweep` runs all points; `optimize` searches for the best.",
        },
        "what": {"enum": list(SUBJECTS), "default": "run", "description": of_spec["what"]},
        "repeat": {"type": "integer", "minimum": 1, "maximum": spec.MOST_REPEATS, "default": 1},
        "precision": number,
        "lengthen": {"type": "boolean", "default": True},
        "constraints": {"type": "array", "items": _TEXT},
        "costs": {**_TEXTS, "description": "Files of areas, energies and prices that expressions may use."},
        "vary": {**axes, "description": 'The axes, one per line: `[1, 2, 4]` or `"1..64 times 2"`.'},
        "together": {
            "type": "array",
            "items": axes,
            "description": "Axes that change together, value by value: `[[together]]`.",
        },
        "set": {"type": "object", "description": of_spec["settings"]},
        "columns": {"type": "object", "additionalProperties": _TEXT},
        "sample": {
            "type": "object",
            "properties": {
                "kind": {"enum": ["latin_hypercube", "sobol"], "default": "sobol", "description": of_sample["kind"]},
                "points": {"type": "integer", "minimum": 1, "maximum": spec.MOST_POINTS},
                "seed": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1, "default": 1},
            },
            "required": ["points"],
            "additionalProperties": False,
        },
        "objectives": _TEXTS,
        "limits": _TEXTS,
        "budget": {"type": "integer", "minimum": 2, "maximum": objectives.MOST_BUDGET},
        "search_seed": {"type": "integer", "minimum": 0, "description": of_task["seed"]},
        "halving": {"type": "integer", "minimum": 0, "maximum": objectives.MOST_HALVING},
    }
    for name, shape in shapes.items():
        shape.setdefault("description", of_spec.get(name) or of_task.get(name))
    for name, shape in shapes["sample"]["properties"].items():
        shape.setdefault("description", of_sample[name])
    arguments = {name: SUBJECTS[name].arguments for name in SUBJECTS}
    every = {argument: {**axis} for each in arguments.values() for argument in each}
    schema = _file("sweep", "A sweep, or an optimisation", {**every, **shapes}, required=["kind"])
    del schema["properties"]["source"], schema["properties"]["extends"]
    own = ["title", *shapes]
    schema["allOf"] = [
        {"if": {"not": {"required": ["what"]}}, "then": {"propertyNames": {"enum": [*own, *arguments["run"]]}}},
        *(
            {"if": _says("what", name), "then": {"propertyNames": {"enum": [*own, *of]}}}
            for name, of in arguments.items()
        ),
    ]
    return schema


def _study() -> Schema:
    (whole,), shapes = msgspec.json.schema_components([study.StudySpec], ref_template="#/definitions/{name}")
    for name, shape in shapes.items():
        of_shape = getattr(study, name)
        meanings = {key: text for each in reversed(of_shape.__mro__) for key, text in attributes(each).items()}
        fields = {each.encode_name: each.name for each in msgspec.structs.fields(of_shape)}
        shape["description"] = first_sentences(of_shape)
        for key, value in shape["properties"].items():
            if fields[key] in meanings and "$ref" not in value:
                value["description"] = meanings[fields[key]]
    top = shapes.pop(whole["$ref"].rpartition("/")[2])
    schema = _file("study", "A study: `study.toml`", {}, required=top["required"])
    return {**schema, "properties": top["properties"], "definitions": shapes}
