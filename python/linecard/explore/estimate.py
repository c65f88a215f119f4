"""How long a sweep will take: measured on runs of its own, kept like all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from linecard.explore.execute import Counts, Record, SweepProgress, Task, execute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linecard.explore.store import Store

# Runs that an estimate wants to know the time of.
PROBES = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sweep would do.

    Attributes:
        points: Points, those that are asked for twice counted twice.
        left_out: Points that break a constraint.
        runs: Distinct runs.
        found: Runs that the store has.
        seconds_each: Mean time of a run on one core; ``None`` where every probe was refused or failed.
        seconds: Time of what is missing, on the cores at hand; ``None`` as above.
        probes: Runs that this rests on.
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
    """Say how long tasks will take: from runs in the store, and from at most three more, the first, a middle, the last.

    Raises:
        linecard.explore.Interrupted: Ctrl-C.
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
        # What somebody else has made meanwhile says nothing of time.
        if record["status"] == "ok" and "seconds" in record:
            times.append(record["seconds"])

    left = len(missing)
    if missing and len(times) < PROBES:
        probes = {0, len(missing) // 2, len(missing) - 1}
        counts = Counts()
        # One after the other: beside each other they would slow each other down on a busy machine.
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
