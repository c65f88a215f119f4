"""The screens of presets: their list, and every parameter of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from linecard.cli.pieces import DIM, heading, lined, section
from linecard.cli.stdout import show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from linecard.description import Description, Parameter, PresetInfo


def print_presets(found: Iterable[PresetInfo]) -> None:
    """The list of presets."""
    table = lined(("preset", "l"), ("kind", "l"), ("what it is", "w"), ("extends", "l"))
    for each in found:
        table.add_row(
            Text(each.name, style="bold"),
            each.kind,
            each.title,
            Text(", ".join(each.extends), style=DIM),
        )
    show(Padding(table, (1, 0, 0, 2)))


def print_description(description: Description) -> None:
    """Every parameter of a preset."""
    parts: list[RenderableType] = []
    title = Text.assemble((description.preset, "bold"), f"  {description.title}")
    parts.append(Padding(title, (1, 0, 0, 2)))
    if description.extends:
        parts.append(Padding(Text("extends " + " → ".join(description.extends), style=DIM), (0, 0, 0, 2)))
    groups: dict[str, list[Parameter]] = {}
    for each in description.parameters:
        groups.setdefault(each.key.partition(".")[0], []).append(each)
    # One width for all groups, so that the eye can run down a column.
    name_width = max((len(each.key) for each in description.parameters), default=0)
    for name, members in groups.items():
        table = Table.grid(padding=(0, 2))
        table.add_column(width=name_width, no_wrap=True)
        table.add_column(width=20, overflow="fold")
        table.add_column(ratio=1)
        for each in members:
            value = Text.assemble((each.text or "(none)", "bold"), f" {each.unit}")
            meaning = "; ".join(part for part in (each.meaning, each.allowed) if part)
            between = "" if each.interval is None else f"; from {each.interval[0]:g} to {each.interval[1]:g}"
            table.add_row(each.key, value, Text.assemble(meaning, (f"\n{each.source}{between}", DIM)))
        parts.append(section(heading(name), table))
    if description.derived:
        table = lined(("follows from them", "l"), ("value", "r"), ("unit", "l"), ("formula", "w"))
        for derived in description.derived:
            table.add_row(
                derived.name,
                Text(f"{derived.value:,.6g}", style="bold"),
                derived.unit,
                Text(derived.formula, style=DIM),
            )
        parts.append(Padding(table, (1, 0, 0, 2)))
    show(*parts)
