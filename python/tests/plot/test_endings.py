"""Is a plot what the name of its file says, PNG or SVG, and is any other name refused?"""

from __future__ import annotations

from pathlib import Path

import pytest

HEADS = {"png": b"\x89PNG", "svg": b"<?xml"}
SPLITS = ("core", "--program", "classify", "--packets", "500", "--latency")
COMMANDS = {
    "splits": (*SPLITS, "150"),
    "map": (*SPLITS, "50,150"),
    "budget": ("vrp", "budget", "ixp1200_eval", "--rate", "1.128Mpps"),
    "tornado": ("why", "example_smartnic", "--packets", "200", "--seeds", "2"),
    "rates": ("ndr", "example_smartnic", "--size", "1518", "--packets", "200", "--width", "0.05"),
    "table": ("sweep", "example_smartnic", "--vary", "island.count=1,2", "--packets", "200"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="NO MATPLOTLIB: plots were NOT drawn; pip install '.[plot]'")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("kind", HEADS)
def test_a_plot_is_what_its_name_says(cli, name, kind):
    ended = cli(*COMMANDS[name], "--plot", f"{name}.{kind}")
    assert ended.status == 0, ended.err
    assert Path(f"{name}.{kind}").read_bytes().startswith(HEADS[kind])


@pytest.mark.parametrize("name", COMMANDS)
def test_another_name_is_refused(cli, name):
    ended = cli(*COMMANDS[name], "--plot", f"{name}.pdf")
    assert ended.status == 2
    assert "expected .png or .svg" in ended.err
