"""Creates the file of a new chip from a preset."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from linecard import _core
from linecard._arguments import plain
from linecard.errors import ConfigError
from linecard.files import write_text
from linecard.request import name_of
from linecard.schemas import line, write_schema


@plain
def new(file: str | PathLike[str], *, like: str | PathLike[str]) -> Path:
    """Write a file for a new chip: a copy of a shipped chip with its comments, or a file that extends another platform.

    The function also writes ``chip.schema.json``, with which a text editor can complete the keys of the chip's file
    (see :func:`schema`).

    Args:
        file: File to write; an existing file is never overwritten.
        like: Preset on which the new file is based.

    Returns:
        Path of the file.

    Raises:
        ConfigError: The file already exists, its name does not end in ``.toml``, or the preset does not exist.

    Example:
        >>> import linecard, tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> chip = linecard.new(folder / "mine.toml", like="example_smartnic")
        >>> linecard.check(str(chip)).engines
        80
    """
    target = Path(fspath(file))
    if target.suffix != ".toml":
        raise ConfigError.at(str(target), "", "expected a name that ends in .toml")
    if target.exists():
        raise ConfigError.at(str(target), "", "exists already; choose another name, or remove the file")
    text = _core.chip_template(name_of("like", like))
    write_text(target, line("chip") + text)
    write_schema("chip", target)
    return target
