"""The length of runs: one rule for all commands decides when results are precise enough.

Linecard repeats a run that is not steady with four times as many packets, up to a maximum number of packets. A longer
run with the same throughput confirms the throughput of the shorter run. The loss and latency of a run that is not
steady remain inconclusive, because the buffers are full or still filling. If the user requests a precision, Linecard
also extends runs whose 95 % confidence interval is too wide. Linecard marks results that remain inconclusive, and
neither ranks nor compares them.
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
# Runs become longer by this factor, up to this number of measured packets, or once if more were requested.
LONGER, LONGEST = 4, 256_000
# A trial that confirms a rate without loss must see a buffer fill slowly: its budget, in measured packets.
LONGEST_TRIAL = 1_000_000
# Numbers of a run that have separate intervals, and the one that counts by default.
INTERVALS = ("throughput_gbps", "loss_fraction", "latency_mean_ns")
THROUGHPUT = "throughput_gbps"
# Two throughputs that differ by less than this share are the same, if at least this number of packets left.
SAME, LEAST_OUT = 0.02, 1_000
# Numbers that are conclusive if only the rate is.
RATES = ("throughput_gbps", "throughput_mpps", "offered_gbps")
# Marks of runs that succeeded but whose numbers are not all conclusive.
RATE_ONLY, NOT_STEADY, NOT_PRECISE, NOT_CONFIRMED = "rate only", "not steady", "not precise", "not confirmed"
DOUBTS = (RATE_ONLY, NOT_STEADY, NOT_PRECISE, NOT_CONFIRMED)

# The start of a run's warning about the precision.
NOT_REACHED = "the precision was not reached"

# Numbers of a run by name.
Numbers = Mapping[str, Any]


def longest(packets: int) -> int:
    """The maximum number of packets in extended runs, given the requested number of packets."""
    return max(LONGEST, LONGER * packets)


def longer(packets: int, warmup: int | None, asked: int) -> tuple[int, int | None] | None:
    """Number of packets and warm-up of the next, longer run; ``None`` if this run would exceed the maximum length.

    If ``packets`` is 0, the run covers the whole capture and cannot be extended.
    """
    if packets == 0 or packets * LONGER > longest(asked):
        return None
    return packets * LONGER, None if warmup is None else warmup * LONGER


def has_ended(packets: int, numbers: Numbers) -> bool:
    """Whether a capture ended before a run had measured the requested number of packets.

    No longer run is then possible than that of the whole capture: 0 packets, with the requested warm-up.
    """
    gone = numbers["packets_out"] + numbers["packets_dropped"]
    # Packets that a program drops by choice are in neither number; packets from the warm-up are in the second only.
    return bool(max(numbers["packets_in"], gone) < packets * 0.9)


def is_same(short: Sequence[Numbers], long: Sequence[Numbers]) -> bool:
    """Whether long runs have the same throughput as short runs with a quarter of the packets.

    The function compares the throughput in bits and the throughput in packets. At least one of the two must
    match; the other can differ by chance, because packet sizes are random.
    """

    def differs(rate: str) -> float:
        before, after = (math.fsum(float(run[rate]) for run in runs) for runs in (short, long))
        return abs(before - after) / after if after else math.inf

    return min(run["packets_out"] for run in long) >= LEAST_OUT and min(map(differs, RATES[:2])) <= SAME


def half_width(runs: Sequence[Numbers], name: str) -> float | None:
    """The half-width of the 95 % confidence interval of a result, relative to the mean; ``None`` if unknown.

    The confidence interval of a single run is computed from batches of packets. For several seeds, there are two
    intervals: Student's t interval over the seeds, and the combination of the single runs' intervals. The larger one
    counts. With few seeds, Student's t interval by itself can be too narrow by chance.
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
    """The precision that the runs of one design must reach.

    Attributes:
        precision: Largest allowed half-width of the 95 % confidence interval of each result, relative to the result;
            ``None`` for no limit.
        numbers: Names of the results to which the precision applies.
    """

    precision: float | None = None
    numbers: tuple[str, ...] = (THROUGHPUT,)

    def doubt(self, runs: Sequence[Numbers]) -> str:
        """The element of ``DOUBTS`` that states why the runs are inconclusive; empty if the runs are conclusive."""
        if any(run.get("steady") is False for run in runs):
            return NOT_STEADY
        if any(run.get("confirmed") is False for run in runs):
            return NOT_CONFIRMED
        return "" if self.is_narrow(runs) else NOT_PRECISE

    def is_narrow(self, runs: Sequence[Numbers]) -> bool:
        """Whether the confidence intervals are as narrow as requested."""
        return self.precision is None or self.widest(runs) <= self.precision

    def widest(self, runs: Sequence[Numbers]) -> float:
        """The largest relative half-width of the confidence intervals; infinite if any interval is unknown."""
        halves = [half_width(runs, name) for name in self.numbers if all(name in run for run in runs)]
        return max((math.inf if half is None else half for half in halves), default=0.0)

    def shortfall(self, runs: Sequence[Numbers], packets: Sequence[int]) -> str:
        """The reason why the longest runs are still inconclusive, with advice; empty if the runs are conclusive.

        ``packets`` lists the tried numbers of packets, from the shortest to the longest run; 0 is a whole capture.
        """
        doubt = self.doubt(runs)
        if not doubt:
            return ""
        shortest, most = packets[0], packets[-1]
        tried = f"with {shortest:,} to {most:,} packets" if most > shortest else f"with {most:,} packets"
        tried = tried if most else "with the whole capture"
        more = more_packets(most)
        if doubt == NOT_STEADY:
            return f"{tried}, the run is not steady; {more}, or lower the offered load"
        half, numbers = self.widest(runs), " and ".join(self.numbers)
        if math.isinf(half):
            return f"{tried}, {numbers} has no confidence interval; {more}"
        assert self.precision is not None
        if most:
            # An interval shrinks with the root of the length.
            enough = float(f"{most * (half / self.precision) ** 2:.2g}")
            more = f"simulate about {enough:,.0f} packets (--packets)"
        found, wanted = f"{half * 100:.2g} %", f"{self.precision * 100:.3g} %"
        half_width = f"the half-width of the 95 % interval of {numbers} is {found} of the mean"
        return f"{tried}, {half_width}, expected {wanted}; {more}, or request a lower precision"


