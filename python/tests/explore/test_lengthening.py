"""Are runs lengthened until they are conclusive, by one rule, and are inconclusive ones marked and not compared?"""

from __future__ import annotations

import json
import shlex

import pytest
from conftest import ROOT

import linecard
from linecard.chip import length
from linecard.chip.length import NOT_PRECISE, NOT_STEADY, Aim, half_width, has_ended, is_same, longer
from linecard.errors import ConfigError

NIC = "example_smartnic"
CAPTURE = str(ROOT / "examples/captures/edge-mix.pcap.gz")
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
rate_gbps = 20
arrivals = "poisson"
"""


@pytest.fixture
def gate(tmp_path):
    path = tmp_path / "gate.toml"
    path.write_text(GATE)
    return path


@pytest.fixture
def small_budget(monkeypatch):
    """Runs up to 4 times as long as requested."""
    monkeypatch.setattr(length, "LONGEST", 0)


# ---- the rule ----


def run(rate, half=None, *, steady=True, out=2000):
    bounds = {} if half is None else {"throughput_gbps_low": rate - half, "throughput_gbps_high": rate + half}
    return {"throughput_gbps": rate, "throughput_mpps": rate, "steady": steady, "packets_out": out, **bounds}


def test_half_an_interval_is_that_of_the_batches_or_of_the_seeds_whichever_is_wider():
    assert half_width([run(10.0, 1.0)], "throughput_gbps") == pytest.approx(0.1)
    assert half_width([run(10.0)], "throughput_gbps") is None
    # The standard error is 2 / sqrt(3) with a mean of 12, and Student's t is 4.303.
    seeds = [run(10.0, 0.1), run(12.0, 0.1), run(14.0, 0.1)]
    assert half_width(seeds, "throughput_gbps") == pytest.approx(4.303 * 2 / 3**0.5 / 12)
    # Three seeds agree by chance: a half interval of 3 each is one of 3 / sqrt(3) of their mean.
    lucky = [run(12.0, 3.0)] * 3
    assert half_width(lucky, "throughput_gbps") == pytest.approx(3 / 3**0.5 / 12)


def test_runs_grow_four_times_within_the_budget_and_once_beyond_it():
    assert longer(4_000, None, 4_000) == (16_000, None)
    assert longer(64_000, 2_000, 4_000) == (256_000, 8_000)
    assert longer(80_000, None, 5_000) is None
    assert longer(100_000, None, 100_000) == (400_000, None)
    assert longer(400_000, None, 100_000) is None
    # A run of a whole capture cannot be longer.
    assert longer(0, None, 0) is None


def test_a_rate_is_the_same_within_two_percent_of_enough_packets():
    assert is_same([run(100.0)], [run(101.0)])
    assert not is_same([run(100.0)], [run(103.0)])
    assert not is_same([run(100.0)], [run(101.0, out=999)])
    assert not is_same([run(0.0)], [run(0.0)])


def test_a_doubt_names_what_is_missing_and_what_to_change(wording):
    aim = Aim(0.01)
    assert aim.doubt([run(10.0, 0.1)]) == ""
    assert aim.doubt([run(10.0, 0.2)]) == NOT_PRECISE
    assert aim.doubt([run(10.0, 0.1, steady=False)]) == NOT_STEADY
    assert aim.shortfall([run(10.0, 0.1)], [4000]) == ""
    wording(aim.shortfall([run(10.0, 0.2)], [4000, 16000]))
    wording(aim.shortfall([run(1.0, steady=False)], [4000]))


# ---- sweeps ----


def test_a_run_that_is_too_short_is_made_again_and_its_command_repeats_it(gate, tmp_path, cli):
    store = tmp_path / "s"
    table = linecard.sweep(gate, vary={"gate.rate_gbps": [30, 60]}, packets=100, store=store)
    assert table.column("status") == ["ok", "ok"]
    assert table.lengthened == 2
    assert table.lengths[-1] > 100
    for row in table.rows:
        alone = json.loads(cli(*shlex.split(row["command"])[1:], "--json").out)["summary"]
        assert alone["throughput_gbps"] == row["throughput_gbps"]
    # The second sweep finds all of its runs, and its table is the same.
    again = linecard.sweep(gate, vary={"gate.rate_gbps": [30, 60]}, packets=100, store=store, jobs=1)
    assert (again.rows, again.counts.run) == (table.rows, 0)


def test_what_is_steady_as_it_was_asked_for_stays_so(gate):
    asked = {"vary": {"gate.rate_gbps": [30, 60]}, "packets": 4000}
    assert linecard.sweep(gate, **asked).rows == linecard.sweep(gate, **asked, lengthen=False).rows


def test_points_are_made_as_precise_as_was_asked(gate):
    table = linecard.sweep(gate, vary={"gate.rate_gbps": [30, 60]}, packets=1000, precision=0.03)
    assert table.column("status") == ["ok", "ok"]
    for row in table.rows:
        assert row["throughput_gbps_high"] - row["throughput_gbps_low"] <= 2 * 0.03 * row["throughput_gbps"]
    seeds = linecard.sweep(gate, repeat=3, packets=1000, precision=0.03)
    (point,) = seeds.over_seeds()
    assert point.status == "ok"
    mean = point.numbers["throughput_gbps"]
    assert mean.high - mean.value <= 0.03 * mean.value


@pytest.mark.usefixtures("small_budget")
def test_what_the_budget_does_not_make_sure_is_marked_and_answers_nothing(gate, tmp_path, wording):
    table = linecard.sweep(gate, vary={"gate.rate_gbps": [30, 60]}, packets=1000, precision=0.001, repeat=2)
    assert set(table.column("status")) == {"not precise"}
    assert not table.answered
    assert table.to_dict()["best"] is None
    wording(table.doubts[0])


def test_a_sweep_of_which_nothing_is_sure_ends_with_status_4(gate, tmp_path, cli, wording):
    words = ("--vary", "gate.rate_gbps=30,60", "--packets", 100, "--no-lengthen", "--store", tmp_path / "s")
    ended = cli("sweep", gate, *words)
    assert ended.status == 4
    wording(ended.err)
    assert "2 run" in ended.err


def test_packets_that_pile_up_leave_a_rate_that_is_sure_and_ranked_with_a_margin(gate, wording):
    # Twice as many packets as the gate carries enter a buffer that no run fills.
    table = linecard.sweep(
        gate,
        vary={"gate.rate_gbps": [30, 30.2, 33]},
        set={"traffic.rate_gbps": 60, "rx.bytes": "1 GiB", "verdict": False},
        packets=2000,
        repeat=3,
    )
    assert set(table.column("status")) == {"rate only"}
    for row in table.rows:
        assert row["throughput_gbps"] == pytest.approx(row["gate.rate_gbps"], rel=0.02)
    assert table.to_dict()["best"].startswith("highest throughput_gbps: gate.rate_gbps=33 (statistically significant)")
    two = linecard.sweep(
        gate,
        vary={"gate.rate_gbps": [30, 30.2]},
        set={"traffic.rate_gbps": 60, "rx.bytes": "1 GiB", "verdict": False},
        packets=2000,
        repeat=3,
    )
    # The difference is below the margin of a rate that is conclusive without a steady run.
    wording(two.to_dict()["best"])


def test_a_precision_that_makes_no_sense_is_refused(gate, tmp_path, cli, wording):
    for asked in (0.0, 1.0, -0.1):
        with pytest.raises(ConfigError, match="precision: found"):
            linecard.sweep(gate, precision=asked)
        with pytest.raises(ConfigError, match="precision: found"):
            linecard.run(gate, precision=asked)
        with pytest.raises(ConfigError, match="precision: found"):
            linecard.compare(gate, gate, precision=asked)
    with pytest.raises(ConfigError) as refused:
        linecard.sweep("ddr4_2400", what="dram", precision=0.01)
    wording(refused.value)
    with pytest.raises(ConfigError) as refused:
        linecard.ndr(gate, precision=0.01, width=0.01)
    wording(refused.value)
    with pytest.raises(ConfigError) as refused:
        linecard.sweep(gate, what="ndr", precision=0.01, set={"width": 0.02})
    wording(refused.value)
    assert cli("run", gate, "--precision", "much").status == 2
    path = tmp_path / "s.toml"
    path.write_text(f'kind = "sweep"\nchip = "{gate}"\nprecision = "2%"\nlengthen = 3\n')
    with pytest.raises(ConfigError) as refused:
        linecard.sweep(path)
    wording(refused.value)


# ---- captures ----


def test_a_run_is_as_long_as_the_capture_at_most_and_asks_for_no_packets_beyond_it(gate):
    """The capture has 20,000 packets: 4,000 and 16,000 fit after the warm-up of 100, but 64,000 do not."""
    asked = {"trace": CAPTURE, "warmup_packets": 100, "precision": 1e-4}
    found = linecard.run(gate, packets=4000, verdict=False, **asked)
    assert (found.request.packets, found.request.warmup_packets, found.summary.packets_out) == (0, 100, 19_900)
    assert found.to_dict() == linecard.run(gate, verdict=False, **asked).to_dict()
    (told,) = found.warnings
    assert told.startswith("the precision was not reached: with the whole capture, the half-width")
    assert told.endswith("replay a longer capture (--trace), or request a lower precision")
    table = linecard.sweep(gate, packets=4000, set={"verdict": False}, **asked)
    assert table.rows[0]["packets_out"] == 19_900
    assert "--packets 0 " in table.rows[0]["command"]
    assert table.doubts == (
        "not precise: 1 of 1 points, with up to the whole capture per run; replay a longer capture (--trace), or "
        "request a lower precision",
        "1 of 1 runs were lengthened: up to the whole capture",
    )
    notes = linecard.compare(gate, set_b={"gate.latency_ns": 100}, packets=100_000, trace=CAPTURE, precision=1e-4).notes
    assert "with the whole capture, the half-width" in notes[0]
    assert notes[-1] == "runs were lengthened: the whole capture"


def test_a_capture_has_ended_if_fewer_packets_came_and_left_than_were_asked_for():
    numbers = {"packets_in": 80, "packets_out": 70, "packets_dropped": 10}
    assert has_ended(100, numbers)
    # Many packets of the warm-up were left, or a program dropped packets by choice.
    assert not has_ended(100, {**numbers, "packets_out": 95})
    assert not has_ended(100, {**numbers, "packets_in": 105})
    assert not has_ended(0, numbers)


# ---- the other questions ----


def test_a_run_is_as_precise_as_was_asked_or_says_that_it_is_not(gate, cli, monkeypatch):
    found = linecard.run(gate, packets=1000, precision=0.03, verdict=False)
    interval = found.summary.intervals.throughput_gbps
    assert interval.high - interval.low <= 2 * 0.03 * found.summary.throughput_gbps
    assert found.request.packets > 1000
    assert found.warnings == ()
    # A run with that length is the same.
    alone = linecard.run(gate, packets=found.request.packets, verdict=False)
    assert alone.to_dict() == found.to_dict()
    monkeypatch.setattr(length, "LONGEST", 0)
    ended = cli("run", gate, "--packets", 1000, "--precision", "0.1%")
    assert ended.status == 4
    said = " ".join(ended.err.split())
    assert "the precision was not reached: with 1,000 to 4,000 packets, the half-width" in said
    assert "packets (--packets), or request a lower precision" in said


def test_the_precision_of_a_rate_without_loss_is_its_width(gate):
    asked = {"sizes": [512], "packets": 1000}
    assert linecard.ndr(gate, **asked, precision=0.02).rows == linecard.ndr(gate, **asked, width=0.02).rows
    table = linecard.sweep(gate, what="ndr", set={"size": 512}, packets=1000, precision=0.02)
    assert table.column("ndr_mpps") == [linecard.ndr(gate, **asked, width=0.02).rows[0].ndr_mpps]


@pytest.mark.usefixtures("small_budget")
def test_designs_are_compared_when_both_are_sure(gate, tmp_path, cli, wording):
    found = linecard.compare(gate, set_b={"gate.latency_ns": 100}, packets=1000, seeds=2, precision=0.5)
    assert found.answered
    words = ("--set-b", "gate.latency_ns=100", "--packets", 1000, "--seeds", 2, "--precision", "0.01%")
    ended = cli("compare", gate, gate, *words, "--json", "--store", tmp_path / "s")
    assert ended.status == 4
    wording(ended.err)
    assert json.loads(ended.out)["answered"] is False
    assert {each["beyond_noise"] for each in json.loads(ended.out)["metrics"]} == {None}


def test_one_seed_is_enough_for_the_precision_of_why(gate):
    found = linecard.why(gate, seeds=1, packets=1000, precision=0.1)
    assert found.answered
