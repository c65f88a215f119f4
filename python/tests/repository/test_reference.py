"""Do the generated pages agree with the code, and do they omit nothing?"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import click
import pytest
import typer
from conftest import ROOT

from linecard import cli
from tools.command import HEADER
from tools.documents.__main__ import PAGES

# How the reader of chips requests a key: typed reads of a section, and the names that modules use for them.
READS = re.compile(
    r"(?<!roles\.)\b(?:(?:integer|number|text|choice|switch)(?:_or|_if)?|texts|numbers|cycles|accesses|kbps|ms|ps|count|policy_rule)"
    r"\(\s*\"([a-z_0-9]+)\"\s*,"
)
TIMES = re.compile(r"\btime_ps\(\s*&?\w+,\s*\"(\w+)\"")


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_the_code_says(name):
    page = (ROOT / "docs" / "reference" / name).read_text()
    assert page == HEADER + "\n" + PAGES[name](), "run: make docs"


@pytest.mark.parametrize(("option", "status"), [("--help", 0), ("--hlep", 2)])
def test_options_of_the_command_write_no_page(option, status):
    pages = [ROOT / "docs" / "reference" / name for name in PAGES]
    before = [page.stat().st_mtime_ns for page in pages]
    done = subprocess.run([sys.executable, "-m", "tools.documents", option], capture_output=True, check=False)
    assert (done.returncode, [page.stat().st_mtime_ns for page in pages]) == (status, before)


def test_every_key_that_the_reader_of_chips_asks_for_is_on_its_page():
    page = (ROOT / "docs" / "reference" / "keys" / "chip.md").read_text()
    asked = set()
    for file in (ROOT / "crates" / "chips" / "src").rglob("*.rs"):
        text = file.read_text().partition("#[cfg(test)]")[0]
        asked |= set(READS.findall(text))
        for stem in TIMES.findall(text):
            asked |= {f"{stem}_ns", f"{stem}_cycles"}
    assert len(asked) > 150
    missing = sorted(key for key in asked if f"| `{key}` |" not in page)
    assert not missing, "say them once in docs/reference/specimens, then run: make docs"


def test_every_key_that_the_reader_of_nets_asks_for_is_on_its_page():
    page = (ROOT / "docs" / "reference" / "keys" / "others.md").read_text()
    nets = page.partition("## Petri nets")[2].partition("\n## ")[0]
    files = ("file", "colour", "said", "timing")
    reader = "".join((ROOT / f"crates/nets/src/{file}.rs").read_text() for file in files)
    asked = set(
        re.findall(r"\b(?:any_if|(?:text|choice|integer|numbers)(?:_or|_if)?|list|section|need)\(\s*\"(\w+)\"", reader)
    )
    asked |= set(re.findall(r"\bexpression\(\w+,\s*\"(\w+)\"", reader))
    assert len(asked) > 20
    # Keys of a parameter's own table.
    asked -= {"value", "unit", "source"}
    missing = [key for key in asked if not any(f"`{each}`" in nets for each in (key, f"[{key}]", f"[[{key}]]"))]
    assert not missing, "say them in docs/reference/specimens/net.toml"


def test_every_attribute_of_a_result_has_a_meaning():
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    bare = re.findall(r"^\| `\w+` \| [^|]*\|  \|$", page, re.MULTILINE)
    assert not bare, "say it in the docstring, under Attributes"


def test_the_tables_of_a_chip_have_keys_that_exist():
    """They group and explain the contents of the generated page: keys, and values that select others."""
    guide = (ROOT / "docs" / "reference" / "chip_tables.md").read_text()
    page = (ROOT / "docs" / "reference" / "keys" / "chip.md").read_text()
    named = set()
    for first, second in re.findall(r"^\| ([^|]*) \| ([^|]*) \|", guide, re.MULTILINE):
        # Guide tables that cover several TOML tables name these first.
        cell = first if "`" in first else second
        for each in re.findall(r"`(?:\w+\.)?(\w+)`", cell):
            stem = each.removesuffix("_time")
            named |= {each} if stem == each else {f"{stem}_ns", f"{stem}_cycles"}
    assert len(named) > 80
    assert not {each for each in named if f"`{each}`" not in page and "KIND" not in each}


def examples() -> list[str]:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text()
    return re.findall(r"^\$ (.*)$", page, re.MULTILINE)


@pytest.mark.parametrize("line", examples())
def test_an_example_of_a_command_is_one(line):
    """Its command, its options and the types of their values exist; guides, which are run, show the output."""
    for part in re.split(r" (?:\||&&) ", line):
        words = shlex.split(part.partition(" > ")[0])
        if words[0] != "linecard":
            continue
        command = typer.main.get_command(cli.app)
        context = click.Context(command)
        rest = words[1:]
        while hasattr(command, "commands"):
            _, command, rest = command.resolve_command(context, rest)
        command.make_context("example", rest)
