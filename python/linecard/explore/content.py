"""Identifies a run by one hash of all inputs that determine the run's result.

The hash of a run covers:

- the request, in which each key is written in full,
- the contents of every file that the request names directly or through other files, such as the headers of a C file,
- the files of a shipped program (if the run executes one), and
- the compiled core of Linecard.

The request includes the name of a file, but not the folder of the file. Identical files lead to the same hash in
different folders, and on different machines with the same build of Linecard. The hash of a TOML file covers the values
in the file, not its layout.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import threading
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard.errors import TrafficError

if TYPE_CHECKING:
    from linecard.explore.subject import Request

# Increased when the record of a run, or the input of its hash, changes.
FORMAT = 1
# Depth to which files that name files are followed; presets extend each other to 16, and headers include hardly deeper.
_DEEPEST = 64
_LONGEST_NAME = 4096
# Names of files in C, whatever the conditions around them, and the largest file that may be source text.
_INCLUDED = re.compile(rb'^[ \t]*#[ \t]*(?:include|embed)[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
# An inclusion whose file only the compiler knows, because a macro names it.
_BY_MACRO = re.compile(rb'^[ \t]*#[ \t]*(?:include|include_next|embed)\b(?![ \t]*[<"])', re.MULTILINE)
# Stands for such an inclusion among the names in a file; no file has this name.
_SOME_FILE = "\0"
_MOST_SOURCE_BYTES = 4 << 20


@lru_cache(maxsize=1)
def code_version() -> str:
    """Return the SHA-256 hash of the compiled core, which computes all results."""
    found = getattr(_core, "__file__", None)
    content = Path(found).read_bytes() if found else _core.__version__.encode()
    return hashlib.sha256(content).hexdigest()


class _Files:
    """Hashes of files; a file is read again only after a change."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: dict[str, tuple[tuple[int, int, int], str, tuple[str, ...]]] = {}

    def look(self, path: str) -> tuple[str, tuple[str, ...]]:
        """Return the hash of a file, and the strings in the file that may be names of other files."""
        status = os.stat(path)  # noqa: PTH116 # a hot path, with a name that is text already
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        with self._guard:
            known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known[1], known[2]
        found = _read(path)
        with self._guard:
            self._known[path] = (stamp, *found)
        return found


_files = _Files()


def _read(path: str) -> tuple[str, tuple[str, ...]]:
    is_toml = path.endswith(".toml")
    with Path(path).open("rb") as file:
        if not is_toml and os.fstat(file.fileno()).st_size > _MOST_SOURCE_BYTES:
            return hashlib.file_digest(file, "sha256").hexdigest(), ()
        content = file.read()
    if not is_toml:
        included = dict.fromkeys(os.fsdecode(name) for name in _INCLUDED.findall(content))
        by_macro = (_SOME_FILE,) if _BY_MACRO.search(content) else ()
        return hashlib.sha256(content).hexdigest(), (*included, *by_macro)
    try:
        table = tomllib.loads(content.decode())
        texts = tuple(dict.fromkeys(_texts(table)))
        content = canonical(table)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, ValueError):
        # The run reports the error.
        texts = ()
    return hashlib.sha256(content).hexdigest(), texts


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)


def canonical(data: Any) -> bytes:
    """Encode data as JSON with sorted keys, so that equal data has identical bytes. TOML dates are encoded as text."""
    return json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str).encode()


def files_of(request: Request) -> dict[str, str]:
    """Map each file that a request names, directly or through other files, to the hash of its contents.

    The map also contains files whose names equal a string of the request only by coincidence. Such a coincidence can
    cause an unnecessary run, but never an incorrect result.

    Raises:
        TrafficError: A file that the request names cannot be read.
    """
    found: dict[str, str] = {}
    arguments = request.plain()["arguments"]
    waiting = [(text, "", 0) for text in _texts(arguments)]
    waiting += [(text, "", 0) for text in _texts(request.plain()["settings"])]
    flags, folders = _compilation(arguments)
    waiting += [(flag, "", 0) for flag in flags]
    is_by_macro = _follow(waiting, folders, found)
    followed = 0
    # A file that a macro names may itself name files by macros.
    while is_by_macro and len(found) > followed:
        followed = len(found)
        _follow([(name, "", 0) for name in _compiled(arguments, found)], folders, found)
    return found


