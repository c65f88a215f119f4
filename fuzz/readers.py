"""Fuzz the readers that are written in Python.

Extensions of the virtual router processor, stored results, study files, spaces of designs, kept runs.

    python fuzz/readers.py --seconds 60

Coverage-guided in this process: an input that executes a line of the reader for the first time, or goes from one line
to another in a way not seen before, is kept and changed further. What a reader may raise is a `LinecardError`; anything
else is a finding, kept in `target/fuzzing/found`. Standard library and the package itself.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from linecard import LinecardError
from linecard.chip import facts
from linecard.explore.axes import read_option
from linecard.explore.compare import compare
from linecard.explore.expression import Expression, UnknownName
from linecard.explore.objectives import read_task
from linecard.explore.points import make_points
from linecard.explore.spec import read_spec
from linecard.explore.store import Store
from linecard.study import spec
from linecard.vrp import extension

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "fuzz" / "corpus"
FOUND = ROOT / "target" / "fuzzing" / "found"
MOST_BYTES = 16_384
# Inputs that are changed even where the time is over before that.
FEWEST_CHANGED = 8
# Parts of a study in one input.
SEPARATOR = b"\n#----\n"

WORDS = [
    b"[", b"]", b"[[", b"]]", b"{", b"}", b"=", b"\n", b'"', b"'", b",", b".", b"#", b"0", b"-1", b"1e308", b"nan",
    b"inf", b"9" * 30, b"9" * 5000, b"[" * 2000, b"{a=" * 500, b"\x00", b"\xff", "\u00e9".encode(), b"true", b"null",
    b"[[ops]]\n", b'op = "compute"\n', b'op = "sram_read"\n', b"bytes = 16\n", b"cycles = 3\n", b"name", b"registers",
    b"instructions", b"2003-01-01", b'"""', b"'''",
]  # fmt: skip


def read_extension(data: bytes, folder: Path) -> None:
    """An extension as `vrp check` reads it."""
    file = folder / "extension.toml"
    file.write_bytes(data)
    extension.read_extension(file)


def read_result(data: bytes, folder: Path) -> None:
    """A stored result as `draw` reads it."""
    file = folder / "result.json"
    file.write_bytes(data)
    facts._decode(file)


def read_study(data: bytes, folder: Path) -> None:
    """A study: `study.toml`, then its other files, each behind its name."""
    study = folder / "study"
    (study / "published").mkdir(parents=True, exist_ok=True)
    parts = data.split(SEPARATOR)
    (study / "study.toml").write_bytes(parts[0])
    for name, part in zip(("deviations.toml", "published/table1.csv"), parts[1:], strict=False):
        (study / name).write_bytes(part)
    spec.load_study(str(study))


def read_space(data: bytes, folder: Path) -> None:
    """A sweep's file, and the points that it means; a few of them, for nothing is run."""
    file = folder / "space.toml"
    file.write_bytes(data)
    read_task(file) if b"optimize" in data else make_points(read_spec(file).finish())


def read_axis(data: bytes, _folder: Path) -> None:
    """An option that varies something."""
    read_option(data.decode(errors="replace"), 0)


def read_expression(data: bytes, _folder: Path) -> None:
    """A formula, and its value where one name is known."""

    def look(name: str) -> float:
        if name != "a":
            raise UnknownName(f"asks for `{name}`")
        return 2.5

    Expression.parse(data.decode(errors="replace"), "here").evaluate(look)


def read_compared(data: bytes, folder: Path) -> None:
    """A result as `compare` reads it, beside itself."""
    file = folder / "compared.json"
    file.write_bytes(data)
    compare(file, file)


def read_kept(data: bytes, folder: Path) -> None:
    """A kept run, which may be damaged in any way, and the mark of the folder."""
    store = Store(folder / "store")
    key = "ab" * 32
    mark, _, body = data.partition(SEPARATOR)
    (folder / "store" / "linecard-store.json").write_bytes(mark)
    (folder / "store" / "runs" / "ab").mkdir(exist_ok=True)
    (folder / "store" / "runs" / "ab" / f"{key}.json").write_bytes(body)
    Store(folder / "store").get(key)
    (folder / "store" / "linecard-store.json").write_bytes(b'{"format": 1, "limit_bytes": 1000}')
    store.use()


