"""A reviewer trusts nothing: reproducible bytes, a source for each value, and unmet limits reported as unmet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ROOT
from person import Person


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_result_is_checked(cli):
    person = Person(cli)
    line = "linecard run hasan2003_all_pf --packets 2000 --warmup 500 --seed 3 --json"
    first = person.types(f"{line} -o one.csv").out
    assert first == person.types(f"{line} -o two.csv").out
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    manifest = json.loads(Path("one.csv.manifest.json").read_text())
    assert manifest["run_id"] == json.loads(first)["run_id"]
    # Another seed is another run, within or near the interval that the first run states.
    other = person.reads("linecard run hasan2003_all_pf --packets 2000 --warmup 500 --seed 4")
    rates = [json.loads(first)["summary"]["throughput_gbps"], other["summary"]["throughput_gbps"]]
    assert rates[0] != rates[1]
    assert abs(rates[0] - rates[1]) < 0.1 * max(rates)

    # Every chip states the sources of its values.
    for preset in person.reads("linecard presets platforms"):
        described = person.reads(f"linecard describe {preset['name']}")
        assert all(each["source"] for each in described["parameters"]), preset["name"]


def test_what_was_missed_is_said_as_missed():
    rows = json.loads((ROOT / "studies" / "scorecard.json").read_text())["rows"]
    missed = [row for row in rows if row["outcome"] == "missed"]
    assert missed
    page = (ROOT / "docs" / "reference" / "scorecard.md").read_text()
    assert page.count("**missed**") == len(missed)
