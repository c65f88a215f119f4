"""The IXP2400 from Python and the command line: schemes, comparison of models, shot noise."""

from __future__ import annotations

import json
import math

import pytest
from conftest import ROOT

import linecard
from linecard.petri import models
from linecard.petri.models import COMPARED

EDGE = ROOT / "examples" / "captures" / "edge-mix.pcap.gz"
QUICK = ("--packets", 2000, "--warmup", 500)


def test_its_metrics_are_those_that_are_compared(cli):
    ended = cli("run", "ixp2400", *QUICK, "--json")
    assert ended.status == 0, ended.err
    plain = json.loads(ended.out)
    assert plain["program"] == "ipv4_forward"
    metrics = {(row["component"], row["metric"]) for row in plain["metrics"]}
    assert set(COMPARED) <= metrics


def test_a_capture_runs_through_it(cli):
    ended = cli("run", "ixp2400_core", "--trace", EDGE, "--map-addresses", "--json")
    assert ended.status == 0, ended.err
    plain = json.loads(ended.out)
    assert plain["summary"]["packets_out"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "ixp2400", "--program", "l3fwd16"), "l3fwd16"),
        (("run", "ixp2400", "--set", "input.engines=2"), "input"),
        (("run", "ixp2400", "--set", "program.scheme=DYNAMIC"), "ixp2400_dynamic"),
        (("compare-models", "--threads", "16"), "4x4"),
        (("hierarchy", "ixp2400"), "is not a hierarchy of engines, core and host"),
        (("shot-noise", "ixp1200"), "ixp2400_core"),
        (("shot-noise", "--windows", "1"), "2 to"),
        (("shot-noise", "--set", "shots.slowest_kbps=5000"), "highest"),
    ],
)
def test_errors_name_the_place_and_what_is_expected(cli, arguments, words):
    ended = cli(*arguments)
    assert ended.status in (2, 3), ended.err
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_models_that_agree_pass_and_others_do_not(monkeypatch, cli):
    """A second model that equals the first one, and one that is 4 % faster."""

    def faster_by(factor):
        def net(*request):
            values = dict(models._np(*request))
            values["total", "throughput_mbps"] *= factor
            return values

        monkeypatch.setattr(models, "_petri", net)

    point = {"threads": ["2x4"], "traffic": ["64"], "schemes": ["BASE"], "packets": 2000}
    faster_by(1.0)
    same = linecard.compare_models(**point)
    assert same.passed
    assert len(same.rows) == len(COMPARED)
    assert all(row.difference == 0 for row in same.rows)
    faster_by(1.04)
    faster = linecard.compare_models(**point)
    assert not faster.passed
    assert [row.component for row in faster.rows if not row.passed] == ["total"]
    assert faster.worst()["total", "throughput_mbps"].difference == pytest.approx(4.0)
    grid = ("compare-models", "--threads", "2x4", "--traffic", "64", "--scheme", "BASE", "--packets", 2000)
    ended = cli(*grid, "--json")
    assert ended.status == 1
    assert json.loads(ended.out)["passed"] is False
    assert cli(*grid).status == 1


def test_schemes_see_the_same_packets_and_rank_as_published():
    def mbps(scheme):
        changes = {"me.engines": 4, "me.threads": 4, "traffic.kind": "PSC", "program.scheme": scheme}
        run = linecard.run("ixp2400", set=changes, packets=20_000, warmup_packets=2000)
        return run.metric("total", "throughput_mbps"), run.bottleneck.component

    found = [mbps(scheme) for scheme in ("BASE", "HB", "FCB", "FCB+TB")]
    assert [rate for rate, _ in found] == sorted(rate for rate, _ in found)
    assert {limit for _, limit in found} == {"dram"}


def test_dynamic_buffering_drops_less_on_the_same_packets():
    def run(preset):
        return linecard.run(preset, set={"traffic.rate_gbps": 5.417}, packets=30_000, warmup_packets=3000)

    dram, dynamic = run("ixp2400_core"), run("ixp2400_dynamic")
    assert dram.metric("total", "mean_packet_bytes") == pytest.approx(
        dynamic.metric("total", "mean_packet_bytes"), rel=0.02
    )
    assert dynamic.metric("total", "loss_percent") < 0.2 < dram.metric("total", "loss_percent")
    assert dynamic.metric("dram", "utilization_percent") < 10 < dram.metric("dram", "utilization_percent")


def test_shot_noise_has_its_rate_and_repeats():
    again = [linecard.shot_noise(rate_mbps=200, windows=20, window_ms=50, seed=4) for _ in range(2)]
    assert again[0] == again[1]
    found = again[0]
    assert len(found.rates_mbps) == 20
    assert found.mean_mbps == pytest.approx(sum(found.rates_mbps) / 20)
    # Log-uniform from 1 kbit/s to 1 Mbit/s.
    assert found.active_flows == pytest.approx(200e3 / (999 / math.log(1000)))
    assert found.mean_mbps == pytest.approx(200, rel=4 * found.expected_variation_percent / 100)