def _space_seeds() -> list[bytes]:
    spaces = [file.read_bytes() for file in sorted((ROOT / "examples" / "explore").glob("*.toml"))]
    every = (
        b'kind = "sweep"\nwhat = "dram"\ndevice = "hbm2"\nrepeat = 2\nconstraints = ["a < 3 and a * b != 4"]\n'
        b"[set]\nx = 1\n"
        b'[vary]\na = "1..9 step 2"\n"b.c" = [1, "x", true]\n[[together]]\nd = "1..8 times 2"\ne = [1, 2, 3, 4]\n'
        b'[columns]\nf = "a + 1"\n'
    )
    return [every, *spaces]


def _compared_seeds() -> list[bytes]:
    rows = b'{"rows": [{"run": "a", "x": 1, "status": "ok", "y": 2.5, "reason": null, "command": "c"}]}'
    latency = dict.fromkeys(("mean", "p50", "p90", "p99", "p999", "max"), 1)
    numbers = ("throughput_gbps", "throughput_mpps", "offered_gbps", "loss_fraction", "packets_in", "packets_out")
    summary = dict.fromkeys((*numbers, "packets_dropped", "simulated_seconds"), 1) | {"latency_ns": latency}
    plain = {"chip": "hbm2", "program": "a", "traffic": "t", "seed": 1, "version": "v", "config_hash": "c"}
    plain |= {"capture_damage": 0, "summary": summary, "bottleneck": {"component": "x", "utilization": 1}}
    run = json.dumps(plain | {"metrics": [], "request": {"overrides": []}}).encode()
    return [rows, run]


def _kept_seed() -> bytes:
    body = b'{"key": "' + b"ab" * 32 + b'", "status": "ok"}'
    kept = body + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"\n"
    return b'{"format": 1, "limit_bytes": 4000000}\n' + SEPARATOR + kept


def _study_seed() -> bytes:
    study = ROOT / "studies" / "spalink2000"
    published = sorted((study / "published").glob("*.csv"))[0]
    return SEPARATOR.join(file.read_bytes() for file in (study / "study.toml", study / "deviations.toml", published))


@dataclass
class Reader:
    """A reader with what it starts from, and the files whose lines count."""

    name: str
    read: Callable[[bytes, Path], None]
    seeds: list[bytes]
    files: tuple[str, ...]
    seen: set[tuple[str, int, int]] = field(default_factory=set)


def readers() -> list[Reader]:
    """All of them."""
    operations = (
        b'name = "x"\nregisters = 3\n[[ops]]\nop = "compute"\ncycles = 20\n[[ops]]\nop = "sram_read"\nbytes = 16\n'
    )
    result = (
        b'{"chip": "example_smartnic", "resources": [{"component": "dram", "utilization": 0.5}], "bottleneck": '
        b'{"component": "dram", "utilization": 0.9, "why": "x"}, "request": {"overrides": ["a=1"]}}'
    )
    return [
        Reader("extension_file", read_extension, [operations], ("linecard/vrp/extension.py", "tomllib/_parser.py")),
        Reader("stored_result", read_result, [result], ("linecard/chip/facts.py",)),
        Reader(
            "space",
            read_space,
            _space_seeds(),
            ("explore/spec.py", "explore/toml_file.py", "explore/axes.py", "explore/points.py"),
        ),
        Reader("axis", read_axis, [b"a.b=1,2.5,true; c='x y',z", b"a=1..9 log points 4"], ("explore/axes.py",)),
        Reader(
            "expression",
            read_expression,
            [b"max(a, 3) ** 2 <= 4.5 and not (a in (1, 'x')) or -a % 2 == 1 if a > 1 else round(sqrt(a))"],
            ("explore/expression.py",),
        ),
        Reader("compared", read_compared, _compared_seeds(), ("explore/compare.py", "explore/subjects/run.py")),
        Reader("kept_run", read_kept, [_kept_seed()], ("explore/store.py",)),
        Reader("study", read_study, [_study_seed()], ("linecard/study/spec.py", "tomllib/_parser.py", "csv.py")),
    ]


