"""The DDR SDRAM net and the cycle model: one trace of 64-byte accesses through both, and the difference.

``preset`` is the part, ``program`` the policy of the cycle model, ``packets`` are accesses. ``overrides``: ``trace``
names the program whose accesses they are, ``threads`` the number of threads that run it in turn, ``in_flight`` the
outstanding accesses of both models, ``net`` a net other than `girish2008_dram`.
Both start the next access as soon as one is done. The programs' accesses, each packet in a bank of its own
(Girish 2008, sections 3.3 and 3.2.1; all of 64 bytes, since DRAMsim supports no other size):

- ``ipv4_forward``: the only mpacket in, header out and back, mpacket out.
- ``encrypt``: 24 mpackets in, each out to be encrypted and back, all of them out again; for IPSec, of which there is
  no program here.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from linecard import petri
from linecard.dram.run import dram
from linecard.study.runners import PlainRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from linecard.study.plan import RunSpec

    Progress = Callable[[int, int], object]

ACCESS_BYTES = 64
NET = "girish2008_dram"
BANKS = 4
ROW_BYTES = 4096
ROWS = 4096
CELLS = 24
READ, WRITE = False, True
# Cycles from the end of an access until the waiting access can be activated: the cycle model accepts it in the next
# clock and considers it in the one after. The net's own controller takes no time for that.
HAND_OVER_CYCLES = 2

Access = tuple[int, int, bool]


def _packets(trace: str, dice: random.Random) -> Iterator[Access]:
    """Bank, row and direction of one thread's accesses, packet by packet."""
    while True:
        bank, row = dice.randrange(BANKS), dice.randrange(ROWS)
        if trace == "ipv4_forward":
            directions = [WRITE, READ, WRITE, READ]
        else:
            directions = [WRITE] * CELLS + [READ, WRITE] * CELLS + [READ] * CELLS
        for number, write in enumerate(directions):
            # The part keeps no row open; a different row for each access keeps the controller from finding hits.
            yield bank, (row + number) % ROWS, write


def accesses(trace: str, threads: int, count: int, seed: int) -> list[Access]:
    """Accesses of threads that alternate."""
    dice = random.Random(seed)
    running = [_packets(trace, random.Random(dice.random())) for _ in range(threads)]
    # Threads begin at different positions within their packets.
    for thread in running:
        for _ in range(dice.randrange(4 if trace == "ipv4_forward" else 4 * CELLS)):
            next(thread)
    return [next(running[number % threads]) for number in range(count)]


def through_net(trace: list[Access], in_flight: int, cycle_ns: float, of_dram: str = NET) -> float:
    """Gbit/s of the net ``of_dram``."""
    net = petri.Net("trace")
    access = net.colour("access", bank=f"0..{BANKS - 1}", bytes="1..4096", write="bool", thread="0..1023")
    tokens: list[petri.Value] = [
        {"bank": bank, "bytes": ACCESS_BYTES, "write": write, "thread": 0} for bank, _, write in trace
    ]
    waiting = net.place("Trace", access, fifo=True, tokens=tokens)
    window, left = net.place("Window", tokens=in_flight), net.place("Left", tokens=len(trace))
    requests, done = net.place("DRAMReq", access, fifo=True), net.place("CpuBuf", access, fifo=True)
    feed = net.transition("Feed")
    end = net.transition("End", delay=HAND_OVER_CYCLES * cycle_ns, servers="inf")
    a = petri.var("a")
    net.take(waiting, feed, a)
    net.take(window, feed)
    net.put(feed, requests, a)
    net.take(done, end, a)
    net.put(end, window)
    net.take(left, end)
    net.module("dram", f"{of_dram}.toml", places={"DRAMReq": requests, "CpuBuf": done}, in_flight=0)
    # One access after another, each with a precharge before the next, takes 13 cycles and a bus turnaround.
    time = len(trace) * 15 * cycle_ns
    found = petri.simulate(net, time, warmup=0.0, replications=1)
    # The trace ends when no access is left.
    lasted = time * (1 - found.occupancy["Left"][0])
    return len(trace) * ACCESS_BYTES * 8 / lasted


def run(spec: RunSpec, progress: Progress) -> PlainRun:
    """Run one trace through both models."""
    found = dict(override.split("=", 1) for override in spec.overrides)
    in_flight = int(found["in_flight"])
    trace = accesses(found["trace"], int(found["threads"]), spec.packets, spec.seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.csv"
        lines = ["arrival,op,address,bytes"]
        for bank, row, write in trace:
            address = (row * BANKS + bank) * ROW_BYTES
            lines.append(f"0,{'W' if write else 'R'},{address},{ACCESS_BYTES}")
        file.write_text("\n".join(lines) + "\n")
        cycle = dram(spec.preset, spec.program, trace=file, in_flight=in_flight, progress=progress)
    of_cycle = cycle.bandwidth_gbytes_s * 8
    of_net = through_net(trace, in_flight, 10.0, found.get("net", NET))
    values = {
        ("dram", "cycle_gbps"): of_cycle,
        ("dram", "net_gbps"): of_net,
        ("dram", "difference_percent"): abs(of_net / of_cycle - 1) * 100,
    }
    units = {"cycle_gbps": "Gbit/s", "net_gbps": "Gbit/s", "difference_percent": "percent"}
    return PlainRun(spec, values, units)
