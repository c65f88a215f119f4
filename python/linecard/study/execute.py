"""Executes the runs of a study in parallel. If a run fails, only the cells that use this run have no value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from linecard.errors import LinecardError
from linecard.side_by_side import side_by_side
from linecard.study.runners import load_runner

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec
    from linecard.study.runners import StudyRun


def run_one(run: RunSpec, progress: Callable[[int, int], object]) -> StudyRun:
    """Execute one run of a study."""
    return load_runner(run.runner)(run, progress)


def execute(
    runs: Sequence[RunSpec],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    run_function: Callable[[RunSpec, Callable[[int, int], object]], StudyRun] = run_one,
) -> dict[RunSpec, StudyRun | str]:
    """Execute all runs, and return the result of each run, or the error message if the run failed.

    Args:
        runs: Runs to execute, without duplicates.
        jobs: Number of parallel runs; ``None`` means one run per processor core.
        progress: Function that the calling thread calls repeatedly with the number of completed packets and the total
            number.
        run_function: Function that executes one run; tests can replace this function.

    Raises:
        ConfigError: ``jobs`` is below one.
        KeyboardInterrupt: The user pressed Ctrl-C; all simulations have been stopped.
    """
    done = dict.fromkeys(runs, 0)
    total = sum(run.packets + run.warmup_packets for run in runs)

    def work(run: RunSpec, check: Callable[[], None]) -> StudyRun | str:
        def step(packets_done: int, _packets_total: int) -> None:
            check()
            done[run] = packets_done

        try:
            result: StudyRun | str = run_function(run, step)
        except LinecardError as error:
            result = f"{type(error).__name__}: {error}"
        done[run] = run.packets + run.warmup_packets
        return result

    look = None if progress is None else (lambda: progress(min(sum(done.values()), total), total))
    return dict(zip(runs, side_by_side(work, runs, jobs=jobs, look=look), strict=True))
