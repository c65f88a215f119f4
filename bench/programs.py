"""Speed of packet programs: instructions executed and traced per second, and simulated by a core model.

The whole of `linecard.program_trace` is timed: packets made, executed, traced, and the trace compiled for cores. The
core model runs one configuration on one processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import linecard

if TYPE_CHECKING:
    from collections.abc import Callable

TRACED_TARGET = 200_000_000  # instructions a second, executed and traced
CORE_TARGET = 50_000_000  # instructions of the trace a second, one configuration


def measure(row: Callable[..., None], best: Callable[..., float], *, quick: bool) -> None:
    """Print every line of this benchmark."""
    packets = 2_000 if quick else 8_000
    print(f"packet programs, {packets:,} packets of the link `edge`")
    for name in ("md5", "cast"):
        traced = linecard.program_trace(name, packets=packets)
        seconds = best(2, lambda name=name: linecard.program_trace(name, packets=packets))
        row(f"{name}: executed, traced, compiled", traced.instructions / seconds, "instructions/s", TRACED_TARGET)
    for name in ("patricia", "vscan", "drr"):
        traced = linecard.program_trace(name, packets=20_000)

        def simulate(traced: linecard.ProgramTrace = traced) -> linecard.CoreResult:
            return linecard.core(traced, threads=8, events=1_000_000, jobs=1)

        counted = simulate().window_packets * 1.5 * traced.instructions_per_packet
        row(f"{name}: core model", counted / best(2, simulate), "instructions/s", CORE_TARGET)
