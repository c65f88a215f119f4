"""Speed: seconds, packets per second, instructions per packet, memory; with the targets and a well-known reader.

    make bench                            # everything
    python bench/speed.py --quick         # smaller, for a first look
    python bench/speed.py --json FILE     # keep the numbers

Seconds depend on the machine and its other work: the best of several runs is shown. Instructions of kernels do not
(bench/kernels.py), and ratios to a peer in the same run hardly do: a full run adds both to bench/record/kernels.jsonl.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import dram
import flowcache
import kernels
import ns3
import petri
import programs
import starting

import linecard

PRESET = "hasan2003_all_pf"
RUN_TARGET = 500_000  # packets per second, one core
QUEUE_TARGET = 5_000_000  # queue operations per second, one core


def best(times: int, work) -> float:
    """Fewest seconds of several runs."""
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def simulate(packets: int) -> None:
    """The benchmark's run: l3fwd16 on ALL+PF with 4 banks, packets of the document's mean size."""
    linecard.run(PRESET, program="l3fwd16", set={"dram.banks": 4}, packets=packets, warmup_packets=1000, verdict=False)


def forward(packets: int) -> None:
    """A chip of sixty engines of eight threads that forwards packets of 64 bytes."""
    linecard.run(str(kernels.CHIP), packets=packets, warmup_packets=1000, verdict=False)


def count_flows(path: str) -> None:
    """The other benchmark's work."""
    linecard.flows(path)


def move_packets(manager: str, operations: int) -> None:
    """Queue operations on one manager: 16 dominating queues, 32 threads, with the workload and the analytic model."""
    linecard.queueing_run("SD16_90", manager, operations=operations, warmup=1000)


def work(kind: str, argument: str) -> None:
    """The work of a child process of this script, whose memory is measured."""
    {"chip": lambda text: forward(int(text)), "flows": count_flows}[kind](argument)


