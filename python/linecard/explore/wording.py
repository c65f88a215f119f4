"""Formats table values as text for screens, and lists the numbers that a narrow screen shows first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linecard.chip.length import DOUBTS, NOT_CONFIRMED, NOT_PRECISE, NOT_STEADY, RATE_ONLY, more_packets
from linecard.numbers import number

# The numbers that a notebook and a screen prefer if a table is too wide.
FIRST_NUMBERS = (
    "throughput_gbps",
    "throughput_mpps",
    "loss_fraction",
    "latency_p50_ns",
    "latency_p99_ns",
    "bottleneck",
    "bandwidth_gbytes_s",
    "hit_rate_percent",
    "hit_rate",
    "throughput_mops",
    "packets_per_mcycle",
    "best_threads",
    "limit",
)


def doubts_text(states: Sequence[str], lengths: Sequence[int], lengthened: int) -> tuple[str, ...]:
    """Return remarks about inconclusive rows, with advice, and about runs with more packets than requested.

    Args:
        states: The status of each row.
        lengths: Numbers of packets in the final runs; 0 for a run of a whole capture.
        lengthened: Number of rows whose run has more packets than requested.
    """
    more = more_packets(0 if 0 in lengths else 1)
    to_change = {
        RATE_ONLY: "the throughput is conclusive (the same in shorter runs), but loss and latency are not",
        NOT_STEADY: f"{more}, or lower the offered load",
        NOT_PRECISE: f"{more}, or request a lower precision",
        NOT_CONFIRMED: f"{more}, or limit the buffer sizes",
    }
    of = f"of {len(states):,}"
    within = f", with up to {length_text(lengths)} per run" if lengths else ""
    counts = {each: states.count(each) for each in DOUBTS}
    said = [f"{each}: {n:,} {of} points{within}; {to_change[each]}" for each, n in counts.items() if n]
    if lengthened:
        until = "" if {each for each, n in counts.items() if n} - {RATE_ONLY} else " until conclusive"
        said.append(f"{lengthened:,} {of} runs were lengthened{until}: up to {length_text(lengths)}")
    return tuple(said)


def length_text(lengths: Sequence[int]) -> str:
    """The length of the longest of some runs; a run of 0 packets is that of a whole capture."""
    return "the whole capture" if 0 in lengths else f"{max(lengths, default=0):,} packets"


def cell_text(value: Any) -> str:
    """Format a table value as text; whole numbers have no thousands separators, because they can be identifiers."""
    return number(value) if value is None or isinstance(value, (bool, float)) else str(value)
