"""What is shipped: `presets`, and `describe` for one of them."""

from __future__ import annotations

from linecard import _core
from linecard._convert import convert
from linecard.description import Description, PresetInfo
from linecard.request import Settings, settings


def presets() -> list[PresetInfo]:
    """List the shipped presets, sorted by kind and name."""
    return convert(_core.presets(), list[PresetInfo])


def describe(preset: str, set: Settings | None = None) -> Description:
    """Every parameter of a preset with unit and source, after these changes.

    Raises:
        ConfigError: The preset, a key or a value is wrong; every problem is listed.
    """
    return convert(_core.describe(preset, settings(set)), Description)
