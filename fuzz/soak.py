"""Soak: one process that simulates for an hour, and must not grow.

    python fuzz/soak.py --minutes 60
    python fuzz/soak.py --rounds 20

A round asks every simulator for something small, with a seed of its own, and for something that is refused. The
resident set, open files and threads of the process are noted after each round. The first quarter of the rounds is
left to caches and allocators that fill; from there to the end the resident set may grow by 16 MiB, and neither files
nor threads at all. The first round asked again at the end must give the same numbers. Standard library and the package
itself.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import linecard
from linecard import petri

ROOT = Path(__file__).resolve().parent.parent
CAPTURE = str(ROOT / "examples" / "captures" / "edge-mix.pcap.gz")
NET = str(ROOT / "presets" / "nets" / "girish2008_core_traffic.toml")
MIB = 1 << 20
MOST_GROWTH_MIB = 16
# Medians of so many rounds are compared, so that one round's peak decides nothing.
ROUNDS_OF_A_MEDIAN = 9
FEWEST_ROUNDS = 4 * ROUNDS_OF_A_MEDIAN


def refused(request: Callable[[], object]) -> str:
    """The words of an error, whose path through the program is another one than that of results."""
    try:
        request()
    except linecard.LinecardError as error:
        return str(error)
    raise SystemExit("a request that makes no sense was taken")


def answers(seed: int) -> Iterator[tuple[str, Any]]:
    """One round: what was asked, and the answer as JSON has it."""
    packets = {"packets": 400, "warmup_packets": 100, "seed": seed}
    for chip in ("ixp1200", "hasan2003_all_pf", "ixp2400", "example_smartnic"):
        yield chip, linecard.run(chip, **packets).to_dict()
    yield "capture", linecard.run("ixp1200", trace=CAPTURE, **packets).to_dict()
    yield "program", linecard.run("nfp4000", program="reads", **packets).to_dict()
    yield "dram", linecard.dram("ddr4_2400", pattern="random", count=2000, seed=seed).to_dict()
    yield "flows", linecard.flows(CAPTURE).to_dict()
    yield "flowcache", linecard.flowcache(CAPTURE, entries=[256, 1024], ways=4, policy=["lru", "sp"]).to_dict()
    yield "queueing", linecard.queueing_run("SD16_90", "qc,dc", {"threads": 16}, operations=2000, seed=seed).to_dict()
    yield "riscv", linecard.program_trace("checksum", packets=100, seed=seed).to_dict()
    yield "net", petri.simulate(NET, time=200, replications=2, seed=seed).to_dict()
    yield "key", refused(lambda: linecard.run("ixp1200", set={"dram.bank": seed}))
    yield "file", refused(lambda: linecard.flows(str(ROOT / "README.md")))


def now() -> tuple[float, int, int]:
    """Resident set in MiB, open files, threads of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    files = sum(1 for _ in Path("/proc/self/fd").iterdir())
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB, files, threading.active_count()


def main() -> int:
    """Ask until the time is over, then compare."""
    parser = argparse.ArgumentParser(description="Simulate for long in one process, and hold its memory.")
    how_long = parser.add_mutually_exclusive_group()
    how_long.add_argument("--minutes", type=float, default=60)
    how_long.add_argument("--rounds", type=int, help=f"instead of a time; at least {FEWEST_ROUNDS}")
    options = parser.parse_args()
    if options.rounds is not None and options.rounds < FEWEST_ROUNDS:
        parser.error(f"--rounds: found {options.rounds}, expected at least {FEWEST_ROUNDS}")
    end = time.monotonic() + options.minutes * 60
    first = json.dumps(dict(answers(0)), sort_keys=True)
    noted = [now()]
    told = time.monotonic()
    while len(noted) < options.rounds if options.rounds else time.monotonic() < end or len(noted) < FEWEST_ROUNDS:
        for _ in answers(len(noted)):
            pass
        noted.append(now())
        if time.monotonic() - told > 60:
            told = time.monotonic()
            print(f"{len(noted):,} rounds, {noted[-1][0]:.0f} MiB", file=sys.stderr, flush=True)
    again = json.dumps(dict(answers(0)), sort_keys=True)

    settled = noted[len(noted) // 4 :]
    early = median(memory for memory, _, _ in settled[:ROUNDS_OF_A_MEDIAN])
    late = median(memory for memory, _, _ in settled[-ROUNDS_OF_A_MEDIAN:])
    (_, files, threads), (_, last_files, last_threads) = settled[0], settled[-1]
    print(f"{len(noted):,} rounds: {early:.1f} MiB after a quarter of them, {late:.1f} MiB at the end")
    print(f"open files {files} and {last_files}, threads {threads} and {last_threads}")
    wrong = []
    if late - early > MOST_GROWTH_MIB:
        wrong.append(f"memory grew by {late - early:.1f} MiB, at most {MOST_GROWTH_MIB} were expected")
    if last_files > files or last_threads > threads:
        wrong.append("files or threads were left over")
    if first != again:
        wrong.append("the first round gave other numbers when it was asked again")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
