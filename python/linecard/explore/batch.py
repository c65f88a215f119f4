"""Executes batches of run requests.

Identical requests are executed only once, and records are returned in request order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from linecard.errors import ConfigError, RunError
from linecard.explore.content import content_of
from linecard.explore.execute import Counts, Record, SweepProgress, Take, Task, Threads
from linecard.side_by_side import threads_for

if TYPE_CHECKING:
    from linecard.explore.cluster import Connection
    from linecard.explore.store import Store
    from linecard.explore.subject import Request


@dataclass(slots=True)
class Bench:
    """Executes batches of runs; call `close` after the last batch, or use the object as a context manager.

    Attributes:
        store: Store of finished runs; ``None`` for no store.
        jobs: Number of parallel runs; ``None`` for one per core.
        progress: Function that is called repeatedly with the number of completed runs and the total number of runs.
        counts: Numbers of reused and executed runs, summed over all batches.
        executor: Executor of the runs: ``threads``, ``dask`` or ``dask:ADDRESS``; all batches share one connection to
            the Dask cluster.
    """

    store: Store | None
    jobs: int | None
    progress: SweepProgress | None
    counts: Counts = field(default_factory=Counts)
    executor: str = "threads"
    _connection: Connection | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close any connection to the Dask cluster, and record the store's failed writes and warnings in `counts`."""
        if self.store is not None:
            self.counts.not_kept, self.counts.remarks = len(self.store.not_kept), tuple(self.store.remarks)
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def run(self, requests: Sequence[Request]) -> list[Record]:
        """Run all requests and return their records in the same order.

        Raises:
            linecard.explore.Interrupted: The user pressed Ctrl-C; finished runs are kept.
        """
        keys = [content_of(request) for request in requests]
        distinct = dict(zip(keys, requests, strict=True))
        found: dict[str, Record] = {}
        self.execute([Task(key, request) for key, request in distinct.items()], found.__setitem__)
        return [found[key] for key in keys]

    def execute(self, tasks: Sequence[Task], take: Take) -> None:
        """Execute every task whose result is not in the store.

        Args:
            tasks: The runs to execute; each run is executed only once.
            take: Function that is called once for each task with the task's record; calls can come from any thread, but
                are never concurrent.

        Raises:
            ConfigError: The executor or the number of jobs is invalid, or the Dask cluster cannot execute the runs.
            MissingExtraError: The executor needs the extra ``dask``, which is not installed.
            RunError: The connection to the Dask scheduler was lost; finished runs are kept.
            linecard.explore.Interrupted: The user pressed Ctrl-C; finished runs are kept.
        """
        jobs = threads_for(self.jobs)
        if self.executor == "threads":
            Threads(tasks, take, self.store, self.counts).run(jobs, self.progress)
            return
        from linecard.explore.cluster import Cluster, Connection

        self._connection = self._connection or Connection(self.executor, jobs)
        work = Cluster(tasks, take, self.store, self.counts)
        if work.waiting:
            work.run(self._connection.client(), self.progress)


def numbers_of(record: Record) -> Mapping[str, Any]:
    """Return the numerical results of a run; raise an error if the run did not succeed.

    Raises:
        ConfigError: The simulator rejected the run as invalid.
        RunError: The run failed.
    """
    if record["status"] == "refused":
        raise ConfigError(record["reason"])
    if record["status"] == "failed":
        raise RunError(record["reason"])
    numbers: Mapping[str, Any] = record["numbers"]
    return numbers


def measured(record: Record, metric: str) -> dict[str, float]:
    """Return the value of a metric for each component in a run."""
    return {part: value for part, name, _unit, value in record["measurements"] if name == metric and value is not None}


def stayed(record: Record) -> float:
    """Return the number of measured packets that arrived and are still in the chip at the end of the run.

    Frames that the program passes to the host or drops on purpose have ended.
    """
    numbers = numbers_of(record)
    aside = sum(measured(record, ended).get("not_ip", 0.0) for ended in ("punted", "dropped_by_choice"))
    return int(numbers["packets_in"]) - int(numbers["packets_out"]) - int(numbers["packets_dropped"]) - aside
