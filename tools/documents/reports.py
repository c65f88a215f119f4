"""The Python classes of the core's reports, as text, from its schemas (`crates/bindings/src/reports.rs`)."""

from __future__ import annotations

import keyword
import re
import textwrap
from typing import Any

from linecard import _core, _methods
from tools.documents.requests import documented, formatted

_WRITTEN = "`make docs` writes this module from the types in Rust."
_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
# The value of a field that the core leaves out, by the beginning of its type.
_ABSENT = {"tuple": "()", "dict": "{}", "bool": "False"}


def report_texts() -> dict[str, str]:
    """The generated modules by path below the package."""
    schemas: dict[str, dict[str, Any]] = dict(_core.report_schemas())
    owner = {name: package for package, found in reversed(schemas.items()) for name in found}
    for package, found in schemas.items():
        for name, schema in found.items():
            assert schemas[owner[name]][name] == schema, f"{name} of {package} and of {owner[name]} differ: rename one"
    return {
        f"{package}/reports.py" if package else "_reports.py": formatted(_Module(package, found, owner).text())
        for package, found in schemas.items()
    }


class _Module:
    """The classes of a package."""

    def __init__(self, package: str, schemas: dict[str, Any], owner: dict[str, str]) -> None:
        self.package, self.schemas, self.owner = package, schemas, owner
        self.needed: dict[str, set[str]] = {"": set()}

    def text(self) -> str:
        own = [name for name in self.schemas if self.owner[name] == self.package and self._is_class(name)]
        classes = [self._class(name, self.schemas[name]) for name in own]
        used = [name for name in ("Any", "ClassVar") if any(re.search(rf"\b{name}\b", each) for each in classes)]
        records = any("ClassVar" in each for each in classes)
        of_methods = self.needed.pop("")
        imports = [f"from linecard._methods import {', '.join(sorted(of_methods))}"] if of_methods else []
        for package, names in self.needed.items():
            module = f"linecard.{package}.reports" if package != "_" else "linecard._reports"
            imports.append(f"from {module} import {', '.join(sorted(names))}")
        return "\n".join(
            (
                f'"""The reports that the compiled core returns. {_WRITTEN}"""',
                "from __future__ import annotations\n",
                *([f"from typing import {', '.join(used)}\n"] if used else []),
                "import msgspec\n",
                *sorted([*imports, *(["from linecard.records import Number"] if records else [])]),
                *classes,
            )
        )

    def _is_class(self, name: str) -> bool:
        return "properties" in self.schemas[name]

    def _class(self, name: str, schema: dict[str, Any]) -> str:
        fields, needed = _fields(schema)
        rows, first_absent, in_order = [], False, True
        for field, of in fields.items():
            assert of.get("description") or "$ref" in of, f"{name}.{field} has no comment that says what it means"
            kind = self._kind(of)
            row = f"    {field}{'_' if keyword.iskeyword(field) else ''}: {kind}"
            if field not in needed:
                first_absent = True
                may = kind.endswith("None")
                absent = None if may else next((_ABSENT[begin] for begin in _ABSENT if kind.startswith(begin)), None)
                row += f"{'' if may or absent else ' | None'} = {absent}"
            else:
                in_order = in_order and not first_absent
                row += f' = msgspec.field(name="{field}")' if keyword.iskeyword(field) else ""
            rows.append(row)
        numbers = []
        for field, of in fields.items():
            declared = [f"{word}={of[f'x-{word}']!r}" for word in ("unit", "row", "tone") if f"x-{word}" in of]
            numbers += [f'"{field}": Number({", ".join(declared)}),'] if declared else []
        if numbers:
            rows = ["    NUMBERS: ClassVar[dict[str, Number]] = {", *numbers, "    }\n", *rows]
        methods = f"{name}Methods"
        bases = [methods] if hasattr(_methods, methods) else []
        self.needed[""].update(bases)
        options = ", ".join((*bases, "msgspec.Struct", "frozen=True", "omit_defaults=True"))
        said = [f"{field}: {_prose(of.get('description', ''))}" for field, of in fields.items()]
        head = f"class {name}({options}{'' if in_order else ', kw_only=True'}):"
        return "\n".join((f"\n\n{head}", documented(_prose(schema["description"]), "Attributes", said), *rows))

    def _kind(self, of: Any) -> str:
        """The Python annotation of a schema."""
        return " | ".join(sorted(dict.fromkeys(self._kinds(of, ())), key=lambda kind: kind == "None"))

    def _kinds(self, of: Any, inside: tuple[str, ...]) -> list[str]:
        """The types of a value; inside a recursive type, only the types that are not lists."""
        if not isinstance(of, dict) or not of.keys() & {"$ref", "anyOf", "oneOf", "enum", "const", "type"}:
            return ["Any"]
        if "$ref" in of:
            name = of["$ref"].rpartition("/")[2]
            if not self._is_class(name):
                known = self.schemas[name]
                plain = [each for each in known.get("anyOf", ()) if each.get("type") != "array"]
                return self._kinds({"anyOf": plain} if name in inside else known, (*inside, name))
            if self.owner[name] != self.package:
                self.needed.setdefault(self.owner[name] or "_", set()).add(name)
            return [name]
        if several := of.get("anyOf", of.get("oneOf")):
            return [kind for each in several for kind in self._kinds(each, inside)]
        if not isinstance(of.get("type", "string"), str):
            return [kind for each in of["type"] for kind in self._kinds({**of, "type": each}, inside)]
        match of.get("type", "string"):
            case "array" if "prefixItems" in of:
                return [f"tuple[{', '.join(self._kind(each) for each in of['prefixItems'])}]"]
            case "array" if of.get("maxItems", -1) == of.get("minItems"):
                return [f"tuple[{', '.join([self._kind(of['items'])] * of['maxItems'])}]"]
            case "array":
                return [f"tuple[{' | '.join(dict.fromkeys(self._kinds(of['items'], inside)))}, ...]"]
            case "object":
                return [f"dict[str, {self._kind(of['additionalProperties'])}]"]
            case kind:
                return [_TYPES[kind]]


def _fields(schema: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The fields of a type by name, and the required ones; a type of several shapes has the fields of all."""
    fields, needed = dict(schema["properties"]), set(schema.get("required", ()))
    shapes = schema.get("oneOf", [])
    for name in dict.fromkeys(name for shape in shapes for name in shape["properties"]):
        found = [shape["properties"][name] for shape in shapes if name in shape["properties"]]
        found = [fields[name], *found] if name in fields else found
        names = ", ".join(f"`{each['const']}`" for each in found if "const" in each)
        said = next((each["description"] for each in found if "description" in each), f"One of {names}.")
        fields[name] = {"description": said, "anyOf": found}
    if shapes:
        needed |= set.intersection(*(set(shape.get("required", ())) for shape in shapes))
    return fields, needed


def _prose(text: str) -> str:
    """A Rust comment in the form of a docstring."""
    text = re.sub(r"\[(`[^`]+`)\](?:\([^)]*\))?", r"\1", text).replace("`", "``")
    several = (" ".join(each.split()) for each in text.split("\n\n"))
    return "\n\n".join(textwrap.fill(each, 116, break_long_words=False, break_on_hyphens=False) for each in several)
