"""Executes the runs of a study in parallel. A failed run affects only the cells that need this run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.errors import LinecardError
from linecard.side_by_side import side_by_side
from linecard.study.runners import load_runner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    """Execute all runs; for a failed run, the value is the error text.

    Args:
        runs: Distinct runs to execute.
        jobs: Number of parallel runs; ``None`` takes one per core.
        progress: Function that the calling thread calls repeatedly with (packets done, total packets).
        run_function: Function that executes one run; tests replace it.

    Raises:
        ConfigError: ``jobs`` is below one.
        KeyboardInterrupt: The user pressed Ctrl-C; running simulations are stopped first.
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
