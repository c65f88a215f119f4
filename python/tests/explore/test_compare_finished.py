"""`linecard compare` of finished runs and sweeps: noise comes from their runs, and settings from what ran."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import linecard
from linecard.explore.moved import QUANTILE_STEP, moved_between

CHIP = """
kind = "chip"
title = "Two engines"
source = "a test"
[clock]
core_mhz = 1000
[cluster.core]
engines = 2
threads = 1
[memory.sram]
latency_cycles = 30
access_cycles = 4
[buffer.rx]
bytes = "1 MiB"
[inbox.work]
[port.eth]
rate_gbps = 100
[[program.step]]
op = "read"
at = "sram"
cycles = 170
[traffic]
kind = "fixed"
packet_bytes = 500
rate_gbps = 20
"""


@pytest.fixture(autouse=True)
def chip(tmp_path, monkeypatch):
    """A packet takes 170 cycles and a read of 30 cycles: an engine forwards 5 Mpps, or 20 Gbit/s."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chip.toml").write_text(CHIP)
    return tmp_path / "chip.toml"


# The buffer is full after a few packets, so that short runs are steady.
SMALL = ("--set", "rx.bytes=16 KiB")


def row(at, seed=None, *, rate, half=None, length=3000, **more):
    """A row of a sweep; its throughput has an interval of `half` on each side."""
    bounds = {} if half is None else {"throughput_gbps_low": rate - half, "throughput_gbps_high": rate + half}
    seeds = {} if seed is None else {"seed": seed}
    command = f"linecard run chip.toml --packets {length} --set cluster.core.engines={at}"
    found = {"run": "r", "engines": at, **seeds, "status": "ok", "throughput_gbps": rate, **more, **bounds}
    return {**found, "reason": None, "command": command}


def compared(a, b):
    for name, rows in (("a.json", a), ("b.json", b)):
        Path(name).write_text(json.dumps({"rows": rows}))
    found = linecard.compare("a.json", "b.json")
    return found, {each.name: each for each in found.metrics}


def test_points_that_share_their_traffic_are_no_repetitions():
    """All points are 1 Gbit/s lower, within the intervals: the equal differences show the shared traffic only."""
    rates = [20.0, 20.0, 20.0, 20.0]
    found, moved = compared(
        [row(at, rate=rate, half=2) for at, rate in enumerate(rates)],
        [row(at, rate=rate - 1, half=2) for at, rate in enumerate(rates)],
    )
    rate = moved["throughput_gbps"]
    assert (rate.difference, rate.low, rate.high) == (-1, None, None)
    assert (rate.beyond_noise, rate.points, rate.rose, rate.fell) == (False, 4, 0, 0)
    assert (rate.least_difference, rate.most_difference) == (-1, -1)
    assert found.answered


def test_points_with_very_different_changes_are_still_changed():
    _, moved = compared(
        [row(1, rate=20, half=0.1), row(2, rate=30, half=0.1), row(4, rate=30, half=2)],
        [row(1, rate=10, half=0.1), row(2, rate=31, half=0.1), row(4, rate=30, half=2)],
    )
    rate = moved["throughput_gbps"]
    assert (rate.beyond_noise, rate.points, rate.rose, rate.fell) == (True, 3, 1, 1)
    assert (rate.least_difference, rate.most_difference) == (-10, 1)


def test_a_number_without_intervals_has_no_verdict():
    a, b = ([row(at, rate=rate) for at in (1, 2)] for rate in (20, 10))
    _, moved = compared(a, b)
    assert (moved["throughput_gbps"].beyond_noise, moved["throughput_gbps"].points) == (None, 0)
    assert moved["throughput_gbps"].difference == -10


def test_seeds_of_a_point_are_compared_in_pairs():
    """The seeds differ by 5, but each pair by about 1: only the pairs show that the point changed."""
    rates = {1: 20.0, 2: 25.0, 3: 30.0}
    a = [row(1, seed, rate=rate, half=4) for seed, rate in rates.items()]
    b = [row(1, seed, rate=rate + 1 + seed / 100, half=4) for seed, rate in rates.items()]
    _, moved = compared(a, b)
    assert (moved["throughput_gbps"].beyond_noise, moved["throughput_gbps"].rose) == (True, 1)
    # With other seeds, the intervals over the seeds overlap.
    _, moved = compared(a, [{**each, "seed": each["seed"] + 10} for each in b])
    assert (moved["throughput_gbps"].beyond_noise, moved["throughput_gbps"].points) == (False, 1)


