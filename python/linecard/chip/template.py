"""A file to start a chip of one's own from."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from linecard import _core
from linecard._arguments import plain
from linecard.errors import ConfigError, ConfigProblem
from linecard.files import write_text
from linecard.request import name_of
from linecard.schemas import line, write_schema


@plain
def new(path: str | PathLike[str], *, like: str | PathLike[str]) -> Path:
    """Write a chip's file to start from: a shipped chip with its comments, or a file that extends another platform.

    Beside it stands ``chip.schema.json``, by which an editor completes the file (see :func:`schema`).

    Args:
        path: File to write; one that is there is not touched.
        like: Preset that the new chip is like.

    Returns:
        The file.

    Raises:
        ConfigError: The file is there already, does not end in ``.toml``, or there is no such preset.

    Example:
        >>> import linecard, tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> chip = linecard.new(folder / "mine.toml", like="example_smartnic")
        >>> linecard.check(str(chip)).engines
        80
    """
    file = Path(fspath(path))
    if file.suffix != ".toml":
        problem = ConfigProblem(str(file), "", "a chip's file ends in .toml, which tells it from a shipped preset")
        raise ConfigError.of([problem])
    if file.exists():
        raise ConfigError.of([ConfigProblem(str(file), "", "is there already; choose another name or remove it")])
    text = _core.chip_template(name_of("like", like))
    write_text(file, line("chip") + text)
    write_schema("chip", file)
    return file
