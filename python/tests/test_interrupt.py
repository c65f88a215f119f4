"""Does Ctrl-C end every long command, with status 130 and without a traceback?

Each test starts a real process whose stderr is a terminal, waits until it draws its progress, which is the proof that
the work is under way, and sends SIGINT. The times are those after which a test gives up: nothing here depends on how
fast the machine is.
"""

from __future__ import annotations

import os
import pty
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HANG = Path(__file__).parent / "hang"
# What is waited for before a test fails; an idle machine needs 3 s and 0.1 s.
SECONDS_TO_START = 120
SECONDS_TO_END = 60

COMMANDS = {
    "a run": (("run", "ixp1200", "--packets", "2000000000"), "Simulating"),
    "a study": (("reproduce", "hasan2003", "--jobs", "2"), "Simulating"),
    "caches": (("flowcache", "many.u32le", "--entries", ",".join(map(str, range(1024, 16384, 4)))), "Simulating"),
    "invariants": (("petri", "explore", HANG / "invexp.toml", "--invariants", "--limit", "1000"), "Exploring"),
    "markings": (("petri", "explore", HANG / "petri-hang-84.toml", "--limit", "4000000000"), "Exploring"),
    "instructions": (("program", "run", HANG / "loop.elf", "--budget", "1000000000000000"), "Running"),
    "immediate": (("petri", "simulate", "immediate.toml", "--time", "1e12"), "Simulating"),
    "idle refreshes": (("dram", "run", "-d", "ddr4_2400", "--trace", "gap.csv"), "Simulating"),
}
# A transition that fires for ever, so that a run neither ends nor grows.
IMMEDIATE = """
name = "switches"
[[place]]
name = "a"
tokens = 1
[[transition]]
name = "go"
kind = "exp"
rate = 1e9
[[arc]]
from = "a"
to = "go"
[[arc]]
from = "go"
to = "a"
"""
GAP = "arrival,op,address\n0,R,0x0\n999999999999,R,0x40\n"


def read_until(terminal: int, wanted: str, seconds: float) -> str:
    """What comes from a terminal until a text is among it; fails when time is up or the other end closes."""
    seen = ""
    end = time.monotonic() + seconds
    while wanted not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"nothing like {wanted!r} within {seconds} s: {seen!r}"
        try:
            seen += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            pytest.fail(f"ended before {wanted!r}: {seen!r}")
    return seen


def rest_of(terminal: int) -> str:
    seen = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            return seen.decode(errors="replace")
        if not part:
            return seen.decode(errors="replace")
        seen += part


@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_ends_a_long_command(name, tmp_path):
    command, sign = COMMANDS[name]
    (tmp_path / "immediate.toml").write_text(IMMEDIATE)
    (tmp_path / "gap.csv").write_text(GAP)
    digests = random.Random(1)
    (tmp_path / "many.u32le").write_bytes(digests.randbytes(1 << 20) * 16)
    before = sorted(tmp_path.iterdir())
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "linecard", *map(str, command)],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    os.close(theirs)
    try:
        read_until(ours, sign, SECONDS_TO_START)
        process.send_signal(signal.SIGINT)
        said = rest_of(ours)
        assert process.wait(SECONDS_TO_END) == 130, said
        assert process.stdout is not None
        assert process.stdout.read() == b""
    finally:
        process.kill()
        process.communicate()
        os.close(ours)
    assert sorted(tmp_path.iterdir()) == before
    assert "Traceback" not in said


def test_a_net_that_fires_for_ever_without_time_says_so(cli):
    ended = cli("petri", "simulate", HANG / "livelock.toml")
    assert ended.status == 2
    assert "fire for ever" in ended.err
