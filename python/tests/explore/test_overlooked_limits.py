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


def test_a_shaper_has_a_capacity(checked):
    shown, found = checked(STEP + SHAPER, "--size", 500)
    most = found["demands"][0]
    assert most["component"] == "eth, shapers"
    assert most["most_gbps"] == pytest.approx(10, rel=0.01)
    assert most["share"] == pytest.approx(2, rel=0.01)
    assert EVERY not in shown
    assert "is_carried" not in found


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
