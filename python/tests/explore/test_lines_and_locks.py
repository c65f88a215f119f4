"""Do all commands name the limit, with its closed form, if it is a receiving line, a lock or a window?"""

from __future__ import annotations

import pytest

import linecard

BASE = """
kind = "chip"
title = "A chip with one limit"
source = "a test"
[clock]
core_mhz = 1000
[cluster.core]
engines = 16
threads = 1
[buffer.rx]
bytes = "256 KiB"
[order]
kept = "none"
[traffic]
kind = "fixed"
packet_bytes = 1000
arrivals = "constant"
rate_gbps = 12
flows = 1
"""

# One flow arrives on one of two lines of 10 Gbit/s, without preamble and gap.
LINE = """
[inbox.work]
[port.in]
direction = "in"
count = 2
rate_gbps = 10
overhead_bytes = 0
[port.out]
direction = "out"
rate_gbps = 100
[[program.step]]
cycles = 10
[[program.step]]
op = "send"
"""

# A packet holds the lock for 10 cycles and an access of 90 ns.
LOCK = """
[inbox.work]
[port.eth]
rate_gbps = 200
queue_packets = 1000
[memory.c]
latency_ns = 90
[[program.step]]
cycles = 50
[[program.step]]
op = "lock"
[[program.step]]
op = "read"
at = "c"
cycles = 10
[[program.step]]
op = "unlock"
[[program.step]]
op = "send"
"""

# Four packets at most are behind the window, for 1,000 ns each.
WINDOW = """
kind = "chip"
title = "A window"
source = "a test"
[clock]
core_mhz = 1000
[cluster.a]
engines = 2
threads = 4
takes = "first"
[[cluster.a.step]]
cycles = 10
[[cluster.a.step]]
op = "put"
to = "second"
[cluster.b]
engines = 2
threads = 16
takes = "second"
[[cluster.b.step]]
cycles = 10
[[cluster.b.step]]
op = "read"
at = "m"
[[cluster.b.step]]
op = "send"
[memory.m]
latency_ns = 990
[buffer.rx]
bytes = "64 MiB"
[inbox.first]
[inbox.second]
entries = 8
window = 4
[port.eth]
inbox = "first"
rate_gbps = 0
[order]
kept = "none"
[traffic]
kind = "fixed"
packet_bytes = 100
arrivals = "saturated"
"""


@pytest.fixture
def chip(tmp_path):
    def write(text):
        path = tmp_path / "chip.toml"
        path.write_text(BASE + text)
        return str(path)

    return write


def test_a_line_with_too_much_load_is_not_steady(chip):
    """Of 12 Gbit/s, 10 arrive, and the others wait for up to 100 us before they are lost."""
    found = linecard.run(chip(LINE), set={"traffic.packet_bytes": 64}, packets=5_000)
    assert not found.summary.steady
    assert found.bottleneck.component == "in, inward"
    waiting = [found.metric("total", f"packets_before_lines_at_{when}") for when in ("start", "end")]
    assert waiting[1] - waiting[0] == pytest.approx(5_000 * 0.2, rel=0.01)
    fits = linecard.run(chip(LINE), set={"traffic.packet_bytes": 64, "traffic.rate_gbps": 9.9}, packets=5_000)
    assert fits.summary.steady
    assert fits.bottleneck.component == "offered load"


def test_the_no_drop_rate_is_not_above_that_of_the_line(chip):
    (row,) = linecard.ndr(chip(LINE), sizes=[64], packets=5_000).rows
    line_mpps = 10e3 / 8 / 64
    assert row.ndr_mpps == pytest.approx(line_mpps, rel=0.01)
    assert row.ndr_mpps <= line_mpps
    assert row.limit == "in, inward, busiest"


def test_a_lock_has_a_demand_and_a_capacity(chip):
    capacity_mpps = 10.0
    path = chip(LOCK)
    loaded = {"traffic.rate_gbps": 100}
    demands = {each.component: each for each in linecard.check(path, set=loaded, size=1000).demands}
    assert demands["locks"].most_mpps == pytest.approx(capacity_mpps, rel=0.01)
    assert demands["locks"].share == pytest.approx(1.25, rel=0.01)
    (row,) = linecard.ndr(path, sizes=[1000], packets=2_000).rows
    assert row.ndr_mpps == pytest.approx(capacity_mpps, rel=0.01)
    assert row.limit == "locks"
    found = linecard.run(path, set=loaded, packets=10_000)
    assert found.metric("locks", "utilization") == 1.0
    assert found.bottleneck.component == "locks"


def test_a_window_is_a_limit(tmp_path):
    path = tmp_path / "chip.toml"
    path.write_text(WINDOW)
    found = linecard.run(path, packets=5_000)
    assert found.summary.throughput_mpps == pytest.approx(4.0, rel=0.01)
    assert found.bottleneck.component == "window of second"
    twice = linecard.run(path, set={"second.window": 8}, packets=5_000)
    assert twice.summary.throughput_mpps == pytest.approx(8.0, rel=0.01)


def test_a_run_without_a_departure_is_not_judged(chip):
    # A packet takes 60 seconds.
    found = linecard.run(chip(LOCK), set={"clock.core_mhz": "1 Hz"}, packets=100)
    assert found.summary.packets_out == 0
    assert found.bottleneck.component == "not judged"
    assert found.what_if == ()
