"""How long runs have to be for their numbers to be sure: one rule for every question.

A run that is not steady is made again, four times as long, and so on within a budget. Where its throughput stays the
same, the rate is sure, though loss and latency are not: packets pile up, or wait behind full buffers. Where a precision
is asked for, runs whose 95 % interval is wider are lengthened, too. What is not sure then is marked, and neither ranked
nor compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linecard.errors import ConfigProblem
from linecard.interval import Estimate

# A generator has no end: (packets, warm-up). A capture is run to its end.
GENERATED_PACKETS = (100_000, 10_000)
CAPTURED_PACKETS = (0, 1_000)
# Runs become longer by this factor, up to this number of packets measured, or once where more were asked for.
LONGER, LONGEST = 4, 256_000
# A trial that confirms a rate without loss has to see a buffer fill slowly: its budget, in packets measured.
LONGEST_TRIAL = 1_000_000
# Numbers of a run that have intervals of their own, and the one that is asked for where nothing else is.
INTERVALS = ("throughput_gbps", "loss_fraction", "latency_mean_ns")
THROUGHPUT = "throughput_gbps"
# Throughputs of a run and of one four times as long that are as good as the same, and packets that leave at least.
SAME, LEAST_OUT = 0.02, 1_000
# Numbers that are sure where only the rate is.
RATES = ("throughput_gbps", "throughput_mpps", "offered_gbps")
# What is said of runs that went well and whose numbers are not all sure.
RATE_ONLY, NOT_STEADY, NOT_PRECISE, NOT_CONFIRMED = "rate only", "not steady", "not precise", "not confirmed"
DOUBTS = (RATE_ONLY, NOT_STEADY, NOT_PRECISE, NOT_CONFIRMED)

# How a run's warning begins that says so.
NOT_REACHED = "the precision was not reached"

# Numbers of a run by name.
Numbers = Mapping[str, Any]


def longest(packets: int) -> int:
    """The budget of a run for which so many packets were asked."""
    return max(LONGEST, LONGER * packets)


def longer(packets: int, warmup: int | None, asked: int) -> tuple[int, int | None] | None:
    """Packets and warm-up of the next longer run, a given warm-up in proportion; ``None`` at the end of the budget.

    A run of 0 packets is a capture to its end, and as long as it gets.
    """
    if packets == 0 or packets * LONGER > longest(asked):
        return None
    return packets * LONGER, None if warmup is None else warmup * LONGER


def is_same(short: Sequence[Numbers], long: Sequence[Numbers]) -> bool:
    """Whether runs say of those a quarter as long that their rate was sure, be they steady or not.

    Means over the seeds count, in bits or in packets: sizes that vary move one of the two by chance.
    """

    def differs(rate: str) -> float:
        before, after = (math.fsum(float(run[rate]) for run in runs) for runs in (short, long))
        return abs(before - after) / after if after else math.inf

    return min(run["packets_out"] for run in long) >= LEAST_OUT and min(map(differs, RATES[:2])) <= SAME


def half_width(runs: Sequence[Numbers], name: str) -> float | None:
    """Half the 95 % interval of a number, as a share of its mean; ``None`` where nothing says it.

    Of one run, the interval is that of its batches. Of several seeds, it is the larger one of Student's t over the
    seeds, which a few of them make small by luck, and of what the runs' own intervals give.
    """
    found = Estimate.of([float(run[name]) for run in runs])
    bounds = [(run.get(f"{name}_low"), run.get(f"{name}_high")) for run in runs]
    squares = [((high - low) / 2) ** 2 for low, high in bounds if low is not None and high is not None]
    halves = [math.sqrt(sum(squares)) / len(runs)] if len(squares) == len(runs) else []
    halves += [] if found.high is None else [found.high - found.value]
    if not halves:
        return None
    return max(halves) / abs(found.value) if found.value else 0.0 if max(halves) == 0 else math.inf


@dataclass(frozen=True, slots=True)
class Aim:
    """What runs of one design have to reach.

    Attributes:
        precision: Half the 95 % interval of each of the numbers, at most, as a share of it; ``None`` for any.
        numbers: What is asked for.
    """

    precision: float | None = None
    numbers: tuple[str, ...] = (THROUGHPUT,)

    def doubt(self, runs: Sequence[Numbers]) -> str:
        """Why the numbers of runs, one a seed, are not sure: one of ``DOUBTS``; empty where they are."""
        if any(run.get("steady") is False for run in runs):
            return NOT_STEADY
        if any(run.get("confirmed") is False for run in runs):
            return NOT_CONFIRMED
        return "" if self.is_narrow(runs) else NOT_PRECISE

    def is_narrow(self, runs: Sequence[Numbers]) -> bool:
        """Whether the intervals are as narrow as was asked."""
        return self.precision is None or self.widest(runs) <= self.precision

    def widest(self, runs: Sequence[Numbers]) -> float:
        """The widest of the half intervals, as a share; infinite where one is not known."""
        halves = [half_width(runs, name) for name in self.numbers if all(name in run for run in runs)]
        return max((math.inf if half is None else half for half in halves), default=0.0)

    def shortfall(self, runs: Sequence[Numbers], packets: Sequence[int]) -> str:
        """What runs that are not sure lack after the lengths that were tried, and what to change; empty where sure."""
        doubt = self.doubt(runs)
        if not doubt:
            return ""
        shortest, most = min(packets), max(packets)
        tried = f"with {shortest:,} to {most:,} packets" if most > shortest else f"with {most:,} packets"
        tried = tried if most else "with the whole capture"
        if doubt == NOT_STEADY:
            return f"{tried} it is not steady; give more packets (--packets), or less traffic"
        half, numbers = self.widest(runs), " and ".join(self.numbers)
        if math.isinf(half):
            return f"{tried} nothing says how precise {numbers} is; give more packets (--packets)"
        assert self.precision is not None
        # An interval shrinks with the root of the length.
        enough = float(f"{most * (half / self.precision) ** 2:.2g}")
        more = f"some {enough:,.0f} would do (--packets), or ask for less" if most else "ask for less"
        found, wanted = f"{half * 100:.2g} %", f"{self.precision * 100:.3g} %"
        return f"{tried} half the 95 % interval of {numbers} is {found} of it, not {wanted}; {more}"


def share_of(text: str) -> float:
    """A share written as ``1%`` or ``0.01``.

    Raises:
        ValueError: It is neither.
    """
    number, percent, _ = text.strip().partition("%")
    return float(number) / (100 if percent else 1)


def wrong_precision(precision: object) -> list[ConfigProblem]:
    """What is wrong with a precision that was asked for."""
    if precision is None or (type(precision) is float and 0 < precision < 1):
        return []
    return [ConfigProblem("precision", "", f"found {precision!r}, expected more than 0 and less than 1, such as 0.01")]


def numbers_of_summary(summary: Mapping[str, Any]) -> dict[str, Any]:
    """A summary of a chip's run with the bounds of its intervals as numbers of their own."""
    intervals = summary.get("intervals") or {}
    bounds = {
        f"{name}_{bound}": intervals[name][bound] if name in intervals else None
        for name in INTERVALS
        for bound in ("low", "high")
    }
    return {**summary, **bounds}


def has_numbers(row: Mapping[str, Any]) -> bool:
    """Whether the run of a row went well, be it sure or not."""
    return row["status"] == "ok" or row["status"] in DOUBTS
