"""Latency of packets: histogram bins as table rows, and percentiles in the text format of HdrHistogram."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import sqrt

# The histogram of the core: octaves of 64-bit numbers, each with this number of bins.
_OCTAVES, _BINS = 59, 64
COLUMNS = ("latency_ns", "packets", "percentile")


def latency_rows(bins: Sequence[tuple[float, int]]) -> list[tuple[float, int, float]]:
    """One row for each bin: upper edge in ns, number of packets, and cumulative percentage of packets."""
    total = sum(packets for _, packets in bins)
    below = accumulate(packets for _, packets in bins)
    return [(ns, packets, 100 * so_far / total) for (ns, packets), so_far in zip(bins, below, strict=True)]


def percentile_text(bins: Sequence[tuple[float, int]], mean_ns: float) -> str:
    """The latency percentiles in nanoseconds, in the text format of HdrHistogram (``.hgrm``)."""
    total = sum(packets for _, packets in bins)
    lines = [f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} 1/(1-Percentile)\n"]
    so_far = 0
    for ns, packets in bins:
        so_far += packets
        line = f"{ns:12.3f} {so_far / total:.12f} {so_far:10d}"
        lines.append(line if so_far == total else f"{line} {total / (total - so_far):14.2f}")
    spread = sqrt(sum(packets * (ns - mean_ns) ** 2 for ns, packets in bins) / total) if total else 0.0
    most = bins[-1][0] if bins else 0.0
    lines += [
        f"#[Mean    = {mean_ns:12.3f}, StdDeviation   = {spread:12.3f}]",
        f"#[Max     = {most:12.3f}, Total count    = {total:12d}]",
        f"#[Buckets = {_OCTAVES:12d}, SubBuckets     = {_BINS:12d}]",
    ]
    return "\n".join(lines) + "\n"
