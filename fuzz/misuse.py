"""Misuse of the Python API, damaged result stores and damaged files that whole requests read.

    python fuzz/misuse.py --calls 2000 --stores 200 --files 500

A call of a public function gets one to three invalid arguments. One file of the store of a small sweep
is cut, overwritten, or replaced by a folder, a FIFO or a link. A trace, a net or a capture has bytes changed. The laws:
the call returns, or raises a `LinecardError` that is no `InternalError`; it ends soon after an interrupt; the process
lives; a sweep on a damaged store returns the rows that it returned before, or says that the store cannot be used.
"""

from __future__ import annotations

import argparse
import inspect
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import linecard
from linecard import petri

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "fuzz" / "corpus"
MOST_BYTES = 6 << 30
# A call is interrupted after the first, and must have ended after the second.
SECONDS, PATIENCE = 2.0, 3.0
# Calls in a process: a crash loses no more than these.
BATCH = 25


class Interrupted(BaseException):
    """What the alarm raises, as Ctrl-C does."""


def generator() -> Iterator[int]:
    """An iterable that can be read once."""
    yield 1


def circular() -> list[Any]:
    """A list within itself."""
    found: list[Any] = []
    found.append(found)
    return found


VALUES: list[Callable[[], Any]] = [
    lambda: None, lambda: True, lambda: 0, lambda: -1, lambda: 3, lambda: 1 << 31, lambda: 1 << 63, lambda: 1 << 64,
    lambda: 10**5000, lambda: 0.5, lambda: -0.0, lambda: 1e308, lambda: float("nan"), lambda: float("inf"), lambda: 2j,
    lambda: "", lambda: "x" * 5000, lambda: "a\0b", lambda: "\ud800", lambda: "64", lambda: "nan", lambda: "é∞",
    lambda: b"x",
    list, dict, set, object, generator, circular, lambda: [1, "a", None], lambda: {"traffic.rate_gbps": 1},
    lambda: {1: 2}, lambda: {"dram.banks": [2]}, lambda: {"x.y": np.int64(3)}, lambda: len, lambda: Decimal(3),
    lambda: np.int64(7), lambda: np.uint8(255), lambda: np.float32(0.5), lambda: np.array([1, 2]), lambda: np.array([]),
    lambda: np.datetime64("2003-01-01"), lambda: Path("/nowhere/at/all"), lambda: Path("/dev/null"), Path,
    lambda: Path("fifo"), lambda: Path("garbage"), lambda: Path(os.fsdecode(b"caf\xe9")), lambda: range(3),
    lambda: ("a", "b"), lambda: slice(1), lambda: int, lambda: NotImplemented, lambda: memoryview(b"ab"),
]  # fmt: skip

# Small requests, from which one to three arguments are changed.
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "run": (linecard.run, {"chip": "ixp1200", "packets": 60, "warmup_packets": 10}),
    "sweep": (linecard.sweep, {"target": "ixp1200", "vary": {"dram.banks": [2, 4]}, "packets": 60, "jobs": 1}),
    "ndr": (linecard.ndr, {"chip": "ixp1200", "sizes": [64], "packets": 200, "width": 0.2}),
    "why": (linecard.why, {"chip": "ixp1200", "packets": 200, "seeds": 1}),
    "compare": (linecard.compare, {"a": "ixp1200", "b": "ixp1200_host", "packets": 60, "seeds": 2}),
    "check": (linecard.check, {"chip": "ixp1200"}),
    "describe": (linecard.describe, {"preset": "ixp1200"}),
    "presets": (linecard.presets, {}),
    "draw": (linecard.draw, {"chip": "ixp1200", "output": "out.svg"}),
    "new": (linecard.new, {"file": "made.toml", "like": "ixp1200"}),
    "dram": (linecard.dram, {"device": "ddr4_2400", "count": 200}),
    "hierarchy": (linecard.hierarchy, {"packets": 60}),
    "flows": (linecard.flows, {"trace": "INPUT.pcap"}),
    "flowcache": (linecard.flowcache, {"trace": "INPUT.pcap", "entries": [512], "policy": "LRU"}),
    "queueing_run": (linecard.queueing_run, {"workload": "random", "operations": 200, "warmup": 10}),
    "queueing_design": (linecard.queueing_design, {"workload": "random", "target_mops": 5.0, "operations": 200}),
    "shot_noise": (linecard.shot_noise, {"rate_mbps": 100.0, "windows": 2}),
    "flow_mix": (
        linecard.flow_mix,
        {
            "packets": 500, "single_flows_percent": 50.0, "packets_in_single_flows_percent": 10.0,
            "large_flows_percent": 5.0, "packets_in_large_flows_percent": 60.0, "concurrent_flows": 20.0,
        },
    ),
    "xdp_run": (linecard.xdp_run, {"program": "GARBAGE.o", "trace": "INPUT.pcap"}),
    "xdp_rows": (linecard.xdp_rows, {"program": "GARBAGE.o"}),
    "program_trace": (linecard.program_trace, {"program": "GARBAGE.elf", "trace": "INPUT.pcap"}),
    "petri.simulate": (petri.simulate, {"net": "NET.net", "time": 50.0, "replications": 2}),
    "petri.explore": (petri.explore, {"net": "NET.net"}),
    "petri.solve": (petri.solve, {"net": "NET.net"}),
    "petri.firings": (petri.firings, {"net": "NET.net", "most": 20}),
}  # fmt: skip


