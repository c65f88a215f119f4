"""Output files: Linecard writes each file completely or not at all, and checks output files before a long run.

Linecard writes each file under a temporary name in the same folder, and renames the file when it is complete. If a
command is interrupted, the output file has either its complete old content or its complete new content. If the folder
of an output file does not exist, the command fails. Linecard creates a missing folder only for a set of result files.
"""

from __future__ import annotations

import io
import os
import secrets
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from linecard.errors import ConfigError, LinecardError

# The name that denotes stdout.
STDOUT = "-"
# The limits of a file that is searched for names of other files.
_MOST_TOML_BYTES = 16 << 20
_MOST_NAME = 4096


def is_file_name(path: str | Path) -> bool:
    """Whether the path refers to a regular file, a folder or a new file; false for stdout, devices and pipes."""
    path = Path(path)
    return str(path) != STDOUT and (not path.exists() or path.is_file() or path.is_dir())


def check_outputs(*paths: str | Path | None, folders: Sequence[str | Path | None] = ()) -> None:
    """Check before a long run that the output files can be written.

    Args:
        paths: Output files, each in an existing folder.
        folders: Folders for output files; missing folders are created.

    Raises:
        ConfigError: An output folder is not writable, or the disk of the folder is full.
    """
    for path in paths:
        if path is not None and is_file_name(path):
            place = _place(Path(path))
            _check_folder(Path(path), place.parent)
    for folder in folders:
        if folder is not None:
            there = Path(os.path.realpath(folder))
            while not there.exists() and there != there.parent:
                there = there.parent
            _check_folder(Path(folder), there)


def check_apart(outputs: Mapping[str, str | os.PathLike[str] | None], *inputs: object) -> None:
    """Raise an error if an output file is also an input file, or if two options have the same output file.

    Args:
        outputs: Dictionary that maps an option or argument to the path of its output file or folder.
        inputs: Values that may contain paths of input files: paths, changes such as ``key=path``, and lists and
            mappings of paths. If an input is a TOML file, all files whose paths are in the TOML file are also inputs. A
            relative path in a TOML file is looked up both in the folder of the TOML file and in the current folder.

    Raises:
        ConfigError: Two paths refer to the same file, directly or through a link.
    """
    named = {name: Path(path) for name, path in outputs.items() if path is not None}
    files = {name: path for name, path in named.items() if is_file_name(path)}
    written: dict[Identity, str] = {}
    for name, path in files.items():
        other = written.setdefault(_identity(path), name)
        if other != name:
            raise ConfigError(f"cannot write {path}: {other} and {name} are the same file; choose different names")
    for read in _all_read(inputs) if files else ():
        name = written.get(_identity(read), "")
        if name:
            lost = f"it is also the input file {read}"
            raise ConfigError(f"cannot write {files[name]}: {lost}; choose another name for {name}")


Identity = tuple[int, int] | str


def _identity(path: Path) -> Identity:
    """A value that is equal for two names of the same file, even if the file does not exist yet."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def _all_read(inputs: Sequence[object]) -> Iterator[Path]:
    """Existing files and folders, and those that TOML files among them name."""
    waiting = [Path(name) for name in _texts(inputs)]
    seen: set[Identity] = set()
    while waiting:
        path = waiting.pop()
        try:
            if not (path.is_file() or path.is_dir()) or (found := _identity(path)) in seen:
                continue
            seen.add(found)
            yield path
            if path.suffix != ".toml" or path.is_dir() or path.stat().st_size > _MOST_TOML_BYTES:
                continue
            named = list(_texts(tomllib.loads(path.read_text())))
        except (OSError, ValueError, RecursionError):
            # The reader of the file reports its errors.
            continue
        waiting += [
            folder / (text + end) for text in named for end in ("", ".toml") for folder in (path.parent, Path())
        ]


def _texts(value: object) -> Iterator[str]:
    """All texts in plain data that may be the name of a file: whole texts, or the values after a key, also in lists."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        if value and len(value) < _MOST_NAME and "\n" not in value:
            yield value
            yield from (part.strip("\" '[]") for part in value.partition("=")[2].split(",") if part)
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _place(path: Path) -> Path:
    """The path to write: a symbolic link is kept, and the file to which it points is replaced."""
    if path.is_dir():
        raise ConfigError(f"cannot write {path}: it is a folder; specify a file")
    place = Path(os.path.realpath(path))
    if not place.parent.is_dir():
        raise ConfigError(f"cannot write {path}: the folder {path.parent} does not exist; create it first")
    return place


def _check_folder(path: Path, folder: Path) -> None:
    if not folder.is_dir():
        raise ConfigError(f"cannot write {path}: {folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError(f"cannot write {path}: no permission to write to the folder {folder}")
    if hasattr(os, "statvfs") and os.statvfs(folder).f_bavail == 0:
        raise ConfigError(f"cannot write {path}: no space left on the file system of {folder}")


def write_file(path: str | Path, write: Callable[[IO[bytes]], object]) -> Path:
    """Call ``write`` with a temporary file, and then replace the output file with the temporary file.

    The path ``-`` means stdout. If the path is a device or a pipe, no temporary file is used. If the output path is a
    symbolic link, the link remains, and the file to which the link points is replaced.

    Raises:
        LinecardError: The file cannot be written. If an error occurs, the temporary file is removed, and an existing
            output file is unchanged.
    """
    path = Path(path)
    if not is_file_name(path):
        return _write_through(path, write)
    try:
        replace_file(_place(path), write)
    except OSError as error:
        raise _cannot_write(path, error) from error
    return path


def replace_file(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Replace a file by a temporary file in the same folder that ``write`` has filled; links are replaced, too.

    Raises:
        OSError: The file cannot be written; the temporary file is removed, and an existing file is unchanged.
    """
    # Not one of `tempfile`, which is private: a result has the permissions of an ordinary file.
    temporary = path.with_name(f".linecard-{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            write(file)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _write_through(path: Path, write: Callable[[IO[bytes]], object]) -> Path:
    """Write to stdout, a device or a pipe. The content is collected first, because these cannot seek."""
    content = io.BytesIO()
    write(content)
    try:
        if str(path) == STDOUT:
            sys.stdout.flush()
            sys.stdout.buffer.write(content.getbuffer())
            sys.stdout.buffer.flush()
        else:
            with path.open("wb") as file:
                file.write(content.getbuffer())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot_write(path, error) from error
    return path


def make_folder(folder: str | Path) -> Path:
    """Create a folder for results, and its missing parent folders.

    Raises:
        ConfigError: The folder cannot be created.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(folder, error) from error
    return folder


def _cannot_write(path: Path, error: OSError) -> LinecardError:
    return ConfigError(f"cannot write {path}: {error.strerror or error}")


def write_bytes(path: str | Path, content: bytes) -> Path:
    """Write a file completely or not at all."""
    return write_file(path, lambda file: file.write(content))


def write_text(path: str | Path, text: str) -> Path:
    """Write a text file completely or not at all."""
    return write_bytes(path, text.encode())
