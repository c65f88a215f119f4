"""Studies over one pool: is each run made once, and are only the items of the lines run at a point?"""

from __future__ import annotations

from collections import Counter

import pytest
from small_study import SMALL

from linecard.study.runners import PlainRun
from tools.scorecard.whole import run_whole

STUDY = (
    SMALL
    + """[[tables]]
id = "2"
title = "Others"
file = "two.csv"
cells = { gbps = "gbps" }
[[inputs]]
line = "T1"
input = "x of a program"
range = "0 to 9"
reason = "no program has more"
values = [{ column = "app", value = "nat", set = ["program.x=3"] }]
"""
)


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Two studies whose lines are computed from the first table."""
    monkeypatch.setattr("tools.scorecard.whole.items_behind", lambda *_: {"1"})
    for name, first, second in (("a", "nat,1\nl3fwd16,1", "firewall,1\nnat,1"), ("b", "probe,1", "nat,1")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "one.csv").write_text(f"app,gbps\n{first}\n")
        (folder / "two.csv").write_text(f"app,gbps\n{second}\n")
        (folder / "study.toml").write_text(STUDY.replace('"small"', f'"{name}"').replace("[1]", f"[{ord(name)}]"))
    return [str(tmp_path / "a"), str(tmp_path / "b")]


def test_each_run_is_made_once_and_a_point_moves_only_what_is_behind_its_lines(two):
    asked: Counter[str] = Counter()
    seen: list[tuple[int, int]] = []

    def run(spec, progress):
        asked[str(spec)] += 1
        return PlainRun(spec, {("total", "throughput_gbps"): 1.0}, {})

    first, second = run_whole(two, run_function=run, progress=lambda *parts: seen.append(parts))
    assert asked == {
        "ixp1200 nat seed 97": 1,  # of both tables
        "ixp1200 l3fwd16 seed 97": 1,
        "ixp1200 firewall seed 97": 1,
        "ixp1200 nat program.x=3 seed 97": 1,  # the point, where it changes something
        "ixp1200 probe seed 98": 1,
        "ixp1200 nat seed 98": 1,  # no line uses the second table, so it has no run at the point
    }
    assert [len(result.runs) for result in (first, second)] == [3, 2]
    assert [cell.measured for table in first.tables for cell in table.cells] == [1.0] * 4
    done = [parts for parts, _ in seen]
    assert done == sorted(done)
    assert seen[-1][0] <= seen[-1][1]
