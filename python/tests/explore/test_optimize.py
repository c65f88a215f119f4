"""Does `linecard optimize` find the front in few runs, and better than by chance?"""

from __future__ import annotations

import json
import random
import shlex
from dataclasses import replace

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

import linecard
from linecard.errors import ConfigError
from linecard.explore import Store
from linecard.explore.front import front_of, hypervolume, knee_of
from linecard.explore.objectives import read_task
from linecard.explore.optimize import covered, optimize, search
from linecard.view import Chart, view

EXAMPLES = ROOT / "examples" / "explore"
SPACES = sorted(path.stem for path in EXAMPLES.glob("*.toml") if 'kind = "optimize"' in path.read_text())
# These spaces of chips, with some hundred points each, take a minute.
LONG = {"small_nic", "packet_buffer", "latency_budget"}
SEEDS = 5


# ---- fronts ----

VECTORS = st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=1, max_size=12)


def dominates(a, b):
    return all(x <= y for x, y in zip(a, b, strict=True)) and any(x < y for x, y in zip(a, b, strict=True))


@given(VECTORS)
def test_a_front_is_what_nothing_dominates(vectors):
    front = front_of(vectors)
    kept = {vectors[number] for number in front}
    assert len(kept) == len(front)
    assert kept == {each for each in vectors if not any(dominates(other, each) for other in vectors)}


@given(VECTORS)
def test_a_volume_is_that_of_counted_cubes(vectors):
    counted = sum(
        any(x <= i and y <= j and z <= k for x, y, z in vectors) for i in range(7) for j in range(7) for k in range(7)
    )
    assert hypervolume(vectors, (7, 7, 7)) == counted


def test_a_knee_is_the_best_compromise():
    assert knee_of([(0.0, 10.0), (1.0, 2.0), (9.0, 1.0), (10.0, 0.0)]) == 1
    assert knee_of([(5.0,)]) == 0


def test_a_share_leaves_out_what_tells_nothing_apart():
    assert covered([[0.0, 3.0]], [0.0, 3.0], [2.0, 3.0]) == 1.0
    assert covered([[1.0, 1.0]], [0.0, 0.0], [2.0, 2.0]) == 0.25


# ---- the shipped spaces ----


