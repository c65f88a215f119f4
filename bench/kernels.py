"""Kernels whose instructions are counted: what each does, and its instructions per unit of work.

    python bench/kernels.py                       count all, beside the record
    python bench/kernels.py hasan2003 dram_random  some
    python bench/kernels.py --write               and append them to bench/record/kernels.jsonl for this commit

Instructions do not depend on the machine's speed, nor on other processes. They come from the processor's counter
if the system permits it, else from valgrind if it is installed, as the difference between a long and a short run, so
that the start does not count. Tests compare with the last line of the record, within 2 %.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import petri

import linecard

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench" / "record" / "kernels.jsonl"
CHIP = ROOT / "bench" / "chips" / "sixty_engines.toml"


@dataclass(frozen=True)
class Kernel:
    """A unit of work that is repeated many times.

    Attributes:
        piece: The name of the unit.
        work: Does a number of units.
        short: Units of the short run.
        long: Units of the long run.
        target: Most instructions of a unit, if there is a target.
        about: A description for the table.
    """

    piece: str
    work: Callable[[int], object]
    short: int
    long: int
    target: int | None
    about: str


def hasan2003(packets: int) -> None:
    """The chip of Hasan 2003."""
    changes = {"dram.banks": 4}
    linecard.run(
        "hasan2003_all_pf", program="l3fwd16", set=changes, packets=packets, warmup_packets=1000, verdict=False
    )


def sixty_engines(packets: int) -> None:
    """A chip of sixty engines of eight threads that forwards packets of 64 bytes."""
    linecard.run(str(CHIP), packets=packets, warmup_packets=1000, verdict=False)


def nfp4000_reads(packets: int) -> None:
    """An XDP program of a hundred instructions and four reads on fifty engines of eight threads."""
    linecard.run("nfp4000", program="reads", packets=packets, warmup_packets=1000, verdict=False)


def dram(pattern: str, spacing: int = 0) -> Callable[[int], object]:
    """Requests to a part without a chip."""

    def serve(requests: int) -> None:
        linecard.dram("ddr4_2400", "frfcfs_open", pattern=pattern, count=requests, spacing=spacing)

    return serve


def queueing(operations: int) -> None:
    """Operations on the queuing cache, including the workload and the analytic model."""
    linecard.queueing_run("SD16_90", "qc", operations=operations, warmup=1000)


def petri_mm1k(firings: int) -> None:
    """A queue of bounded length as a Petri net."""
    # A firing takes 1 / 1.71 of its time unit on average.
    linecard.petri.simulate(petri.mm1k(), firings / 1.71, warmup=0.0, replications=1, jobs=1, seed=1)


def trace_md5(instructions: int) -> None:
    """A C program, executed, traced and compiled for cores."""
    linecard.program_trace("md5", packets=max(instructions // 7_900, 1))


KERNELS = {
    "hasan2003": Kernel("packet", hasan2003, 1_000, 4_000, 18_000, "hasan2003_all_pf, l3fwd16, 4 banks, 540 bytes"),
    "sixty_engines": Kernel("packet", sixty_engines, 1_000, 6_000, 4_500, "60 engines x 8 threads, 64 bytes"),
    "nfp4000_reads": Kernel("packet", nfp4000_reads, 1_000, 3_000, 17_000, "nfp4000, XDP program of 102 instructions"),
    "dram_random": Kernel("request", dram("random"), 5_000, 15_000, 2_400, "ddr4_2400, random accesses"),
    "dram_cells": Kernel("request", dram("packet_cells"), 5_000, 15_000, 1_500, "ddr4_2400, cells of packets"),
    "dram_stream": Kernel("request", dram("stream"), 5_000, 15_000, 1_200, "ddr4_2400, a stream"),
    "dram_sparse": Kernel("request", dram("random", 200), 5_000, 15_000, 1_100, "ddr4_2400, one in 200 clocks"),
    "queueing_qc": Kernel("operation", queueing, 5_000, 35_000, 1_000, "queuing cache under SD16_90"),
    "petri_mm1k": Kernel("firing", petri_mm1k, 20_000, 120_000, None, "M/M/1/K as a Petri net"),
    "trace_md5": Kernel("instruction", trace_md5, 7_900 * 100, 7_900 * 300, 32, "md5, executed, traced, compiled"),
}


def counter() -> int | None:
    """A counter of this process's instructions in user mode, or `None` if the system has none."""
    attributes = struct.pack("IIQQQQQ", 0, 112, 1, 0, 0, 0, (1 << 5) | (1 << 6)) + bytes(112 - 48)
    handle = ctypes.CDLL(None).syscall(298, ctypes.create_string_buffer(attributes, 112), 0, -1, -1, 0)
    return handle if handle >= 0 else None


