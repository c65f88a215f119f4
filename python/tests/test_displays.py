"""Displays in a notebook: the words of the screen, lists as tables, and nothing of the file format."""

from __future__ import annotations

import re
from html import unescape

import pytest
from conftest import ROOT

import linecard
from linecard import petri
from linecard.catalogue import presets
from linecard.listed import Listed
from linecard.queueing.settings import queueing_settings

NET = ROOT / "presets" / "nets" / "girish2008_dram.toml"
NIC = {"packets": 300, "warmup_packets": 100}

# A result, and the command whose screen shows the same.
SAME = {
    "run": (
        lambda: linecard.run("example_smartnic", **NIC),
        ("run", "example_smartnic", "--packets", 300, "--warmup", 100),
    ),
    "dram": (
        lambda: linecard.dram("ddr4_2400", pattern="random", count=500),
        ("dram", "run", "ddr4_2400", "--pattern", "random", "--count", 500),
    ),
    "hierarchy": (
        lambda: linecard.hierarchy("ixp1200_host", "564kpps"),
        ("hierarchy", "ixp1200_host", "--rate", "564kpps"),
    ),
    "shot noise": (
        lambda: linecard.shot_noise(rate_mbps=500, windows=5),
        ("shot-noise", "--rate", "500Mbps", "--windows", 5),
    ),
    "core": (
        lambda: linecard.core(linecard.program_trace("classify", packets=300), area=4, events=3000, adapt_packets=5000),
        (*("core", "classify", "--packets", 300, "--area", 4), "--events", 3000, "--adapt", 5000),
    ),
    "petri": (
        lambda: petri.simulate(str(NET), 1000.0, replications=2),
        ("petri", "simulate", NET, "--time", 1000, "--replications", 2),
    ),
    "queues": (
        lambda: linecard.queueing_design("R", 60.0, operations=500),
        ("queueing", "design", "--workload", "R", "--target-mops", 60, "--operations", 500),
    ),
}


def words_of(html: str) -> set[str]:
    """Names of facts, and the beginnings of rows."""
    first = re.findall(r"<dt>([^<]+)</dt>|<th scope=\"row\"[^>]*>(?:<span[^>]*>)?([^<]+)<", html)
    return {unescape(name or row).split(":")[0] for name, row in first}


@pytest.mark.parametrize("name", SAME)
def test_a_notebook_has_the_words_of_the_screen(cli, name):
    make, command = SAME[name]
    html = make()._repr_html_()
    ended = cli(*command)
    assert ended.status == 0, ended.err
    words = words_of(html)
    assert len(words) >= 3
    shown = " ".join(ended.out.split())
    # Values that are all zero have no bar on the screen.
    missing = {word for word in words if word not in shown and not re.match(r"^[\d.]+( s)?$", word)}
    assert missing == set(), (name, missing)
    assert not re.search(r">[a-z]+_[a-z_]+<", html.replace("example_smartnic", "").replace("ddr4_2400", "")), html


def test_lists_show_as_tables_and_are_lists():
    for found in (presets("dram"), linecard.programs(), linecard.xdp_programs(), queueing_settings()):
        assert isinstance(found, list)
        assert isinstance(found, Listed)
        html = found._repr_html_()
        assert html.count("<tr>") == len(found) + 1
        assert found[:1] == list(found)[:1]
    assert "ddr4_2400" in presets("dram")._repr_html_()
    assert "<table" not in Listed([])._repr_html_()


def test_a_core_says_what_was_measured_and_no_share_of_what_was_not(cli):
    make, command = SAME["core"]
    result = make()
    shown = cli(*command).out
    assert result.adapted is not None
    assert f"{result.adapted.steady_packets_per_mcycle:,.1f} packets/Mcycle" in shown
    assert f"{result.best_packets_per_mcycle:,.1f} packets/Mcycle   with" in shown
    assert "of the best split" not in shown
    assert "3 % slower" in shown
    assert "Ends with" in shown
    traced = linecard.program_trace("classify", packets=300)
    # Two trials of 7,500 packets, and none between them.
    ended = linecard.core(traced, area=4, events=1000, adapt_packets=15_000)
    assert ended.adapted is not None
    assert ended.adapted.steady_packets_per_mcycle is None
    assert ended.adapted.unsuccessful == 1
    html = ended._repr_html_()
    assert "every packet was part of a trial" in html
    assert "The packets ended before the trials of 1 adaptation" in html
    assert "keeps the best count" not in html
    without = linecard.core(traced, area=2, events=1000, adapt_packets=0)
    assert "Ends with" not in without._repr_html_()