def _follow(waiting: list[tuple[str, str, int]], folders: list[str], found: dict[str, str]) -> bool:
    """Add files and all files that they name to `found`; return whether macros name further files.

    A file is a name, the folder of the file that contains the name, and the number of files on the way to it.
    """
    is_by_macro = False
    while waiting:
        text, folder, depth = waiting.pop()
        is_by_macro |= text == _SOME_FILE
        if not text or len(text) > _LONGEST_NAME or "\0" in text or depth > _DEEPEST:
            continue
        # A file that a file names is relative to the current folder, to the file that names it, or to a folder in
        # which the compiler looks.
        for base in dict.fromkeys(("", folder, *folders)):
            path = os.path.normpath(os.path.join(base, text))  # noqa: PTH118 # texts, of which few are paths
            if path in found or not os.path.isfile(path):  # noqa: PTH113
                continue
            try:
                found[path], texts = _files.look(path)
            except OSError as error:
                raise TrafficError(f"cannot read {path}: {error.strerror or error}") from error
            waiting += [(each, os.path.dirname(path), depth + 1) for each in texts]  # noqa: PTH120
    return is_by_macro


def _compiled(arguments: Mapping[str, Any], found: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files that the compiler reads for the program of a request, if the program is a C file."""
    program, defines = str(arguments.get("program", "")), arguments.get("define", arguments.get("defines", ()))
    if not program.endswith(".c"):
        return ()
    several = defines if isinstance(defines, (list, tuple)) else [defines]
    cflags, bits = str(arguments.get("cflags", "")), int(arguments.get("bits", 32))
    return _includes(program, tuple(map(str, several)), cflags, bits, tuple(sorted(found.items())))


@lru_cache(maxsize=256)
def _includes(
    program: str, defines: tuple[str, ...], cflags: str, bits: int, _found: tuple[tuple[str, str], ...]
) -> tuple[str, ...]:
    """Ask the compiler again only if the contents of a known file have changed."""
    from linecard.executed.riscv import program_includes

    return tuple(program_includes(program, defines, cflags=cflags, bits=bits))


def _compilation(arguments: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the compiler flags of a request, and the folders of the program and of the option ``-I``."""
    try:
        flags = shlex.split(str(arguments.get("cflags", "")))
    except ValueError:
        # The run reports the error.
        flags = []
    named = [flag.removeprefix("-I") for flag in flags if flag.startswith("-I") and flag != "-I"]
    named += [after for flag, after in pairwise(flags) if flag in {"-I", "-iquote", "-isystem", "-idirafter"}]
    return flags, [os.path.dirname(str(arguments.get("program", ""))), *named]  # noqa: PTH120 # a text, as the others


def _hash_of(path: Path) -> str:
    try:
        return _files.look(str(path))[0]
    except OSError as error:
        raise TrafficError(f"cannot read {path}: {error.strerror or error}") from error


def content_of(request: Request) -> str:
    """Return the SHA-256 hash of a request and its files as hexadecimal text.

    Raises:
        TrafficError: A file that the request names cannot be read.
    """
    from linecard.explore.subject import SUBJECTS

    whole = {"format": FORMAT, "code": code_version(), "request": request.plain(), "files": files_of(request)}
    carried = {name: _hash_of(path) for name, path in SUBJECTS[request.subject].carries(request)}
    if carried:
        whole["carried"] = carried
    return hashlib.sha256(canonical(whole)).hexdigest()
