"""Estimates the execution time of a sweep from a few runs of the sweep; the store keeps these runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from linecard.explore.batch import Bench
from linecard.explore.content import content_of
from linecard.explore.execute import Record, SweepProgress, Task
from linecard.request import default_jobs

if TYPE_CHECKING:
    from linecard.explore.points import Points
    from linecard.explore.store import Store

# Timed runs that an estimate needs.
PROBES = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of runs of a sweep, and the estimated execution time.

    Attributes:
        points: Number of points of the sweep, including duplicates.
        left_out: Number of points that violate a constraint.
        runs: Number of distinct runs.
        found: Number of runs that are already in the store.
        seconds_each: Mean execution time of a run on one core; ``None`` if every timed run was refused or failed.
        seconds: Estimated time for the runs that are not in the store, on the available CPU cores. ``None`` if the mean
            time of a run is unknown.
        probes: Number of runs whose execution time was measured.
    """

    points: int
    left_out: int
    runs: int
    found: int
    seconds_each: float | None
    seconds: float | None
    probes: int


def estimate(points: Points, store: Store, jobs: int | None, progress: SweepProgress | None) -> Estimate:
    """Estimate the execution time of a sweep from stored runs and up to three new runs (first, middle, last).

    Raises:
        linecard.explore.Interrupted: The user pressed Ctrl-C.
    """
    distinct = {content_of(point.request): point.request for point in points.points}
    times: list[float] = []
    known = store.seconds()
    missing = []
    for key, request in distinct.items():
        record = store.get(key)
        if record is None:
            missing.append(Task(key, request))
        elif record["status"] == "ok" and key in known:
            times.append(known[key])

    def take(_key: str, record: Record) -> None:
        # A run that another process finished meanwhile has no time.
        if record["status"] == "ok" and "seconds" in record:
            times.append(record["seconds"])

    left = len(missing)
    if missing and len(times) < PROBES:
        probes = {0, len(missing) // 2, len(missing) - 1}
        # The probes run one after the other, because parallel runs slow each other down on a busy machine.
        Bench(store, 1, progress).execute([missing[n] for n in sorted(probes)], take)
        left -= len(probes)
    each = sum(times) / len(times) if times else None
    workers = min(jobs or default_jobs(), max(1, left))
    return Estimate(
        points=len(points.points),
        left_out=points.left_out,
        runs=len(distinct),
        found=len(distinct) - left,
        seconds_each=each,
        seconds=None if each is None else each * left / workers,
        probes=len(times),
    )
