"""Is the verdict of a run true: its limit, whether it is steady, and whether any further event can happen?"""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT

import linecard

# A slow path receives a tenth of the packets and carries half of them. Packets wait for it in a ring that takes long to
# fill.
FILLS = """
kind = "chip"
title = "Workers, and a slow path that a tenth of the packets take"
source = "made for the test"
[clock]
core_mhz = 1000
[cluster.island]
engines = 8
threads = 8
takes = "wire"
[cluster.slow]
engines = 1
threads = 2
takes = "exceptions"
program = "slow.toml"
[memory.packets]
latency_cycles = 20
access_cycles = 0
word_bytes = 64
word_cycles = 1
capacity_bytes = "16 MiB"
pool_bytes = "8 MiB"
[buffer.mac]
bytes = "64 KiB"
[inbox.wire]
[ring.exceptions]
memory = "packets"
entries = 4096
[port.eth]
count = 2
rate_gbps = 100
inbox = "wire"
receive_to = "packets"
send_from = "packets"
[order]
kept = "none"
[[program.step]]
name = "exception"
op = "put"
to = "exceptions"
share = 0.1
cycles = 40
[[program.step]]
op = "send"
cycles = 40
[traffic]
kind = "fixed"
packet_bytes = 256
arrivals = "poisson"
rate_gbps = 60
"""

SLOW = """
kind = "program"
title = "Slow path"
source = "made for the test"
[[step]]
op = "{op}"
cycles = {cycles}
{more}
"""

DRAM = """
kind = "chip"
title = "Threads that read DRAM at random"
source = "made for the test"
[clock]
core_mhz = 1000
[cluster.c]
engines = 8
threads = 16
takes = "wire"
[memory.m]
kind = "dram"
part = "hbm2"
controller = "frfcfs_open"
latency_cycles = 20
[buffer.rx]
bytes = "1 MiB"
[inbox.wire]
[port.p]
rate_gbps = 400
inbox = "wire"
[[program.step]]
op = "read"
at = "m"
bytes = 32
within_bytes = "256 MiB"
times = 4
cycles = 20
[[program.step]]
op = "send"
cycles = 20
[traffic]
kind = "fixed"
packet_bytes = 125
arrivals = "saturated"
"""


@pytest.fixture
def fills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("fills.toml").write_text(FILLS)
    Path("slow.toml").write_text(SLOW.format(op="send", cycles=700, more=""))
    Path("back.toml").write_text(SLOW.format(op="put", cycles=10, more='to = "exceptions"'))
    return "fills.toml"


def gain_of(chip: str, change: dict[str, object], packets: int, **changes: object) -> float:
    as_it_is, changed = (
        linecard.run(chip, set={**changes, **more}, packets=packets, verdict=False).summary.throughput_mpps
        for more in ({}, change)
    )
    return changed / as_it_is - 1


@pytest.mark.parametrize("packets", [30_000, 120_000])
def test_the_gain_that_is_printed_is_what_doing_it_gives(fills, packets):
    found = linecard.run(fills, packets=packets)
    assert found.bottleneck.component == "engines of slow", found.bottleneck.why
    # Twice the clock for the cycles of the slow path equals half the cycles.
    Path("slow.toml").write_text(SLOW.format(op="send", cycles=350, more=""))
    faster = linecard.run(fills, packets=packets, verdict=False).summary.throughput_mpps
    gain = faster / found.summary.throughput_mpps - 1
    printed = float(found.bottleneck.why.removeprefix("Throughput rises by ").partition(" ")[0]) / 100
    assert gain > 0.03
    assert printed == pytest.approx(gain, abs=0.03), found.bottleneck.why


def test_a_chip_that_fills_up_while_it_is_measured_is_not_steady(fills):
    # The ring is full in the first half of the measurement, so that nothing grows in the second.
    filling = linecard.run(fills, packets=100_000, warmup_packets=1_000, verdict=False)
    inside = {m.metric: m.value for m in filling.metrics if m.component == "total"}
    assert inside["packets_inside_at_end"] - inside["packets_inside_at_start"] > 0.03 * filling.summary.packets_out
    assert filling.summary.steady is False
    assert any("packets inside the chip grew" in warning for warning in filling.warnings)
    calm = linecard.run(fills, set={"traffic.rate_gbps": 5}, packets=20_000, verdict=False)
    assert calm.summary.steady is True


