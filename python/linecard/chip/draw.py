"""A chip as a block diagram."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from linecard._arguments import plain
from linecard.chip import facts
from linecard.chip.picture import Picture
from linecard.errors import ConfigError, ConfigProblem
from linecard.files import is_file_name, write_text
from linecard.request import name_of

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.request import Settings


@plain
def draw(
    preset: str | PathLike[str],
    output: str | PathLike[str],
    *,
    set: Settings | None = None,
    result: RunResult | str | PathLike[str] | None = None,
) -> Path:
    """Draw a chip as an SVG block diagram: the same chip and the same run give the same bytes.

    Args:
        preset: Name of a shipped chip, or path of a TOML file.
        output: File to write: ``.svg``.
        set: Changes, as :func:`linecard.run` takes them. Left out, those of ``result`` hold.
        result: A run of the chip, or the file of its JSON, by whose utilisation parts are coloured.

    Returns:
        The file.

    Raises:
        ConfigError: Something in the chip's file does not fit together, it is no chip, the result is no run of it, or
            the name of the drawing ends in something else.

    Example:
        >>> import linecard, tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "chip.svg"
        >>> linecard.draw("example_smartnic", file).read_text()[:4]
        '<svg'
    """
    file = Path(fspath(output))
    if is_file_name(file) and file.suffix.lower() != ".svg":
        raise ConfigError.of([ConfigProblem("--output", "", f"found {file.name}, expected a name ending in .svg")])
    return write_text(file, Picture(facts.read(name_of("preset", preset), set, result)).svg())
