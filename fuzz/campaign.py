"""The campaign: random requests and random command lines, as many as asked for, in processes of bounded memory.

    python fuzz/campaign.py --cases 10000 --lines 1000

Requests (`fuzz/src/random/`) are run by a program in Rust with all checks on; a process that dies leaves the case it
died of. Command lines are drawn from the options of every command, with numbers at and beyond what an option takes.
Each line runs in a process of its own. It must end within its time, with a status that the guide lists, without a
traceback or the text of a panic, with JSON of finite numbers where it was asked for JSON, and with the same bytes when
it is run again.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
FOUND = TARGET / "fuzzing" / "found"
CASES_OF_A_PROCESS = 1000
MOST_BYTES = 4 << 30
SECONDS_OF_A_LINE = 120
# What the guide lists: docs/guide/errors.md.
STATUSES = {0, 1, 2, 3, 4}

SMALL = {"--packets": "50", "--warmup": "0", "--operations": "300", "--count": "50", "--time": "50", "--events": "500"}
# Options whose large values only take long, and what is a lot for a test.
COUNTS = {"--packets", "--operations", "--count", "--time", "--events", "--warmup", "--replications", "--limit",
          "--windows", "--budget", "--most-replications", "--jobs", "--threads", "--most"}  # fmt: skip
# Options that name what is written.
WRITTEN = {"--output", "--timeline", "--requests", "--commands"}
# Files that lines name; a line that reads one must not write it.
INPUTS = ("INPUT.pcap", "INPUT.csv", "EXTENSION.toml", "NET.toml")
EXTREMES = ["0", "1", "-1", "2", "4294967295", "4294967296", "9223372036854775807", "18446744073709551615",
            "18446744073709551616", "1e308", "-1e308", "1e-308", "nan", "inf", "-inf", "0.5", "x", ""]  # fmt: skip


def limited() -> None:
    """Bounds of a process: a request that wants more memory dies of it, and is found."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def requests(cases: int, seed: int, *kind: str) -> int:
    """Random requests, or chips put together from nothing (`chips`); how many broke a law."""
    triple = ["--profile", "fuzz", "--package", "linecard-fuzz", "--bin", "campaign"]
    subprocess.run(["cargo", "build", "--locked", *triple], cwd=ROOT, check=True)
    FOUND.mkdir(parents=True, exist_ok=True)
    totals: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        for number in range(math.ceil(cases / CASES_OF_A_PROCESS)):
            count = min(CASES_OF_A_PROCESS, cases - number * CASES_OF_A_PROCESS)
            command = [str(TARGET / "fuzz" / "campaign"), str(seed + number), str(count), place, *kind]
            environment = {**os.environ, "FUZZ_SCRATCH": place}
            ended = subprocess.run(
                command, capture_output=True, text=True, preexec_fn=limited, env=environment, check=False
            )
            *lines, last = ended.stdout.splitlines() or [""]
            for line in lines:
                print(line, flush=True)
            counts = re.fullmatch(r"(\d+) cases, (\d+) results, (\d+) refused, (\d+) broken laws", last)
            if counts:
                totals.update(
                    dict(zip(("cases", "results", "refused", "broken"), map(int, counts.groups()), strict=True))
                )
            else:
                totals["broken"] += 1
                kept = FOUND / f"campaign-{seed + number}-died"
                shutil.copy(Path(place) / "case", kept)
                print(f"{kept}: ended with {ended.returncode}: {ended.stderr[-300:]}")
            for broken in Path(place).glob("broken-*"):
                shutil.move(broken, FOUND / broken.name)
    print(
        f"{kind[0] if kind else 'requests'}: {totals['cases']:,} drawn, {totals['results']:,} results, "
        f"{totals['refused']:,} refused, {totals['broken']} broken laws",
        flush=True,
    )
    return totals["broken"]


