"""Executes the runs of a sweep on a Dask cluster; the driver holds the store and the claims; workers execute runs.

The driver sends each file that a request names (designs, programs, captures), if the file is below the current folder.
All other files must have the same contents on every worker, and all workers must have the same build of Linecard. Each
worker hashes its requests, and rejects a run if its own hash differs from the driver's hash. If a worker dies, the
driver resubmits the runs of that worker. A cluster and local threads produce identical tables.
"""

from __future__ import annotations

import hashlib
import logging
import os
import queue
import tempfile
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, MissingExtraError, RunError
from linecard.explore.content import canonical, code_version, content_of, files_of
from linecard.explore.execute import Counts, Interrupted, Record, SweepProgress, Take, Task, evaluate, keep, look_up
from linecard.explore.subject import Request
from linecard.side_by_side import threads_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
        """Change to the folder of the file bundle with this hash; the first call creates and fills the folder."""
        with self._change:
            while self._users and self._bundle != bundle:
                self._change.wait()
            if self._users == 0:
                self._bundle, self._home = bundle, str(Path.cwd())
                if bundle:
                    os.chdir(self._folder(bundle, files))
            self._users += 1

    def leave(self) -> None:
        """Change back to the previous folder when no run uses the bundle any longer."""
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
        raise ConfigError("a worker has another build of Linecard than the driver; install one build on all machines")
    _folder.enter(bundle, files)
    try:
        done = []
        for key, plain in batch:
            request = Request(plain["subject"], plain["arguments"], plain["settings"])
            if content_of(request) != key:
                names = ", ".join(sorted(files_of(request))) or "the files of the run"
                raise ConfigError(
                    f"the contents of {names} differ on a worker: files below the current folder are shipped, and "
                    "all other files must be identical on every machine"
                )
            done.append((key, evaluate(request, lambda _done, _total: None)))
        return done
    finally:
        _folder.leave()


def bundle_of(tasks: Sequence[Task]) -> dict[str, bytes]:
    """The files that the tasks name and that are below the current folder, by relative path."""
    home = Path.cwd().resolve()
    found: dict[str, bytes] = {}
    for task in tasks:
        for name in files_of(task.request):
            path = Path(name)
            if not path.is_absolute() and ".." not in path.parts and (home / path).resolve().is_relative_to(home):
                found.setdefault(name, b"")
    return {name: Path(name).read_bytes() for name in sorted(found)}


