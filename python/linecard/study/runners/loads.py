"""Measures load instructions with `linecard.run`; the program loads from a table or from packets.

The field ``preset`` names the chip, and ``program`` names the program. Every setting changes a parameter of the chip or
of the program. All results are metrics of the component ``loads``. If the setting ``program.step[load].times``
specifies the number of loads per packet, the metrics are:

- ``ns_each`` and ``cycles_each``: time of one load instruction of a thread, in nanoseconds and in core cycles;
- ``gbyte_per_s``: total throughput of the loads of all threads, with 8 bytes per load.

Without the setting ``program.step[load].times``, the loads read from packets that a port has written. Loads from
packets use two cache levels, and the metrics are:

- ``first_percent``, ``second_percent``: percentages of loads that hit in the first and in the second cache level;
- ``beyond_percent``: percentage of loads that miss in both cache levels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linecard._reports import Metric
from linecard.catalogue import describe
from linecard.study.runners.machine import options
from linecard.study.runners.machine import run as run_machine
from linecard.study.runners.program import ExecutedRun

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.study.plan import RunSpec

__all__ = ["options", "run"]

TIMES, THREADS, CLOCK, PACKETS = "program.step[load].times", "hardware threads", "clock.core_mhz", "bind.packet"
WORD_BYTES = 8


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> ExecutedRun:
    """Run ``program`` on ``preset``; return the time per load, or the percentage of hits in each cache level."""
    first = run_machine(spec, progress)
    given = dict(override.split("=", 1) for override in spec.overrides)
    chip = describe(spec.preset, set=[f"program.run={spec.program}", *spec.overrides])
    if TIMES in given:
        threads = next(row.value for row in chip.derived if row.name == THREADS)
        per_us = first.summary.throughput_mpps * int(given[TIMES])
        ns = threads * 1e3 / per_us
        found = [
            Metric("loads", "ns_each", "ns", ns),
            Metric("loads", "cycles_each", "cycles", ns * float(chip[CLOCK].text) / 1e3),
            Metric("loads", "gbyte_per_s", "GB/s", per_us * WORD_BYTES / 1e3),
        ]
    else:
        found = _shares(first, chip[PACKETS].text, {row.key: row.text for row in chip.parameters})
    return ExecutedRun(first, tuple(found))


def _shares(result: RunResult, first: str, values: dict[str, str]) -> list[Metric]:
    """Fractions of loads that found their lines in the cache ``first``, in the one behind it, and beyond."""

    def reads(cache: str) -> tuple[float, float]:
        return result.metric(cache, "read_hits"), result.metric(cache, "read_misses")

    hits, misses = reads(first)
    second = values.get(f"memory.{first}.behind", "")
    found = reads(second)[0] if values.get(f"memory.{second}.kind") == "cached" else 0.0
    every = hits + misses
    shares = {
        "first_percent": hits / every,
        "second_percent": found / every,
        "beyond_percent": (misses - found) / every,
    }
    return [Metric("loads", name, "%", 100 * share) for name, share in shares.items()]
