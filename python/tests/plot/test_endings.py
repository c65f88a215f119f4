"""Is a file name without a known format refused before anything runs, by every command with a result?"""

from __future__ import annotations

import pytest
from conftest import TINY

COMMANDS = {
    "splits": ("core", "classify"),
    "budget": ("vrp", "budget", "ixp1200_eval", "--rate", "1.128Mpps"),
    "why": ("why", TINY, "--packets", "200", "--seeds", "2"),
    "rates": ("ndr", "example_smartnic", "--size", "1518", "--packets", "200", "--width", "0.05"),
    "table": ("sweep", "example_smartnic", "--vary", "island.count=1,2", "--packets", "200"),
    "run": ("run", "example_smartnic"),
    "memory": ("dram", "run", "ddr4_2400", "--pattern", "random"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_another_name_is_refused_before_anything_runs(cli, name, monkeypatch, tmp_path, wording):
    monkeypatch.chdir(tmp_path)
    for core in ("run", "dram"):
        monkeypatch.setattr(f"linecard._core.{core}", None)
    ended = cli(*COMMANDS[name], "-o", f"{name}.pdf")
    assert (ended.status, ended.out) == (2, "")
    wording(ended.err)
    assert not list(tmp_path.iterdir())
