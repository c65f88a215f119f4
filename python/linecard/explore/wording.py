"""Formats table values as text for screens, and lists the numbers that a narrow screen shows first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.chip.length import DOUBTS, NOT_CONFIRMED, NOT_PRECISE, NOT_STEADY, RATE_ONLY
from linecard.numbers import number

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        lengths: Numbers of packets in the final runs, ascending.
        lengthened: Number of rows whose run has more packets than requested.
    """
    to_change = {
        RATE_ONLY: "the throughput is conclusive (the same in shorter runs), but loss and latency are not",
        NOT_STEADY: "simulate more packets (--packets), or lower the offered load",
        NOT_PRECISE: "simulate more packets (--packets), or request a lower precision",
        NOT_CONFIRMED: "simulate more packets (--packets), or limit the buffer sizes",
    }
    most, of = lengths[-1] if lengths else 0, f"of {len(states):,}"
    within = f", with up to {most:,} packets per run" if most else ""
    counts = {each: states.count(each) for each in DOUBTS}
    said = [f"{each}: {n:,} {of} points{within}; {to_change[each]}" for each, n in counts.items() if n]
    if lengthened:
        until = "" if {each for each, n in counts.items() if n} - {RATE_ONLY} else " until conclusive"
        said.append(f"{lengthened:,} {of} runs were lengthened{until}: up to {most:,} packets")
    return tuple(said)


def cell_text(value: Any) -> str:
    """Format a table value as text; whole numbers have no thousands separators, because they can be identifiers."""
    return number(value) if value is None or isinstance(value, (bool, float)) else str(value)
