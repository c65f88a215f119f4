"""Speed of Petri nets: firings per second of three nets, and of the Python simulator simpn in the same run; markings.

``mm1k`` is M/M/1 with 10 places, ``pc50`` a chain of 25 buffers of 4, ``col4`` has tokens of four colours with guards.
Both simulate one run on one core; simpn fires on token times, which is its own form of the same nets. The compiled
example compares the first two with loops that are written for them and draw the same random numbers.
"""

from __future__ import annotations

import re
import subprocess
import time
from typing import TYPE_CHECKING

import peers

from linecard import petri

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS = {"mm1k": 25_000_000, "pc50": 12_000_000, "col4": 5_000_000}
MARKINGS_TARGET = 1_000_000  # markings a second
STAGES = 25
# Steps of simpn that are timed; it needs about a minute for a million.
PEER_STEPS = 10_000


def mm1k() -> petri.Net:
    """Arrivals at 0.9 to a server of rate 1 with room for 10."""
    net = petri.Net("mm1k")
    free, busy = net.place("free", tokens=10), net.place("busy")
    for name, rate, source, target in (("arrive", 0.9, free, busy), ("serve", 1.0, busy, free)):
        transition = net.transition(name, rate=rate)
        net.take(source, transition)
        net.put(transition, target)
    return net


def pc50() -> petri.Net:
    """Stages in a row, each with a buffer of four."""
    net = petri.Net("pc50")
    full = [net.place(f"full{i}") for i in range(STAGES)]
    empty = [net.place(f"empty{i}", tokens=4) for i in range(STAGES)]
    for stage in range(STAGES + 1):
        transition = net.transition(f"t{stage}", rate=1.0)
        if stage > 0:
            net.take(full[stage - 1], transition)
            net.put(transition, empty[stage - 1])
        if stage < STAGES:
            net.take(empty[stage], transition)
            net.put(transition, full[stage])
    return net


def col4() -> petri.Net:
    """Four colours, two of them fast and two slow by guards, 8 threads, 32 credits."""
    net = petri.Net("col4")
    colour = "0..3"
    source = net.place("gen", colour, tokens="all")
    credit, thread = net.place("credit", tokens=32), net.place("thread", tokens=8)
    rx, busy, tx = (net.place(name, colour) for name in ("rx", "busy", "tx"))
    c = petri.var("c")
    arrive = net.transition("arrive", rate=1.0, servers="inf")
    net.read(source, arrive, c)
    net.take(credit, arrive)
    net.put(arrive, rx, c)
    for name, guard, rate in (("fast", c < 2, 2.0), ("slow", c >= 2, 0.5)):
        start = net.transition(f"start_{name}", guard=guard)
        net.take(rx, start, c)
        net.take(thread, start)
        net.put(start, busy, c)
        done = net.transition(f"done_{name}", rate=rate, servers="inf", guard=guard)
        net.take(busy, done, c)
        net.put(done, thread)
        net.put(done, tx, c)
    send = net.transition("send", delay=0.1, servers="inf")
    net.take(tx, send, c)
    net.put(send, credit)
    return net


def ring() -> petri.Net:
    """Tokens that circulate over a ring of seven places: 736,281 markings with 5.6 successors each."""
    net = petri.Net("ring")
    places = [net.place(f"p{i}", tokens=25 if i == 0 else 0) for i in range(7)]
    for i, place in enumerate(places):
        turn = net.transition(f"t{i}", rate=1.0)
        net.take(place, turn)
        net.put(turn, places[(i + 1) % len(places)])
    return net


