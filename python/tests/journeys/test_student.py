"""A student reads a paper: repeats one of its tables, finds the sources of its numbers, and checks a queue."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT
from person import Person


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_table_of_a_paper_comes_out(cli):
    person = Person(cli)
    shown = person.types("linecard reproduce hasan2003 --quick --table 1 --output hasan")
    assert "Table 1" in shown.out
    assert "published" in shown.out
    # The screen names the page to read.
    assert "hasan/report.html" in shown.err
    assert Path("hasan/report.html").is_file()

    # Find out how the two designs differ, and by which source.
    described = person.reads("linecard describe hasan2003_ref_ideal")
    assert [each["key"] for each in described["changes"]] == ["memory.dram.ideal"]
    assert all(each["source"] for each in described["parameters"])


def test_a_queue_is_that_of_the_textbook(cli):
    person = Person(cli)
    page = (ROOT / "docs" / "guide" / "petri.md").read_text()
    Path("model.toml").write_text(page.split("```toml\n")[1].split("```")[0])
    solved = person.reads("linecard petri solve model.toml")
    # In M/M/1/10 with load r, the probability of a full queue is (1 - r) r^10 / (1 - r^11).
    serve = solved["throughput"]["serve"]
    simulated = person.reads("linecard petri simulate model.toml --time 20000 --replications 4")
    assert simulated["throughput"]["serve"] == pytest.approx(serve, rel=0.05)
    assert 0 < solved["mean_tokens"]["busy"] < 10
