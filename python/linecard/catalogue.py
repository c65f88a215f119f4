"""The presets that ship with Linecard: `presets` lists them, and `describe` shows one."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from os import PathLike

from msgspec.structs import replace

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard._reports import Declared, PresetInfo
from linecard.description import Change, Description
from linecard.errors import ConfigError
from linecard.listed import Listed
from linecard.request import Settings, name_of, settings

# Kinds of presets, and the purpose of each.
KINDS = {
    "platforms": "chips, for `linecard run` and every other command with a CHIP argument",
    "programs": "programs as lists of steps, for `--set program.run=NAME`",
    "cores": "multithreaded cores with a data cache, for `linecard core`",
    "dram": "DRAM parts, for `linecard dram run` and `--set MEMORY.part=NAME`",
    "standards": "DRAM standards, on which DRAM parts are based",
    "policies": "policies of DRAM controllers, for `linecard dram run --policy`",
    "queueing": "models of machines that run queue managers, for `linecard queueing run --machine`",
    "traffic": "link profiles, which `--trace` accepts instead of a capture",
}


@plain
def presets(kind: str | None = None, search: str | None = None) -> Listed[PresetInfo]:
    """List the shipped presets, sorted by kind and name.

    Args:
        kind: List the presets of one kind: ``platforms``, ``programs``, ``cores``, ``dram``, ``standards``,
            ``policies``, ``queueing`` or ``traffic``.
        search: List only presets whose name or title contains every word of this text; case does not matter.

    Raises:
        ConfigError: ``kind`` is not a valid preset kind.
    """
    if kind is not None and kind not in KINDS:
        near = difflib.get_close_matches(kind, KINDS, n=1)
        hint = f"; nearest: {near[0]}" if near else ""
        raise ConfigError(f"found the kind `{kind}`, expected one of {', '.join(KINDS)}{hint}")
    words = (search or "").lower().split()
    return Listed(
        each
        for each in convert(_core.presets(), list[PresetInfo])
        if kind in (None, each.kind) and all(word in f"{each.name} {each.title}".lower() for word in words)
    )


@plain
def describe(preset: str | PathLike[str], set: Settings | None = None) -> Description:
    """Describe a preset: parameters with units and sources, and differences from the preset that it extends.

    Args:
        preset: Name of a shipped preset, or path to a TOML file.
        set: New values for parameters.

    Raises:
        ConfigError: The preset, a key or a value is wrong; the error lists every problem.
    """
    found = _described(name_of("preset", preset), set)
    if not found.extends:
        return found
    base = found.extends[-1]
    # A part has numbers of clocks where its standard has formulas, so the two cannot be compared.
    if base.startswith("standards/") and any(each.key.startswith("timing.") for each in found.parameters):
        return found
    return replace(found, changes=_changes(_described(base), found))


def declared(preset: str, changes: Sequence[str] = ()) -> list[Declared]:
    """Apply the given changes to a preset, and list every key that the preset's files may contain.

    Raises:
        ConfigError: The preset, a key or a value is wrong; the error lists every problem.
    """
    return convert(_core.declared_keys(preset, list(changes)), list[Declared])


def _described(preset: str, set: Settings | None = None) -> Description:
    return convert({**_core.describe(preset, settings(set)), "changes": ()}, Description)


def _changes(base: Description, found: Description) -> tuple[Change, ...]:
    """The keys that a preset adds to its base or changes, then the keys that only the base has."""
    before = {each.key: each for each in base.parameters}
    changes = []
    for each in found.parameters:
        was = before.pop(each.key, None)
        if was is None or was.value != each.value:
            changes.append(Change(each.key, each.value, None if was is None else was.value, each.unit))
    return (*changes, *(Change(each.key, None, each.value, each.unit) for each in before.values()))