def test_dram_that_waits_for_rows_is_what_limits(tmp_path):
    chip = tmp_path / "dram.toml"
    chip.write_text(DRAM)
    found = linecard.run(chip.as_posix(), packets=10_000)
    assert found.bottleneck.component == "m", found.bottleneck.why
    assert gain_of(chip.as_posix(), {"m.channels": 2}, 10_000) > 0.5


def test_threads_that_wait_for_each_other_end_the_run_though_packets_go_on_coming(fills, wording):
    # A packet from the ring goes back to the ring, as soon as one more is in a thread than fits.
    changes = {"slow.program": "back.toml", "exceptions.entries": 1, "program.step[exception].share": 1}
    with pytest.raises(linecard.RunError) as refused:
        linecard.run(fills, set=changes, packets=20_000)
    wording(refused.value)


def test_time_of_packets_that_a_full_queue_drops_is_not_that_of_forwarded_ones(fills):
    # One of the two ports of 40 Gbit/s gets all of the offered 60 Gbit/s, and drops a third.
    ports = {"eth.rate_gbps": 40, "eth.queue_packets": 8, "program.step[1].port": 0}
    # The threads are busy, so that packets spend most of their time before the queue.
    changes = {**ports, "program.step[exception].share": 0, "clock.core_mhz": 330}
    run = linecard.run(fills, set=changes, packets=20_000, verdict=False)
    assert [drop.reason for drop in run.drops] == ["output_queue_full"]
    assert run.summary.loss_fraction > 0.25
    parts = {part.part: part.mean_ns for part in run.packet_time}
    assert sum(parts.values()) <= 1.05 * run.summary.latency_ns.mean, parts


@pytest.mark.parametrize("program", ["l3fwd16", "nat", "firewall"])
def test_the_parts_of_packet_time_add_up_to_the_time_inside(program):
    # Sending threads look for blocks while packets wait in output queues: that time is not that of a packet.
    run = linecard.run("ixp1200", program=program, packets=8000, verdict=False)
    values = {(each.component, each.metric): each.value for each in run.metrics}
    summary = run.summary
    inside_ns = values["total", "packets_inside_mean"] * summary.simulated_seconds * 1e9 / summary.packets_out
    assert sum(part.mean_ns for part in run.packet_time) == pytest.approx(inside_ns, rel=0.01)


def test_a_capture_that_is_faster_than_the_lines_is_no_carried_load(tmp_path, wording):
    # Frames of 2.4 Gbit/s come to lines of 1.6 Gbit/s in total. All have passed at the end of the run.
    capture = str(tmp_path / "fast.pcap")
    traffic = {"traffic.rate_gbps": 2.4, "traffic.flows": 1000}
    linecard.run("example_smartnic", packets=3000, warmup_packets=0, verdict=False, pcap_out=capture, set=traffic)
    shared = {"program": "l3fwd16", "trace": capture, "warmup_packets": 0, "packets": 0}
    slow = linecard.run("ixp1200", set={"traffic.speedup": 0.3}, **shared)
    assert (slow.summary.steady, slow.warnings, slow.bottleneck.component) == (True, (), "offered load")
    fast = linecard.run("ixp1200", **shared)
    assert (fast.summary.steady, fast.summary.loss_fraction, fast.bottleneck.component) == (False, 0, "in, inward")
    wording("\n".join(fast.warnings))


@pytest.mark.parametrize("beyond", [0, 1, 1000])
def test_a_capture_that_ends_in_the_warm_up_is_measured_whole(beyond):
    capture = str(ROOT / "examples/captures/edge-mix.pcap.gz")
    packets = linecard.run("example_smartnic", trace=capture, warmup_packets=0, packets=0).summary.packets_in
    run = linecard.run("example_smartnic", trace=capture, warmup_packets=packets + beyond, packets=10)
    assert run.warnings[-1] == "the traffic ended during the warm-up, so the statistics cover the whole run"
    assert run.summary.steady
