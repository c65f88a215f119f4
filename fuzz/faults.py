"""Faults: processes that are killed, disks that fill up, reads that fail, inputs that change, two processes at once.

    python fuzz/faults.py --kills 200

What must hold after each: nothing that was finished is lost, no half file stands under a final name, no temporary file
stays where the process lived to remove it, and messages name the file. Needs no privileges; standard library and the
package.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINECARD = [sys.executable, "-m", "linecard"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

RUN = ["run", "ixp1200", "--packets", "3000", "--warmup", "0", "--json"]
DRAM = ["dram", "run", "ddr4_2400", "--pattern", "random", "--count", "20000", "--json"]
TRACE = ["program", "trace", "checksum", "--packets", "400", "--json", "--cache", "kept"]


class Lost(Exception):
    """What did not hold."""


def check(holds: bool, *words: object) -> None:
    """Raise with these words unless it holds."""
    if not holds:
        raise Lost(" ".join(map(str, words)))


def ended(command: list[str], folder: Path, **more: object) -> subprocess.CompletedProcess[bytes]:
    """A command that is left alone."""
    return subprocess.run([*LINECARD, *command], cwd=folder, capture_output=True, env=ENVIRONMENT, check=False, **more)  # type: ignore[call-overload,no-any-return]


def no_traceback(of: subprocess.CompletedProcess[bytes]) -> None:
    """Whatever went wrong was said in words."""
    for mark in (b"Traceback", b"panicked at"):
        check(mark not in of.stderr, mark, of.stderr[-500:])


def temporaries(folder: Path) -> list[Path]:
    """Files under names that are none of the user's."""
    return [path for path in folder.rglob("*") if path.name.startswith(".") and path.is_file()]


@contextmanager
def scratch() -> Iterator[Path]:
    """An empty folder."""
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


# ---- killed ----


def kills(count: int, seed: int) -> str:
    """SIGKILL at random instants of a run that writes, and of one that keeps a trace."""
    draw = random.Random(seed)
    with scratch() as folder:
        commands = [
            (["out.csv", "out.json"], [*RUN, "-o", "out.csv", "--timeline", "out.json"]),
            (["requests.csv", "commands.csv"], [*DRAM, "--requests", "requests.csv", "--commands", "commands.csv"]),
            ([], TRACE),
        ]
        whole: dict[str, bytes] = {}
        printed, seconds = [], []
        for names, command in commands:
            start = time.monotonic()
            first = ended(command, folder)
            seconds.append(time.monotonic() - start)
            check(first.returncode == 0, first.stderr)
            printed.append(first.stdout)
            whole |= {name: (folder / name).read_bytes() for name in names}
        finished = 0
        for number in range(count):
            which = number % len(commands)
            names, command = commands[which]
            for name in names:
                (folder / name).unlink(missing_ok=True)
            if which == 2 and number % 2:
                # Now it has to be made and stored again.
                for kept in (folder / "kept").glob("*.trace"):
                    kept.unlink()
            child = subprocess.Popen(
                [*LINECARD, *command], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT
            )
            # At any instant, but most often towards the end, where files get their names.
            time.sleep(seconds[which] * draw.choice((draw.random(), 0.7 + 0.5 * draw.random())))
            child.kill()
            finished += child.wait() == 0
            for name in names:
                file = folder / name
                check(not file.exists() or file.read_bytes() == whole[name], name, "is neither whole nor absent")
            if which == 2:
                again = ended(command, folder)
                check(again.returncode == 0 and again.stdout == printed[2], "a kept trace was lost", again.stderr)
                check(b"rebuilt" not in again.stderr, "half a trace stood under its name", again.stderr)
        check(0 < finished < count or count < 20, f"{finished} of {count} had ended: the instants are no random ones")
    return f"{count} kills, {count - finished} of them before the end"


# ---- full, failing, changing ----


