"""The recipes of CONTRIBUTING.md that end in Rust, followed in a copy of the sources: does what they describe compile
and run, and in how few files?

The folder `recipes` has the files that they add, each at its path; the lines that they change are below. All are
followed at once, so that there is one build.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT
from test_recipes import files_said

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("cargo") is None, reason="the recipes in Rust need cargo"),
]

FILES = Path(__file__).with_name("recipes")
# By recipe: the files that it adds, the file that it changes, and what comes there behind what stands there once.
RECIPES: dict[str, tuple[list[str], str, list[tuple[str, str]]]] = {
    "A kind of place.": (
        ["crates/platform/src/chip/place/halves.rs"],
        "crates/platform/src/chip/place/mod.rs",
        [('    banked { memory: "banked" },\n', '    halves { memory: "halves" },\n')],
    ),
    "A dispatch rule.": (
        ["crates/chip/src/dispatch/by_parity.rs"],
        "crates/chip/src/dispatch/mod.rs",
        [("    hash::Hash,\n", "    /// By parity.\n    by_parity::ByParity,\n")],
    ),
    "A scheduler of output queues.": (
        ["crates/chip/src/scheduler/highest.rs"],
        "crates/chip/src/scheduler/mod.rs",
        [("    strict::Strict,\n", "    /// The highest.\n    highest::Highest,\n")],
    ),
    "A policy of flow caches.": (
        ["crates/flowcache/src/policy/mine.rs"],
        "crates/flowcache/src/policy/mod.rs",
        [("    Fifo in fifo;\n", "    Mine in mine;\n")],
    ),
    "A program in Rust.": (
        ["crates/platform/src/chip/native/bounce.rs", "bouncing.toml"],
        "crates/platform/src/chip/native/mod.rs",
        [("    l3fwd16,\n", "    bounce,\n")],
    ),
    "A buffer allocator.": (
        ["crates/buffers/src/lowest.rs"],
        "crates/buffers/src/lib.rs",
        [
            ("mod linear;\n", "mod lowest;\n"),
            ("pub use linear::Linear;\n", "pub use lowest::Lowest;\n"),
            ("in each queue's own region ([`PerQueue`]).\n    PerQueue,\n", "    /// The lowest.\n    Lowest,\n"),
            ("Self::Piecewise, Self::PerQueue", ", Self::Lowest"),
            ('            Self::PerQueue => "per_queue_linear",\n', '            Self::Lowest => "lowest",\n'),
            ("    /// See [`PerQueue`].\n    PerQueue(PerQueue),\n", "    /// See [`Lowest`].\n    Lowest(Lowest),\n"),
            ("            Allocator::PerQueue($a) => $call,\n", "            Allocator::Lowest($a) => $call,\n"),
            (
                "            AllocatorKind::PerQueue => Self::PerQueue(PerQueue::new(cells, queues)),\n",
                "            AllocatorKind::Lowest => Self::Lowest(Lowest::new(cells)),\n",
            ),
        ],
    ),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Follow the recipes, build, and hand over what runs a chip with so many packets and changes."""
    sources = tmp_path_factory.mktemp("sources")
    for name in ("Cargo.toml", "Cargo.lock", "crates", "presets", "fuzz", "examples"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, sources / name)
    shutil.copy(FILES / "chip.toml", sources)
    for title, (added, changed, changes) in RECIPES.items():
        for path in added:
            assert not (sources / path).exists()
            shutil.copy(FILES / path, sources / path)
        text = (sources / changed).read_text()
        for behind, line in changes:
            assert text.count(behind) == 1, f"{changed}: {behind!r} stands there {text.count(behind)} times"
            text = text.replace(behind, behind + line)
        # The one number that counts the rest.
        (sources / changed).write_text(text.replace("[AllocatorKind; 5]", "[AllocatorKind; 6]"))
        assert len(added) + 1 == files_said(title), title

    # What does not change is built already, mostly.
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    build = ["cargo", "build", "--locked", "--package", "linecard-platform", "--example", "run_preset"]
    ended = subprocess.run([*build, "--target-dir", target], cwd=sources, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-4000:]
    program = sources / "run_preset"
    shutil.copy(Path(target) / "debug" / "examples" / "run_preset", program)

    def run(*arguments: str) -> str:
        ended = subprocess.run([program, *arguments], cwd=sources, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


def test_a_chip_of_what_the_recipes_made(run):
    assert "packets_dropped: 0," in run("chip.toml", "2000")


def test_each_part_does_what_it_says(run):
    """Without it the same chip is another one."""
    mine = run("chip.toml", "2000", "-")
    for change in ("memory.shared.kind=server", "inbox.work.rule=hash", "memory.packets.allocator=fixed"):
        assert run("chip.toml", "2000", "-", change).partition(";")[2] != mine.partition(";")[2], change


def test_a_policy_of_flow_caches(run):
    cached = ["cache.entries=64", "cache.ways=4", "cache.policy=MINE"]
    assert "packets_out" in run("ixp1200", "2000", "l3fwd16", *cached)


def test_a_program_in_rust(run):
    assert "packets_dropped: 0," in run("bouncing.toml", "2000")