def fill(folder: Path) -> None:
    """What the calls name."""
    shutil.copy(min((CORPUS / "net").iterdir()), folder / "NET.net")
    capture = max((CORPUS / "capture").iterdir(), key=lambda file: file.stat().st_size)
    shutil.copy(capture, folder / "INPUT.pcap")
    for name in ("garbage", "GARBAGE.o", "GARBAGE.elf"):
        (folder / name).write_bytes(bytes(range(256)))
    os.mkfifo(folder / "fifo")


def broken_law(call: Callable[[], Any]) -> str:
    """What a call broke; nothing if it is sound."""

    def ring(_number: int, _frame: object) -> None:
        raise Interrupted

    signal.signal(signal.SIGALRM, ring)
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    law = ""
    try:
        call()
    except linecard.InternalError as error:
        law = str(error)
    except (linecard.LinecardError, Interrupted):
        pass
    except BaseException:
        law = traceback.format_exc(limit=-3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    late = time.monotonic() - start - SECONDS
    return law or (f"ended {late:.1f} s after it was interrupted" if late > PATIENCE else "")


def draw_call(draw: random.Random) -> tuple[str, Callable[[], Any]]:
    """A call with invalid arguments, and its text."""
    name = draw.choice(list(CALLS))
    function, arguments = CALLS[name]
    arguments = dict(arguments)
    known = [each.name for each in inspect.signature(function).parameters.values() if each.kind != each.VAR_KEYWORD]
    for key in draw.sample(known, min(len(known), draw.randint(1, 3))):
        arguments[key] = draw.choice(VALUES)()
    words = ", ".join(f"{key}={repr(value) if not isinstance(value, int) or value.bit_length() < 999 else '10**5000'}"
                      for key, value in arguments.items())  # fmt: skip
    return f"{name}({words[:600]})", lambda: function(**arguments)


def small_sweep(store: Path) -> Any:
    """The sweep whose store is damaged."""
    return linecard.sweep("ixp1200", vary={"dram.banks": [2, 4]}, packets=40, warmup_packets=5, store=store, jobs=1)


def damage(file: Path, draw: random.Random) -> str:
    """Damage a file; how."""
    content = file.read_bytes()
    kind = draw.choice(
        ["cut", "flip", "empty", "nested", "folder", "fifo", "zeros", "itself", "digits", "unreadable", "gone"]
    )
    if kind == "flip":
        changed = bytearray(content)
        for _ in range(draw.randint(1, 8)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        file.write_bytes(changed)
    elif kind == "unreadable":
        file.chmod(0)
    elif kind in {"cut", "empty", "nested", "digits"}:
        new = {
            "cut": content[: draw.randrange(len(content))],
            "empty": b"",
            "nested": b"[" * 100_000,
            "digits": b"9" * 5000,
        }
        file.write_bytes(new[kind])
    else:
        file.unlink()
        if kind == "folder":
            file.mkdir()
        elif kind == "fifo":
            os.mkfifo(file)
        elif kind == "zeros":
            file.symlink_to("/dev/zero")
        elif kind == "itself":
            file.symlink_to(file)
    return f"{kind} {file.name}"


def draw_store(draw: random.Random, folder: Path, sound: Path, rows: list[Any]) -> tuple[str, Callable[[], Any]]:
    """A sweep on a damaged store, and what was damaged."""
    store = folder / "store"
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(sound, store)
    files = sorted(file for file in store.rglob("*") if file.is_file() and file.stat().st_size)
    words = [damage(draw.choice(files), draw)]

    def call() -> None:
        found = small_sweep(store).to_dict()["rows"]
        if found != rows:
            raise AssertionError(f"other rows than before: {found}")

    return f"store: {words}", call


FILES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "dram_trace": ("x.trace", lambda file: linecard.dram("ddr4_2400", trace=file)),
    "pnml": ("x.pnml", lambda file: (petri.explore(file, 10_000), petri.simulate(file, 50.0, replications=2))),
    "net": ("x.net", lambda file: (petri.explore(file, 10_000), petri.simulate(file, 50.0, replications=2))),
    "capture": (
        "x.pcap",
        lambda file: linecard.run("ixp1200", program="l3fwd16", trace=file, packets=60, warmup_packets=0),
    ),
    "xdp_object": ("x.o", lambda file: linecard.xdp_run(file, "edge", packets=20)),
    "elf": ("x.elf", lambda file: linecard.program_trace(file, "edge", packets=20, budget=100_000)),
    "chip": ("x.toml", lambda file: linecard.run(file, packets=60, warmup_packets=0)),
    "queueing": ("x.toml", lambda file: linecard.queueing_run("random", machine=file, operations=100, warmup=0)),
}
TOKENS = [
    b"0",
    b"-1",
    b"9" * 30,
    b"1e308",
    b"nan",
    b"\0",
    b"\xff" * 8,
    b"\n",
    b" ",
    b"=",
    b"<",
    b"]",
    b"0x",
    b"R",
    b"W",
    b",",
    b'"',
]


def seeds(kind: str) -> list[bytes]:
    """Sound files of a kind: shipped ones, and what fuzzing kept."""
    shipped = {"net": "presets/petri/*.net", "chip": "presets/chip/*.toml", "queueing": "presets/queueing/*.toml",
               "xdp_object": "programs/xdp/tests/*.o", "pnml": "python/tests/petri/**/*.pnml",
               "dram_trace": "python/tests/dram/**/*.trace"}  # fmt: skip
    files = sorted(ROOT.glob(shipped.get(kind, "none")))
    return [file.read_bytes() for file in files or sorted((CORPUS / kind).iterdir())]


def draw_file(draw: random.Random, folder: Path) -> tuple[str, Callable[[], Any]]:
    """A whole request that reads a changed file."""
    kind = draw.choice(list(FILES))
    name, read = FILES[kind]
    content = bytearray(draw.choice(seeds(kind)))
    for _ in range(draw.choice([1, 1, 2, 4, 16])):
        at = draw.randrange(len(content) + 1)
        way = draw.randrange(4)
        if way == 0:
            content[at : at + 1] = bytes([draw.randrange(256)])
        elif way == 1:
            content[at:at] = draw.choice(TOKENS)
        elif way == 2:
            del content[at : at + draw.randint(1, 40)]
        else:
            start = draw.randrange(len(content) + 1)
            content[at:at] = content[start : start + draw.randint(1, 200)]
    file = folder / name
    file.write_bytes(content)
    return f"{kind} of {len(content)} bytes", lambda: read(file)


def batch(kind: str, seed: int, folder: str, say: Any) -> None:
    """Some calls of a kind in a process of their own; tells each before it is made, and what it broke."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
    place = Path(folder)
    os.chdir(place)
    draw = random.Random(seed)
    if kind == "stores":
        sound = place / "sound"
        rows = small_sweep(sound).to_dict()["rows"]
    for _ in range(BATCH):
        if kind == "calls":
            fill_again(place)
            words, call = draw_call(draw)
        elif kind == "stores":
            words, call = draw_store(draw, place, sound, rows)
        else:
            words, call = draw_file(draw, place)
        say.send((words, None))
        say.send((words, broken_law(call)))


def fill_again(folder: Path) -> None:
    """The folder as it was before a call wrote to it."""
    for entry in folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    fill(folder)


def campaign(kind: str, count: int, seed: int) -> int:
    """As many of a kind; how many broke a law. What broke one with a file is kept in `target/fuzzing/found`."""
    broken = done = 0
    for number in range(-(-count // BATCH)):
        with tempfile.TemporaryDirectory() as folder:
            hear, say = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.get_context("fork").Process(target=batch, args=(kind, seed + number, folder, say))
            process.start()
            say.close()
            words, law = "", ""
            while law is not None:
                try:
                    if not hear.poll(SECONDS + 60):
                        law = "no end"
                        process.kill()
                        break
                    words, law = hear.recv()
                except EOFError:
                    break
                if law is not None:
                    done += 1
                    if law:
                        broken += 1
                        print(f"seed {seed + number}: {words}\n    {law}", flush=True)
                law = law or ""
            process.join()
            if process.exitcode or law:
                broken += 1
                print(
                    f"seed {seed + number}: {words}\n    {law or f'the process ended with {process.exitcode}'}",
                    flush=True,
                )
                for file in Path(folder).glob("x.*"):
                    found = ROOT / "target" / "fuzzing" / "found"
                    found.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, found / f"{seed + number}-{file.name}")
    print(f"{kind}: {done:,} made, {broken} broken laws", flush=True)
    return broken


def main() -> int:
    """Run all three."""
    parser = argparse.ArgumentParser(description="Misuse of the Python API, damaged stores, damaged files.")
    parser.add_argument("--calls", type=int, default=2000, help="calls with invalid arguments")
    parser.add_argument("--stores", type=int, default=200, help="sweeps on a damaged store")
    parser.add_argument("--files", type=int, default=500, help="requests that read a damaged file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    broken = sum(campaign(kind, getattr(options, kind), options.seed) for kind in ("calls", "stores", "files"))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
