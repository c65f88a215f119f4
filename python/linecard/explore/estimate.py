"""Estimates the time of a sweep from a few of its runs, which the store keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from linecard.explore.execute import Counts, Record, SweepProgress, Task, execute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linecard.explore.store import Store

# Timed runs that an estimate needs.
PROBES = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of a sweep, and the time that it takes.

    Attributes:
        points: Number of points, including duplicates.
        left_out: Number of points that break a constraint.
        runs: Number of distinct runs.
        found: Number of runs that are already in the store.
        seconds_each: Mean time of a run on one core; ``None`` if every timed run was refused or failed.
        seconds: Time that the missing runs take on the available cores; ``None`` if the mean time is unknown.
        probes: Number of timed runs.
    """

    points: int
    left_out: int
    runs: int
    found: int
    seconds_each: float | None
    seconds: float | None
    probes: int


def estimate(
    tasks: Sequence[Task],
    *,
    points: int,
    left_out: int,
    store: Store | None,
    jobs: int | None,
    progress: SweepProgress | None,
) -> Estimate:
    """Estimate the time of tasks from stored runs and up to three new runs: the first, a middle and the last task.

    Raises:
        linecard.explore.Interrupted: The user pressed Ctrl-C.
    """
    times: list[float] = []
    known = {} if store is None else store.seconds()
    missing = []
    for task in tasks:
        record = None if store is None else store.get(task.key)
        if record is None:
            missing.append(task)
        elif record["status"] == "ok" and task.key in known:
            times.append(known[task.key])

    def take(_key: str, record: Record) -> None:
        # A run that another process finished meanwhile has no time.
        if record["status"] == "ok" and "seconds" in record:
            times.append(record["seconds"])

    left = len(missing)
    if missing and len(times) < PROBES:
        probes = {0, len(missing) // 2, len(missing) - 1}
        counts = Counts()
        # The probes run one after the other, because parallel runs slow each other down on a busy machine.
        execute([missing[n] for n in sorted(probes)], take, store=store, jobs=1, progress=progress, counts=counts)
        left -= len(probes) if store is not None else 0
    each = sum(times) / len(times) if times else None
    from linecard.request import default_jobs

    workers = min(jobs or default_jobs(), max(1, left))
    return Estimate(
        points=points,
        left_out=left_out,
        runs=len(tasks),
        found=len(tasks) - left,
        seconds_each=each,
        seconds=None if each is None else each * left / workers,
        probes=len(times),
    )