@pytest.mark.parametrize("space", [pytest.param(s, marks=pytest.mark.long if s in LONG else ()) for s in SPACES])
def test_a_search_finds_the_front_in_fifteen_percent_of_the_runs_and_chance_does_not(space, tmp_path):
    path = EXAMPLES / f"{space}.toml"
    store = Store(tmp_path / "s")
    whole = optimize(path, budget=100_000, store=tmp_path / "s")
    assert whole.method == "exhaustive"
    assert whole.runs == whole.points
    signs = [-1 if text.startswith("max") else 1 for text in whole.objectives]
    best, worst = ([s * v for s, v in zip(signs, side, strict=True)] for side in (whole.best, whole.worst))

    def share(rows):
        small = [[s * v for s, v in zip(signs, values, strict=True)] for values in rows]
        return covered(small, best, worst) / whole.hypervolume

    task = read_task(path, whole.points * 15 // 100)
    names = [f"objective: {text}" for text in whole.objectives]
    limits = [f"limit: {each.text}" for each in task.limits]
    good = [row["status"] == "ok" and all(row[name] for name in limits) for row in whole.rows]
    found, by_chance = [], []
    for seed in range(1, SEEDS + 1):
        result = search(replace(task, seed=seed), store=store)
        assert result.method == "search"
        assert result.runs == task.budget
        assert result.counts.run == 0, "a point that is not in the space was run"
        found.append(share([row["objectives"] for row in result.front]))
        drawn = random.Random(seed).sample(range(whole.points), task.budget)
        by_chance.append(share([[whole.rows[n][name] for name in names] for n in drawn if good[n]]))
    assert sum(found) / SEEDS >= 0.95, found
    assert sum(found) > sum(by_chance), (found, by_chance)


# ---- the command ----

SPACE = """
kind = "optimize"
title = "A small space"
what = "dram"
pattern = "random"
count = 200
repeat = {repeat}
objectives = ["max bandwidth_gbytes_s", "min read.mean_ns"]
limits = [{limit}]
budget = {budget}
[vary]
device = ["ddr4_2400", "hbm2"]
in_flight = "1..12"
"""


def written(folder, budget=12, limit="", repeat=1):
    path = folder / "space.toml"
    path.write_text(SPACE.format(budget=budget, limit=limit, repeat=repeat))
    return path


def test_the_same_front_again_with_any_number_of_jobs(cli, tmp_path):
    path = written(tmp_path)
    command = ("optimize", path, "--json", "--store")
    first = cli(*command, tmp_path / "one", "--jobs", 1)
    assert first.status == 0, first.err
    assert cli(*command, tmp_path / "two", "--jobs", 4).out == first.out == cli(*command, tmp_path / "one").out
    found = json.loads(first.out)
    assert {"front", "runs", "hypervolume"} <= found.keys()
    assert (found["runs"], found["points"], found["method"]) == (12, 24, "search")
    assert sum(row["knee"] for row in found["front"]) == 1
    best = found["front"][0]
    again = json.loads(cli(*shlex.split(best["command"])[1:], "--json").out)
    assert best["objectives"] == [again["bandwidth_gbytes_s"], again["read"]["mean_ns"]]


def test_a_limit_keeps_points_out_of_the_front(tmp_path, wording):
    free = optimize(written(tmp_path, budget=24))
    bound = optimize(written(tmp_path, budget=24, limit='"read.mean_ns <= 60"'))
    assert max(row["objectives"][1] for row in free.front) > 60
    assert max(row["objectives"][1] for row in bound.front) <= 60
    assert bound.beyond_limits > 0
    with pytest.raises(ConfigError) as refused:
        optimize(written(tmp_path, budget=24, limit='"read.mean_ns < 0"'))
    wording(refused.value)


def test_seeds_give_each_objective_an_interval(cli, tmp_path):
    path = written(tmp_path, budget=24, repeat=3)
    found = optimize(path)
    assert len(found.rows) == 72
    row = found.front[0]
    assert row["low"][0] <= row["objectives"][0] <= row["high"][0]
    assert "±" in cli("optimize", path, "--store", tmp_path / "s").out


def test_mistakes_come_at_once_with_their_lines(cli, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(
        'kind = "optimize"\nchip = "ixp2800"\nobjectives = ["most x", "max a b"]\nbudget = 0\n[vary]\nx = []\n'
    )
    ended = cli("optimize", path)
    assert ended.status == 2
    for line, says in ((3, "expected `max` or `min`"), (3, "is no expression"), (4, "found 0"), (6, "found no value")):
        assert any(f"bad.toml:{line}:" in text and says in text for text in ended.err.splitlines()), (line, says)


def test_an_objective_without_a_value_says_at_which_point(tmp_path, wording):
    path = written(tmp_path)
    path.write_text(path.read_text().replace("max bandwidth_gbytes_s", "max bandwidth_gbytes_s / 0"))
    with pytest.raises(ConfigError) as refused:
        linecard.optimize(path)
    wording(refused.value)


# ---- designs whose numbers are not conclusive ----


OVERLOADED = """
kind = "optimize"
title = "Too much for a few engines"
chip = "example_smartnic"
packets = 4000
warmup_packets = 500
objectives = ["max throughput_gbps", "min island.engines"]
limits = [{limit}]
budget = 6
[set]
traffic.rate_gbps = 150
island.count = 1
[vary]
island.engines = [2, 8, 16]
eth.count = [2, 70000]
"""


def overloaded(folder, limit=""):
    path = folder / "space.toml"
    path.write_text(OVERLOADED.format(limit=limit))
    return path


def test_a_rate_that_is_sure_is_ranked_though_packets_pile_up(cli, tmp_path):
    path, store = overloaded(tmp_path), tmp_path / "s"
    found = optimize(path, store=store)
    assert [row["status"] for row in found.rows].count("rate only") == 2
    assert (found.unsteady, found.refused) == (0, 3)
    assert [row["steady"] for row in found.front] == [True, False, False]
    screen = cli("optimize", path, "--store", store).out
    assert f"rate only: 2 of {found.runs} points" in screen
    sure = optimize(overloaded(tmp_path, '"steady"'), store=store)
    assert all(row["steady"] for row in sure.front)


def test_what_is_not_steady_is_on_no_front_of_latencies(cli, tmp_path, wording):
    path, store = overloaded(tmp_path), tmp_path / "s"
    path.write_text(path.read_text().replace("min island.engines", "min latency_p99_ns"))
    found = optimize(path, store=store)
    assert found.unsteady == 2
    assert all(row["steady"] for row in found.front)
    # If only such designs are left, the question has no answer.
    path.write_text(path.read_text().replace("[2, 8, 16]", "[2, 8]"))
    ended = cli("optimize", path, "--store", store)
    assert ended.status == 4
    wording(ended.err)


def test_a_program_is_that_of_all_points(cli, tmp_path, wording):
    path = tmp_path / "space.toml"
    path.write_text(
        'kind = "optimize"\nchip = "nfp4000"\npackets = 2000\nbudget = 2\nobjectives = ["max throughput_mpps"]\n'
        "[vary]\nisland.count = [1, 2]\n"
    )
    words = ("--program", "parse_count", "--cpus", 2, "--set", "verdict=false", "--json", "--store", tmp_path / "s")
    ended = cli("optimize", path, *words)
    assert ended.status == 0, ended.err
    best = json.loads(ended.out)["front"][0]
    assert "--program parse_count" in best["command"]
    assert "--cpus 2" in best["command"]
    found = optimize(path, set={"verdict": False, "cpus": 2}, program="parse_count", store=tmp_path / "s")
    assert found.front[0]["objectives"] == best["objectives"]
    with pytest.raises(ConfigError) as refused:
        optimize(written(tmp_path), program="parse_count")
    wording(refused.value)


def test_what_was_refused_is_told_by_reason(cli, tmp_path):
    path, store = overloaded(tmp_path), tmp_path / "s"
    found = json.loads(cli("optimize", path, "--store", store, "--json").out)
    assert found["refused"] == sum(each["points"] for each in found["reasons"]) > 0
    first = found["reasons"][0]
    assert first["status"] == "refused"
    again = cli(*shlex.split(first["command"])[1:])
    assert again.status == 2
    assert all(line in again.err for line in first["reason"].splitlines())
    screen = " ".join(cli("optimize", path, "--store", store).out.split())
    assert f"refused {first['points']}: {' '.join(first['reason'].split())}" in screen


# ---- short runs first ----


def halved(folder, more="", halving=2, budget=12):
    path = written(folder, budget=budget)
    path.write_text(path.read_text().replace("[vary]", f"halving = {halving}\n{more}\n[vary]"))
    return path


def test_a_search_with_short_runs_first_keeps_its_budget_and_tells_runs_in_full(cli, tmp_path):
    path = halved(tmp_path)
    found = optimize(path)
    assert found.short_runs > found.runs >= 4
    # A run of a quarter and one of a half precede each full run: 4 points per full run.
    assert found.runs * 3 <= 12
    assert all(row["reads"] + row["writes"] == 200 for row in found.rows)
    assert all("--count 200" in row["command"] for row in found.front)
    first = cli("optimize", path, "--json", "--store", tmp_path / "s", "--jobs", 1)
    assert json.loads(first.out)["short_runs"] == found.short_runs
    again = cli("optimize", path, "--json", "--store", tmp_path / "s", "--jobs", 4)
    assert again.out == first.out
    assert " 0 executed," in again.err
    assert "shorter runs" in cli("optimize", path, "--store", tmp_path / "s").out


@pytest.mark.parametrize("budget", [2, 4, 5, 8, 10, 20, 23])
@pytest.mark.parametrize("halving", [1, 2, 3])
def test_short_runs_never_exceed_a_budget_of_any_size(tmp_path, budget, halving):
    found = optimize(halved(tmp_path, halving=halving, budget=budget), store=tmp_path / "s")
    # The count of a run is its length: 200 for a run in full, and half as much for each halving.
    store = Store(tmp_path / "s")
    numbers = [record["numbers"] for record in map(store.get, store.keys()) if record is not None]
    lengths = [each["reads"] + each["writes"] for each in numbers]
    assert sum(lengths) <= budget * 200
    assert sum(length < 200 for length in lengths) == found.short_runs
    assert 1 <= found.runs == len(found.rows) < budget


def test_what_holds_every_point_is_run_in_full():
    task = read_task(EXAMPLES / "dram_part.toml", 240)
    whole = search(replace(task, halving=2, spec=replace(task.spec, arguments={**task.spec.arguments, "count": 50})))
    assert (whole.method, whole.short_runs, whole.runs) == ("exhaustive", 0, 240)


@pytest.mark.parametrize(
    "change",
    [
        ("count = 200", ""),
        ("in_flight =", "count ="),
        ("halving = 2", "halving = 99"),
    ],
)
def test_what_cannot_be_halved_is_refused(tmp_path, change, wording):
    path = halved(tmp_path)
    text = path.read_text().replace(*change)
    path.write_text(text.replace("count = 200\n", "") if "count =" in change[1] else text)
    with pytest.raises(ConfigError) as refused:
        optimize(path)
    wording(refused.value)


def test_a_no_drop_rate_is_an_objective(tmp_path):
    path = tmp_path / "ndr.toml"
    path.write_text(
        'kind = "optimize"\nwhat = "ndr"\nchip = "example_smartnic"\nsize = "64"\npackets = 200\n'
        "width = 0.05\nbudget = 2\n"
        'objectives = ["max ndr_mpps", "min area", "min latency_p99_ns_at_50_pdr"]\n[set]\nisland.count = 1\n'
        "[vary]\nisland.engines = [2]\nisland.threads = [2, 4]\n"
        '[columns]\narea = \'island.engines * (cost("engine_mm2") + island.threads * cost("thread_mm2"))\'\n'
    )
    found = optimize(path)
    best = found.front[0]
    rate = linecard.ndr(
        "example_smartnic",
        ["64"],
        packets=200,
        width=0.05,
        set={"island.count": 1, "island.engines": best["island.engines"], "island.threads": best["island.threads"]},
    )
    assert best["objectives"][0] == rate.rows[0].ndr_mpps
    assert best["command"].startswith("linecard ndr example_smartnic")


def test_a_front_is_drawn_with_the_same_bytes(cli, tmp_path, wording):
    pytest.importorskip("resvg_py")
    files = []
    for name in "ab":
        drawn = tmp_path / f"{name}.svg"
        ended = cli("optimize", written(tmp_path, budget=8), "--store", tmp_path / "s", "-o", drawn)
        assert ended.status == 0, ended.err
        files.append(drawn.read_bytes())
    assert files[0] == files[1]
    found = optimize(written(tmp_path, budget=8))
    assert found.save(tmp_path / "c.png").stat().st_size > 5000
    with pytest.raises(ConfigError) as refused:
        found.save(tmp_path / "c.pdf")
    wording(refused.value)


def test_the_axis_of_an_objective_over_two_decades_is_logarithmic(tmp_path):
    path = written(tmp_path, budget=24)
    path.write_text(path.read_text() + "[columns]\nsmall = 'in_flight'\nlarge = '100 * in_flight**2'\n")
    objectives = 'objectives = ["max small", "min large"]'
    path.write_text(path.read_text().replace('objectives = ["max bandwidth_gbytes_s", "min read.mean_ns"]', objectives))
    (chart,) = (part for part in view(optimize(path)) if isinstance(part, Chart))
    # 1 to 12, and 100 to 14,400.
    assert not chart.x.logarithmic
    assert chart.y.logarithmic
