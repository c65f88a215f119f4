"""Drawing of a chip as a block diagram."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from linecard._arguments import plain
from linecard.chip import facts
from linecard.chip.picture import Picture
from linecard.errors import ConfigError
from linecard.files import is_file_name, write_bytes, write_text
from linecard.request import name_of

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.request import Settings


@plain
def draw(
    chip: str | PathLike[str],
    output: str | PathLike[str],
    *,
    set: Settings | None = None,
    result: RunResult | str | PathLike[str] | None = None,
) -> Path:
    """Draw a chip as a block diagram in SVG or PNG; the same chip and the same run always produce byte-identical files.

    Args:
        chip: Name of a shipped chip, or path to a TOML file.
        output: File to write: ``.svg``, or ``.png`` at twice the resolution of the drawing (requires the extra
            ``plot``).
        set: Changes to parameters; by default, the changes of the run in ``result``.
        result: Result of a run, such as its JSON file; the colour of each block shows the block's utilisation in this
            run.

    Returns:
        Path of the file.

    Raises:
        ConfigError: The chip's file is invalid, the result is from a run of another chip, or the file name of the
            drawing has an unknown suffix.

    Example:
        >>> import linecard, tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "chip.svg"
        >>> linecard.draw("example_smartnic", file).read_text()[:4]
        '<svg'
    """
    file = Path(fspath(output))
    kind = file.suffix.lower() if is_file_name(file) else ".svg"
    if kind not in {".svg", ".png"}:
        raise ConfigError.at("--output", "", f"found {file.name}, expected a name ending in .svg or .png")
    svg = Picture(facts.read(name_of("chip", chip), set, result)).svg()
    if kind == ".svg":
        return write_text(file, svg)
    from linecard.report.picture import png

    return write_bytes(file, png(svg))