def full_disk() -> str:
    """Files may grow to so many bytes only, which is what a full disk is to a process that writes."""
    sizes = (0, 1, 4096, 20_000)

    def bounded(size: int) -> Callable[[], None]:
        def apply() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        return apply

    cases = 0
    for size in sizes:
        for command, option, name in (
            (RUN, "-o", "out.csv"),
            (RUN, "--timeline", "out.json"),
            (DRAM, "--requests", "requests.csv"),
            (DRAM, "--commands", "commands.csv"),
        ):
            with scratch() as folder:
                told = ended([*command, option, name], folder, preexec_fn=bounded(size))
                no_traceback(told)
                left = sorted(path.name for path in folder.iterdir())
                if name in left:
                    check(told.returncode == 0, name, "was written, and the status is", told.returncode)
                else:
                    check(told.returncode == 2, option, size, "status", told.returncode, told.stderr)
                    check(name.encode() in told.stderr, "the message does not name", name, told.stderr)
                    check(not left, "left behind:", left)
                check(bool(json.loads(told.stdout)), "the result was lost")
                cases += 1
        with scratch() as folder:
            told = ended(TRACE, folder, preexec_fn=bounded(size))
            no_traceback(told)
            check(told.returncode == 0 and bool(json.loads(told.stdout)), "the trace was lost", told.stderr)
            check(not temporaries(folder), "left behind:", temporaries(folder))
            cases += 1
    return f"{cases} writes to a disk that fills up"


def failing_reads() -> str:
    """A file whose reads fail with an error of the device."""
    source = Path("/proc/self/mem")
    check(source.exists(), "needs a /proc whose mem cannot be read from its beginning")
    cases = (
        ["flows", str(source)],
        ["run", "ixp1200", "--trace", str(source)],
        ["flowcache", str(source)],
        ["dram", "run", "ddr4_2400", "--trace", str(source)],
        ["petri", "explore", str(source)],
        ["program", "run", str(source)],
        ["run", "ixp1200", "--set", f"program.routes={source}", "--packets", "10"],
        ["vrp", "check", str(source)],
    )
    for command in cases:
        with scratch() as folder:
            told = ended(command, folder)
            no_traceback(told)
            check(told.returncode in (2, 3), command, "status", told.returncode, told.stderr)
            check(str(source).encode() in told.stderr, "the message does not name the file:", told.stderr)
    return f"{len(cases)} inputs whose reads fail"


def no_place_to_write() -> str:
    """Folders in which nothing can be made: nobody may write below /proc, not even root."""
    places = ("/proc/out.csv", "/proc/self/out.csv")
    for place in places:
        for command, option in ((RUN, "-o"), (RUN, "--timeline"), (DRAM, "--requests")):
            with scratch() as folder:
                told = ended([*command, option, place], folder)
                no_traceback(told)
                check(told.returncode == 2 and place.encode() in told.stderr, place, told.stderr)
                check(told.stdout == b"", "a run began that could not write its result")
    return f"{3 * len(places)} places that cannot be written to"


def _capture(packets: int) -> bytes:
    sys.path.insert(0, str(ROOT / "python" / "tests"))
    from conftest import ipv4_frame, pcap_bytes

    return pcap_bytes([ipv4_frame(number % 200) for number in range(packets)])


def short_reads(seed: int) -> str:
    """A pipe that gives a byte at a time, or a few: the result is that of the file."""
    capture = _capture(40)
    draw = random.Random(seed)
    with scratch() as folder:
        (folder / "whole.pcap").write_bytes(capture)
        expected = json.loads(ended(["flows", "whole.pcap", "--json"], folder).stdout)
        for most in (1, 7, 300):
            pipe = folder / f"pipe-{most}"
            os.mkfifo(pipe)

            def feed(pipe: Path = pipe, most: int = most) -> None:
                with pipe.open("wb", buffering=0) as out:
                    at = 0
                    while at < len(capture):
                        part = draw.randint(1, most)
                        out.write(capture[at : at + part])
                        at += part

            feeder = threading.Thread(target=feed)
            feeder.start()
            told = ended(["flows", pipe.name, "--json"], folder)
            feeder.join()
            found = json.loads(told.stdout)
            for key in ("packets", "wire_bytes", "flows"):
                check(found.get(key) == expected.get(key), key, found.get(key), expected.get(key))
    return "3 pipes that give a few bytes at a time"


