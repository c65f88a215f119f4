"""Executes the runs of a sweep on Dask workers.

The driver manages the store. Before a run executes, the driver claims the run in the store, so that no other sweep
executes the run. The driver sends each file that a request names (designs, programs, captures), if the file is below
the current folder.
Files outside the current folder must have the same contents on every worker. All workers must have the same build of
Linecard. Each worker computes the hash of each run, and rejects the run if the hash differs from the driver's hash. If
a worker dies, the driver resubmits the runs of that worker. A Dask cluster and local threads produce identical result
tables.
"""

from __future__ import annotations

import hashlib
import logging
import os
import queue
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, MissingExtraError, RunError
from linecard.explore.content import canonical, code_version, content_of, files_of
from linecard.explore.execute import (
    Counts,
    Interrupted,
    Record,
    SweepProgress,
    Take,
    Task,
    Work,
    evaluate,
    record_of,
)
from linecard.explore.subject import Request

if TYPE_CHECKING:
    from linecard.explore.store import Store

# Dask takes some 10 ms for each message, so short runs share one. A long run has a message of its own, because a worker
# that dies loses its whole message.
_BATCH, _BATCH_SECONDS = 8, 0.25
# Messages submitted per worker thread, including the one it executes.
_AHEAD = 3
# The most submissions of a run whose workers die.
_MOST_TRIES = 5
_LOOK_SECONDS = 0.1
_CONNECT_SECONDS = 30
_WORKER_SECONDS = 60.0

Batch = list[tuple[str, dict[str, Any]]]


class _Folder:
    """The current folder of this process: runs with one bundle of files share it, runs with another bundle wait."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._users = 0
        self._bundle = ""
        self._home = ""
        self._made: dict[str, str] = {}

    def enter(self, bundle: str, files: Mapping[str, bytes]) -> None:
        """Change to the folder of the file bundle with hash `bundle`; the first call creates and fills the folder."""
        with self._change:
            while self._users and self._bundle != bundle:
                self._change.wait()
            if self._users == 0:
                self._bundle, self._home = bundle, str(Path.cwd())
                if bundle:
                    os.chdir(self._folder(bundle, files))
            self._users += 1

    def leave(self) -> None:
        """Change back to the previous folder as soon as no run uses the file bundle."""
        with self._change:
            self._users -= 1
            if self._users == 0:
                os.chdir(self._home)
                self._change.notify_all()

    def _folder(self, bundle: str, files: Mapping[str, bytes]) -> str:
        if bundle not in self._made:
            self._made[bundle] = tempfile.mkdtemp(prefix="linecard-")
        folder = Path(self._made[bundle])
        for name, content in files.items():
            path = folder / name
            if not path.is_file() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        return str(folder)


_folder = _Folder()


def run_batch(batch: Batch, bundle: str, files: Mapping[str, bytes], code: str) -> list[tuple[str, dict[str, Any]]]:
    """Execute a few points on a worker; Dask calls this function."""
    if code != code_version():
        raise ConfigError(
            "a worker and the driver have different builds of Linecard; install the same build on all machines"
        )
    _folder.enter(bundle, files)
    try:
        done = []
        for key, plain in batch:
            request = Request(plain["subject"], plain["arguments"], plain["settings"])
            if content_of(request) != key:
                names = ", ".join(sorted(files_of(request))) or "the files of the run"
                raise ConfigError(
                    f"the contents of {names} differ on a worker; the driver sends only files below the current "
                    "folder, so install all other files on every machine"
                )
            done.append((key, evaluate(request, lambda _done, _total: None)))
        return done
    finally:
        _folder.leave()


def bundle_of(tasks: Iterable[Task]) -> dict[str, bytes]:
    """Read the tasks' input files below the current folder, and return their contents by relative path."""
    home = Path.cwd().resolve()
    found: dict[str, bytes] = {}
    for task in tasks:
        for name in files_of(task.request):
            path = Path(name)
            if not path.is_absolute() and ".." not in path.parts and (home / path).resolve().is_relative_to(home):
                found.setdefault(name, b"")
    return {name: Path(name).read_bytes() for name in sorted(found)}


