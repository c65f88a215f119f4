"""The recipes of CONTRIBUTING.md that end in Rust, followed in a copy of the sources: does what they describe compile
and run, and in how few files?

The folder `recipes` has the files that they add, each at its path, and `rust.toml` the lines that they change. All are
followed at once, so that there is one build.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT
from test_recipes import files_said
from test_recipes import recipe as recipe_text

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("cargo") is None, reason="the recipes in Rust need cargo"),
]

FILES = Path(__file__).with_name("recipes")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Follow the recipes, build, and hand over what runs a chip with so many packets and changes."""
    sources = tmp_path_factory.mktemp("sources")
    for name in ("Cargo.toml", "Cargo.lock", "crates", "presets", "fuzz", "examples"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, sources / name)
    shutil.copy(FILES / "chip.toml", sources)
    for recipe in tomllib.loads((FILES / "rust.toml").read_text())["recipe"]:
        for path in recipe["adds"]:
            assert not (sources / path).exists()
            shutil.copy(FILES / path, sources / path)
        changed = sources / recipe["changes"]
        text = changed.read_text()
        for line in recipe["line"]:
            behind = line["behind"]
            assert text.count(behind) == 1, f"{changed}: {behind!r} stands there {text.count(behind)} times"
            text = text.replace(behind, behind + line["add"])
        # The one number that counts the rest.
        changed.write_text(text.replace("[AllocatorKind; 5]", "[AllocatorKind; 6]"))
        assert len(recipe["adds"]) + 1 == files_said(recipe["title"]), recipe["title"]

    field = re.search(r"```rust\n(.*?)```", recipe_text("An option of `run`."), re.DOTALL)[1]
    request = sources / "crates" / "platform" / "src" / "request.rs"
    before = request.read_text()
    request.write_text(before.replace("pub struct RunRequest {\n", "pub struct RunRequest {\n" + field, 1))
    assert request.read_text() != before
    assert files_said("An option of `run`.") == 1

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
