"""Processes a list of items in a pool of threads.

The threads use every processor core, because the compiled code releases Python's global interpreter lock. The
results are in the order of the input items. The results depend neither on the number of threads nor on the order in
which items finish. Ctrl-C stops the work within a fraction of a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

from linecard.errors import ConfigError
from linecard.request import default_jobs

Item = TypeVar("Item")
Result = TypeVar("Result")

_LOOK_SECONDS = 0.1
MOST_JOBS = 65_536


class Stopped(Exception):
    """Exception that ends the processing of an item after the user interrupts the run, or after another item fails."""


def threads_for(jobs: int | None) -> int:
    """The number of threads for a request: ``jobs``, or one thread per core if ``jobs`` is ``None``.

    Raises:
        ConfigError: ``jobs`` is out of range.
    """
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise ConfigError(f"--jobs: found {jobs}, expected 1 to {MOST_JOBS:,}")
    return jobs or default_jobs()


def side_by_side(
    work: Callable[[Item, Callable[[], None]], Result],
    items: Sequence[Item],
    *,
    jobs: int | None = None,
    look: Callable[[], object] | None = None,
) -> list[Result]:
    """Call ``work`` for each item, and return the results in the order of the items.

    Args:
        work: Function with two arguments, an item and a poll function. Several threads call ``work``, which must call
            the poll function from time to time. The poll function raises `Stopped` if ``work`` must end.
        items: Items to process; ``work`` is called once for each item.
        jobs: Number of items that are processed in parallel; ``None`` means one item per core.
        look: Function that reports progress; the calling thread calls this function from time to time, and once at the
            end.

    Raises:
        ConfigError: ``jobs`` is below one.
        BaseException: The exception of the first item that failed, or ``KeyboardInterrupt`` after Ctrl-C. The function
            raises this exception after all other items have ended.
    """
    stop = threading.Event()

    def check() -> None:
        if stop.is_set():
            raise Stopped

    def one(item: Item) -> Result:
        check()
        return work(item, check)

    with ThreadPoolExecutor(max_workers=threads_for(jobs), thread_name_prefix="linecard") as pool:
        futures = [pool.submit(one, item) for item in items]
        waiting = set(futures)
        try:
            while waiting:
                # A bounded wait lets this thread take Ctrl-C and report progress.
                finished, waiting = wait(waiting, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
                for future in finished:
                    future.result()
                if look is not None:
                    look()
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [future.result() for future in futures]
