"""Is a plot what the name of its file says, PNG or SVG, and is any other name refused?"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from conftest import TINY

HEADS = {"png": b"\x89PNG", "svg": b"<?xml"}
SPLITS = ("core", "--program", "classify", "--packets", "500", "--latency")
COMMANDS = {
    "splits": (*SPLITS, "150"),
    "map": (*SPLITS, "50,150"),
    "budget": ("vrp", "budget", "ixp1200_eval", "--rate", "1.128Mpps"),
    "tornado": ("why", TINY, "--packets", "200", "--seeds", "2"),
    "rates": ("ndr", "example_smartnic", "--size", "1518", "--packets", "200", "--width", "0.05"),
    "table": ("sweep", "example_smartnic", "--vary", "island.count=1,2", "--packets", "200"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="NO MATPLOTLIB: plots were NOT drawn; pip install '.[plot]'")
    monkeypatch.chdir(tmp_path)


# What takes seconds is drawn as a picture of one kind; both are written by one function.
SLOW = {("budget", "svg"), ("rates", "svg")}
DRAWN = [pytest.param(*case, marks=pytest.mark.long if case in SLOW else ()) for case in product(COMMANDS, HEADS)]


@pytest.mark.parametrize(("name", "kind"), DRAWN)
def test_a_plot_is_what_its_name_says(cli, name, kind):
    ended = cli(*COMMANDS[name], "--plot", f"{name}.{kind}")
    assert ended.status == 0, ended.err
    assert Path(f"{name}.{kind}").read_bytes().startswith(HEADS[kind])


@pytest.mark.parametrize("name", COMMANDS)
def test_another_name_is_refused_before_anything_runs(cli, name, monkeypatch):
    monkeypatch.setattr("linecard._core.run", None)
    ended = cli(*COMMANDS[name], "--plot", f"{name}.pdf")
    assert ended.status == 2
    assert "expected .png or .svg" in ended.err
