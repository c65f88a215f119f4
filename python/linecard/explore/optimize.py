"""`linecard optimize`: find the best designs in a design space, for one objective or several conflicting ones.

If the budget is sufficient for all points, the function runs all points. If the budget is smaller than the design
space, a search proposes points in batches, each point at most once. Optuna's TPE sampler (ask and tell) proposes half
of a batch; the other half consists of neighbours of the current Pareto front. The sampler receives the results of a
whole batch at once, in the order in which the points were proposed. The proposals do not depend on the number of
workers.

With ``halving``, a batch has more points and starts with short runs. The better half of the points is simulated again
with runs of twice the length, and so on, until the runs have full length. Each run counts towards the budget in
proportion to its length. The sampler receives the results of full-length runs only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from linecard._arguments import plain
from linecard.chip.length import has_numbers
from linecard.errors import ConfigError, RunError
from linecard.explore.batch import Bench
from linecard.explore.designs import Judged, Space, better_half, is_sure, judge, minimised
from linecard.explore.front import front_of, hypervolume, knee_of
from linecard.explore.objectives import Task, read_task
from linecard.explore.optimize_result import OptimizeResult
from linecard.explore.program_options import program_arguments
from linecard.explore.proposer import BATCH, Proposer
from linecard.explore.result import reasons_of
from linecard.explore.store import Store
from linecard.explore.sweep import table_of
from linecard.explore.wording import doubts_text
from linecard.request import mapping_of

if TYPE_CHECKING:
    from linecard._schema import Executed
    from linecard.explore.execute import Counts, SweepProgress
    from linecard.request import Settings


@plain
def optimize(
    file: str | PathLike[str],
    *,
    budget: int | None = None,
    precision: float | None = None,
    set: Settings | None = None,
    store: str | PathLike[str] | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    progress: SweepProgress | None = None,
    **options: Unpack[Executed],
) -> OptimizeResult:
    """Find the best designs of a design space.

    If a full-length run is inconclusive, Linecard repeats the run with more packets, as :func:`linecard.sweep` does.
    The result contains the number of points whose runs remain inconclusive. Points with inconclusive runs are never
    among the best designs.

    Args:
        file: File with a design space and its objectives (``kind = "optimize"``). The file is a sweep file with the
            additional keys ``objectives``, ``limits`` and ``budget``.
        budget: Maximum number of points to run; overrides the budget in the file.
        precision: Lengthen runs until the 95 % interval of the throughput is within ± this fraction of the mean (for
            example, 1%). In Python, 0.01 means 1 %. If objectives use the loss or the mean latency, the precision
            applies to these numbers, too. This argument replaces the precision in the file.
        set: New values for parameters and arguments of all points; they override the values in the file.
        store: Folder in which Linecard stores finished runs, for reuse. The default is no folder.
        jobs: Number of parallel runs; by default, one per CPU core. The result does not depend on this number.
        executor: Executor of the runs: ``"threads"``, ``"dask"`` or ``"dask:ADDRESS"``; Dask needs the extra ``dask``.
        progress: Function that is called repeatedly with (runs done, total runs).
        **options: Program of all points (``program``) and its options; see :func:`linecard.run`. The setting
            ``set={"budget": ...}`` sets the maximum number of instructions per packet.

    Raises:
        ConfigError: The file is invalid, no point meets the limits, or an objective has no value.
        RunError: Every point that meets the limits has inconclusive runs.
        MissingExtraError: The task needs a search, and the extra ``explore`` is not installed.
        linecard.explore.Interrupted: The user pressed Ctrl-C; completed runs are in the store.
    """
    task = read_task(file, budget, precision, mapping_of("set", set), program_arguments(options))
    kept = None if store is None else Store(store)
    return search(task, store=kept, jobs=jobs, executor=executor, progress=progress)


def search(
    task: Task,
    *,
    store: Store | None = None,
    jobs: int | None = None,
    executor: str = "threads",
    progress: SweepProgress | None = None,
) -> OptimizeResult:
    """Search a design space; see :func:`optimize`."""
    space = Space(task)
    limit = min(task.budget, len(space.points))
    proposer = None if limit == len(space.points) else Proposer(space, task)
    halving = 0 if proposer is None else task.halving
    judged: dict[int, Judged] = {}
    known: set[int] = set()
    # The used budget, in runs of the shortest length.
    unit, spent, short = 2**halving, 0, 0
    seeds = task.spec.repeat
    lengths: set[int] = set()

    def run(numbers: Sequence[int], times: int) -> dict[int, Judged]:
        nonlocal spent
        before = spent / unit * seeds

        def step(now: float, _total: int) -> None:
            if progress is not None:
                progress(min(before + now / 2**times, limit * seeds), limit * seeds)

        spec = space.spec if times == 0 else space.shortened(times)
        bench.progress = step
        table = table_of(spec, space.repeated(numbers, spec), bench, fixed=times > 0)
        lengths.update(table.lengths)
        spent += len(numbers) * unit // 2**times
        found = {}
        for place, number in enumerate(numbers):
            own = slice(place * seeds, (place + 1) * seeds)
            found[number] = judge(task, number, table.rows[own], table.parts[own], short=times > 0)
        return found

    with Bench(store, jobs, None, executor=executor) as bench:
        while len(known) < len(space.points) and spent + unit <= limit * unit:
            left = (limit * unit - spent) // unit
            halvings = 0
            if proposer is None:
                batch = [*range(limit)]
            else:
                # Each length of a batch costs as much as its full-length runs; a small rest allows fewer halvings.
                halvings = min(halving, left - 1)
                size = min(BATCH, left // (halvings + 1)) * 2**halvings
                batch = proposer.propose(size, judged, known)
            known.update(batch)
            for times in range(halvings, 0, -1):
                first = run(batch, times)
                short += len(batch)
                batch = better_half(task, first, batch, max(1, len(batch) // 2))
            judged |= run(batch, 0)
            if proposer is not None:
                proposer.tell(judged)
    method = "exhaustive" if proposer is None else "search"
    return _result(task, space, judged, bench.counts, method, short, sorted(lengths))


def _result(
    task: Task,
    space: Space,
    judged: Mapping[int, Judged],
    counts: Counts,
    method: str,
    short: int,
    lengths: Sequence[int],
) -> OptimizeResult:
    good = [each for each in judged.values() if each.keeps]
    refused = sum(not each.values for each in judged.values())
    # The reason of a point is that of its first seed without numbers.
    reasons = reasons_of(
        next(row for row in each.rows if not has_numbers(row)) for each in judged.values() if not each.values
    )
    unsure = [each for each in judged.values() if each.values and not all(is_sure(task, row) for row in each.rows)]
    beyond = len(judged) - len(good) - refused - len(unsure)
    if not good and unsure:
        states = [row["status"] for each in judged.values() for row in each.rows]
        why = "; ".join(doubts_text(states, lengths, 0))
        raise RunError(
            f"no point within the limits is conclusive: of {len(judged)} points, {refused} were refused or failed, "
            f"{beyond} violate a limit, and {len(unsure)} are not conclusive ({why}). "
            "To keep completed runs, use a store (--store)"
        )
    if not good:
        message = f"of {len(judged)} points, {refused} were refused or failed and {beyond} violate a limit"
        first = f"; {reasons[0].points} of them: {reasons[0].reason}" if reasons else ""
        raise ConfigError.at("optimize", "", f"no point meets the limits: {message}{first}")
    small = [minimised(task, point) for point in good]
    best = [min(vector[n] for vector in small) for n in range(len(task.objectives))]
    worst = [max(vector[n] for vector in small) for n in range(len(task.objectives))]
    places = sorted(front_of(small), key=lambda place: (small[place], good[place].number))
    vectors = [small[place] for place in places]
    knee = knee_of(vectors)
    volume = covered(vectors, best, worst)
    front = []
    for at, place in enumerate(places):
        point = good[place]
        front.append(
            {
                **space.points[point.number].values,
                "objectives": list(point.values),
                "low": [each.low for each in point.estimates],
                "high": [each.high for each in point.estimates],
                "steady": _steady(point),
                "knee": at == knee,
                "command": point.rows[0]["command"],
            }
        )
    signs = [each.sign for each in task.objectives]
    return OptimizeResult(
        title=task.spec.title,
        method=method,
        objectives=tuple(each.text for each in task.objectives),
        axes=space.all.names,
        front=tuple(front),
        runs=len(judged),
        short_runs=short,
        points=len(space.points),
        refused=refused,
        reasons=reasons,
        beyond_limits=beyond,
        unsteady=len(unsure),
        doubts=doubts_text([row["status"] for each in judged.values() for row in each.rows], lengths, 0),
        hypervolume=volume,
        best=tuple(sign * value for sign, value in zip(signs, best, strict=True)),
        worst=tuple(sign * value for sign, value in zip(signs, worst, strict=True)),
        rows=tuple(row for each in judged.values() for row in each.rows),
        given={
            "what": task.spec.what,
            "arguments": dict(task.spec.arguments),
            "set": dict(task.spec.settings),
        },
        parts=tuple(each for point in judged.values() for each in point.parts),
        counts=counts,
        asked=task.to_dict(),
    )


def _steady(point: Judged) -> bool | None:
    """Whether all runs of a point were steady; ``None`` if unknown."""
    found = [row.get("steady") for row in point.rows]
    return False if False in found else True if True in found else None


def covered(vectors: Sequence[Sequence[float]], best: Sequence[float], worst: Sequence[float]) -> float:
    """Return the hypervolume of the front, as a fraction of the box between best and worst objective values.

    Objectives with the same value at all points are ignored. The function returns 1 if every objective has the same
    value at all points.
    """
    telling = [n for n in range(len(best)) if worst[n] > best[n]]
    if not telling:
        return 1.0
    scaled = [[(vector[n] - best[n]) / (worst[n] - best[n]) for n in telling] for vector in vectors]
    return hypervolume(scaled, [1.0] * len(telling))
