"""Speed of DRAM alone: requests and simulated clocks per second, on DDR4-2400.

Two well-known simulators were measured on a machine like those of this project, one core, DDR4-2400, random accesses
of which a third are writes: DRAMsim3 (commit 2981759) served 75,000 and Ramulator 2.1 (commit c5b1c3a) 79,000 requests
per second, on packet cells 114,000 and 146,000; with one request every 200 clocks they simulated 3.3 and 16.5 million
clocks per second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import linecard

if TYPE_CHECKING:
    from collections.abc import Callable

PART = "ddr4_2400"
POLICY = "frfcfs_open"
TARGET = 2_000_000  # requests a second
PEER_CLOCKS = 16_500_000  # clocks a second of the faster peer, with one request every 200 clocks
SPACING = 200


def serve(pattern: str, requests: int, spacing: int = 0) -> linecard.MemoryResult:
    """One run of the benchmark."""
    return linecard.dram(PART, POLICY, pattern=pattern, count=requests, spacing=spacing)


def measure(
    row: Callable[..., None],
    best: Callable[..., float],
    *,
    quick: bool,
) -> None:
    """Print every line of this benchmark."""
    requests = 200_000 if quick else 2_000_000
    times = 2 if quick else 3
    print(f"DRAM alone: {PART} under {POLICY}, {requests:,} requests")
    for pattern, spacing in (("random", 0), ("packet_cells", 0), ("stream", 0), ("random", SPACING)):
        end = serve(pattern, requests, spacing).end_clock
        seconds = best(times, lambda pattern=pattern, spacing=spacing: serve(pattern, requests, spacing))
        name = f"dram, {pattern}" + (f", one in {spacing} clocks" if spacing else "")
        target = f">= {TARGET:,}" if pattern in {"random", "packet_cells"} and not spacing else ""
        row(f"{name}: speed", requests / seconds, "requests/s", target)
        target = f">= {50 * PEER_CLOCKS:,}" if spacing else ""
        row(f"{name}: clocks", end / seconds, "clocks/s", target)
