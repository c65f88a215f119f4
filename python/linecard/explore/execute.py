"""Executes the runs of a sweep in parallel threads.

If a run is already in the store, its record is read, and the run is not repeated. If another process is executing a
point, this process postpones the point and looks it up again later. A refused or failed run has a record, too, with the
reason. The results do not depend on the number of threads or on the order in which runs end.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard.errors import ConfigError, LinecardError, RunError
from linecard.explore.content import code_version
from linecard.explore.subject import SUBJECTS, Request
from linecard.side_by_side import Stopped, side_by_side, threads_for

if TYPE_CHECKING:
    from linecard.explore.store import Store

Record = Mapping[str, Any]
Take = Callable[[str, Record], None]
# Called with the number of completed runs, plus a fraction for each current run, and the total.
SweepProgress = Callable[[float, int], object]

_WAIT_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Task:
    """A distinct run: the hash of its inputs, and its request."""

    key: str
    request: Request


@dataclass(slots=True)
class Counts:
    """Counts of distinct runs (found in the store, successful, refused, failed), and the simulation time.

    ``not_kept`` is the number of runs that the store could not keep, and ``remarks`` holds the remarks of the store.
    """

    found: int = 0
    run: int = 0
    refused: int = 0
    failed: int = 0
    simulator_seconds: float = 0.0
    simulator_cpu_seconds: float = 0.0
    not_kept: int = 0
    remarks: tuple[str, ...] = ()

    def add(self, record: Record) -> None:
        """Count a run that has ended."""
        self.run += record["status"] == "ok"
        self.refused += record["status"] == "refused"
        self.failed += record["status"] == "failed"
        self.simulator_seconds += record["seconds"]
        self.simulator_cpu_seconds += record["cpu_seconds"]


class Interrupted(KeyboardInterrupt):
    """The user pressed Ctrl-C during a sweep.

    Attributes:
        done: Number of finished distinct runs; if there is a store, it keeps them.
        total: Total number of distinct runs.
    """

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"interrupted after {done} of {total} runs")
        self.done, self.total = done, total


def evaluate(request: Request, progress: Callable[[int, int], object]) -> dict[str, Any]:
    """Execute one point and return its record; an error also becomes a record.

    Raises:
        Stopped: The progress callback stopped the run.
    """
    started, worked = time.perf_counter(), _processor_seconds()
    status, reason, numbers, measurements, lasts = "ok", None, {}, [], True
    try:
        outcome = SUBJECTS[request.subject].run(request, progress)
        numbers = {name: _finite(value) for name, value in outcome.numbers.items()}
        measurements = [(part, name, unit, _finite(value)) for part, name, unit, value in outcome.measurements]
    except Stopped:
        raise
    except ConfigError as error:
        status, reason, lasts = "refused", str(error), False
    except RunError as error:
        # The same run would end in the same way.
        status, reason = "failed", str(error)
    except LinecardError as error:
        status, reason, lasts = "failed", str(error), False
    except (TypeError, ValueError, OverflowError) as error:
        status, reason, lasts = "refused", f"{type(error).__name__}: {error}", False
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # An error in one point must not end the others.
        status, reason, lasts = "failed", f"{type(error).__name__}: {error}", False
    return {
        "status": status,
        "reason": reason,
        "numbers": numbers,
        "measurements": measurements,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": _processor_seconds() - worked,
        "request": request.plain(),
        "code": code_version(),
        "lasts": lasts,
    }


def _processor_seconds() -> float:
    """Return the CPU time of this thread and of the core's work for it."""
    return time.thread_time() + _core.worked_seconds()


