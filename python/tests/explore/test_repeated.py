"""Do repeated points become means with intervals, and is a best point named only if it is the best beyond chance?"""

from __future__ import annotations

import json
import random

import pytest

import linecard
from linecard.explore.repeated import best_of, over_seeds

GATE = """
kind = "chip"
title = "A unit that every packet asks"
source = "a test"
[clock]
core_mhz = 1000
[cluster.core]
engines = 16
threads = 8
[unit.gate]
rate_gbps = 30
[buffer.rx]
bytes = "64 KiB"
[inbox.work]
[port.eth]
rate_gbps = 400
[[program.step]]
op = "ask"
at = "gate"
whole_packet = true
cycles = 10
[traffic]
kind = "imix"
rate_gbps = 60
arrivals = "poisson"
"""


def row(a, seed, throughput, status="ok"):
    return {"a": a, "seed": seed, "status": status, "throughput_gbps": throughput, "steady": status == "ok"}


def test_means_and_intervals_are_those_worked_out_by_hand():
    rows = [row(1, seed, value) for seed, value in ((1, 10.0), (2, 12.0), (3, 14.0))]
    (point,) = over_seeds(("a", "seed"), ("throughput_gbps", "steady"), rows)
    mean = point.numbers["throughput_gbps"]
    # The standard error is 2 / sqrt(3), and Student's t with two degrees of freedom is 4.303.
    assert (mean.value, point.seeds, point.status) == (12.0, (1, 2, 3), "ok")
    assert mean.high - mean.value == pytest.approx(4.303 * 2 / 3**0.5)
    assert "steady" not in point.numbers


def test_points_are_compared_seed_by_seed(wording):
    # Traffic changes both by ten; in each pair, one has 1 more.
    rows = [row(a, seed, 10.0 * seed + a) for a in (1, 2) for seed in (1, 2, 3)]
    best = best_of(over_seeds(("a", "seed"), ("throughput_gbps",), rows))
    assert (best.point.point, best.rivals) == ({"a": 2}, ())
    wording(best.sentence())


def test_what_is_not_steady_or_was_refused_is_not_ranked():
    rows = [row(a, seed, 10.0 + a + seed / 100) for a in (1, 2) for seed in (1, 2)]
    rows += [row(3, 1, 5.0, "not steady"), row(3, 2, 5.1), row(4, 1, None, "refused"), row(4, 2, 98.0)]
    points = over_seeds(("a", "seed"), ("throughput_gbps",), rows)
    assert [each.status for each in points] == ["ok", "ok", "not steady", "refused"]
    best = best_of(points)
    assert best.point.point == {"a": 2}
    assert best.sentence().endswith("; 2 not ranked (not steady, refused or failed)")
    # A point that was not steady and may have more leaves the question open.
    rows[4]["throughput_gbps"], rows[5]["throughput_gbps"] = 99.0, 99.1
    best = best_of(over_seeds(("a", "seed"), ("throughput_gbps",), rows))
    assert best.sentence().startswith(
        "highest throughput_gbps: not known. The result of a=3 was not steady, and may exceed the result of a=2"
    )


def test_points_that_differ_by_chance_alone_are_all_named(wording):
    rows = [row(1, seed, value) for seed, value in ((1, 10.0), (2, 11.0), (3, 9.0))]
    rows += [row(2, seed, value) for seed, value in ((1, 10.5), (2, 9.5), (3, 10.5))]
    best = best_of(over_seeds(("a", "seed"), ("throughput_gbps",), rows))
    wording(best.sentence())


def test_the_screen_json_and_frame_have_a_row_a_point(cli, tmp_path):
    (tmp_path / "gate.toml").write_text(GATE)
    words = ("sweep", tmp_path / "gate.toml", "--vary", "gate.rate_gbps=30,35", "--repeat", 3, "--packets", 4000)
    ended = cli(*words, "--store", tmp_path / "store")
    assert ended.status == 0, ended.err
    shown = " ".join(ended.out.split())
    assert "2 points, mean of 3 seeds" in shown
    assert "offered_" in shown
    assert "highest throughput_gbps: gate.rate_gbps=35 (statistically significant)" in shown
    plain = json.loads(cli(*words, "--store", tmp_path / "store", "--json").out)
    assert len(plain["rows"]) == 6
    assert [point["seeds"] for point in plain["points"]] == [3, 3]
    pytest.importorskip("polars")
    table = linecard.sweep(
        tmp_path / "gate.toml",
        vary={"gate.rate_gbps": [30, 35]},
        repeat=3,
        packets=4000,
        store=tmp_path / "store",
    )
    frame = table.means_frame()
    assert frame.height == 2
    assert {"throughput_gbps", "throughput_gbps_low", "throughput_gbps_high"} <= set(frame.columns)


def test_a_sweep_of_which_nothing_ran_shows_why(cli, tmp_path):
    (tmp_path / "gate.toml").write_text(GATE)
    words = ("--vary", "gate.rate_gbps=30,35", "--repeat", 2, "--packets", 500, "--set", "traffic.rate_gbps=900")
    ended = cli("sweep", tmp_path / "gate.toml", *words, "--store", tmp_path / "store")
    assert "mean of" not in ended.out
    assert "refused 4: " in ended.out


def wrong(number, folder):
    """Whether a sweep with a known best point names only another one."""
    draw = random.Random(number)
    most = draw.randint(20, 50)
    # Some rates differ by only a hundredth: the traffic of a run changes its throughput by more.
    rates = sorted({float(most), *(round(most * (1 - draw.choice((0.01, 0.02, 0.05, 0.2))), 3) for _ in range(3))})
    draw.shuffle(rates)
    path = folder / f"{number}.toml"
    path.write_text(GATE)
    vary = {"gate.rate_gbps": rates}
    table = linecard.sweep(path, vary=vary, repeat=3, seed=number + 1, packets=6000, store=None, verdict=False)
    best = best_of(table.over_seeds())
    assert best is not None, "none is steady: the sweep answers nothing"
    return all(each.point["gate.rate_gbps"] != most for each in (best.point, *best.rivals, *best.unknown))


@pytest.mark.parametrize("number", range(4))
def test_a_known_best_point_is_never_ruled_out(number, tmp_path):
    assert not wrong(number, tmp_path)


@pytest.mark.long
def test_on_twenty_sweeps_a_known_best_point_is_never_ruled_out(tmp_path):
    assert [number for number in range(20) if wrong(number, tmp_path)] == []