def more_packets(packets: int) -> str:
    """Advice for a run that is too short: a run of 0 packets covers its whole capture, which has no more packets."""
    return "simulate more packets (--packets)" if packets else "replay a longer capture (--trace)"


def share_of(text: str) -> float:
    """Parse a fraction, written as ``1%`` or ``0.01``.

    Raises:
        ValueError: The value is neither a percentage nor a fraction.
    """
    number, percent, _ = text.strip().partition("%")
    return float(number) / (100 if percent else 1)


def wrong_precision(precision: object) -> list[ConfigProblem]:
    """Check a requested precision, and return a list of problems."""
    if precision is None or (type(precision) is float and 0 < precision < 1):
        return []
    return [ConfigProblem("precision", "", f"found {precision!r}, expected more than 0 and less than 1, such as 0.01")]


def numbers_of_summary(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The summary of a chip's run, with the bounds of each confidence interval as separate numbers."""
    intervals = summary.get("intervals") or {}
    bounds = {
        f"{name}_{bound}": intervals[name][bound] if name in intervals else None
        for name in INTERVALS
        for bound in ("low", "high")
    }
    return {**summary, **bounds}


def has_numbers(row: Mapping[str, Any]) -> bool:
    """Whether a table row has results; a run that succeeded has results even if they are not precise enough."""
    return row["status"] == "ok" or row["status"] in DOUBTS