class Connection:
    """A Dask cluster that connects for the first run and disconnects at the end; several batches of runs share it."""

    def __init__(self, executor: str, jobs: int | None) -> None:
        """Check both arguments; :func:`execute_on_cluster` describes them.

        Raises:
            ConfigError: The executor does not exist, or ``jobs`` is below one.
            MissingExtraError: The extra ``dask`` is not installed.
        """
        kind, _, self._address = executor.partition(":")
        if kind != "dask":
            raise ConfigError(f"--executor: found {executor!r}, expected threads, dask or dask:ADDRESS")
        threads_for(jobs)
        try:
            import distributed
        except ImportError as error:
            raise MissingExtraError("an executor on a Dask cluster", "dask") from error
        self._dask: Any = distributed
        self._jobs = jobs
        self._client: Any = None
        self._cluster: Any = None

    def client(self) -> Any:
        """Return the Dask client after connecting it.

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
        from linecard.request import default_jobs

        # One error of this module replaces the log of Dask about lost connections.
        for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        if not self._address:
            self._cluster = self._dask.LocalCluster(
                n_workers=self._jobs or default_jobs(),
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
                f"--executor: the scheduler at {self._address} runs Dask {found}, this machine {own}; "
                "install the same version on all machines"
            )

    def close(self) -> None:
        """Disconnect from the cluster; its workers on this machine end."""
        for part in (self._client, self._cluster):
            if part is not None:
                part.close(timeout=5)
        self._client = self._cluster = None


def execute_on_cluster(
    tasks: Sequence[Task],
    take: Take,
    *,
    executor: str,
    store: Store | None,
    jobs: int | None,
    progress: SweepProgress | None,
    counts: Counts,
    connection: Connection | None = None,
) -> None:
    """Execute every task that is not in the store on a Dask cluster; see :func:`linecard.explore.execute.execute`.

    Args:
        tasks: Distinct runs to execute.
        take: Called once for each task, with the record of the task.
        executor: ``dask`` starts workers on this machine; ``dask:ADDRESS`` uses a running scheduler.
        store: Store of finished runs; ``None`` for no store.
        jobs: Number of workers to start on this machine; ``None`` starts one per core.
        progress: Function that is called repeatedly with (runs done, total runs).
        counts: Counts to which the runs are added.
        connection: Connection to use, which stays open; ``None`` opens a new connection and closes it at the end.

    Raises:
        ConfigError: The executor is invalid, no scheduler or worker responds, or a worker has a different build or
            different files.
        MissingExtraError: The extra ``dask`` is not installed.
        RunError: The connection to the scheduler was lost; finished runs are kept.
        Interrupted: Ctrl-C.
    """
    reached = connection or Connection(executor, jobs)
    # Counts may include earlier questions.
    before = counts.found
    try:
        missing = look_up(tasks, store, take, counts)
        if not missing:
            return
        driver = _Driver(reached.client(), missing, take, store, counts, before)
        try:
            driver.work(progress, len(tasks))
        except KeyboardInterrupt:
            raise Interrupted(driver.done(), len(tasks)) from None
        finally:
            driver.end()
    finally:
        if connection is None:
            reached.close()


class _Driver:
    """Submits batches, collects results, and submits lost runs again."""

    def __init__(
        self, client: Any, tasks: list[Task], take: Take, store: Store | None, counts: Counts, found_before: int
    ) -> None:
        self.finished, self._seconds = 0, 0.0
        self._found_before = found_before
        self._client, self._take, self._store, self._counts = client, take, store, counts
        self._requests = {task.key: task.request for task in tasks}
        self._waiting = deque(task.key for task in tasks)
        self._tries: dict[str, int] = {}
        self._out: dict[Any, list[str]] = {}
        self._claimed: set[str] = set()
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._files = bundle_of(tasks)
        content = [(name, hashlib.sha256(each).hexdigest()) for name, each in self._files.items()]
        self._name = hashlib.sha256(canonical(content)).hexdigest() if content else ""
        self._bundle: Any = None

    def done(self) -> int:
        """Return the number of runs that were already in the store or have finished."""
        return self._counts.found - self._found_before + self.finished

    def work(self, progress: SweepProgress | None, total: int) -> None:
        from distributed.comm.core import CommClosedError

        threads = self._threads()
        while self._waiting or self._out:
            if self._client.status != "running":
                raise self._lost_scheduler(total)
            try:
                given = self._give_out(threads)
                for future in self._ended():
                    self._took(future)
            except CommClosedError as error:
                # The connection closed during a transfer.
                raise self._lost_scheduler(total) from error
            if not given and not self._out and self._waiting:
                time.sleep(_LOOK_SECONDS)  # another process has the claims of the rest
            if progress is not None:
                progress(min(total, self.done()), total)

    def _lost_scheduler(self, total: int) -> RunError:
        return RunError(
            f"the Dask scheduler was lost after {self.done()} of {total} runs; the store keeps finished runs, and "
            "the same command continues from there"
        )

    def end(self) -> None:
        """Cancel the submitted runs and release their claims."""
        if self._out and self._client.status == "running":
            self._client.cancel(list(self._out))
        for key in self._claimed:
            if self._store is not None:
                self._store.release(key)

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
        short = _BATCH_SECONDS * self.finished / self._seconds if self._seconds else 1
        size = max(1, int(min(_BATCH, short, (len(self._waiting) + threads - 1) // (threads * _AHEAD))))
        while self._waiting and len(self._out) < threads * _AHEAD:
            batch = [key for key in self._next(size) if self._mine(key)]
            if not batch:
                break
            if self._bundle is None:
                self._bundle = self._client.scatter(self._files, broadcast=True) if self._files else {}
            plain = [(key, self._requests[key].plain()) for key in batch]
            future = self._client.submit(run_batch, plain, self._name, self._bundle, code_version(), pure=False)
            self._out[future] = batch
            future.add_done_callback(self._done.put)
            given = True
        return given

    def _next(self, size: int) -> Iterator[str]:
        for _ in range(min(size, len(self._waiting))):
            yield self._waiting.popleft()

    def _mine(self, key: str) -> bool:
        """Claim a run; otherwise take another process's record of it, or put it off."""
        store = self._store
        if store is None or key in self._claimed:
            return True
        claimed = store.claim(key)
        record = store.get(key)
        if record is not None:
            if claimed:
                store.release(key)
            self._counts.found += 1
            self._take(key, record)
            return False
        if claimed:
            self._claimed.add(key)
            return True
        self._waiting.append(key)
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
                self._finish(key, record)
            return
        error = future.exception() if future.status == "error" else None
        if isinstance(error, ConfigError):
            raise error
        # The worker died, or the shipped files were lost with it.
        self._bundle = None
        for key in batch:
            self._tries[key] = self._tries.get(key, 0) + 1
            if self._tries[key] < _MOST_TRIES:
                self._waiting.append(key)
                continue
            reason = f"{self._tries[key]} workers ended while they ran this point: {error or 'lost'}"
            self._finish(key, _lost(self._requests[key], reason))

    def _finish(self, key: str, record: Record) -> None:
        keep(self._store, key, record)
        self._counts.add(record)
        self.finished += 1
        self._seconds += record["seconds"]
        self._take(key, record)
        if self._store is not None:
            self._store.release(key)
            self._claimed.discard(key)


def _lost(request: Request, reason: str) -> dict[str, Any]:
    return {
        "status": "failed",
        "reason": reason,
        "numbers": {},
        "measurements": [],
        "seconds": 0.0,
        "cpu_seconds": 0.0,
        "request": request.plain(),
        "code": code_version(),
        "lasts": False,
    }


__all__ = ["Connection", "bundle_of", "execute_on_cluster", "run_batch"]
