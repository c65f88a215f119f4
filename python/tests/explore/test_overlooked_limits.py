"""Limits that no utilisation shows: `check` and `why` must not call a chip with such a limit able to carry its load."""

from __future__ import annotations

import json

import pytest

import linecard

CHIP = """
kind = "chip"
title = "A chip"
source = "a test"
[clock]
core_mhz = 1000
[cluster.core]
engines = 4
threads = 1
takes = "work"
[buffer.rx]
bytes = "64 MiB"
[inbox.work]
[port.eth]
rate_gbps = 100
inbox = "work"
[traffic]
kind = "fixed"
packet_bytes = 500
rate_gbps = 20
"""
STEP = """
[[program.step]]
op = "compute"
cycles = 300
"""
# A class with a shaper of 10 Gbit/s.
SHAPER = """
[[port.eth.class]]
name = "a"
rate_gbps = 10
"""
# At most four packets are in the 1,000 cycles behind the inbox: less than 4 Mpps, or 16 Gbit/s.
WINDOW = """
[[program.step]]
op = "put"
to = "slow"
cycles = 10
[inbox.slow]
entries = 64
window = 4
[cluster.host]
engines = 16
threads = 1
takes = "slow"
[[cluster.host.step]]
op = "compute"
cycles = 1000
[[cluster.host.step]]
op = "send"
"""
# Each of four threads has at most one write of 1,000 cycles outstanding: 4 Mpps, or 16 Gbit/s.
POSTED = """
[memory.m]
latency_cycles = 1000
access_cycles = 1
[[program.step]]
op = "write"
at = "m"
posted = true
cycles = 10
"""
# The packets that `c` returns to `b` fill the ring between them and the inbox: all threads wait for each other.
DEADLOCK = """
[[program.step]]
op = "put"
to = "q"
cycles = 10
[memory.m]
latency_cycles = 10
[inbox.q]
entries = 4
[ring.r]
memory = "m"
entries = 2
[cluster.b]
engines = 1
threads = 1
takes = "q"
[[cluster.b.step]]
op = "put"
to = "r"
[cluster.c]
engines = 1
threads = 1
takes = "r"
[[cluster.c.step]]
op = "put"
to = "q"
cycles = 100
share = 0.5
[[cluster.c.step]]
op = "send"
"""
# Four random reads a packet of DDR4-2400, each of 64 bytes in a row of its own.
DRAM = """
[memory.d]
kind = "dram"
part = "ddr4_2400"
[[program.step]]
op = "read"
at = "d"
bytes = 64
within_bytes = 2147483648
times = 4
[[program.step]]
op = "send"
"""
# Three of four packets end in a rule. Four engines of 300 cycles at 1 GHz carry 13.3 Mpps, or 53.3 Gbit/s.
DROPS = """
[[program.step]]
op = "drop"
cycles = 300
share = 0.75
[[program.step]]
op = "send"
"""
MANY = [*("--set", "core.engines=16"), *("--set", "core.threads=8"), *("--set", "eth.rate_gbps=400")]
EVERY = "Every part can carry the offered load."


@pytest.fixture
def checked(tmp_path, monkeypatch, cli):
    """Check a chip with further tables; return the text on the screen, and the result."""
    monkeypatch.chdir(tmp_path)

    def check(more, *words):
        (tmp_path / "chip.toml").write_text(CHIP + more)
        shown = " ".join(cli("check", "chip.toml", *words).out.split())
        return shown, json.loads(cli("check", "chip.toml", *words, "--json").out)

    return check


def test_a_chip_that_carries_its_load_is_said_to(checked):
    shown, found = checked(STEP, "--size", 500)
    assert EVERY in shown
    assert found["is_carried"] is True
    assert "not_computed" not in found


def test_bursts_that_fill_a_buffer_are_not_hidden(checked):
    # No part is busy for more than 38 % of the time, but six packets fill the buffer.
    settings = {"rx.bytes": 3072, "traffic.arrivals": "poisson"}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    shown, found = checked(STEP, "--size", 500, *words)
    run = linecard.run("chip.toml", set=settings, packets=20_000, warmup_packets=2_000, verdict=False)
    assert run.summary.loss_fraction > 0.005
    assert found["is_carried"] is True
    assert found["lost_fraction"] == pytest.approx(run.summary.loss_fraction, rel=1e-3)
    assert "bursts fill a buffer: a short run lost 0.54 % of the packets" in shown
    assert EVERY not in shown


def test_a_shaper_has_a_capacity(checked):
    shown, found = checked(STEP + SHAPER, "--size", 500)
    most = found["demands"][0]
    assert most["component"] == "eth, shapers"
    assert most["most_gbps"] == pytest.approx(10, rel=0.01)
    assert most["share"] == pytest.approx(2, rel=0.01)
    assert EVERY not in shown
    assert "is_carried" not in found


