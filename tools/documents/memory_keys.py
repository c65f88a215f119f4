"""The page of the keys of DRAM parts, their standards, and controllers' policies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from linecard.catalogue import describe, presets
from tools.documents.markdown import code, table
from tools.documents.specimens import shorter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from linecard._reports import Parameter


def memory_page() -> str:
    """Every key of parts and policies, as Markdown."""
    parts = _keys("dram", ("clock", "organization", "energy", "refresh"))
    timing = _keys("dram", ("timing", "map"))
    policies = _keys("policies", ("policy",))
    return "\n".join(
        (
            "# Keys of DRAM parts and policies\n",
            'Every value is written `{ value = 17, unit = "clocks", source = "…" }`, and `--set KEY=VALUE` changes it. '
            "[The guide](../../guide/dram.md) shows them in use; [CONTRIBUTING](../../../CONTRIBUTING.md#recipes) "
            "explains the rows `[[constraint]]` of a standard.\n",
            "## A part: `presets/dram`\n",
            *_table(parts),
            "",
            "The table `[energy]` is optional; without it, a run has no energy. With `mode = per_bank`, a run "
            "has an energy only if the table contains `IDD5PB` (mA): the average supply current while each bank is "
            "refreshed on its own once per tREFI. The standard sets `[refresh] mode`, and a part may change it.\n",
            "## Times and address maps of a part\n",
            "A part has a value for RL, WL, tREFI, and each name in the formulas of its standard. A value is in whole "
            "or half clocks (unit `clocks`), or a time (unit `ns`), which is rounded up to clocks. An address map has "
            "either the order of the fields, or the bits of each field. Shipped parts use these keys:\n",
            *table(("key", "in"), ((code(key), _in(found)) for key, (found, *_) in timing.items())),
            "",
            "## A policy: `presets/policies`\n",
            *_table(policies),
            "",
        )
    )


def _keys(kind: str, tables: tuple[str, ...]) -> dict[str, tuple[list[str], Parameter, str]]:
    """Keys of all shipped presets of a kind: the presets with each key, the parameter, and its allowed values."""
    found: dict[str, tuple[list[str], Parameter, str]] = {}
    for preset in presets():
        if preset.kind != kind:
            continue
        for each in describe(f"{kind}/{preset.name}").parameters:
            if each.key.partition(".")[0] in tables:
                users, *_ = found.setdefault(each.key, ([], each, _expected(each)))
                users.append(preset.name)
    return dict(sorted(found.items(), key=lambda item: tables.index(item[0].partition(".")[0])))


def _in(found: list[str]) -> str:
    parts = [preset.name for preset in presets() if preset.kind == "dram"]
    others = [part for part in parts if part not in found]
    if not others:
        return "every part"
    return f"all but {', '.join(map(code, others))}" if len(others) < 4 else ", ".join(map(code, found))


def _expected(each: Parameter) -> str:
    """The allowed values of a parameter; names are listed one by one."""
    choices = re.fullmatch(r"(?:one of )?(\w+(?:, \w+)*(?: or \w+)?)", each.allowed)
    if choices and each.allowed != "true or false":
        return ", ".join(code(name) for name in re.split(r", | or ", choices[1]))
    return shorter(each.allowed)


def _table(keys: dict[str, tuple[list[str], Parameter, str]]) -> Iterator[str]:
    heads = ("key", "unit", "allowed", "meaning")
    return table(heads, ((code(key), each.unit, allowed, each.meaning) for key, (_, each, allowed) in keys.items()))
