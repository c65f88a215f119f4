"""Declarations of the keys of a file: unit, range, meaning, default, and whether each key is required.

A reader declares a key when it reads it, and the core returns the declarations (`linecard_config::declarations`). The
keys that a reader asks for depend on choices in the file: specimens make every choice once. In specimens, names that an
author may choose begin with ``my``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linecard.catalogue import declared
from linecard.words import value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from linecard._reports import Declared

# Tables whose second part is a name that the file's author chooses.
NAMED = ("cluster", "memory", "unit", "link", "buffer", "inbox", "ring", "port")
MUST = "must be given"
# Keys that are read for every kind, operation and form of costs, and keys of a memory in which packets are kept.
_EVERYWHERE = {
    "memory.NAME": ("kind", "clock", "per", "capacity_bytes", "capacity_mib"),
    "unit.NAME": ("kind", "clock", "per"),
    "program.step[]": ("op", "name", "part", "each"),
    "cluster.NAME.ebpf": ("lanes",),
}
_OF_PACKETS = ("allocator", "page_bytes", "pool_bytes", "pools", "order")
Place = tuple[str, str, str]


@dataclass(slots=True)
class Key:
    """A key of a file, independent of the names of its tables.

    Attributes:
        at: Its table, with ``NAME`` in place of a chosen name, and ``[]`` after a list of tables.
        name: The key.
        use: The kind of a memory or unit, or the operation of a step, that reads it; empty in other tables.
        unit: Its unit; empty for names and switches.
        allowed: Its allowed values.
        default: Its default; `MUST` if it is required; empty if it has no value by default.
        meaning: Its meaning.
        declared: The declarations of its readers; several if they depend on the rest of a file.
        always: Whether every table of the kind must have it, independent of the table's other keys.
    """

    at: str
    name: str
    use: str
    unit: str
    allowed: str
    default: str
    meaning: str
    declared: list[Declared]
    always: bool = False

    @property
    def table(self) -> str:
        """Its table in the notation of documents."""
        return self.at.replace("[]", "")

    @property
    def is_named(self) -> bool:
        """Whether the author of a file chooses its name."""
        return self.name.startswith("NAME")


@dataclass(frozen=True, slots=True)
class Specimen:
    """A file to describe, with changes that select other keys."""

    file: str
    changes: tuple[str, ...] = ()


def declared_keys(specimen: Specimen) -> list[Declared]:
    """All keys that the reader of a specimen asks for, without those of files that the specimen names."""
    found = declared(specimen.file, specimen.changes)
    return [each for each in found if each.file == found[0].file]


def keys_of(specimens: Iterable[Specimen]) -> list[Key]:
    """All keys that the reader of the specimens asks for, in the order in which it does."""
    found: dict[Place, Key] = {}
    asked: dict[Place, set[tuple[int, str]]] = {}
    needed: dict[Place, set[tuple[int, str]]] = {}
    tables: dict[tuple[str, str], set[tuple[int, str]]] = {}
    for number, specimen in enumerate(specimens):
        keys = declared_keys(specimen)
        uses = _uses(keys)
        for each in keys:
            place = _place_of(each.key, uses)
            table = (number, each.key.rpartition(".")[0])
            tables.setdefault((place[0], place[2]), set()).add(table)
            asked.setdefault(place, set()).add(table)
            if each.needed:
                needed.setdefault(place, set()).add(table)
            key = found.setdefault(place, Key(*place, each.unit, _allowed(each), "", each.meaning, []))
            if each.default is not None and not key.default:
                key.default = value_text(each.default)
            if each not in key.declared:
                key.declared.append(each)
    for place, key in found.items():
        if not key.is_named and needed.get(place) == asked[place]:
            key.default = MUST
            # A key that only some tables of a kind require depends on the other keys of the table.
            key.always = asked[place] == tables[place[0], place[2]]
    return list(found.values())


def _place_of(key: str, uses: Mapping[str, str]) -> Place:
    """Table, name and use of a dotted key, with placeholders for chosen names; a table in a list ends in ``[]``."""
    before, _, name = key.rpartition(".")
    parts = re.sub(r"\[\d+\]", "[]", before).split(".")
    if parts[0] in NAMED and len(parts) > 1:
        parts[1] = "NAME"
    if parts[2:4] == ["ebpf", "rule"] and len(parts) > 4:
        parts[4] = "NAME"
    # A list of steps in a separate file.
    if parts == [""]:
        parts = ["program"]
    if parts[0] == "step[]":
        parts.insert(0, "program")
    # An extension consists of steps.
    if parts[:2] == ["program", "extension[]"]:
        parts[1] = "step[]"
    table = ".".join(parts)
    if table == "clock" and name.endswith("hz"):
        name = "NAME_mhz"
    if table in ("bind", "mix"):
        name = "NAME"
    if name in _EVERYWHERE.get(table, ()) or table == "program.step[].accesses[]":
        return table, name, ""
    return table, name, "where packets are kept" if name in _OF_PACKETS else uses.get(before, "")


def _uses(declared: Iterable[Declared]) -> dict[str, str]:
    """The use of each table: the kind of a memory or unit, the operation of a step, costs by class or of rows."""
    uses = {}
    for each in declared:
        table, _, name = each.key.rpartition(".")
        value = each.default if each.value is None else each.value
        if value is None:
            continue
        if (name == "kind" and table.startswith(("memory.", "unit."))) or (name == "op" and "[" in table):
            uses[table] = str(value)
        if name == "lanes":
            uses[table] = "with `lanes`" if value else "without `lanes`"
    return uses


def _allowed(each: Declared) -> str:
    """The allowed values; for names that the author of the file chooses, a phrase."""
    if not each.words.startswith("one of "):
        return shorter(each.words)
    choices = each.words.removeprefix("one of ").split(", ")
    shown = [f"`{choice}`" for choice in choices if not choice.startswith("my")]
    return ", ".join([*shown, *(["a name of yours"] if len(shown) < len(choices) else [])])


def shorter(allowed: str) -> str:
    """A range in fewer words: ``1 to 4096, whole``; large numbers with commas, or as powers of two."""
    allowed = re.sub(r"(?<![.\d])\d{5,}", lambda digits: _number(int(digits[0])), allowed)
    whole = re.fullmatch(r"a whole number from (.*)", allowed)
    return f"{whole[1]}, whole" if whole else allowed.removeprefix("a number from ")


def _number(value: int) -> str:
    power = value.bit_length() - 1
    return f"2^{power}" if power >= 20 and value == 1 << power else f"{value:,}"
