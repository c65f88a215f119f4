"""The screens of presets: their kinds, the list of some, and every parameter of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from linecard.catalogue import KINDS
from linecard.cli.pieces import DIM, grid, heading, lined, section
from linecard.cli.stdout import show
from linecard.description import value_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from linecard.description import Description, PresetInfo

NAMES_SHOWN = 5


def print_kinds(found: Sequence[PresetInfo]) -> None:
    """How many presets there are of each kind, and some of them."""
    table = lined(("kind", "l"), ("presets", "r"), ("what they are", "w"))
    for kind, meaning in KINDS.items():
        of_kind = [each for each in found if each.kind == kind]
        # Those that extend nothing are what the others are variants of.
        names = [each.name for each in sorted(of_kind, key=lambda each: len(each.extends))]
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        shown = Text.assemble(meaning, "\n", (", ".join(names[:NAMES_SHOWN]) + more, DIM))
        table.add_row(Text(kind, style="bold"), f"{len(names)}", shown)
    words = "linecard presets KIND lists a kind, --search WORD finds presets, linecard describe PRESET shows one"
    show(section(table), Padding(Text(words, style=DIM), (1, 0, 1, 2)))


def print_presets(found: Sequence[PresetInfo]) -> None:
    """The list of some presets."""
    several = len({each.kind for each in found}) > 1
    table = lined(("preset", "l"), *([("kind", "l")] if several else []), ("what it is", "w"), ("extends", "w"))
    for each in found:
        extends = Text(", ".join(name.removeprefix(f"{each.kind}/") for name in each.extends), style=DIM)
        table.add_row(Text(each.name, style="bold"), *([each.kind] if several else []), each.title, extends)
    show(section(table), Text(""))


def print_description(description: Description) -> None:
    """Every parameter of a preset, by section."""
    title = Text.assemble((description.preset, "bold"), f"  {description.title}")
    parts: list[RenderableType] = [Padding(title, (1, 0, 0, 2))]
    if description.extends:
        parts.append(Padding(Text("extends " + " → ".join(reversed(description.extends)), style=DIM), (0, 0, 0, 2)))
    if description.changes:
        parts.append(section(heading(f"What it changes in {description.extends[-1]}"), _changes(description)))
    # One table for all sections, so that the eye can run down a column.
    table = grid("l", "w", "w")
    group = None
    for each in description.parameters:
        if each.key.partition(".")[0] != group:
            group = each.key.partition(".")[0]
            table.add_section(heading(group))
        value = Text.assemble((each.text or "(none)", "bold"), f" {each.unit}")
        meaning = "; ".join(part for part in (each.meaning, each.allowed) if part)
        between = "" if each.interval is None else f"; from {each.interval[0]:g} to {each.interval[1]:g}"
        table.add_row(each.key, value, Text.assemble(meaning, (f"\n{each.source}{between}", DIM)))
    parts.append(section(table))
    if description.derived:
        derived = lined(("follows from them", "w"), ("value", "r"), ("unit", "l"), ("formula", "w"))
        for row in description.derived:
            derived.add_row(row.name, Text(f"{row.value:,.6g}", style="bold"), row.unit, Text(row.formula, style=DIM))
        parts.append(section(derived))
    show(*parts, Text(""))


def _changes(description: Description) -> RenderableType:
    table = lined(("parameter", "l"), ("there", "w"), ("here", "w"))
    for each in description.changes:
        there, here = (
            Text("–", style=DIM) if value is None else Text(f"{value_text(value) or '(none)'} {each.unit}".rstrip())
            for value in (each.base, each.value)
        )
        here.stylize("bold")
        table.add_row(each.key, there, here)
    return table
