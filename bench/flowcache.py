"""Flow caches: accesses per second of one core, and those of other simulators on the same digests.

The digests follow Zipf's law over 100,000 flows with a fixed seed. The compiled loops are timed by
`crates/flowcache/examples/flowcache_speed.rs`; pycachesim, the fastest set-associative simulator found, gets them as a
list that is made beforehand, and must find the same misses.
"""

from __future__ import annotations

import array
import gzip
import json
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from peers import ROOT, python_with

import linecard

Row = Callable[[str, float | None, str, str], None]

# The printed name of the example's line, and its target in million accesses per second.
LINES = {
    "LRU": 100,
    "SP": 100,
    "FIFO": None,
    "SRRIP2": 60,
    "ARC": 60,
    "LIRS": 60,
    "S3FIFO": 60,
    "WTINYLFU": 60,
    "all sizes, 1 set": 20,
    "16-1024 sets, 1-16 ways": 20,
    "all of these": 20,
}

PYCACHESIM = """
import array, json, sys, time, cachesim
digests = array.array("I", open(sys.argv[1], "rb").read()).tolist()
memory, cache = cachesim.MainMemory(), cachesim.Cache("L1", 256, 4, 1, "LRU")
memory.load_to(cache)
memory.store_from(cache)
simulator = cachesim.CacheSimulator(cache, memory)
started = time.perf_counter()
simulator.load(digests, length=1)
seconds = time.perf_counter() - started
print(json.dumps([len(digests) / seconds, cache.stats()["MISS_count"]]))
"""


def digests(packets: int) -> array.array[int]:
    """The benchmark's digests."""
    draw = random.Random(1)
    return array.array("I", (int(100_000 ** draw.random()) * 0x9E3779B1 % 2**32 for _ in range(packets)))


def measure(row: Row, *, quick: bool) -> None:
    """Time the caches and the peers."""
    packets = 1_000_000 if quick else 4_000_000
    print(f"flow caches, {packets:,} digests, 1024 entries, 4-way where nothing else is said")
    made = digests(packets)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.u32le"
        path.write_bytes(made.tobytes())
        example = ["cargo", "run", "--quiet", "--release", "-p", "linecard-flowcache", "--example", "flowcache_speed"]
        output = subprocess.run([*example, "--", path], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        speeds = dict(re.findall(r"^(.{24})\s+([\d.]+) M accesses/s", output, re.MULTILINE))
        speeds = {name.strip(): float(speed) for name, speed in speeds.items()}
        for name, target in LINES.items():
            wanted = "" if target is None else f">= {target}"
            row(f"flow cache: {name}", speeds.get(name), "M accesses/s", wanted)
        started = time.perf_counter()
        result = linecard.flowcache(made, 1024, 4, "lru", jobs=1)
        whole = packets / (time.perf_counter() - started) / 1e6
        row("linecard.flowcache, one cache, classes and all", whole, "M accesses/s", "")
        packed = path.with_suffix(".u32le.gz")
        packed.write_bytes(gzip.compress(path.read_bytes(), 6))
        started = time.perf_counter()
        gzip.decompress(packed.read_bytes())
        floor = time.perf_counter() - started
        started = time.perf_counter()
        linecard.flowcache(packed, 1024, 4, "lru", jobs=1)
        row("the same from gzip, beside decompressing it", time.perf_counter() - started, "s", f"{floor:.2g} s")
        python = python_with("pycachesim")
        speed = None
        if python is not None:
            command = [python, "-c", PYCACHESIM, path]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            speed, misses = json.loads(output)
            assert misses == result.rows[0].misses, f"pycachesim finds {misses} misses, not {result.rows[0].misses}"
        row("pycachesim, LRU, the same misses", None if speed is None else speed / 1e6, "M accesses/s", "")
        row("flow cache: against pycachesim", None if speed is None else whole * 1e6 / speed, "times", "")
