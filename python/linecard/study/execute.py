"""Runs over a pool of threads: the compiled core releases the GIL, so threads use every core.

Results are kept by request, not by order of completion, so that nothing depends on the number of threads. A run that
fails takes only its own cells with it. Ctrl-C stops the running simulations within a fraction of a second.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from linecard.errors import ConfigError, LinecardError
from linecard.request import default_jobs
from linecard.study.runners import load_runner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from linecard.study.plan import RunSpec
    from linecard.study.runners import StudyRun


class _Stopped(Exception):
    """Raised inside a simulation's progress callback to end it."""


def run_one(run: RunSpec, progress: Callable[[int, int], object]) -> StudyRun:
    """Carry out one run of a study."""
    return load_runner(run.runner)(run, progress)


def execute(
    runs: Sequence[RunSpec],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    run_function: Callable[[RunSpec, Callable[[int, int], object]], StudyRun] = run_one,
) -> dict[RunSpec, StudyRun | str]:
    """Run everything; a failed run's value is the text of its error.

    Args:
        runs: Distinct runs.
        jobs: Runs at the same time; ``None`` takes one per core.
        progress: Called from this thread now and then with (packets done, packets in all).
        run_function: What runs one; replaced in tests.

    Raises:
        ConfigError: ``jobs`` is below one.
        KeyboardInterrupt: Ctrl-C; the simulations under way are stopped first.
    """
    if jobs is not None and jobs < 1:
        raise ConfigError(f"--jobs: found {jobs}, expected 1 or more")
    stop = threading.Event()
    done = dict.fromkeys(runs, 0)
    total = sum(run.packets + run.warmup_packets for run in runs)

    def work(run: RunSpec) -> StudyRun | str:
        def step(packets_done: int, _packets_total: int) -> None:
            done[run] = packets_done
            if stop.is_set():
                raise _Stopped

        if stop.is_set():
            raise _Stopped
        try:
            result: StudyRun | str = run_function(run, step)
        except LinecardError as error:
            result = f"{type(error).__name__}: {error}"
        done[run] = run.packets + run.warmup_packets
        return result

    outcomes: dict[RunSpec, StudyRun | str] = {}
    with ThreadPoolExecutor(max_workers=jobs or default_jobs(), thread_name_prefix="linecard") as pool:
        futures: dict[Future[StudyRun | str], RunSpec] = {pool.submit(work, run): run for run in runs}
        waiting = set(futures)
        try:
            while waiting:
                # A bounded wait lets this thread take Ctrl-C and report progress.
                finished, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in finished:
                    outcomes[futures[future]] = future.result()
                if progress is not None:
                    progress(min(sum(done.values()), total), total)
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return {run: outcomes[run] for run in runs}