@pytest.mark.parametrize("rate_gbps", [45, 59])
def test_a_dram_that_is_limited_by_its_activates_does_not_carry_every_load(checked, rate_gbps):
    # Its data bus carries 60 Gbit/s. Four activates in tFAW = 26 clocks of 0.83 ns are 185 million rows a second, less
    # than 5 % for refreshes: 35 to 37 Gbit/s of four rows a packet.
    shown, found = checked(DRAM, "--size", 100, *MANY, "--set", f"traffic.rate_gbps={rate_gbps}")
    shares = {each["component"]: each["share"] for each in found["demands"]}
    assert shares.pop("d, activates") == pytest.approx(rate_gbps / 36, rel=0.03)
    assert max(shares.values()) < 1
    assert "is_carried" not in found
    assert EVERY not in shown


def test_the_utilisation_of_a_dram_includes_its_activates(tmp_path):
    (tmp_path / "chip.toml").write_text(CHIP + DRAM)
    load = {"traffic.packet_bytes": 100, "traffic.rate_gbps": 17, "traffic.arrivals": "poisson"}
    many = {"core.engines": 16, "core.threads": 8, "eth.rate_gbps": 400}
    found = linecard.run(str(tmp_path / "chip.toml"), set=load | many, packets=20_000).bottleneck
    # 85 million rows a second, each 26 / 4 clocks of 0.83 ns: 0.459, and up to 0.045 for refreshes.
    assert found.component == "offered load"
    assert "The busiest part, d, is" in found.why
    assert 0.45 < found.utilization < 0.51


def test_a_program_that_drops_most_packets_does_not_hide_the_limit(tmp_path):
    chip = tmp_path / "chip.toml"
    chip.write_text(CHIP + DROPS)
    light = linecard.run(str(chip), packets=20_000).bottleneck
    assert light.component == "firewall rule"
    assert light.why.endswith("No part of the chip limits this run.")
    overload = linecard.run(str(chip), set={"traffic.rate_gbps": 90}, packets=20_000).bottleneck
    assert overload.component == "engines of core"
    assert "are dropped by a rule of the program" in overload.why
    # `why` saturates the chip that carries its load, although most packets end in the rule.
    limit = linecard.why(str(chip), packets=4_000, seeds=2)
    assert (limit.load, limit.verdict) == ("saturated", "engines of core")


def test_a_part_that_is_nearly_full_is_not_said_to_carry_the_load(checked):
    # Four engines of 300 cycles at 1 GHz carry 13.3 Mpps, or 53.3 Gbit/s.
    shown, found = checked(STEP, "--size", 500, "--set", "traffic.rate_gbps=52")
    assert 0.95 < found["demands"][0]["share"] < 1
    assert "is_carried" not in found
    assert "engines of core is nearly full: a short run cannot tell" in shown


def test_the_capacity_of_a_port_is_that_of_its_wire(checked):
    _, found = checked(STEP, "--size", 64, "--set", "traffic.rate_gbps=4")
    most = {each["component"]: each["most_mpps"] for each in found["demands"]}
    # Frames of 64 bytes with preamble and gap: 84 bytes at 100 Gbit/s.
    assert most["eth, inward"] == pytest.approx(100e3 / (84 * 8), rel=1e-3)
    assert most["eth, outward"] == pytest.approx(100e3 / (84 * 8), rel=1e-3)


def test_a_window_is_named_and_its_overload_is_seen(checked):
    shown, found = checked(WINDOW, "--size", 500)
    assert max(each["share"] for each in found["demands"]) < 0.5
    assert found["is_carried"] is False
    assert found["not_computed"] == ["the window of inbox slow"]
    assert "No part in the table is overloaded, but the chip loses or accumulates packets" in shown
    assert "The table does not include the window of inbox slow." in shown
    # A window that is large enough still has no computed capacity.
    shown, found = checked(WINDOW.replace("window = 4", "window = 16"), "--size", 500)
    assert found["is_carried"] is True
    assert "Every part in the table can carry the offered load." in shown


def test_posted_operations_are_named(checked):
    shown, found = checked(POSTED, "--size", 500, "--set", "core.posted=1")
    assert found["not_computed"] == ["the limit of posted operations"]
    assert EVERY not in shown


def test_a_deadlock_does_not_fit_together(checked):
    shown, found = checked(DEADLOCK)
    assert any("deadlocked" in warning for warning in found["warnings"])
    assert "fits together" not in shown
    assert "The file is valid, but the chip may not work: see the warnings." in shown


def test_packets_in_the_chip_are_no_loss_of_zero(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chip.toml").write_text(CHIP + WINDOW)
    found = linecard.why("chip.toml", packets=1000, seeds=1)
    assert (found.loss_fraction, found.steady) == (0, False)
    # 3.84 of 5 Mpps leave.
    assert found.inside_fraction == pytest.approx(0.24, abs=0.04)
    shown = " ".join(cli("why", "chip.toml", "--packets", 1000, "--seeds", 1).out.split())
    assert "Loss none yet another" in shown
    assert "of the arrived packets are still in the chip: not steady" in shown
    assert "0.000%" not in shown
