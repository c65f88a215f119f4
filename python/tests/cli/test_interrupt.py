"""Does Ctrl-C end every long command, with status 130 and without a traceback?

Each test starts a real process whose stderr is a terminal, waits until it draws its progress, which proves that the
work has begun, and sends SIGINT. The times are time-outs of the tests: nothing here depends on the speed of the
machine.
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
from conftest import ROOT

HANG = ROOT / "python" / "tests" / "hang"
# The timeouts of the tests; an idle machine needs 3 s and 0.1 s.
SECONDS_TO_START = 120
SECONDS_TO_END = 60
# The processor time between Ctrl-C and the end, over all threads, may be a second on each processor. Processor time is
# counted, so that other processes of the machine do not matter.
WORK_SECONDS = 1.0 * (os.cpu_count() or 1)

COMMANDS = {
    "a run": (("run", "ixp1200", "--packets", "2000000000"), "Simulating"),
    "a study": (("reproduce", "hasan2003", "--jobs", "2"), "Simulating"),
    "caches": (("flowcache", "many.u32le", "--entries", ",".join(map(str, range(1024, 16384, 4)))), "Simulating"),
    "invariants": (("petri", "explore", HANG / "invexp.toml", "--invariants", "--limit", "1000"), "Exploring"),
    "markings": (("petri", "explore", HANG / "petri-hang-84.toml", "--limit", "4000000000"), "Exploring"),
    "markings on all cores": (("petri", "explore", "ring.toml", "--limit", "4000000000"), "Exploring"),
    "instructions": (("program", "run", HANG / "loop.elf", "--budget", "1000000000000000"), "Running"),
    "immediate": (("petri", "simulate", "immediate.toml", "--time", "1e12"), "Simulating"),
    "a picture": (("petri", "draw", "bindings.pnml", "-o", "net.svg"), None),
    "unfolding": (("petri", "explore", "bindings.pnml"), "Exploring"),
    "a pipe without a writer": (("flows", "pipe"), None),
    "a table behind a pipe": (("run", "ixp1200", "--set", "program.routes=pipe", "--packets", "9"), None),
    "idle refreshes": (
        ("dram", "run", "ddr4_2400", "--trace", "gap.csv", "--commands", "commands.csv"),
        "Simulating",
    ),
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


def bindings() -> str:
    """A net of a few lines that unfolds to four million transitions."""
    names = ("w", "x", "y", "z")
    sort = '<usersort declaration="n"/>'
    declared = "".join(f'<variabledecl id="{name}">{sort}</variabledecl>' for name in names)
    arcs = "".join(
        f'<arc id="a{name}" source="t" target="p"><hlinscription><structure><variable refvariable="{name}"/>'
        "</structure></hlinscription></arc>"
        for name in names
    )
    return (
        '<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet"><declaration><structure>'
        '<declarations><namedsort id="n"><finiteintrange start="0" end="44"/></namedsort>'
        f'{declared}</declarations></structure></declaration><page id="g"><place id="p"><type><structure>{sort}'
        f'</structure></type></place><transition id="t"/>{arcs}</page></net></pnml>'
    )


def ring(places: int, tokens: int) -> str:
    """A net with one marking for each distribution of its tokens over its places."""
    text = 'name = "ring"\n'
    for n in range(places):
        text += f'[[place]]\nname = "p{n}"\ntokens = {tokens if n == 0 else 0}\n'
        text += f'[[transition]]\nname = "t{n}"\nkind = "exp"\nrate = 1\n'
    for n in range(places):
        text += f'[[arc]]\nfrom = "p{n}"\nto = "t{n}"\n[[arc]]\nfrom = "t{n}"\nto = "p{(n + 1) % places}"\n'
    return text


GAP = "arrival,op,address\n0,R,0x0\n999999999999,R,0x40\n"


def read_until(terminal: int, wanted: str, seconds: float) -> str:
    """Read from a terminal until a text appears; fails on a time-out, or if the other end closes."""
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


def work_of(process: int) -> float:
    """Processor seconds of all threads of a process, even of one that has just ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_busy(process: int) -> None:
    """Wait until a command without progress has run for longer than its imports take."""
    end = time.monotonic() + SECONDS_TO_START
    while work_of(process) < 3.0:
        assert time.monotonic() < end, f"not at its work within {SECONDS_TO_START} s"
        time.sleep(0.05)


def open_when_read(pipe: Path) -> int:
    """Open a pipe for writing as soon as a process reads it; the process then waits for data that are never written."""
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"nobody read {pipe.name} within {SECONDS_TO_START} s")


@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_ends_a_long_command(name, tmp_path):
    command, sign = COMMANDS[name]
    (tmp_path / "immediate.toml").write_text(IMMEDIATE)
    (tmp_path / "ring.toml").write_text(ring(places=12, tokens=60))
    (tmp_path / "gap.csv").write_text(GAP)
    digests = random.Random(1)
    (tmp_path / "many.u32le").write_bytes(digests.randbytes(1 << 20) * 16)
    (tmp_path / "bindings.pnml").write_text(bindings())
    os.mkfifo(tmp_path / "pipe")
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
    writer = None
    try:
        if "pipe" in str(command):
            writer = open_when_read(tmp_path / "pipe")
        elif sign is None:
            wait_until_busy(process.pid)
        else:
            read_until(ours, sign, SECONDS_TO_START)
        worked = work_of(process.pid)
        process.send_signal(signal.SIGINT)
        said = rest_of(ours)
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        worked = work_of(process.pid) - worked
        assert process.wait(SECONDS_TO_END) == 130, said
        assert worked < WORK_SECONDS, f"worked for {worked} s after Ctrl-C"
        assert process.stdout is not None
        assert process.stdout.read() == b""
    finally:
        if writer is not None:
            os.close(writer)
        process.kill()
        process.communicate()
        os.close(ours)
    assert sorted(tmp_path.iterdir()) == before
    assert "Traceback" not in said


def test_a_net_that_fires_for_ever_without_time_says_so(cli):
    ended = cli("petri", "simulate", HANG / "livelock.toml")
    assert ended.status == 2
    assert "fire forever" in ended.err
