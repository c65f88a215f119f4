"""What the reader of a file says of its keys: unit, range, meaning, default, and whether each must be given.

A key is declared where it is read, and ``describe`` tells what was read. So specimens, files that say every key once,
are described; what a key is when nobody gives it is found by leaving it out. In specimens what an author may call as he
likes begins with ``my``.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from linecard.catalogue import describe
from linecard.description import value_text
from linecard.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from linecard.description import Parameter

# Tables whose second part is a name that the file's author chooses.
NAMED = ("cluster", "memory", "unit", "link", "buffer", "inbox", "ring", "port")
MUST = "must be given"
# Keys that are read whatever the kind, operation or way of costs is, and those of a memory that packets are kept in.
_EVERYWHERE = {
    "memory.NAME": ("kind", "clock", "per", "capacity_bytes", "capacity_mib"),
    "unit.NAME": ("kind", "clock", "per"),
    "program.step": ("op", "name", "part", "each"),
    "cluster.NAME.ebpf": ("lanes",),
}
_OF_PACKETS = ("allocator", "page_bytes", "pool_bytes", "pools", "order")
Place = tuple[str, str, str]


@dataclass(slots=True)
class Key:
    """A key of a file, whatever its table is called there.

    Attributes:
        table: Its table, with ``NAME`` for what an author calls it.
        name: The key.
        use: The kind of a memory or unit, or the operation of a step, that reads it; empty in other tables.
        unit: Its unit; empty for names and switches.
        allowed: What it may be.
        default: What it is when it is left out; `MUST` if it may not be; empty where there is then no value.
        meaning: What it is.
    """

    table: str
    name: str
    use: str
    unit: str
    allowed: str
    default: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Specimen:
    """A file to describe, with changes that make it another: keys that only some choices read."""

    file: str
    changes: tuple[str, ...] = ()


def keys_of(specimens: Iterable[Specimen]) -> list[Key]:
    """All keys that the specimens have, in the order in which they are read."""
    found: dict[Place, Key] = {}
    for specimen in specimens:
        described = describe(specimen.file, set=specimen.changes).parameters
        uses = _uses(described)
        for each in described:
            place = _place_of(each.key, uses)
            key = found.setdefault(place, Key(*place, each.unit, _allowed(each), "", each.meaning))
            if each.source == "default" and not key.default:
                key.default = value_text(each.value)
        for place, default in _left_out(specimen, uses, found):
            found[place].default = default
    return list(found.values())


def _place_of(key: str, uses: Mapping[str, str]) -> Place:
    """Table, name and use of a dotted key, without what an author calls things."""
    before, _, name = key.rpartition(".")
    parts = re.sub(r"\[\d+\]", "", before).split(".")
    if parts[0] in NAMED and len(parts) > 1:
        parts[1] = "NAME"
    if parts[2:4] == ["ebpf", "rule"] and len(parts) > 4:
        parts[4] = "NAME"
    # A list of steps by itself.
    if parts == [""]:
        parts = ["program"]
    if parts[0] == "step":
        parts.insert(0, "program")
    # An extension is steps.
    if parts[:2] == ["program", "extension"]:
        parts[1] = "step"
    table = ".".join(parts)
    if table == "clock":
        name = "NAME_mhz"
    if table in ("bind", "mix"):
        name = "NAME"
    if name in _EVERYWHERE.get(table, ()) or table == "program.step.accesses":
        return table, name, ""
    return table, name, "where packets are kept" if name in _OF_PACKETS else uses.get(before, "")


def _uses(described: Iterable[Parameter]) -> dict[str, str]:
    """What a table is used for: the kind of a memory or unit, the operation of a step, costs by class or of rows."""
    uses = {}
    for each in described:
        table, _, name = each.key.rpartition(".")
        if (name == "kind" and table.startswith(("memory.", "unit."))) or (name == "op" and "[" in table):
            uses[table] = str(each.value)
        if name == "lanes":
            uses[table] = "with `lanes`" if each.value else "without `lanes`"
    return uses


def _allowed(each: Parameter) -> str:
    """The allowed values; of names that the author of the file chose, where they come from."""
    if not each.allowed.startswith("one of "):
        return shorter(each.allowed)
    choices = each.allowed.removeprefix("one of ").split(", ")
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


def _left_out(specimen: Specimen, uses: Mapping[str, str], found: Mapping[Place, Key]) -> Iterator[tuple[Place, str]]:
    """What keys are, or that they must be given, when the lines that give them are left out one by one."""
    file = Path(specimen.file)
    lines = file.read_text(encoding="utf-8").splitlines()
    unknown = {place[1] for place, key in found.items() if not key.default}
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(folder) / file.name
        for number, line in enumerate(lines):
            name = line.partition(" = ")[0]
            if name not in unknown:
                continue
            changed.write_text("\n".join((*lines[:number], *lines[number + 1 :])), encoding="utf-8")
            try:
                described = describe(str(changed), set=specimen.changes).parameters
            except ConfigError as error:
                for problem in error.problems:
                    place = _place_of(problem.key, uses)
                    if problem.message.startswith("missing: expected") and place[1] == name and place in found:
                        yield place, MUST
                continue
            for each in described:
                place = _place_of(each.key, uses)
                if each.source == "default" and place[1] == name and place in found and not found[place].default:
                    yield place, value_text(each.value)