def changing_input() -> str:
    """A capture that shrinks, grows and is replaced while it is read."""
    capture = _capture(60_000)
    cases = 0
    for change in ("shrink", "grow", "replace", "remove"):
        with scratch() as folder:
            file = folder / "changing.pcap"
            file.write_bytes(capture)
            child = subprocess.Popen(
                [*LINECARD, "flows", file.name, "--json"],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=ENVIRONMENT,
            )
            for step in range(40):
                if child.poll() is not None:
                    break
                if change == "shrink":
                    os.truncate(file, max(24, len(capture) >> (step % 12)))
                elif change == "grow":
                    with file.open("ab") as out:
                        out.write(b"\xff" * 997)
                elif change == "replace":
                    other = folder / "other"
                    other.write_bytes(capture[: 1000 + step])
                    other.replace(file)
                elif step == 3:
                    file.unlink()
                time.sleep(0.02)
            out, err = child.communicate()
            told = subprocess.CompletedProcess((), child.returncode, out, err)
            no_traceback(told)
            check(child.returncode in (0, 2, 3), change, "status", child.returncode, err)
            check(child.returncode == 2 or not out or bool(json.loads(out)), change, "left half a result")
            cases += 1
    return f"{cases} captures that change while they are read"


def two_at_once(rounds: int) -> str:
    """Several processes that write the same file, and that keep the same traces."""
    with scratch() as folder:
        alone = ended([*RUN, "-o", "out.csv"], folder)
        whole = (folder / "out.csv").read_bytes()
        kept = ended(TRACE, folder).stdout
        for _ in range(rounds):
            for file in (folder / "kept").glob("*.trace"):
                file.unlink()
            children = [
                subprocess.Popen(
                    [*LINECARD, *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
                )
                for command in ([*RUN, "-o", "out.csv"], [*RUN, "-o", "out.csv"], TRACE, TRACE)
            ]
            told = [child.communicate() for child in children]
            check(all(child.returncode == 0 for child in children), [err for _, err in told])
            check((folder / "out.csv").read_bytes() == whole, "the file of two processes is of neither")
            check(told[2][0] == told[3][0] == kept, "the trace of two processes is of neither")
        check(alone.returncode == 0 and not temporaries(folder), "left behind:", temporaries(folder))
    return f"{rounds} rounds of four processes at once"


def clock_jumps() -> str:
    """Files from the future and from the beginning of time, as a clock that jumps leaves them."""
    with scratch() as folder:
        first = ended(TRACE, folder)
        (file,) = (folder / "kept").glob("*.trace")
        for moment in (0, time.time() + 10 * 365 * 86_400):
            os.utime(file, (moment, moment))
            shown = ended(["cache", "show", "kept", "--json"], folder)
            no_traceback(shown)
            check(shown.returncode == 0 and bool(json.loads(shown.stdout)["traces"]), shown.stderr)
            again = ended(TRACE, folder)
            check(again.stdout == first.stdout and again.stderr == first.stderr, again.stderr)
            check(file.exists(), "a clock that jumped took the trace away")
    return "2 jumps of the clock"


def main() -> int:
    """All faults, one after another."""
    parser = argparse.ArgumentParser(description="Faults of every kind.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=10, help="of processes at once")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    faults: list[Callable[[], str]] = [
        lambda: kills(options.kills, options.seed),
        full_disk,
        failing_reads,
        no_place_to_write,
        lambda: short_reads(options.seed),
        changing_input,
        lambda: two_at_once(options.rounds),
        clock_jumps,
    ]
    lost = 0
    for fault in faults:
        try:
            print(f"survived: {fault()}", flush=True)
        except Lost as words:
            lost += 1
            print(f"lost: {words}", flush=True)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
