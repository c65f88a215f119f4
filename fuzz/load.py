"""Load: long captures through a pipe, many flows, a long run, a large sweep, in memory that hardly grows with them.

    python fuzz/load.py
    python fuzz/load.py --packets 5000000 --flows 1000000 --run 200000 --points 200

The first takes 50 million packets, 20 million flows, a run of 5 million packets, and a sweep of 10,000 points.

Captures are made while they are read and never stand on a disk. Memory is the largest resident set of the process, as
the system counts it. Standard library and the package itself.
"""

from __future__ import annotations

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
RECORD_BYTES = 16 + 14 + 28
PACKETS_OF_A_CHUNK = 1 << 16
# Where the last bytes of the source address stand in a record.
SOURCE = 16 + 14 + 12
MIB = 1 << 20


def chunk(flows: int) -> bytearray:
    """Records of Ethernet, IPv4 and UDP headers, with so many different sources."""
    records = bytearray()
    for number in range(PACKETS_OF_A_CHUNK):
        low = number % flows
        frame = b"\x02" * 12 + b"\x08\x00"
        frame += struct.pack(">BBHHHBBH", 0x45, 0, 28, 0, 0, 64, 17, 0) + bytes([10, 0, low >> 8 & 255, low & 255])
        frame += bytes([198, 51, 100, 7]) + struct.pack(">HHHH", 1000, 53, 8, 0)
        records += struct.pack("<IIII", 1_000_000_000, number, len(frame), len(frame)) + frame
    assert len(records) == RECORD_BYTES * PACKETS_OF_A_CHUNK
    return records


def capture(packets: int, flows: int) -> Iterator[bytes | bytearray]:
    """A capture in pieces: every chunk has sources of its own until there are as many flows as asked for."""
    yield HEADER
    data = chunk(min(flows, PACKETS_OF_A_CHUNK))
    own = max(1, flows // PACKETS_OF_A_CHUNK)
    for number in range(-(-packets // PACKETS_OF_A_CHUNK)):
        high = number % own
        data[SOURCE::RECORD_BYTES] = bytes([10 + (high >> 8)]) * PACKETS_OF_A_CHUNK
        data[SOURCE + 1 :: RECORD_BYTES] = bytes([high & 255]) * PACKETS_OF_A_CHUNK
        for place, byte in enumerate(struct.pack("<I", 1_000_000_000 + number)):
            data[place::RECORD_BYTES] = bytes([byte]) * PACKETS_OF_A_CHUNK
        left = packets - number * PACKETS_OF_A_CHUNK
        yield data if left >= PACKETS_OF_A_CHUNK else data[: left * RECORD_BYTES]


def measured(command: list[str], pieces: Iterator[bytes | bytearray] | None = None) -> tuple[dict, int, float]:
    """The JSON of a command, the largest memory of its process in MiB, and its seconds."""
    with tempfile.TemporaryDirectory() as place:
        pipe = Path(place) / "capture.pcap"
        os.mkfifo(pipe)
        out = Path(place) / "out.json"
        words = [sys.executable, "-m", "linecard", *(str(pipe) if word == "PIPE" else word for word in command)]
        start = time.monotonic()
        with out.open("wb") as stdout:
            child = subprocess.Popen(words, stdout=stdout)

        def feed() -> None:
            with pipe.open("wb", buffering=0) as stream:
                for piece in pieces or ():
                    stream.write(piece)

        feeder = threading.Thread(target=feed, daemon=True)
        if pieces is not None:
            feeder.start()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
        return json.loads(out.read_bytes()), used.ru_maxrss // 1024, time.monotonic() - start


def main() -> int:
    """Measure each, and hold it to its bound."""
    parser = argparse.ArgumentParser(description="Load in bounded memory.")
    parser.add_argument("--packets", type=int, default=50_000_000)
    parser.add_argument("--flows", type=int, default=20_000_000)
    parser.add_argument("--run", type=int, default=5_000_000, help="packets of a run")
    parser.add_argument("--points", type=int, default=10_000, help="points of a sweep")
    options = parser.parse_args()
    failed = 0

    def told(what: str, memory: int, most: int, seconds: float) -> None:
        nonlocal failed
        failed += memory > most
        verdict = "" if memory <= most else ", MORE THAN ITS BOUND"
        print(f"{what}: {memory:,} MiB of at most {most:,}, {seconds:.0f} s{verdict}", flush=True)

    found, memory, seconds = measured(["flows", "PIPE", "--json"], capture(options.packets, 10_000))
    assert found["packets"] == options.packets, found["packets"]
    told(f"capture of {options.packets:,} packets", memory, 256, seconds)
    # A flow takes about 180 bytes where the table has just doubled.
    found, memory, seconds = measured(["flows", "PIPE", "--json"], capture(options.flows, options.flows))
    most = 256 + options.flows * 250 // MIB
    told(f"capture of {options.flows:,} packets of as many flows", memory, most, seconds)
    _, memory, seconds = measured(["run", "ixp1200", "--packets", str(options.run), "--json"])
    told(f"run of {options.run:,} packets", memory, 256, seconds)
    with tempfile.TemporaryDirectory() as store:
        sweep = ["sweep", "ixp1200", "--vary", f"seed=1..{options.points}", "--packets", "50", "--warmup", "0"]
        sweep += ["--store", store, "--jobs", "2", "--json"]
        rows = []
        for how in ("run", "found again"):
            found, memory, seconds = measured(sweep)
            rows.append(found["rows"])
            assert len(rows[-1]) == options.points, len(rows[-1])
            # A row is a record of some forty numbers.
            told(f"sweep of {options.points:,} points, {how}", memory, 256 + options.points * 16_000 // MIB, seconds)
        assert rows[0] == rows[1], "reused rows differ from executed rows"
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