# The same nets for simpn: a transition takes its tokens when it begins, and its output tokens appear after the delay.
PEER = """
import random, sys, time
from simpn.simulator import SimProblem, SimToken

def exp(rate):
    return random.expovariate(rate)

def mm1k():
    p = SimProblem()
    gen, free, busy, server = (p.add_var(name) for name in ("gen", "free", "busy", "server"))
    gen.put(0)
    server.put(0)
    for i in range(10):
        free.put(i)
    p.add_event([gen, free], [gen, busy], lambda g, f: [SimToken(g, delay=exp(0.9)), SimToken(f)], name="arrive")
    def serve(b, s):
        d = exp(1.0)
        return [SimToken(s, delay=d), SimToken(b, delay=d)]
    p.add_event([busy, server], [server, free], serve, name="serve")
    return p

def pc50():
    p = SimProblem()
    full = [p.add_var(f"full{i}") for i in range(25)]
    empty = [p.add_var(f"empty{i}") for i in range(25)]
    server = [p.add_var(f"server{i}") for i in range(26)]
    for e in empty:
        for i in range(4):
            e.put(i)
    for s in server:
        s.put(0)
    for stage in range(26):
        ins, outs = [server[stage]], [server[stage]]
        if stage > 0:
            ins.append(full[stage - 1])
            outs.append(empty[stage - 1])
        if stage < 25:
            ins.append(empty[stage])
            outs.append(full[stage])
        def go(*tokens):
            d = exp(1.0)
            return [SimToken(t, delay=d) for t in tokens]
        p.add_event(ins, outs, go, name=f"t{stage}")
    return p

def col4():
    p = SimProblem()
    gen, credit, thread, rx, busy, tx = (p.add_var(n) for n in ("gen", "credit", "thread", "rx", "busy", "tx"))
    for c in range(4):
        gen.put(c)
    for i in range(32):
        credit.put(i)
    for i in range(8):
        thread.put(i)
    p.add_event([gen, credit], [gen, rx], lambda g, k: [SimToken(g, delay=exp(1.0)), SimToken(g)], name="arrive")
    def add(name, fits, fits_with_thread, rate):
        p.add_event([rx, thread], [busy], lambda c, t: [SimToken(c, delay=exp(rate))], name="start_" + name,
                    guard=fits_with_thread)
        p.add_event([busy], [thread, tx], lambda c: [SimToken(0), SimToken(c, delay=0.1)], name="done_" + name,
                    guard=fits)
    add("fast", lambda c: c < 2, lambda c, t: c < 2, 2.0)
    add("slow", lambda c: c >= 2, lambda c, t: c >= 2, 0.5)
    p.add_event([tx], [credit], lambda c: [SimToken(c)], name="send")
    return p

random.seed(1)
problem = {"mm1k": mm1k, "pc50": pc50, "col4": col4}[sys.argv[1]]()
steps = int(sys.argv[2])
problem.set_debugging(False) if hasattr(problem, "set_debugging") else None
started = time.process_time()
for _ in range(steps):
    problem.step()
print(steps / (time.process_time() - started))
"""


def peer(net: str, steps: int) -> float | None:
    """Firings per second of simpn; `None` if it cannot be installed."""
    python = peers.python_with("simpn")
    if python is None:
        return None
    ran = subprocess.run([python, "-c", PEER, net, str(steps)], capture_output=True, text=True, check=False)
    return float(ran.stdout.split()[-1]) if ran.returncode == 0 and ran.stdout.split() else None


def of_plain_loops() -> dict[str, float]:
    """Speed of nets relative to that of loops that are written for them, in one process."""
    example = ["cargo", "run", "--quiet", "--release", "-p", "linecard-petri", "--example", "petri_speed"]
    output = subprocess.run(example, cwd=peers.ROOT, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(\S+)\s+([\d.]+) of the plain loop$", output, re.MULTILINE)
    return {name: float(share) for name, share in found}


def measure(row: Callable[..., None], *, quick: bool) -> None:
    """Print every line of this benchmark."""
    firings = 2_000_000 if quick else 20_000_000
    print("Petri nets: one run on one core")
    for build, rate in ((mm1k, 1.71), (pc50, 17.0), (col4, 14.0)):
        net = build()
        fastest = 0.0
        for seed in range(3):
            started = time.perf_counter()
            # A coloured firing takes longer, so fewer firings are enough.
            wanted = firings / (4 if net.name == "col4" else 1)
            found = petri.simulate(net, wanted / rate, warmup=0.0, replications=1, jobs=1, seed=seed)
            fastest = max(fastest, found.firings / (time.perf_counter() - started))
        row(f"petri, {net.name}: speed", fastest, "firings/s", f">= {TARGETS[net.name]:,}")
        beside = peer(net.name, PEER_STEPS // 5 if quick else PEER_STEPS)
        row(f"petri, {net.name}: simpn", beside, "firings/s")
        row(f"petri, {net.name}: against simpn", None if beside is None else fastest / beside, "times")
    for name, share in of_plain_loops().items():
        row(f"petri, {name}: of a plain loop", share, "times", ">= 0.6")
    net = ring()
    started = time.perf_counter()
    markings = petri.explore(net, jobs=1).reachable_markings
    row("petri, state space", markings / (time.perf_counter() - started), "markings/s", f">= {MARKINGS_TARGET:,}")