class Connection:
    """A connection to a Dask cluster that several batches share; the first run opens the connection."""

    def __init__(self, executor: str, jobs: int) -> None:
        """Check the executor.

        Args:
            executor: ``dask`` starts workers on this machine; ``dask:ADDRESS`` uses a running scheduler.
            jobs: Number of workers to start on this machine.

        Raises:
            ConfigError: The executor does not exist.
            MissingExtraError: The extra ``dask`` is not installed.
        """
        kind, _, self._address = executor.partition(":")
        if kind != "dask":
            raise ConfigError(f"--executor: found {executor!r}, expected threads, dask or dask:ADDRESS")
        try:
            import distributed
        except ImportError as error:
            raise MissingExtraError("an executor on a Dask cluster", "dask") from error
        self._dask: Any = distributed
        self._jobs = jobs
        self._client: Any = None
        self._cluster: Any = None

    def client(self) -> Any:
        """Connect the Dask client if necessary, and return the client.

        Raises:
            ConfigError: No Dask scheduler responds.
        """
        if self._client is None:
            try:
                self._connect()
            except (OSError, ValueError) as error:
                place = self._address or "this machine"
                raise ConfigError(f"--executor: no Dask scheduler answers at {place}: {error}") from error
        return self._client

    def _connect(self) -> None:
        # One error of this module replaces the log of Dask about lost connections.
        for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        if not self._address:
            self._cluster = self._dask.LocalCluster(
                n_workers=self._jobs,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                host="127.0.0.1",
            )
        else:
            self._compare_versions()
        self._client = self._dask.Client(self._address or self._cluster, timeout=_CONNECT_SECONDS, set_as_default=False)

    def _compare_versions(self) -> None:
        """Refuse a scheduler of another Dask version.

        Dask guarantees no compatibility between versions, and a client that the scheduler cannot understand waits a
        minute before it fails.
        """
        import asyncio

        async def ask() -> str:
            async with self._dask.rpc(self._address, timeout=_CONNECT_SECONDS) as scheduler:
                told = await scheduler.versions()
                return str(told["packages"].get("distributed"))

        own, found = self._dask.__version__, asyncio.run(ask())
        if found != own:
            raise ConfigError(
                f"--executor: the scheduler at {self._address} runs Dask {found}, and this machine runs Dask {own}; "
                "install the same version on all machines"
            )

    def close(self) -> None:
        """Disconnect from the cluster, and stop its workers on this machine."""
        for part in (self._client, self._cluster):
            if part is not None:
                part.close(timeout=5)
        self._client = self._cluster = None


