"""Fuzz every reader: build the fuzzer, give each target its time, and say what was executed and found.

    python fuzz/run.py --seconds 60                     every target for a minute
    python fuzz/run.py --seconds 600 --target pnml      one of them
    python fuzz/run.py --merge                          keep in fuzz/corpus the least files that reach what was reached

Works with the stable toolchain: libFuzzer comes with the crate `libfuzzer-sys`, and the compiler counts branches when
it is told so. A crash, a run of more than ten seconds or of more than a gibibyte is a finding: its input is written to
`target/fuzzing/found/TARGET-…`. Standard library only.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "fuzzing"
CORPUS = ROOT / "fuzz" / "corpus"
# Counters of branches and comparisons, as libFuzzer wants them; the flags are of the stable compiler.
COVERAGE = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
]
MOST_SECONDS_OF_A_RUN = 10
MOST_MIB = 1024
# Longer inputs are slower and reach no more; a program is as long as it is.
MOST_BYTES = 16_384
MOST_BYTES_OF = {"elf": 65_536, "xdp_object": 32_768}
WORDS_OF_A_DICTIONARY = 400


# Inputs that no file of the repository holds by itself; where a target chooses by its first byte, that stands in front.
SMALL = {
    "prefixes": ["192.0.2.0/24 a\n# x\n10.0.0.0/8\n::/0\n"],
    "routes": ["192.0.2.0/24 hop1\n10.0.0.0/8 hop2\n0.0.0.0/0 hop3\n"],
    "sizes": ["bytes,weight\n40,0.5\n1500,0.5\n"],
    "extension": ['[{cycles=20}, {op="read", at="table", bytes=16}, {op="ask", at="hash"}]', "64:100, 1500:900"],
    "queueing": ["\0SD16_90\nthreads=16\n", "\1R\nlevels=3\nclasses=2\n", "\2MIX30_2_4_10\nqueues=64\n"],
    "flow_cache": ["lru\n5-tuple\ncrc32\n1024 4\n", "sp:2\nsrc/24,dst\nxxh32\n64 64\n"],
    "expression": ["\0n > 0 and n < 5", "\1if n > 2 then n - 1 else n", "\0021.0 + size * 2", "\3max(2, 3)", "\4all"],
    "dram_trace": [
        "\0arrival,op,address\n0,R,0x0\n5,W,0x40\n",
        "\0020x40 READ 0\n0x80 WRITE 3\n",
        "\3LD 0x40\nST 64\n",
    ],
    "dram_overrides": ["\0timing.tRCD=11\npolicy.transaction_queue=4\n"],
    "chip_overrides": ["\0cluster.island.count=2\ntraffic.rate_gbps=5 Gbit/s\n"],
    "machine_overrides": ["\0dram.banks=4\nreceive.mode=paced\n", "\3app.scheme=HB\n"],
    "digests": ["\0abcdabcdefghefgh"],
    "pnml": [
        '<pnml><net id="n" type="ptnet"><place id="p"><initialMarking><text>2</text></initialMarking></place>'
        '<transition id="t"/><arc id="a" source="p" target="t"><inscription><text>1</text></inscription></arc></net>'
        "</pnml>"
    ],
}


@dataclass
class Outcome:
    """What a target's time came to."""

    target: str
    executions: int
    a_second: int
    branches: int
    inputs: int
    peak_mib: int
    found: list[Path]


def build() -> Path:
    """The fuzzer, compiled with counters; its own folder, so that no other build is made anew for it."""
    if not any(map(shutil.which, (os.environ.get("CXX", "c++"), "g++", "clang++"))):
        sys.exit("found no C++ compiler, which libFuzzer needs: install g++ or clang, or set CXX")
    triple = re.search(
        r"^host: (.*)$", subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout, re.M
    )
    assert triple, "rustc says what it is built for"
    # With a target named, build scripts and macros are compiled without the counters.
    command = [
        "cargo",
        "build",
        "--locked",
        "--package",
        "linecard-fuzz",
        "--bin",
        "linecard-fuzz",
        "--features",
        "libfuzzer",
    ]
    command += ["--profile", "fuzz", "--target", triple[1]]
    environment = {**os.environ, "RUSTFLAGS": " ".join(COVERAGE), "CARGO_TARGET_DIR": str(BUILD)}
    environment.pop("CARGO_ENCODED_RUSTFLAGS", None)
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return BUILD / triple[1] / "fuzz" / "linecard-fuzz"


