"""Do the generated pages say what the code says now, and do they leave nothing out?"""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from linecard.cli import reference

# How the reader of chips asks for a key: typed reads of a section, and what a module calls them.
READS = re.compile(
    r"(?<!roles\.)\b(?:(?:integer|number|text|choice|switch)(?:_or|_if)?|texts|numbers|cycles|accesses|kbps|ms|ps|count|policy_rule)"
    r"\(\s*\"([a-z_0-9]+)\"\s*,"
)
TIMES = re.compile(r"\btime_ps\(\s*&?\w+,\s*\"(\w+)\"")


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", reference.PAGES)
def test_a_page_says_what_the_code_says(name):
    page = (ROOT / "docs" / "reference" / name).read_text()
    assert page == reference.HEADER + "\n" + reference.PAGES[name](), "run: make docs"


def test_every_key_that_the_reader_of_chips_asks_for_is_on_its_page():
    page = (ROOT / "docs" / "reference" / "keys" / "chip.md").read_text()
    asked = set()
    for file in (ROOT / "crates" / "platform" / "src" / "chip").rglob("*.rs"):
        text = file.read_text().partition("#[cfg(test)]")[0]
        asked |= set(READS.findall(text))
        for stem in TIMES.findall(text):
            asked |= {f"{stem}_ns", f"{stem}_cycles"}
    assert len(asked) > 150
    missing = sorted(key for key in asked if f"| `{key}` |" not in page)
    assert not missing, "say them once in docs/reference/specimens, then run: make docs"


def test_every_attribute_of_a_result_has_a_meaning():
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    bare = re.findall(r"^\| `\w+` \| [^|]*\|  \|$", page, re.MULTILINE)
    assert not bare, "say it in the docstring, under Attributes"