def test_a_lengthened_row_is_no_setting():
    a = [row(1, rate=20, half=1), row(2, rate=20, half=1, length=12000)]
    b = [row(1, rate=20, half=1), row(2, rate=20, half=1)]
    assert compared(a, b)[0].configuration == ()
    lengthened = [{**each, "command": each["command"].replace("3000", "48000")} for each in b]
    assert compared(a, lengthened)[0].configuration == ()
    other = [{**each, "command": each["command"].replace("3000", "5000")} for each in b]
    assert [(each.key, each.a, each.b) for each in compared(a, other)[0].configuration] == [
        ("--packets", "3000", "5000")
    ]


def test_sweeps_say_where_and_in_which_direction(cli):
    """With 1, 2 and 4 engines, 30 Gbit/s meet 20, 40 and 80 Gbit/s; a read of 300 cycles leaves 8.5 for each engine."""
    for name, changes in (("a", ()), ("b", ("--set", "sram.latency_cycles=300"))):
        vary = ("--vary", "core.engines=1,2,4", "--set", "traffic.rate_gbps=30", *SMALL, *changes)
        Path(f"{name}.json").write_text(cli("sweep", "chip.toml", *vary, "--packets", 2000, "--json").out)
    ended = cli("compare", "a.json", "b.json")
    assert ended.status == 0
    assert "down at 2 of 3 points" in ended.out
    assert "difference at points" in ended.out


def test_an_edited_chip_file_shows_no_keys_that_did_not_run(cli, chip):
    for name, cycles in (("before", 170), ("after", 100)):
        chip.write_text(CHIP.replace("170", str(cycles)))
        Path(f"{name}.json").write_text(cli("run", "chip.toml", "--packets", 1000, "--json").out)
    found = linecard.compare("before.json", "after.json")
    assert found.configuration == ()
    assert found.notes[0] == "before.json: the chip file 'chip.toml' has changed since the run"
    assert "config_hash" in found.notes[-1]
    # The keys of the file do not stand for those of the first run, whose changes it contains itself.
    Path("other.json").write_text(cli("run", "chip.toml", "--packets", 1000, "--set", "core.engines=4", "--json").out)
    found = linecard.compare("before.json", "other.json")
    assert [(each.key, each.a, each.b) for each in found.configuration] == [("core.engines", None, "4")]
    found = linecard.compare("after.json", "other.json")
    assert [(each.key, each.a, each.b) for each in found.configuration] == [("cluster.core.engines", 2, 4)]


def test_runs_that_are_not_steady_are_not_compared(cli):
    """The rate is 1.5 times the capacity, and the buffer does not become full."""
    for name, rate in (("slow", 20), ("full", 60)):
        settings = ("--set", f"traffic.rate_gbps={rate}", "--set", "rx.bytes=64 MiB")
        Path(f"{name}.json").write_text(cli("run", "chip.toml", *settings, "--packets", 2000, "--json").out)
    found = linecard.compare("slow.json", "full.json")
    assert not found.answered
    assert {each.beyond_noise for each in found.metrics} == {None}
    assert any(note.startswith("b, full.json: with 2,000 packets, the run is not steady") for note in found.notes)
    ended = cli("compare", "slow.json", "full.json")
    assert ended.status == 4
    assert "nothing can be compared" in ended.err


def test_a_step_of_the_histogram_is_no_change_of_a_quantile():
    """A read that takes 0.1 ns longer moves the median of every seed by the width of a bin, 2.048 ns."""
    moved = moved_between("latency_p50_ns", [241.663] * 5, [243.711] * 5)
    assert moved.difference == pytest.approx(2.048)
    assert moved.low == pytest.approx(2.048 - 243.711 * QUANTILE_STEP)
    assert moved.high == pytest.approx(2.048 + 241.663 * QUANTILE_STEP)
    assert moved.beyond_noise is False
    assert moved_between("class a: latency_p99", [200.0] * 5, [210.0] * 5).beyond_noise is True
    assert moved_between("latency_mean_ns", [241.663] * 5, [243.711] * 5).beyond_noise is True
    found = linecard.compare("chip.toml", "chip.toml", set_b={"sram.latency_cycles": 30.1}, packets=1000, seeds=2)
    assert {each.name: each.beyond_noise for each in found.metrics}["latency_p50_ns"] is False
