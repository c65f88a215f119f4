"""Every chip of 475 thread-equivalents, and the ranks of the document's chips among them.

    python studies/mudigonda2007/all_chips.py

A fixed chip has as many cores as fit, each with 1 to 16 threads and a cache in the rest of its area, or without a
cache. A malleable chip has the best split of its cores in each deployment, free of cost. A chip's score in a
deployment is its throughput over that of the best one there; chips are ranked by the mean over the deployments: fifteen
programs on edge, three latencies and four bandwidths of each core.
"""

from __future__ import annotations

from statistics import fmean

# A script in the same folder.
from traffic_values import EVENTS, MEMORIES, PACKETS, PROGRAMS  # type: ignore[import-not-found]

import linecard
from linecard.malleable.run import core

CHIP, CORE, CACHED_CORE = (
    float(linecard.describe("area_130nm")[f"area.{name}thread_equivalents"].text)
    for name in ("chip_", "core_", "cached_core_")
)
MOST_THREADS = 16
# Cores of a chip; with fewer cores a cache reaches its 64 KB, and with more no area is left for a cache.
CORES = range(4, 18)
# The chips that the document calls the best: cores, threads, and thread-equivalents of cache.
OPTIMAL_FIXED, IXP2800 = (6, 7, 45), (16, 8, 0)
MALLEABLE_CORES = 9

Chip = tuple[int, int, int]


def chips_of(program: linecard.ProgramTrace, latency: int, bandwidth: float) -> dict[Chip, float]:
    """Throughput of every fixed chip under a program and a memory."""
    found: dict[Chip, float] = {}
    memory = {"latency": latency, "bandwidth": bandwidth, "events": EVENTS}
    for cores in CORES:
        cached, bare = int(CHIP / cores - CACHED_CORE), int(CHIP / cores - CORE)
        if cached > 1:
            for row in core(program, area=cached, **memory).rows:
                if row.threads <= MOST_THREADS and row.cache_kb > 0:
                    found[cores, row.threads, row.cache_th_eq] = cores * row.packets_per_mcycle
        threads = min(bare, MOST_THREADS, 8 if cores == IXP2800[0] else MOST_THREADS)
        row = core(program, area=threads, threads=threads, **memory).rows[0]
        found[cores, threads, 0] = cores * row.packets_per_mcycle
    return found


def main() -> None:
    """Print both rankings."""
    fixed: dict[Chip, list[float]] = {}
    malleable: dict[int, list[float]] = {}
    for name in PROGRAMS:
        program = linecard.program_trace(name, "edge", packets=PACKETS)
        for latency, bandwidth in MEMORIES:
            found = chips_of(program, latency, bandwidth)
            best = max(found.values())
            for chip, rate in found.items():
                fixed.setdefault(chip, []).append(rate / best)
            for cores in CORES:
                split = max(rate for chip, rate in found.items() if chip[0] == cores)
                malleable.setdefault(cores, []).append(split / best)
    ranked = sorted(fixed, key=lambda chip: -fmean(fixed[chip]))
    print(f"{len(ranked)} fixed chips, {len(fixed[ranked[0]])} deployments")
    for chip in (*ranked[:3], OPTIMAL_FIXED, IXP2800):
        cores, threads, cache = chip
        print(f"rank {ranked.index(chip) + 1:3}  {cores} x ({threads} + {cache})  {fmean(fixed[chip]):.2f} of the best")
    best_cores = max(malleable, key=lambda cores: fmean(malleable[cores]))
    for cores in sorted({best_cores, MALLEABLE_CORES}):
        print(f"malleable, {cores} cores  {fmean(malleable[cores]):.2f} of the best fixed chip of each deployment")


if __name__ == "__main__":
    main()