class Cluster(Work):
    """Executes runs on a cluster: submits groups of runs, collects results, and resubmits lost runs."""

    def __init__(self, tasks: Sequence[Task], take: Take, store: Store | None, counts: Counts) -> None:
        super().__init__(tasks, take, store, counts)
        self._finished, self._seconds = 0, 0.0
        self._tries: dict[str, int] = {}
        self._out: dict[Any, list[Task]] = {}
        self._claimed: set[str] = set()
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._files = bundle_of(self.waiting)
        content = [(name, hashlib.sha256(each).hexdigest()) for name, each in self._files.items()]
        self._name = hashlib.sha256(canonical(content)).hexdigest() if content else ""
        self._bundle: Any = None

    def run(self, client: Any, progress: SweepProgress | None) -> None:
        """Execute all runs on the cluster of a Dask client.

        Raises:
            ConfigError: No worker responds, or a worker has a different build of Linecard or different files.
            RunError: The connection to the scheduler was lost; finished runs are kept.
            Interrupted: The user pressed Ctrl-C; finished runs are kept.
        """
        self._client = client
        try:
            self._work(progress)
        except KeyboardInterrupt:
            raise Interrupted(self.done, self.total) from None
        finally:
            self._end()

    def _work(self, progress: SweepProgress | None) -> None:
        from distributed.comm.core import CommClosedError

        threads = self._threads()
        while self.waiting or self._out:
            if self._client.status != "running":
                raise self._lost_scheduler()
            try:
                given = self._give_out(threads)
                for future in self._ended():
                    self._took(future)
            except CommClosedError as error:
                # The connection closed during a transfer.
                raise self._lost_scheduler() from error
            if not given and not self._out and self.waiting:
                time.sleep(_LOOK_SECONDS)  # another process has the claims of the rest
            if progress is not None:
                progress(min(self.total, self.done), self.total)

    def _lost_scheduler(self) -> RunError:
        return RunError(
            f"the Dask scheduler was lost after {self.done} of {self.total} runs; the store keeps finished runs; "
            "repeat the command to execute the missing runs"
        )

    def _end(self) -> None:
        """Cancel the submitted runs and release their claims."""
        if self._out and self._client.status == "running":
            self._client.cancel(list(self._out))
        for key in self._claimed:
            if self.store is not None:
                self.store.release(key)

    def _threads(self) -> int:
        until = time.monotonic() + _WORKER_SECONDS
        while time.monotonic() < until:
            threads = sum(self._client.nthreads().values())
            if threads:
                return int(threads)
            time.sleep(_LOOK_SECONDS)
        raise ConfigError(f"--executor: the Dask scheduler has no worker after {_WORKER_SECONDS:.0f} s; start a worker")

    def _give_out(self, threads: int) -> bool:
        given = False
        # Messages are small while the time of a run is unknown, and for few runs, so that all threads have work.
        short = _BATCH_SECONDS * self._finished / self._seconds if self._seconds else 1
        size = max(1, int(min(_BATCH, short, (len(self.waiting) + threads - 1) // (threads * _AHEAD))))
        while self.waiting and len(self._out) < threads * _AHEAD:
            batch = [task for task in self._next(size) if self._mine(task)]
            if not batch:
                break
            if self._bundle is None:
                self._bundle = self._client.scatter(self._files, broadcast=True) if self._files else {}
            plain = [(task.key, task.request.plain()) for task in batch]
            future = self._client.submit(run_batch, plain, self._name, self._bundle, code_version(), pure=False)
            self._out[future] = batch
            future.add_done_callback(self._done.put)
            given = True
        return given

    def _next(self, size: int) -> Iterator[Task]:
        for _ in range(min(size, len(self.waiting))):
            yield self.waiting.popleft()

    def _mine(self, task: Task) -> bool:
        """Claim a run; otherwise take another process's record of it, or put it off."""
        store, key = self.store, task.key
        if store is None or key in self._claimed:
            return True
        claimed = store.claim(key)
        record = store.get(key)
        if record is not None:
            if claimed:
                store.release(key)
            self.find(key, record)
            return False
        if claimed:
            self._claimed.add(key)
            return True
        self.waiting.append(task)
        return False

    def _ended(self) -> list[Any]:
        if not self._out:
            return []
        found = []
        with suppress(queue.Empty):
            found.append(self._done.get(timeout=_LOOK_SECONDS))
            while True:
                found.append(self._done.get_nowait())
        return [future for future in found if future in self._out]

    def _took(self, future: Any) -> None:
        batch = self._out.pop(future)
        if future.status == "finished":
            for key, record in future.result():
                self.finish(key, record)
            return
        error = future.exception() if future.status == "error" else None
        if isinstance(error, ConfigError):
            raise error
        # The worker died, or the shipped files were lost with it.
        self._bundle = None
        for task in batch:
            tries = self._tries[task.key] = self._tries.get(task.key, 0) + 1
            if tries < _MOST_TRIES:
                self.waiting.append(task)
            else:
                reason = f"{tries} workers died while running this point: {error or 'lost'}"
                self.finish(task.key, record_of(task.request, reason=reason))

    def finish(self, key: str, record: Record) -> None:
        """Accept the record of a run, and release the claim on the run."""
        super().finish(key, record)
        self._finished += 1
        self._seconds += record["seconds"]
        if self.store is not None:
            self.store.release(key)
            self._claimed.discard(key)
