"""Work over a pool of threads: the compiled core releases the GIL, so threads use every core.

Results have the order of the request. They depend neither on the number of threads nor on the order in which work ends.
Ctrl-C stops running work within a fraction of a second.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

from linecard.errors import ConfigError
from linecard.request import default_jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")

_LOOK_SECONDS = 0.1
MOST_JOBS = 65_536


class Stopped(Exception):
    """Raised inside an item of work to end it: the user interrupted, or another item failed."""


def threads_for(jobs: int | None) -> int:
    """Threads of a request; ``None`` takes one per core.

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
    """The results of ``work`` for each item.

    Args:
        work: Function of an item and a poll function, called from several threads; it must call the poll function now
            and then. The poll function raises `Stopped` if the work has to end.
        items: Items of work.
        jobs: Number of items in parallel; ``None`` for one per core.
        look: Called from this thread now and then, and once at the end, to report progress.

    Raises:
        ConfigError: ``jobs`` is below one.
        BaseException: The exception of the first item that failed, or Ctrl-C; all other items have ended by then.
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
