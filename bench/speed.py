"""Speed: seconds, packets per second, instructions per packet, memory; beside the targets and a well-known reader.

    make bench                            # everything
    python bench/speed.py --quick         # smaller, for a first look
    python bench/speed.py --json FILE     # keep the numbers

Seconds depend on the machine and on what else it does: the best of several runs is shown. Instructions do not: they
come from the processor's counter where the system allows it, else from valgrind where it is installed, as the
difference between a long and a short run, so that starting Python does not count.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import json
import os
import random
import re
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
import petri
import programs

import linecard

PRESET = "hasan2003_all_pf"
CHIP = Path(__file__).parent / "chips" / "sixty_engines.toml"
CHIP_TARGET = 8_000  # instructions per packet
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
    linecard.run(PRESET, app="l3fwd16", set={"dram.banks": 4}, packets=packets, warmup_packets=1000, verdict=False)


def forward(packets: int) -> None:
    """A chip of sixty engines of eight threads that forwards packets of 64 bytes."""
    linecard.run(str(CHIP), packets=packets, warmup_packets=1000, verdict=False)


def count_flows(path: str) -> None:
    """The other benchmark's work."""
    linecard.flows(path)


def move_packets(manager: str, operations: int) -> None:
    """Queue operations on one manager: 16 dominating queues, 32 threads, the workload and the model's word included."""
    linecard.queueing_run("SD16_90", manager, operations=operations, warmup=1000)


def counter() -> int | None:
    """A counter of this process's instructions in user mode, or nothing where the system offers none."""
    attributes = struct.pack("IIQQQQQ", 0, 112, 1, 0, 0, 0, (1 << 5) | (1 << 6)) + bytes(112 - 48)
    handle = ctypes.CDLL(None).syscall(298, ctypes.create_string_buffer(attributes, 112), 0, -1, -1, 0)
    return handle if handle >= 0 else None


def instructions(kind: str, argument: str) -> int | None:
    """Instructions of one piece of work in a process of its own."""
    command = [sys.executable, __file__, "--work", kind, argument]
    handle = counter()
    if handle is not None:
        os.close(handle)
        output = subprocess.run([*command, "--counted"], capture_output=True, text=True, check=True).stdout
        return int(output)
    if shutil.which("valgrind") is None:
        return None
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    output = subprocess.run([*valgrind, *command], capture_output=True, text=True, check=False).stderr
    found = re.search(r"Collected : (\d+)", output)
    return int(found[1]) if found else None


def per_piece(kind: str, short: int = 2_000, long: int = 12_000) -> float | None:
    """Instructions of one packet: a long run less a short one, so that starting does not count."""
    counts = [instructions(kind, str(packets)) for packets in (short, long)]
    return None if None in counts else (counts[1] - counts[0]) / (long - short)


def work(kind: str, argument: str, *, counted: bool) -> None:
    """What the child processes of this script do."""
    handle = counter() if counted else None
    kinds = {
        "run": lambda text: simulate(int(text)),
        "chip": lambda text: forward(int(text)),
        "queueing": lambda text: move_packets("qc", int(text)),
        "flows": count_flows,
        "dram": dram.work,
    }
    kinds[kind](argument)
    if handle is not None:
        print(int.from_bytes(os.read(handle, 8), sys.byteorder))


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
    """Decompress and look at every byte: the least that any reader must do."""
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
    long, short = instructions("run", "12000"), instructions("run", "2000")
    per_packet = None if long is None or short is None else (long - short) / 10_000
    row("simulate: instructions", per_packet, "per packet")

    operations = 200_000 if quick else 1_000_000
    print(f"queue managers under SD16_90, {operations:,} operations")
    for manager in ("qc", "sqc", "dc", "nc"):
        seconds = best(times, lambda manager=manager: move_packets(manager, operations))
        target = f">= {QUEUE_TARGET:,}" if manager == "qc" else ""
        row(f"queueing {manager}: speed", (operations + 1000) / seconds, "operations/s", target)
    packets = 20_000 if quick else 100_000
    rate = packets / best(3, lambda: forward(packets))
    row("chip of 60 x 8 threads: packets", rate, "per second")
    row("chip of 60 x 8 threads: instructions", per_piece("chip"), "per packet", f"<= {CHIP_TARGET:,}")
    row("chip of 60 x 8 threads: peak memory", peak_memory_mb("chip", str(10 * packets)), "MB")

    long, short = instructions("queueing", "120000"), instructions("queueing", "20000")
    per_operation = None if long is None or short is None else (long - short) / 100_000
    row("queueing qc: instructions", per_operation, "per operation")

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
        if shutil.which("capinfos"):
            command = ["capinfos", "-c", str(path)]
            reader = best(times, lambda: subprocess.run(command, capture_output=True, check=True))
            row("capinfos -c, packets only", reader, "s")
        row("memory, the whole capture", peak_memory_mb("flows", str(path)), "MB")
        row("memory, a tenth of it", peak_memory_mb("flows", str(small)), "MB", "nearly the same")
    flowcache.measure(row, quick=quick)
    dram.measure(row, best, instructions, quick=quick)
    petri.measure(row, quick=quick)
    programs.measure(row, best, quick=quick)
    return rows


def main() -> None:
    """Measure, or be a child process that does one piece of work."""
    parser = argparse.ArgumentParser(description="Measure the speed of Linecard.")
    parser.add_argument("--quick", action="store_true", help="smaller runs")
    parser.add_argument("--json", metavar="FILE", help="write the numbers as JSON")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--counted", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(*options.work, counted=options.counted)
        return
    rows = measure(quick=options.quick)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