def targets() -> list[str]:
    """Their names, in the order in which the crate lists them."""
    text = (ROOT / "fuzz" / "src" / "targets" / "mod.rs").read_text()
    return re.findall(r"^    \w+::(\w+),$", text, re.M)


def shipped_seeds(target: str) -> Iterator[bytes]:
    """Files of the repository that a target reads, with the byte of its choice in front where it has one."""
    folders = {
        "chip": ["presets/platforms/example_smartnic.toml", "presets/platforms/ixp2800.toml"],
        "steps": ["presets/programs/*.toml"],
        "machine": ["presets/platforms/*.toml"],
        "described_link": ["presets/traffic/*.toml"],
        "dram_part": ["presets/dram/*.toml"],
        "dram_policy": ["presets/policies/*.toml"],
        "net": ["presets/nets/*.toml"],
        "sourced_toml": ["presets/*/*.toml"],
        "rules": ["crates/chips/src/firewall.rules"],
    }
    for pattern in folders.get(target, []):
        for file in sorted(ROOT.glob(pattern)):
            seed = file.read_bytes()
            if target == "described_link":
                # A tenth of the traffic is the same to a reader, and is there in a tenth of the time.
                key = rb"^(packets|concurrent_flows|rate) = { value = ([\d_]+)"
                tenth = lambda found: b"%s = { value = %d" % (found[1], int(found[2]) // 10)  # noqa: E731
                seed = re.sub(key, tenth, seed, flags=re.M)
            yield seed
    if target == "elf":
        for file in [*sorted(ROOT.glob("programs/prebuilt/*.elf")), ROOT / "python/tests/hang/loop.elf"]:
            yield file.read_bytes()
    if target == "xdp_object":
        for file in sorted(ROOT.glob("programs/xdp/prebuilt/*.o")):
            yield file.read_bytes()
    yield from (text.encode() for text in SMALL.get(target, ()))
    if target == "control_data":
        for number in range(10):
            for file in sorted((ROOT / "programs" / "control").glob("*.txt")):
                yield bytes([number]) + b"".join(file.read_bytes().splitlines(keepends=True)[:8])


def dictionary(target: str, seeds: list[bytes], folder: Path) -> Path | None:
    """Words of the seeds, for texts: keys and values that no mutation of bytes would hit on."""
    words: dict[bytes, None] = {}
    for seed in seeds:
        for word in re.findall(rb"[A-Za-z_][A-Za-z0-9_.-]{2,30}", seed):
            words.setdefault(word)
    if not words:
        return None
    file = folder / f"{target}.dict"
    chosen = list(words)[:WORDS_OF_A_DICTIONARY]
    numbers = [b"0", b"-1", b"1e308", b"9223372036854775807", b"18446744073709551615", b"0.000000001", b"nan", b"inf"]
    file.write_text("".join(f'"{word.decode()}"\n' for word in [*chosen, *numbers]))
    return file


def run(command: list[str], target: str, log: Path) -> None:
    """The fuzzer, with a folder for the files that readers want by name: in memory, where the system has that."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch, log.open("w") as out:
        environment = {**os.environ, "FUZZ_TARGET": target, "FUZZ_SCRATCH": scratch}
        subprocess.run(command, env=environment, stdout=out, stderr=out, check=False)


def fuzz(binary: Path, target: str, bound: list[str]) -> Outcome:
    """One target, within a bound of time or of executions."""
    work, found = BUILD / "corpus" / target, BUILD / "found"
    for folder in (work, found):
        folder.mkdir(parents=True, exist_ok=True)
    seeds = list(shipped_seeds(target))
    for number, seed in enumerate(seeds):
        (work / f"shipped-{number}").write_bytes(seed[: MOST_BYTES_OF.get(target, MOST_BYTES)])
    kept = CORPUS / target
    kept.mkdir(parents=True, exist_ok=True)
    words = dictionary(target, seeds, BUILD)
    command = [
        str(binary),
        *bound,
        f"-timeout={MOST_SECONDS_OF_A_RUN}",
        f"-rss_limit_mb={MOST_MIB}",
        f"-max_len={MOST_BYTES_OF.get(target, MOST_BYTES)}",
        f"-artifact_prefix={found / target}-",
        "-print_final_stats=1",
        "-reload=0",
        *([f"-dict={words}"] if words else []),
        str(work),
        str(kept),
    ]
    before = set(found.iterdir())
    log = BUILD / f"{target}.log"
    run(command, target, log)
    text = log.read_text(errors="replace")

    def number(pattern: str) -> int:
        values = re.findall(pattern, text)
        return int(values[-1]) if values else 0

    return Outcome(
        target,
        executions=number(r"stat::number_of_executed_units: (\d+)") or number(r"^#(\d+)"),
        a_second=number(r"stat::average_exec_per_sec: *(\d+)"),
        branches=number(r" cov: (\d+)"),
        inputs=sum(1 for _ in work.iterdir()),
        peak_mib=number(r"stat::peak_rss_mb: *(\d+)"),
        found=sorted(set(found.iterdir()) - before),
    )


def merge(binary: Path, target: str) -> None:
    """Replace the corpus of a target by the fewest files that reach as much."""
    kept, fresh = CORPUS / target, BUILD / "merged" / target
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    work = BUILD / "corpus" / target
    work.mkdir(parents=True, exist_ok=True)
    kept.mkdir(parents=True, exist_ok=True)
    command = [str(binary), "-set_cover_merge=1", f"-timeout={MOST_SECONDS_OF_A_RUN}", f"-rss_limit_mb={2 * MOST_MIB}"]
    command += [f"-max_len={MOST_BYTES_OF.get(target, MOST_BYTES)}", str(fresh), str(kept), str(work)]
    run(command, target, BUILD / f"{target}.merge.log")
    shutil.rmtree(kept)
    shutil.copytree(fresh, kept)
    print(f"{target}: {sum(1 for _ in kept.iterdir())} files")


def main() -> int:
    """Fuzz, or merge."""
    parser = argparse.ArgumentParser(description="Fuzz every reader.")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument(
        "--runs", type=int, help="for each target, of a fixed seed, instead of a time: the same each time"
    )
    parser.add_argument("--target", action="append", choices=targets(), help="only this one; may be repeated")
    parser.add_argument("--binary", type=Path, help="a fuzzer that was built before, instead of building one")
    parser.add_argument("--merge", action="store_true", help="make fuzz/corpus the least that reaches all")
    options = parser.parse_args()
    binary = options.binary or build()
    chosen = options.target or targets()
    if options.merge:
        for target in chosen:
            merge(binary, target)
        return 0
    print(f"{'target':20} {'executions':>11} {'a second':>9} {'branches':>9} {'inputs':>7} {'peak MiB':>9}  found")
    bound = [f"-max_total_time={options.seconds}"]
    if options.runs:
        bound = [f"-runs={options.runs}", "-seed=1"]
    findings = 0
    for target in chosen:
        outcome = fuzz(binary, target, bound)
        findings += len(outcome.found)
        names = " ".join(file.name for file in outcome.found) or "nothing"
        print(
            f"{target:20} {outcome.executions:11,} {outcome.a_second:9,} {outcome.branches:9,} {outcome.inputs:7,} "
            f"{outcome.peak_mib:9,}  {names}",
            flush=True,
        )
        if not outcome.executions:
            print(f"{target}: nothing was executed; see {BUILD / target}.log", file=sys.stderr)
            findings += 1
    if findings:
        print(f"{findings} findings; inputs in {BUILD / 'found'}, what they do in {BUILD}/TARGET.log", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
