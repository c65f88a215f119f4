"""Executes the runs of a batch in parallel threads.

If the store already has the record of a run, this module reads the record and does not repeat the run. If another
process is already executing a run, this module executes other runs first, and then looks for the run's record in the
store. A refused or failed run also has a record, which contains the reason for the refusal or failure. The results do
not depend on the number of threads or on the order in which runs end.
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
from linecard.side_by_side import Stopped, side_by_side

if TYPE_CHECKING:
    from linecard.explore.store import Store

Record = Mapping[str, Any]
Take = Callable[[str, Record], None]
# Called with the number of completed runs, plus a fraction for each current run, and the total.
SweepProgress = Callable[[float, int], object]

_WAIT_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Task:
    """A run that must be executed, with the hash of its inputs."""

    key: str
    request: Request


@dataclass(slots=True)
class Counts:
    """Numbers of distinct runs, and the total wall-clock and CPU time of their execution.

    ``not_kept`` is the number of runs that the store could not save. ``remarks`` contains the warnings of the store.
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
        """Add the outcome of a finished run to the counts."""
        self.run += record["status"] == "ok"
        self.refused += record["status"] == "refused"
        self.failed += record["status"] == "failed"
        self.simulator_seconds += record["seconds"]
        self.simulator_cpu_seconds += record["cpu_seconds"]


class Interrupted(KeyboardInterrupt):
    """The user pressed Ctrl-C during a sweep.

    Attributes:
        done: Number of distinct runs that finished; if the sweep has a store, their results are saved in the store.
        total: Total number of distinct runs.
    """

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"interrupted after {done} of {total} runs")
        self.done, self.total = done, total


def evaluate(request: Request, progress: Callable[[int, int], object]) -> dict[str, Any]:
    """Execute one point and return the record of the run; if the run fails, the record contains the error message.

    Raises:
        Stopped: The progress callback stopped the run.
    """
    started, worked = time.perf_counter(), _processor_seconds()
    found: dict[str, Any]
    try:
        outcome = SUBJECTS[request.subject].run(request, progress)
        found = {
            "status": "ok",
            "numbers": {name: _finite(value) for name, value in outcome.numbers.items()},
            "measurements": [(part, name, unit, _finite(value)) for part, name, unit, value in outcome.measurements],
            "lasts": True,
        }
    except Stopped:
        raise
    except ConfigError as error:
        found = {"status": "refused", "reason": str(error)}
    except RunError as error:
        # The same run would end in the same way.
        found = {"reason": str(error), "lasts": True}
    except LinecardError as error:
        found = {"reason": str(error)}
    except (TypeError, ValueError, OverflowError) as error:
        found = {"status": "refused", "reason": f"{type(error).__name__}: {error}"}
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # An error in one point must not end the others.
        found = {"reason": f"{type(error).__name__}: {error}"}
    times = {"seconds": time.perf_counter() - started, "cpu_seconds": _processor_seconds() - worked}
    return record_of(request, **found, **times)


def record_of(request: Request, **found: Any) -> dict[str, Any]:
    """Return the record of a run; fields that the caller does not pass have the values of a failed run."""
    return {
        "status": "failed",
        "reason": None,
        "numbers": {},
        "measurements": [],
        "seconds": 0.0,
        "cpu_seconds": 0.0,
        "request": request.plain(),
        "code": code_version(),
        "lasts": False,
        **found,
    }


def _processor_seconds() -> float:
    """Return the CPU time of this thread and of the core's work for it."""
    return time.thread_time() + _core.worked_seconds()


def _finite(value: Any) -> Any:
    """Replace infinities and NaN, which JSON does not have, by ``None``."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Work:
    """A batch of runs, divided into runs with records in the store and runs that must be executed.

    Attributes:
        store: Store of finished runs; ``None`` for no store.
        waiting: Runs that must still be executed.
        total: Number of runs in the batch.
        done: Number of runs that were found in the store or have ended.
    """

    def __init__(self, tasks: Sequence[Task], take: Take, store: Store | None, counts: Counts) -> None:
        """Read the records that the store has.

        Args:
            tasks: Distinct runs.
            take: Function that is called once for each task with the task's record; calls can come from any thread, but
                are never concurrent.
            store: Store of finished runs; ``None`` for no store.
            counts: Counts to which the runs are added.
        """
        self.store, self.total, self.done = store, len(tasks), 0
        self._take, self._counts = take, counts
        self._alone = threading.Lock()
        self.waiting: deque[Task] = deque()
        for task in tasks:
            record = None if store is None else store.get(task.key)
            if record is None:
                self.waiting.append(task)
            else:
                self.find(task.key, record)

    def find(self, key: str, record: Record) -> None:
        """Use the record that the store has of a run, instead of a new run."""
        with self._alone:
            self._counts.found += 1
            self.done += 1
            self._take(key, record)

    def finish(self, key: str, record: Record) -> None:
        """Accept the record of a finished run; store the record if a repetition would have the same outcome."""
        if self.store is not None and record["lasts"]:
            kept = {name: value for name, value in record.items() if name not in {"lasts", "seconds", "cpu_seconds"}}
            self.store.put(key, kept, record["seconds"])
        with self._alone:
            self._counts.add(record)
            self.done += 1
            self._take(key, record)


class Threads(Work):
    """Executes runs in threads of this process."""

    def __init__(self, tasks: Sequence[Task], take: Take, store: Store | None, counts: Counts) -> None:
        super().__init__(tasks, take, store, counts)
        self._under_way: dict[int, float] = {}

    def run(self, jobs: int, progress: SweepProgress | None) -> None:
        """Execute all runs in ``jobs`` threads.

        Raises:
            Interrupted: The user pressed Ctrl-C; the error is raised after all current runs have stopped, and finished
                runs are kept.
        """

        def look() -> None:
            if progress is not None:
                progress(min(self.total, self.done + sum(list(self._under_way.values()))), self.total)

        workers = range(min(jobs, len(self.waiting)))
        try:
            side_by_side(lambda _, check: self._work(check), workers, jobs=jobs, look=look)
        except KeyboardInterrupt:
            raise Interrupted(self.done, self.total) from None

    def _work(self, check: Callable[[], None]) -> None:
        """Execute tasks until none is left; each thread calls this method."""
        while self.done < self.total:
            check()
            try:
                task = self.waiting.popleft()
            except IndexError:
                # A run that another process has claimed may still return to the queue.
                time.sleep(_WAIT_SECONDS)
                continue
            self._one(task, check)

    def _one(self, task: Task, check: Callable[[], None]) -> None:
        store = self.store
        if store is None:
            self.finish(task.key, self._run(task, check))
            return
        claimed = store.claim(task.key)
        try:
            # Another process may have finished the run between the first look and the claim.
            record = store.get(task.key)
            if record is not None:
                self.find(task.key, record)
            elif claimed:
                self.finish(task.key, self._run(task, check))
            else:
                self.waiting.append(task)
                if len(self.waiting) <= len(self._under_way) + 1:
                    time.sleep(_WAIT_SECONDS)
        finally:
            if claimed:
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