def _finite(value: Any) -> Any:
    """Replace infinities and NaN, which JSON does not have, by ``None``."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def keep(store: Store | None, key: str, record: Record) -> None:
    """Store a run, unless the same run could have a different outcome when it is repeated."""
    if store is not None and record["lasts"]:
        kept = {name: value for name, value in record.items() if name not in {"lasts", "seconds", "cpu_seconds"}}
        store.put(key, kept, record["seconds"])


def look_up(tasks: Sequence[Task], store: Store | None, take: Take, counts: Counts) -> list[Task]:
    """Read the records in the store, and return the tasks without a record."""
    if store is None:
        return list(tasks)
    missing = []
    for task in tasks:
        record = store.get(task.key)
        if record is None:
            missing.append(task)
        else:
            counts.found += 1
            take(task.key, record)
    return missing


def execute(
    tasks: Sequence[Task],
    take: Take,
    *,
    store: Store | None,
    jobs: int | None,
    progress: SweepProgress | None,
    counts: Counts,
) -> None:
    """Execute every task that is not in the store.

    Args:
        tasks: Distinct runs to execute.
        take: Called once for each task with its record, from any thread but never concurrently.
        store: Store of finished runs; ``None`` for no store.
        jobs: Number of parallel runs; ``None`` for one per core.
        progress: Called repeatedly from the calling thread.
        counts: Counts to which the runs are added.

    Raises:
        ConfigError: ``jobs`` is below one.
        Interrupted: The user pressed Ctrl-C; current runs stop first, and finished runs are kept.
    """
    most = threads_for(jobs)
    # Counts may include earlier questions.
    before = counts.found
    pool = _Pool(look_up(tasks, store, take, counts), take, store, counts)
    workers, total = range(min(most, len(pool.waiting))), len(tasks)

    def look() -> None:
        if progress is not None:
            progress(min(total, counts.found - before + pool.done()), total)

    try:
        side_by_side(lambda _, check: pool.work(check), workers, jobs=most, look=look)
    except KeyboardInterrupt:
        raise Interrupted(counts.found - before + pool.finished, total) from None


class _Pool:
    """State that the threads of one sweep share."""

    def __init__(self, tasks: list[Task], take: Take, store: Store | None, counts: Counts) -> None:
        self.waiting = deque(tasks)
        self.finished = 0
        self._left = len(tasks)
        self._take, self._store, self._counts = take, store, counts
        self._alone = threading.Lock()
        self._under_way: dict[int, float] = {}

    def done(self) -> float:
        """Return the number of finished runs plus the finished fractions of the current runs."""
        return self.finished + sum(list(self._under_way.values()))

    def work(self, check: Callable[[], None]) -> None:
        """Execute tasks until none is left; each thread calls this method."""
        while self._left > 0:
            check()
            try:
                task = self.waiting.popleft()
            except IndexError:
                # A run that another process has claimed may still return to the queue.
                time.sleep(_WAIT_SECONDS)
                continue
            self._one(task, check)

    def _one(self, task: Task, check: Callable[[], None]) -> None:
        store = self._store
        if store is None:
            self._finish(task, self._run(task, check))
            return
        if not store.claim(task.key):
            record = store.get(task.key)
            if record is not None:
                self._finish(task, record, found=True)
                return
            self.waiting.append(task)
            if len(self.waiting) <= len(self._under_way) + 1:
                time.sleep(_WAIT_SECONDS)
            return
        try:
            # Another process may have finished the run between the first look and the claim.
            record = store.get(task.key)
            if record is not None:
                self._finish(task, record, found=True)
                return
            record = self._run(task, check)
            keep(store, task.key, record)
            self._finish(task, record)
        finally:
            store.release(task.key)

    def _run(self, task: Task, check: Callable[[], None]) -> dict[str, Any]:
        me = threading.get_ident()

        def step(done: int, total: int) -> None:
            check()
            self._under_way[me] = min(1.0, done / total) if total else 0.0

        try:
            return evaluate(task.request, step)
        finally:
            self._under_way.pop(me, None)

    def _finish(self, task: Task, record: Record, *, found: bool = False) -> None:
        with self._alone:
            if found:
                self._counts.found += 1
            else:
                self._counts.add(record)
                self.finished += 1
            self._take(task.key, record)
            self._left -= 1