def instructions(name: str, pieces: int) -> int | None:
    """Instructions of a separate process that does this number of units."""
    command = [sys.executable, __file__, "--work", name, str(pieces)]
    # Hash seeds that differ from process to process change the cost by about a percent.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    handle = counter()
    if handle is not None:
        os.close(handle)
        # The counter differs by 2 % from run to run of one build; valgrind counts the same each time.
        counted = [*command, "--counted"]
        counts = [
            subprocess.run(counted, capture_output=True, text=True, check=True, env=environment) for _ in range(3)
        ]
        return min(int(run.stdout) for run in counts)
    if shutil.which("valgrind") is None:
        return None
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    asked = [*valgrind, *command]
    output = subprocess.run(asked, capture_output=True, text=True, check=False, env=environment).stderr
    found = re.search(r"Collected : (\d+)", output)
    return int(found[1]) if found else None


def count(name: str) -> float | None:
    """Instructions of a unit; `None` if they cannot be counted."""
    kernel = KERNELS[name]
    counts = [instructions(name, pieces) for pieces in (kernel.short, kernel.long)]
    return None if None in counts else (counts[1] - counts[0]) / (kernel.long - kernel.short)


def record() -> list[dict[str, object]]:
    """Lines of the record, the oldest first."""
    return [json.loads(line) for line in RECORD.read_text().splitlines()] if RECORD.exists() else []


def last() -> dict[str, float]:
    """The last recorded instructions of each kernel."""
    found: dict[str, float] = {}
    for line in record():
        found.update(line["instructions"])
    return found


def commit() -> str:
    """The current commit."""
    command = ["git", "rev-parse", "--short=10", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def append(**numbers: object) -> None:
    """Add a line for this commit."""
    RECORD.parent.mkdir(exist_ok=True)
    with RECORD.open("a") as file:
        file.write(json.dumps({"commit": commit(), **numbers}) + "\n")


def shown(value: float) -> str:
    """A count with its significant digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def each(kernel: Kernel) -> str:
    """The unit with its article."""
    return f"{'an' if kernel.piece[0] in 'aeiou' else 'a'} {kernel.piece}"


def work(name: str, pieces: int, *, counted: bool) -> None:
    """The work of a child process."""
    KERNELS[name].work(1)
    handle = counter() if counted else None
    KERNELS[name].work(pieces)
    if handle is not None:
        print(int.from_bytes(os.read(handle, 8), sys.byteorder))


def main() -> int:
    """Count, or be a child process that does one piece of work."""
    parser = argparse.ArgumentParser(description="Count the instructions of kernels.")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=f"of {', '.join(KERNELS)}; all if left out")
    parser.add_argument("--write", action="store_true", help="append what was counted to the record")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--counted", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work[0], int(options.work[1]), counted=options.counted)
        return 0
    if unknown := set(options.kernels) - KERNELS.keys():
        parser.error(f"no kernel is called {', '.join(sorted(unknown))}; there are {', '.join(KERNELS)}")
    before, counts = last(), {}
    for name in options.kernels or KERNELS:
        found = count(name)
        if found is None:
            print("found no counter of instructions and no valgrind: nothing can be counted here", file=sys.stderr)
            return 1
        counts[name] = round(found, 1)
        kernel = KERNELS[name]
        change = f"{100 * (found / before[name] - 1):+.1f} %" if name in before else "not recorded"
        target = "" if kernel.target is None else f"target {kernel.target:,}"
        print(f"{name:14} {shown(found):>8} {each(kernel):14} {change:>12}  {target}", flush=True)
    if options.write:
        append(instructions=counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
