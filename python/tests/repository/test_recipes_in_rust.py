"""The recipes of CONTRIBUTING.md in Rust, followed in a copy of the sources: do they compile and run, and with the
stated number of files?

The folder `recipes` has the files that they add, each at its path, and `rust.toml` the lines that they change. All
are followed at once, so that there is one build.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
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


def code_of(title: str) -> list[str]:
    """The lines of Rust that a recipe shows."""
    return re.findall(r"```rust\n(.*?)```", recipe_text(title), re.DOTALL)


def put_behind(file: Path, place: str, lines: str) -> None:
    text = file.read_text()
    assert text.count(place) == 1, f"{file}: {place!r} stands there {text.count(place)} times"
    file.write_text(text.replace(place, place + lines))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources in which the recipes are followed."""
    sources = tmp_path_factory.mktemp("sources")
    for name in (
        "Cargo.toml",
        "Cargo.lock",
        "crates",
        "presets",
        "fuzz",
        "examples",
        "python",
        "tools",
        "docs",
        "studies",
    ):
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
        # This number counts the members of the list.
        changed.write_text(text.replace("[AllocatorKind; 5]", "[AllocatorKind; 6]"))
        assert len(recipe["adds"]) + 1 == files_said(recipe["title"]), recipe["title"]

    chips = sources / "crates" / "chips" / "src"
    (field,) = code_of("To add an option of `run`")
    put_behind(chips / "request.rs", "pub struct RunRequest {\n", field)
    assert files_said("To add an option of `run`") == 1
    field, line = code_of("To add a number to a report")
    put_behind(chips / "report.rs", "pub struct Summary {\n", field)
    put_behind(chips / "from_counts.rs", "    Summary {\n        intervals: intervals(told),\n", line)
    assert files_said("To add a number to a report") == 2

    return sources


def built(sources: Path, *what: str) -> Path:
    """The build folder of cargo for these sources; most of what does not change is built already."""
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    command = ["cargo", "build", "--locked", *what, "--target-dir", target]
    environment = {**os.environ, "PYO3_BUILD_EXTENSION_MODULE": "1"}
    ended = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-4000:]
    return Path(target) / "debug"


@pytest.fixture(scope="module")
def run(sources: Path) -> Callable[..., str]:
    """Build, and return a function that runs a chip with a number of packets and changes."""
    program = sources / "run_preset"
    shutil.copy(
        built(sources, "--package", "linecard-chips", "--example", "run_preset") / "examples" / "run_preset", program
    )

    def run(*arguments: str) -> str:
        ended = subprocess.run([program, *arguments], cwd=sources, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


def test_a_chip_of_what_the_recipes_made(run):
    assert "packets_dropped: 0," in run("chip.toml", "2000")


def test_each_part_does_what_it_says(run):
    """Without the part, the same chip has other results."""
    mine = run("chip.toml", "2000", "-")
    for change in ("memory.shared.kind=server", "inbox.work.rule=hash", "memory.packets.allocator=fixed"):
        assert run("chip.toml", "2000", "-", change).partition(";")[2] != mine.partition(";")[2], change


def test_a_policy_of_flow_caches(run):
    cached = ["cache.entries=64", "cache.ways=4", "cache.policy=MINE"]
    assert "packets_out" in run("ixp1200", "2000", "l3fwd16", *cached)


def test_a_program_in_rust(run):
    assert "packets_dropped: 0," in run("bouncing.toml", "2000")


def test_a_number_of_a_report_is_in_json_frame_screen_page_and_reference(sources):
    """Run `make docs`, then runs, with the package and the compiled core of the copy."""
    shutil.copy(
        built(sources, "--package", "linecard-bindings") / "liblinecard_core.so",
        sources / "python" / "linecard" / "_core.abi3.so",
    )
    environment = {**os.environ, "PYTHONPATH": str(sources / "python")}

    def python(*words: str) -> str:
        command = [sys.executable, *words]
        ended = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr[-4000:]
        return ended.stdout

    write = "from tools import command; from tools.documents.__main__ import written_modules as written; "
    python("-c", write + "command.write({f'python/linecard/{name}': text for name, text in written().items()})")
    assert "packets_most: int" in (sources / "python" / "linecard" / "chip" / "reports.py").read_text()
    chip = ("-m", "linecard", "run", "example_smartnic", "--packets", "500", "--warmup", "100")
    most = json.loads(python(*chip, "--json"))["summary"]["packets_most"]
    assert most > 0
    screen = python(*chip, "-o", "run.csv", "-o", "run.html")
    assert re.search(rf"Most inside +{most} packets", screen)
    rows = csv.DictReader((sources / "run.csv").read_text().splitlines())
    (row,) = (each for each in rows if each["metric"] == "packets_most")
    assert (row["component"], row["unit"], float(row["value"])) == ("total", "packets", most)
    assert "Most inside" in (sources / "run.html").read_text()
    page = python("-c", "from tools.documents.metrics import metrics_page; print(metrics_page())")
    assert page.count("| `packets_most` |") == 2, "as a metric and as an attribute"
    assert page.count("Most packets that were inside at the same time.") == 2