def write_capture(path: Path, packets: int) -> None:
    """A seeded gzip pcap, cut to headers, with 50,000 flows and a bimodal size mix."""
    choose = random.Random(1)
    sizes = choose.choices((54, 60, 590, 1514), (40, 20, 15, 25), k=4096)
    with gzip.open(path, "wb", compresslevel=6) as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 54, 1))
        for number in range(packets):
            size = sizes[number & 4095]
            flow = choose.randrange(50_000)
            addresses = struct.pack(">II", 0x0A000000 + flow, 0xC6336401 + flow % 997)
            header = struct.pack(">BBHHHBBH", 0x45, 0, size - 14, number & 0xFFFF, 0, 64, 6, 0) + addresses
            ports = struct.pack(">HHIIHHHH", 1024 + flow % 60_000, 80, number, 0, 0x5010, 65535, 0, 0)
            record = struct.pack("<IIII", number // 100_000, number % 100_000 * 10, 54, size)
            file.write(record + b"\x02" * 12 + b"\x08\x00" + header + ports)


def one_pass(path: Path) -> None:
    """Decompress and read every byte: the least work of any reader."""
    with gzip.open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            zlib.adler32(chunk)


def peak_memory_mb(kind: str, argument: str) -> float:
    """Largest resident memory of a child process."""
    code = (
        "import resource, subprocess, sys;"
        "subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, sys.executable, __file__, "--work", kind, argument]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 1024


def count(row: flowcache.Row) -> None:
    """Instructions of the kernels, and of a packet of ns-3."""
    print("instructions of a piece, which do not depend on the machine's speed")
    chip = None
    for name, kernel in kernels.KERNELS.items():
        target = "" if kernel.target is None else f"<= {kernel.target:,}"
        counted = kernels.count(name)
        row(f"{name}: {kernel.about}", counted, f"per {kernel.piece}", target)
        if name == "hasan2003":
            chip = counted
    network = ns3.count()
    row(f"ns-3 {ns3.VERSION}: UDP of 512 bytes over two links", network, "instructions a packet", "")
    if chip and network:
        row("ns-3, a packet over two links: of a packet of hasan2003", network / chip, "times", "")


def measure(*, quick: bool) -> list[dict[str, object]]:
    """Every measurement: name, value, unit, target."""
    packets = 100_000 if quick else 500_000
    times = 2 if quick else 5
    rows: list[dict[str, object]] = []

    def row(name: str, value: float | None, unit: str, target: str = "") -> None:
        rows.append({"name": name, "value": value, "unit": unit, "target": target})
        shown = "not available here" if value is None else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
        print(f"  {name:<58} {shown:>18} {unit:<14} {target}", flush=True)

    print(f"l3fwd16 on {PRESET}, 4 banks, {packets:,} packets, statistics on")
    seconds = best(times, lambda: simulate(packets))
    row("simulate: seconds", seconds, "s")
    row("simulate: speed", (packets + 1000) / seconds, "packets/s", f">= {RUN_TARGET:,}")

    operations = 200_000 if quick else 1_000_000
    print(f"queue managers under SD16_90, {operations:,} operations")
    for manager in ("qc", "sqc", "dc", "nc"):
        seconds = best(times, lambda manager=manager: move_packets(manager, operations))
        target = f">= {QUEUE_TARGET:,}" if manager == "qc" else ""
        row(f"queueing {manager}: speed", (operations + 1000) / seconds, "operations/s", target)
    packets = 20_000 if quick else 100_000
    rate = packets / best(3, lambda: forward(packets))
    row("chip of 60 x 8 threads: packets", rate, "per second")
    row("chip of 60 x 8 threads: peak memory", peak_memory_mb("chip", str(10 * packets)), "MB")

    captured = 200_000 if quick else 1_000_000
    print(f"flows of a gzip pcap of {captured:,} packets")
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "bench.pcap.gz", Path(folder) / "small.pcap.gz"
        write_capture(path, captured)
        write_capture(small, captured // 10)
        floor = best(times, lambda: one_pass(path))
        row("decompress and one pass over the bytes (zlib)", floor, "s")
        seconds = best(times, lambda: count_flows(str(path)))
        row("linecard flows", seconds, "s", f"<= {floor:.3g} s")
        row("linecard flows: speed", captured / seconds, "packets/s")
        row("linecard flows: against that one pass", floor / seconds, "times")
        if shutil.which("capinfos"):
            command = ["capinfos", "-c", str(path)]
            reader = best(times, lambda: subprocess.run(command, capture_output=True, check=True))
            row("capinfos -c, packets only", reader, "s")
        row("memory, the whole capture", peak_memory_mb("flows", str(path)), "MB")
        row("memory, a tenth of it", peak_memory_mb("flows", str(small)), "MB", "nearly the same")
    flowcache.measure(row, quick=quick)
    dram.measure(row, best, quick=quick)
    petri.measure(row, quick=quick)
    programs.measure(row, best, quick=quick)
    starting.measure(row, best)
    count(row)
    return rows


def keep(rows: list[dict[str, object]]) -> None:
    """Add machine-independent numbers to the record: instructions, and ratios to peers in the same run."""
    counts = dict.fromkeys(kernels.KERNELS)
    ratios = {}
    for row in rows:
        name, value = str(row["name"]), row["value"]
        if name.split(":", maxsplit=1)[0] in counts and str(row["unit"]).startswith("per "):
            counts[name.split(":", maxsplit=1)[0]] = value
        elif row["unit"] == "times" and value is not None:
            ratios[name] = round(value, 2)
    if None not in counts.values():
        kernels.append(instructions={name: round(value, 1) for name, value in counts.items()}, ratios=ratios)
        print(
            f"added a line to {kernels.RECORD.relative_to(kernels.ROOT)}; `python bench/table.py` puts it into the page"
        )


def main() -> None:
    """Measure, or be a child process that does one piece of work."""
    parser = argparse.ArgumentParser(description="Measure the speed of Linecard.")
    parser.add_argument("--quick", action="store_true", help="smaller runs")
    parser.add_argument("--json", metavar="FILE", help="write the numbers as JSON")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(*options.work)
        return
    rows = measure(quick=options.quick)
    if not options.quick:
        keep(rows)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
