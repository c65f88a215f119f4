"""The parallel runs of a band: a run for each interval end, followed by two runs that combine interval ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linecard.chip import band
from linecard.side_by_side import side_by_side

if TYPE_CHECKING:
    from linecard.chip.reports import ValueRange
    from linecard.request import ProgressCallback

    Summary = Mapping[str, Any]
    Simulate = Callable[[tuple[str, ...], ProgressCallback], Summary]

ROUNDS = 2


def run_band(
    stated: Summary, ranges: Sequence[ValueRange], simulate: Simulate, progress: ProgressCallback | None
) -> dict[str, Any]:
    """Return the band of a run, as a dictionary with the fields of :class:`linecard.chip.result.Band`.

    Args:
        stated: Main results of the run with all parameters at their stated values.
        ranges: The intervals of the parameters; at least one.
        simulate: Function that simulates the chip with the given settings and returns the main results; several threads
            call this function.
        progress: Progress callback with two arguments: completed parts and total parts of the work. The callback runs
            in the thread that calls ``run_band``.
    """
    singles = _all(simulate, band.alone(ranges), _part(progress, 0))
    metric = _metric(stated, singles)
    numbers = [_number(each, metric) for each in singles]
    pair = _all(simulate, band.together(_number(stated, metric), ranges, numbers), _part(progress, 1))
    every = sorted((stated, *singles, *pair), key=lambda each: _number(each, metric))
    found = band.widths(_number(stated, metric), ranges, numbers)
    return {
        "low": every[0],
        "high": every[-1],
        "metric": metric,
        "widths": [{"key": each.key, "low": each.low, "high": each.high} for each in found],
    }


def _metric(stated: Summary, singles: Sequence[Summary]) -> str:
    # A throughput that is constant over all intervals has another limit: the band is of latency.
    rates = [each["throughput_mpps"] for each in (stated, *singles)]
    return "throughput_mpps" if max(rates) - min(rates) > band.STILL * stated["throughput_mpps"] else "latency_mean_ns"


def _number(summary: Summary, metric: str) -> float:
    value = summary["latency_ns"]["mean"] if metric == "latency_mean_ns" else summary[metric]
    return float(value)


def _part(progress: ProgressCallback | None, number: int) -> ProgressCallback | None:
    """Turn progress of one round into progress of all rounds."""
    if progress is None:
        return None
    return lambda done, total: progress(int((number + done / max(total, 1)) / ROUNDS * 1000), 1000)


def _all(simulate: Simulate, changes: Sequence[tuple[str, ...]], progress: ProgressCallback | None) -> list[Summary]:
    """The main numbers of all runs, in their order."""
    done = [0.0] * len(changes)

    def work(position: int, check: Callable[[], None]) -> Summary:
        def step(packets: int, total: int) -> None:
            check()
            done[position] = packets / max(total, 1)

        found = simulate(changes[position], step)
        done[position] = 1.0
        return found

    look = None if progress is None else (lambda: progress(int(sum(done) * 1000), len(changes) * 1000))
    return side_by_side(work, range(len(changes)), look=look)
