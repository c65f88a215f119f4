"""A chip as a block diagram."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from linecard import _core
from linecard.tables import write_text

if TYPE_CHECKING:
    from linecard.api import Settings
    from linecard.results import RunResult


def draw(
    preset: str,
    output: str | PathLike[str],
    *,
    set: Settings | None = None,
    result: RunResult | str | PathLike[str] | None = None,
) -> Path:
    """Draw a chip as an SVG block diagram.

    Args:
        preset: Name of a shipped chip, or path of a TOML file.
        output: File to write.
        set: Changes, as :func:`linecard.run` takes them.
        result: A run of the chip, or the file of its JSON, by whose utilisation parts are coloured.

    Returns:
        The file.

    Raises:
        ConfigError: Something in the chip's file does not fit together, or the result is none.
    """
    from linecard.api import settings

    drawing = _core.chip_drawing(preset, settings(set))
    return write_text(Path(fspath(output)), str(drawing))