def traced(reader: Reader, data: bytes, folder: Path) -> bool:
    """Read an input; whether it went where none went before."""
    new: set[tuple[str, int, int]] = set()
    last: dict[int, int] = {}

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            key = (frame.f_code.co_name, last.get(id(frame), 0), frame.f_lineno)
            last[id(frame)] = frame.f_lineno
            if key not in reader.seen:
                new.add(key)
        return line

    def call(frame: FrameType, _event: str, _: Any) -> Any:
        return line if frame.f_code.co_filename.endswith(reader.files) else None

    sys.settrace(call)
    try:
        reader.read(data, folder)
    except LinecardError:
        pass
    finally:
        sys.settrace(None)
        reader.seen |= new
    return bool(new)


def changed(inputs: list[bytes], draw: random.Random) -> bytes:
    """An input with a few changes: bytes, words, pieces of others, pieces gone."""
    data = bytearray(draw.choice(inputs))
    for _ in range(draw.choice((1, 1, 2, 4, 8))):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << draw.randrange(8)
        elif kind == 1:
            data[at:at] = draw.choice(WORDS)
        elif kind == 2:
            del data[at : at + draw.choice((1, 4, 16, 200))]
        elif kind == 3:
            other = draw.choice(inputs)
            start = draw.randrange(len(other) + 1)
            data[at:at] = other[start : start + draw.choice((4, 40, 400))]
        elif kind == 4:
            data[at : at + draw.choice((1, 8))] = draw.choice(WORDS)
        else:
            lines = bytes(data).split(b"\n")
            draw.shuffle(lines) if draw.randrange(8) == 0 else lines.insert(
                draw.randrange(len(lines) + 1), draw.choice(lines)
            )
            data = bytearray(b"\n".join(lines))
    return bytes(data[:MOST_BYTES])


def fuzz(reader: Reader, seconds: float, seed: int) -> tuple[int, int, list[Path]]:
    """One reader for so long: executions, inputs kept, findings."""
    draw = random.Random(seed)
    kept = sorted((CORPUS / reader.name).glob("*")) if (CORPUS / reader.name).is_dir() else []
    inputs = [*reader.seeds, *(file.read_bytes() for file in kept)]
    executions, found, told = 0, [], set()
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        while time.monotonic() < end or executions < len(inputs) + FEWEST_CHANGED:
            data = inputs[executions] if executions < len(inputs) else changed(inputs, draw)
            executions += 1
            try:
                if traced(reader, data, folder):
                    inputs.append(data)
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                key = (type(error).__name__, where.filename, where.lineno)
                if key not in told:
                    told.add(key)
                    FOUND.mkdir(parents=True, exist_ok=True)
                    file = FOUND / f"{reader.name}-{type(error).__name__}-{len(told)}"
                    file.write_bytes(data)
                    found.append(file)
    return executions, len(inputs), found


def main() -> int:
    """Fuzz all readers, one after another."""
    parser = argparse.ArgumentParser(description="Fuzz the readers that are written in Python.")
    parser.add_argument("--seconds", type=float, default=60, help="for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", help="only this reader; may be repeated")
    options = parser.parse_args()
    findings = 0
    for reader in readers():
        if options.target and reader.name not in options.target:
            continue
        executions, inputs, found = fuzz(reader, options.seconds, options.seed)
        findings += len(found)
        names = " ".join(file.name for file in found) or "nothing"
        rate = executions / max(options.seconds, 1e-9)
        print(
            f"{reader.name:20} {executions:11,} {rate:9,.0f} {len(reader.seen):9,} {inputs:7,} {'':9}  {names}",
            flush=True,
        )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
