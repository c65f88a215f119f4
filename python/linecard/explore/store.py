"""The store of finished runs: one immutable file per run, named by the hash of the run's inputs.

The store writes each file with a checksum under a temporary name, and then renames the file. Therefore, the file of a
run is either complete or missing, even if the process is killed. The store treats a damaged file as missing. A sweep
claims a point before the point is executed, so two sweeps that share a store never both execute the point. A claim on a
point is an operating-system lock on one byte of the file `claims`. The operating system releases the lock of a claim
when the process ends.

- `DIR/linecard-store.json`: the format version and the maximum size of the store.
- `DIR/claims`: a file with one locked byte for each claimed point.
- `DIR/runs/ab/HASH.json`: the record of one run, with a checksum in the last line.
- `DIR/times`: the execution time of each run, one run per line. The measured wall-clock time is not part of a run's
  result.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

import msgspec

from linecard.errors import ConfigError
from linecard.explore.content import FORMAT
from linecard.files import replace_file

try:
    import fcntl
except ImportError:  # pragma: no cover # not on this system
    fcntl = None  # type: ignore[assignment]

LIMIT_BYTES = 4 << 30
_HASH_CHARACTERS = 64
# Entries that a folder without `linecard-store.json` may have.
_OWN = frozenset({"runs", "claims", "times"})
# Messages name a run by the beginning of its hash, as tables do.
_SHOWN_CHARACTERS = 12
_SHOWN_RUNS = 8
# Other users may write into the folder: a file that is larger than any run is not read.
_MOST_RUN_BYTES = 64 << 20
_MOST_MARK_BYTES = 1 << 16
# Links are not followed, and pipes are not waited for.
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# Age after which an unfinished file belongs to no running process.
_STALE_SECONDS = 3600.0


class Kept(TypedDict):
    """The stored record of a run."""

    key: str
    status: Literal["ok", "refused", "failed"]
    reason: str | None
    numbers: dict[str, Any]
    measurements: list[tuple[str, str, str, Any]]
    request: Asked
    code: str


class Asked(TypedDict):
    """The stored request of a run."""

    subject: str
    arguments: dict[str, Any]
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoreUse:
    """The size of a store: the number of finished runs, their size in bytes, and the maximum size in bytes."""

    runs: int
    used_bytes: int
    limit_bytes: int


class _Claims:
    """Claims of this process on one store. Locks belong to processes, so this class separates threads."""

    _of: dict[str, _Claims] = {}  # noqa: RUF012 # one table for the process
    _guard = threading.Lock()

    def __init__(self, path: Path) -> None:
        self._mine: set[str] = set()
        self._alone = threading.Lock()
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | _AS_IT_IS, 0o666)

    @classmethod
    def at(cls, folder: Path) -> _Claims:
        # Closing a descriptor ends all locks of the process on its file, so the only descriptor stays open.
        name = os.path.realpath(folder)
        with cls._guard:
            if name not in cls._of or cls._of[name]._file is None or not (folder / "claims").exists():
                cls._of[name] = cls(folder / "claims")
            return cls._of[name]

    def take(self, key: str) -> bool:
        with self._alone:
            if key in self._mine:
                return False
            if self._file is not None and fcntl is not None:
                try:
                    fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(key[:15], 16))
                except OSError as error:
                    if error.errno in {errno.EAGAIN, errno.EACCES}:
                        return False
                    # On a file system without locks, two sweeps may both run a point, with the same result.
            self._mine.add(key)
            return True

    def give_back(self, key: str) -> None:
        with self._alone:
            self._mine.discard(key)
            if self._file is not None and fcntl is not None:
                with suppress(OSError):
                    fcntl.lockf(self._file, fcntl.LOCK_UN, 1, int(key[:15], 16))


class Store:
    """A folder that stores finished runs.

    Attributes:
        folder: The folder of the store.
        limit_bytes: Maximum size in bytes; :meth:`shrink` enforces this limit.
        not_kept: Hashes of the runs that could not be stored, and the reason for each.
        damaged: Hashes of runs whose files are damaged.
        mark_is_damaged: Whether ``linecard-store.json`` is unreadable; if so, the default maximum size applies.
    """

    def __init__(self, folder: str | os.PathLike[str], *, make: bool = True) -> None:
        """Open a store.

        Args:
            folder: Folder.
            make: Whether to make a missing store.

        Raises:
            ConfigError: The folder is not a store, contains files that are not of a store, or cannot be created.
        """
        self.folder = Path(folder)
        self.limit_bytes = LIMIT_BYTES
        self.not_kept: dict[str, str] = {}
        self.damaged: set[str] = set()
        self.mark_is_damaged = False
        self._mark = self.folder / "linecard-store.json"
        self._runs = self.folder / "runs"
        self._times = self.folder / "times"
        if self._mark.is_file():
            self._read_mark()
        else:
            self._make(make)
        self._claims = _Claims.at(self.folder)

    def _read_mark(self) -> None:
        try:
            said = json.loads(_read(self._mark, _MOST_MARK_BYTES))
            kind, limit = said["format"], said["limit_bytes"]
            if type(limit) is not int or limit < 0:
                raise ValueError
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            # The mark is cut or overwritten; no run depends on its content.
            self.mark_is_damaged = True
            return
        self.limit_bytes = limit
        if kind != FORMAT:
            raise ConfigError(f"{self.folder}: the store has format {kind}, expected {FORMAT}; use another folder")

    def _make(self, make: bool) -> None:
        if not make:
            raise ConfigError(f"{self.folder}: no store here; `linecard sweep --store DIR` creates one")
        try:
            strangers = sorted(each.name for each in self.folder.iterdir() if each.name not in _OWN)
        except FileNotFoundError:
            strangers = []
        except OSError as error:
            raise ConfigError(f"cannot use {self.folder} as a store: {error.strerror or error}") from error
        if any(not name.startswith(".linecard-") for name in strangers):
            raise ConfigError(
                f"cannot use {self.folder} as a store: it contains other files ({', '.join(strangers[:3])}); "
                "use an empty or a new folder"
            )
        try:
            self._runs.mkdir(parents=True, exist_ok=True)
            self._write_mark()
        except OSError as error:
            raise ConfigError(f"cannot create a store in {self.folder}: {error.strerror or error}") from error

    def _write_mark(self) -> None:
        content = json.dumps({"format": FORMAT, "limit_bytes": self.limit_bytes}) + "\n"
        replace_file(self._mark, lambda file: file.write(content.encode()))

    def set_limit(self, limit_bytes: int) -> None:
        """Change the maximum size of the store permanently.

        Raises:
            ConfigError: The store is not writable.
        """
        self.limit_bytes = limit_bytes
        try:
            self._write_mark()
        except OSError as error:
            raise ConfigError(f"cannot write {self._mark}: {error.strerror or error}") from error

    @property
    def remarks(self) -> list[str]:
        """Remarks about the store; each remark is one sentence."""
        said = []
        if self.not_kept:
            names = ", ".join(key[:_SHOWN_CHARACTERS] for key in sorted(self.not_kept)[:_SHOWN_RUNS])
            more = len(self.not_kept) - _SHOWN_RUNS
            reasons = ", ".join(sorted(set(self.not_kept.values())))
            said.append(
                f"{len(self.not_kept):,} runs could not be stored in {self.folder} ({reasons}) and will run again: "
                + names
                + (f" and {more:,} more" if more > 0 else "")
            )
        if self.mark_is_damaged:
            said.append(
                f"{self._mark} is damaged, so the size limit is the default of {LIMIT_BYTES / 1e6:,.0f} MB; "
                "`linecard results prune --limit MB` rewrites the file"
            )
        return said

    def _path(self, key: str) -> Path:
        return self._runs / key[:2] / f"{key}.json"

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the record of a run; ``None`` if the record is missing or damaged."""
        path = self._path(key)
        try:
            content = _read(path, _MOST_RUN_BYTES)
        except FileNotFoundError:
            return None
        except OSError:
            self.damaged.add(key)
            return None
        body, _, mark = content.rstrip(b"\n").rpartition(b"\n")
        if content[-1:] == b"\n" and mark == hashlib.sha256(body).hexdigest().encode():
            with suppress(msgspec.DecodeError, RecursionError):
                found = msgspec.json.decode(body, type=Kept)
                if found["key"] == key:
                    with suppress(OSError):
                        os.utime(path)
                    return dict(found)
        self.damaged.add(key)
        return None

    def put(self, key: str, record: dict[str, Any], seconds: float) -> None:
        """Store the record of a run.

        If the record cannot be stored, the sweep continues, and :attr:`not_kept` lists the run with the reason.
        """
        # The order of the keys is that of the table's columns.
        body = msgspec.json.encode({**record, "key": key})
        path = self._path(key)
        try:
            path.parent.mkdir(exist_ok=True)
            mark = hashlib.sha256(body).hexdigest().encode()
            replace_file(path, lambda file: file.write(body + b"\n" + mark + b"\n"))
        except OSError as error:
            self.not_kept[key] = error.strerror or str(error)
            return
        with suppress(OSError), _open(self._times, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as times:
            times.write(f"{key} {seconds:.6g}\n".encode())

    def seconds(self) -> dict[str, float]:
        """Return the execution time in seconds of each run whose time is known."""
        found: dict[str, float] = {}
        with suppress(OSError):
            for line in _read(self._times, _MOST_RUN_BYTES).split(b"\n"):
                key, _, text = line.partition(b" ")
                with suppress(ValueError):
                    seconds = float(text)
                    if 0.0 <= seconds < float("inf"):
                        found[key.decode("ascii", "replace")] = seconds
        return found

    def claim(self, key: str) -> bool:
        """Claim a run for this process; return ``False`` if another process or thread holds the claim."""
        return self._claims.take(key)

    def release(self, key: str) -> None:
        """Release the claim on a run."""
        self._claims.give_back(key)

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        try:
            folders = sorted(os.scandir(self._runs), key=lambda each: each.name)
        except OSError:
            return
        for folder in folders:
            with suppress(OSError):
                yield from os.scandir(folder.path)

    def keys(self) -> list[str]:
        """Return the hashes of all stored runs, sorted."""
        names = (entry.name.removesuffix(".json") for entry in self._entries() if entry.name.endswith(".json"))
        return sorted(name for name in names if len(name) == _HASH_CHARACTERS)

    def use(self) -> StoreUse:
        """Return the current size and the maximum size of the store."""
        runs = used = 0
        for entry in self._entries():
            with suppress(OSError):
                used += entry.stat(follow_symlinks=False).st_size
                runs += entry.name.endswith(".json")
        return StoreUse(runs, used, self.limit_bytes)

    def remove(self, key: str) -> int:
        """Remove a run, and return the number of bytes freed."""
        path = self._path(key)
        with suppress(OSError):
            size = path.lstat().st_size
            path.unlink()
            return size
        return 0

    def shrink(self, to_bytes: int | None = None, keep: frozenset[str] = frozenset()) -> tuple[int, int]:
        """Remove temporary files of killed processes, then the least recently used runs until the size limit is met.

        Args:
            to_bytes: Maximum size of the store after the call; :attr:`limit_bytes` by default.
            keep: Hashes of runs that must not be removed.

        Returns:
            The number of removed runs, and the number of freed bytes.
        """
        limit = self.limit_bytes if to_bytes is None else to_bytes
        runs: list[tuple[float, str, int]] = []
        used = removed = freed = 0
        now = time.time()
        for entry in self._entries():
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.startswith(".linecard-"):
                    if now - status.st_mtime > _STALE_SECONDS:
                        os.unlink(entry.path)  # noqa: PTH108
                        freed += status.st_size
                    continue
                used += status.st_size
                runs.append((status.st_mtime, entry.name.removesuffix(".json"), status.st_size))
        for _, key, size in sorted(runs):
            if used <= limit:
                break
            if key not in keep:
                got = self.remove(key)
                used -= size
                freed += got
                removed += got > 0
        return removed, freed


def _read(path: Path, most: int) -> bytes:
    """Read a regular file of at most ``most`` bytes, with the size at its opening.

    Raises:
        OSError: It is not a regular file, is larger, or cannot be read.
    """
    with _open(path, os.O_RDONLY) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise OSError(errno.EFBIG, "the file is larger than any valid file of a store")
        return file.read(size)


def _open(path: Path, flags: int) -> io.FileIO:
    """Open a regular file without following a link or waiting.

    Raises:
        OSError: It is not a regular file, or cannot be opened.
    """
    file = io.FileIO(os.open(path, flags | os.O_CLOEXEC | _AS_IT_IS, 0o666), "r" if flags == os.O_RDONLY else "a")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "no regular file")
    return file
