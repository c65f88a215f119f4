"""The recipes of CONTRIBUTING.md, followed in a temporary folder: do they work, and with the stated number of files?

Contents of the compiled core, such as presets, are tried as a user's own files, which its readers accept alike.
Recipes in Rust are not followed here; for all recipes, a test checks that every file they name exists.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import ROOT

import linecard
from linecard import _core
from linecard._options import options
from linecard.chip.simulate import simulate
from linecard.cli.asked import takes
from tools.documents.requests import request_texts

# Files that recipes create.
FILES = Path(__file__).with_name("recipes")
RECIPES = (ROOT / "CONTRIBUTING.md").read_text().partition("## Recipes")[2].partition("\n## ")[0]


def recipe(title: str) -> str:
    """The text of a recipe, from its bold title to the next."""
    found = re.search(rf"^\*\*{title}\*\*.*?(?=^\*\*|\Z)", RECIPES, re.MULTILINE | re.DOTALL)
    assert found, f"CONTRIBUTING.md has no recipe: {title}"
    return found[0]


def files_said(title: str) -> int:
    """The number of files in a recipe: `(2 files)` after its title."""
    found = re.match(r"\*\*[^*]+\*\* \((\d+) files?\)", recipe(title))
    assert found, f"{title}: say in how many files, (N files), behind the title"
    return int(found[1])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder; its contents at the end are the files of the recipe."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def count(folder: Path) -> int:
    return sum(each.is_file() for each in folder.rglob("*"))


def test_a_chip_preset(cli, folder):
    (text,) = re.findall(r"```toml\n(.*?)```", recipe("To add a chip preset"), re.DOTALL)
    Path("two_banks.toml").write_text(text)
    assert count(folder) == files_said("To add a chip preset") == 1
    assert "fits together" in cli("check", "two_banks.toml").out
    ended = cli("run", "two_banks.toml", "--packets", "1000", "--json")
    assert json.loads(ended.out)["summary"]["packets_out"] == 1000


def test_a_program_of_steps(cli, folder):
    Path("mine.toml").write_text(
        'kind = "program"\ntitle = "Count and send"\nsource = "a recipe"\n\n'
        '[[step]]\nop = "add"\nat = "counters"\nposted = true\ncycles = 40\n\n[[step]]\nop = "send"\ncycles = 20\n'
    )
    assert count(folder) == files_said("To add a program of steps") == 1
    ended = cli("run", "example_smartnic", "--set", "program.run=mine.toml", "--packets", "1000", "--json")
    found = json.loads(ended.out)
    assert found["summary"]["packets_dropped"] == 0
    assert "mine" in found["program"]


def test_a_dram_standard(cli, folder):
    Path("slow_turns.toml").write_text((FILES / "slow_turns.toml").read_text())
    part = (ROOT / "presets" / "dram" / "ddr3_1600.toml").read_text()
    Path("slow_part.toml").write_text(part.replace('"standards/ddr3"', '"slow_turns.toml"'))
    assert count(folder) == files_said("To add a DRAM standard") == 2
    clocks = {}
    for device in ("ddr3_1600", "slow_part.toml"):
        ended = cli("dram", "run", device, "--pattern", "random", "--count", "4000", "--json")
        assert ended.status == 0, ended.err
        clocks[device] = json.loads(ended.out)["bandwidth_gbytes_s"]
    assert clocks["slow_part.toml"] < clocks["ddr3_1600"]


def test_a_policy_of_the_dram_controller(cli, folder):
    Path("cap8.toml").write_text(
        'title = "FR-FCFS, at most 8 accesses to a row"\nextends = ["policies/frfcfs"]\n\n'
        '[policy]\nrow_hit_cap = { value = 8, unit = "accesses", source = "a recipe" }\n'
    )
    assert count(folder) == files_said("To add a policy of the DRAM controller") == 1
    ended = cli("dram", "run", "ddr3_1600", "--policy", "cap8.toml", "--pattern", "random", "--json")
    assert ended.status == 0, ended.err


def test_a_study_of_a_document(cli, folder):
    study = folder / "example2001"
    (study / "published").mkdir(parents=True)
    (study / "published" / "table1.csv").write_text("banks,scheme,gbps\n2,BASE,1.97\n2,ALL,2.70\n")
    (study / "study.toml").write_text((FILES / "study.toml").read_text())
    (study / "README.md").write_text("# Two designs\n")
    (study / "citation.bib").write_text("@misc{nobody2001, title = {Nothing}}\n")
    (study / "deviations.toml").write_text("")
    assert [each.name for each in folder.iterdir()] == ["example2001"]
    assert "a folder in `studies/`" in recipe("To add a study of a document")
    ended = cli("reproduce", str(study), "--quick", "--json", "--output", str(folder / "results"))
    found = json.loads(ended.out)
    assert found["cells"] == 2
    assert (found["order_pairs"], found["order_violations"]) == (1, 0)


@pytest.fixture
def package(folder):
    """A copy of the Python package, and its original files."""
    copy = folder / "python" / "linecard"
    skipped = shutil.ignore_patterns("__pycache__", "*.so", "_programs", "_studies")
    shutil.copytree(ROOT / "python" / "linecard", copy, ignore=skipped)
    for compiled in (ROOT / "python" / "linecard").glob("_core*.so"):
        (copy / compiled.name).symlink_to(compiled)
    before = {each: each.read_bytes() for each in copy.rglob("*") if each.is_file() and not each.is_symlink()}

    def changed() -> int:
        now = {each: each.read_bytes() for each in copy.rglob("*.py")}
        return sum(before.get(each) != text for each, text in now.items())

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "linecard", *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    return copy, changed, run


def test_a_command(package):
    copy, changed, run = package
    (copy / "cli" / "chip" / "hello.py").write_text((FILES / "hello.py").read_text())
    commands = copy / "cli" / "commands.py"
    line, panel = '        "hello": "chip.hello:hello",\n', '    "Designs": {\n'
    commands.write_text(commands.read_text().replace(panel, panel + line, 1))
    assert changed() == files_said("To add a command") == 2
    ended = run("hello")
    assert (ended.returncode, "from a recipe" in ended.stdout) == (0, True), ended.stderr
    assert "Say hello." in run("--help").stdout


def test_an_option_of_run(monkeypatch):
    """The field of the recipe, as declared by the core, reaches the function, the command and the core."""
    text = recipe("To add an option of `run`")
    comment, default, name = re.search(r"/// (.*)\n(.*)\npub (\w+): bool,", text).groups()
    assert default == "#[serde(default)]"
    schemas = dict(_core.request_schemas())
    schemas["run"]["properties"][name] = {"description": comment, "type": "boolean", "default": False}
    monkeypatch.setattr(_core, "request_schemas", lambda: list(schemas.items()))
    options.cache_clear()
    try:
        texts = request_texts()
        assert f"{name}: bool = False," in texts["chip/run.py"]
        assert f"{name}: {comment}" in texts["chip/run.py"]
        run = takes("run")(lambda *, asked: asked)
        option = inspect.signature(run).parameters[name]
        assert (option.default, option.annotation.__metadata__[0].help) == (False, comment)
        made: dict[str, Any] = {"__name__": "linecard._schema"}
        monkeypatch.setitem(sys.modules, "linecard._schema", SimpleNamespace(__dict__=made))
        exec(texts["_schema.py"], made)
        asked: list[dict[str, Any]] = []

        def core(request, **_):
            asked.append(request)
            raise linecard.RunError("enough is known")

        monkeypatch.setattr(_core, "run", core)
        with pytest.raises(linecard.RunError, match="enough"):
            simulate(made["Run"](chip="ixp1200", **{name: True}), None)
        assert asked[0][name] is True
    finally:
        options.cache_clear()
    assert files_said("To add an option of `run`") == 1


def test_something_to_sweep(package):
    copy, changed, run = package
    (copy / "explore" / "subjects" / "buffer.py").write_text((FILES / "buffer.py").read_text())
    subject = copy / "explore" / "subject.py"
    subject.write_text(subject.read_text().replace('NAMES = ("run", ', 'NAMES = ("buffer", "run", ', 1))
    assert changed() == files_said("To add a subject of sweeps") == 2
    ended = run("sweep", "1e9", "--what", "buffer", "--vary", "flows=1,100", "--json")
    assert ended.returncode == 0, ended.stderr
    few, many = (row["bytes"] for row in json.loads(ended.stdout)["rows"])
    assert many == pytest.approx(few / 10)


def test_every_file_that_a_recipe_names_is_there():
    """Paths from the top of the repository; NAME, KIND and PART are placeholders."""
    named = re.findall(r"`((?:crates|presets|python|programs|studies|docs|fuzz)/[\w./-]+)`", RECIPES)
    assert len(named) > 40
    missing = [path for path in named if not re.search(r"NAME|KIND|PART", path) and not (ROOT / path).exists()]
    assert not missing