def commands() -> dict[tuple[str, ...], list[Any]]:
    """Every command that reports, with its options."""
    import typer

    from linecard.cli import app

    found: dict[tuple[str, ...], list[Any]] = {}

    def walk(command: Any, path: tuple[str, ...]) -> None:
        inner = getattr(command, "commands", None)
        if inner is None:
            found[path] = command.params
        for name, child in (inner or {}).items():
            walk(child, (*path, name))

    walk(typer.main.get_command(app), ())
    # These write folders, compile, or run for minutes by nature; they have tests of their own.
    for path in [("reproduce",), ("compare-models",), ("program", "build"), ("cache", "clear"), ("cache", "show")]:
        found.pop(path, None)
    return found


WORDS: dict[str, list[str]] = {
    "chip": ["ixp1200", "example_smartnic", "ixp2400", "ixp2800", "ixp1200_eval", "ddr4_2400", "nothing"],
    "preset": ["ixp1200", "example_smartnic", "ddr4_2400", "frfcfs_open", "nothing"],
    "kind": ["platforms", "dram", "nothing"],
    "trace": ["INPUT.pcap"],
    "program": ["checksum", "classify"],
    "net": ["girish2008_dram", "ixp2400_ipv4", "NET.toml"],
    "file": ["OUT"],
    "extension": ["EXTENSION.toml"],
    "device": ["ddr4_2400", "sdr100"],
    "--pattern": ["random", "stream"],
    "--workload": ["R", "U", "SD16_90", "L1.1", "MIX30_2_4_10"],
    "--program": ["l3fwd16", "nat", "firewall", "vanilla_ip", "checksum", "classify"],
    "--trace": ["INPUT.pcap", "INPUT.csv"],
    "--set": ["dram.banks=N", "traffic.rate_gbps=N", "clock.engine_mhz=N", "cluster.island.count=N", "queues=N"],
}


def draw_line(path: tuple[str, ...], params: list[Any], draw: random.Random) -> list[str]:
    """A command line: what the command needs, and one to four options besides."""
    words = list(path)

    def value(param: Any, name: str) -> str:
        known = WORDS.get(name) or WORDS.get(str(param.name))
        if known:
            return draw.choice(known).replace("N", draw.choice(EXTREMES))
        bounds = (getattr(param.type, "min", None), getattr(param.type, "max", None))
        near = [str(bound + by) for bound in bounds if bound is not None for by in (-1, 0, 1)]
        if name in COUNTS:
            # A large count is no finding, only long.
            return draw.choice([*near[:3], "0", "1", "-1", "7", "60", "18446744073709551616", "x", "nan"])
        return draw.choice(near) if near and draw.random() < 0.5 else draw.choice(EXTREMES)

    options = []
    for param in params:
        if not param.opts[0].startswith("-"):
            words.append(value(param, str(param.name)))
        elif param.name != "help":
            options.append(param)
    for name, small in SMALL.items():
        if any(name in param.opts for param in options):
            words += [name, small]
    needed = [param for param in options if param.required or param.opts[0] in ("--workload", "--program", "--pattern")]
    others = [param for param in options if param not in needed]
    chosen = needed + draw.sample(others, min(len(others), draw.choice((1, 1, 2, 2, 3, 4))))
    for param in chosen:
        name = param.opts[0]
        if name in WRITTEN:
            words += [name, draw.choice(["OUT", "OUT", "no/such", "/dev/null", "-", *INPUTS])]
        elif getattr(param, "is_flag", False):
            words.append(name)
        else:
            words.append(f"{name}={value(param, name)}")
    if any("--json" in param.opts for param in options) and draw.random() < 0.7:
        words.append("--json")
    return list(dict.fromkeys(words))


def fill(folder: Path) -> None:
    """The files that lines name."""
    sys.path.insert(0, str(ROOT / "python" / "tests"))
    from conftest import ipv4_frame, pcap_bytes

    (folder / "INPUT.pcap").write_bytes(pcap_bytes([ipv4_frame(number) for number in range(30)]))
    (folder / "INPUT.csv").write_text("arrival,op,address\n0,R,0x0\n5,W,0x40\n")
    (folder / "EXTENSION.toml").write_text('name = "x"\n[[ops]]\nop = "sram_read"\nbytes = 16\n')
    (folder / "NET.toml").write_text(
        'name = "x"\n[[place]]\nname = "a"\ntokens = 2\n[[transition]]\nname = "t"\nkind = "exp"\nrate = 1.0\n'
        '[[arc]]\nfrom = "a"\nto = "t"\n[[arc]]\nfrom = "t"\nto = "a"\n'
    )


def run_line(words: list[str], folder: Path) -> tuple[int, bytes, bytes, bool]:
    """Status, stdout, stderr of a line in a process of its own, and whether it was out of time."""
    out, err = folder / "stdout", folder / "stderr"
    child = os.fork()
    if child == 0:
        status: Any = 255
        try:
            limited()
            os.chdir(folder)
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            for number, file in ((1, out), (2, err)):
                os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
            sys.argv = ["linecard", *words]
            from linecard.cli import main

            main()
            status = 0
        except SystemExit as left:
            status = left.code or 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(int(status))
    end = time.monotonic() + SECONDS_OF_A_LINE
    late = False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            late = True
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            break
        time.sleep(0.005)
    return os.waitstatus_to_exitcode(status), out.read_bytes(), err.read_bytes(), late


def finite(value: Any) -> bool:
    """Whether all numbers of plain data are."""
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, list):
        return all(map(finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def without_clock(value: Any) -> Any:
    """Plain data without what a clock on the wall says."""
    if isinstance(value, dict):
        return {
            key: without_clock(each) for key, each in value.items() if "wall" not in key and "packets_per" not in key
        }
    return [without_clock(each) for each in value] if isinstance(value, list) else value


def broken_law(words: list[str], folder: Path, again: bool) -> str:
    """What a line broke; nothing if it is sound."""
    status, out, err, late = run_line(words, folder)
    if late:
        return f"no end within {SECONDS_OF_A_LINE} s"
    if status not in STATUSES:
        return f"status {status}: {err[-300:].decode(errors='replace')}"
    for mark in (
        b"Traceback (most recent call last)",
        b"panicked at",
        b"RUST_BACKTRACE",
        b"PanicException",
        b"internal error",
    ):
        if mark in err or mark in out:
            return f"{mark.decode()}: {err[-400:].decode(errors='replace')}"
    if status and not err.strip():
        return f"status {status} without a word"
    told = None
    # A line that writes a table to stdout as well has more there than JSON.
    if "--json" in words and status == 0 and "-" not in words:
        try:
            told = json.loads(out)
        except ValueError as error:
            return f"no JSON: {error}"
        if not finite(told):
            return "a number of the JSON is not finite"
    if again and told is not None:
        _, repeated, _, _ = run_line(words, folder)
        if without_clock(json.loads(repeated)) != without_clock(told):
            return "other bytes when it is run again"
    return ""


def lines(count: int, seed: int) -> int:
    """Random command lines; how many broke a law."""
    import linecard.cli  # noqa: F401 - imported once, before the processes part

    draw, broken, statuses = random.Random(seed), 0, Counter[str]()
    known = commands()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        fill(folder)
        before = {name: (folder / name).read_bytes() for name in INPUTS}
        for number in range(count):
            path = draw.choice(list(known))
            words = draw_line(path, known[path], draw)
            law = broken_law(words, folder, again=number % 4 == 0)
            for name in INPUTS:
                if (folder / name).read_bytes() != before[name]:
                    # What a line does not read it may write.
                    if sum(name in word for word in words) > 1:
                        law = f"{name} was written over"
                    (folder / name).write_bytes(before[name])
            statuses[" ".join(path)] += 1
            if law:
                broken += 1
                print(f"linecard {' '.join(words)}\n    {law}", flush=True)
    print(f"command lines: {count:,} of {len(statuses)} commands, {broken} broken laws", flush=True)
    return broken


def main() -> int:
    """Run both."""
    parser = argparse.ArgumentParser(description="Random requests and random command lines.")
    parser.add_argument("--cases", type=int, default=10_000, help="random requests")
    parser.add_argument("--chips", type=int, default=5000, help="random chips of stages and rings, at any cost")
    parser.add_argument("--lines", type=int, default=500, help="random command lines")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    broken = lines(options.lines, options.seed) if options.lines else 0
    broken += requests(options.cases, options.seed) if options.cases else 0
    broken += requests(options.chips, options.seed, "chips") if options.chips else 0
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
