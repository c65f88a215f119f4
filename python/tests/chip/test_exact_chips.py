"""Rates and verdicts of small chips that can be computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

import linecard

# A thread serves a packet of 500 bytes in 200 ns.
CHIP = """kind = "chip"
title = "exact"
source = "made for a test"
[clock]
core_mhz = 1000
[cluster.core]
engines = 1
threads = 1
[memory.sram]
latency_cycles = 30
access_cycles = 4
[buffer.rx]
bytes = "64 MiB"
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
rate_gbps = 18
"""


@pytest.fixture
def runs(tmp_path):
    """Run a chip with settings."""

    def run(text: str = CHIP, packets: int = 5000, **changes: Any) -> linecard.RunResult:
        chip = tmp_path / "exact.toml"
        chip.write_text(text)
        return linecard.run(chip, packets=packets, set={key.replace("__", "."): v for key, v in changes.items()})

    return run


@pytest.mark.parametrize("percent", [50, 100, 149, 150, 249, 250])
@pytest.mark.parametrize(("each", "count"), [("packet", 20), ("cell", 1)], ids=["repeated", "by cell"])
def test_a_correction_of_cycles_holds_for_repeated_steps(runs, percent, each, count):
    # Twenty steps of a cycle: twenty repetitions, or one for each of the 20 cells of 1,280 bytes.
    step = f'op = "compute"\ntimes = {count}\neach = "{each}"\ncycles = 1'
    text = CHIP.replace('op = "read"\nat = "sram"\ncycles = 170', step)
    text = text.replace("[memory.sram]\nlatency_cycles = 30\naccess_cycles = 4\n", "")
    text = text.replace("packet_bytes = 500", "packet_bytes = 1280").replace("rate_gbps = 100", "rate_gbps = 0")
    found = runs(text, 2000, program__percent=percent, traffic__arrivals="saturated")
    assert found.summary.throughput_mpps == pytest.approx(1000 / (20 * percent / 100), rel=0.01)


@pytest.mark.parametrize("percent", [96, 104, 105])
def test_a_correction_of_cycles_holds_for_the_mean_of_packets(runs, percent):
    # A packet takes 10 cycles of its thread: 9.6, 10.4 or 10.5 in the mean.
    text = CHIP.replace('op = "read"\nat = "sram"\ncycles = 170', 'op = "compute"\ncycles = 10')
    text = text.replace("[memory.sram]\nlatency_cycles = 30\naccess_cycles = 4\n", "")
    text = text.replace("rate_gbps = 100", "rate_gbps = 0")
    found = runs(text, 2000, program__percent=percent, traffic__arrivals="saturated")
    assert found.summary.throughput_mpps == pytest.approx(1000 / (10 * percent / 100), rel=0.001)


def test_a_queue_that_grows_slowly_is_no_load_that_the_chip_carries(runs):
    # Three per cent more packets than the thread serves; nothing is lost in the large buffer.
    found = runs(packets=20_000, traffic__rate_gbps=20.6)
    assert not found.summary.steady
    assert found.bottleneck.component == "threads of core"
    assert runs(packets=20_000).bottleneck.component == "offered load"


def test_threads_that_wait_are_the_busiest_part(runs):
    # The thread waits for 880 of 900 ns; the engine and the port are hardly busy.
    changes = {"program.step[0].cycles": 20, "sram__latency_cycles": 880, "traffic__rate_gbps": 3.6}
    found = runs(**changes)
    busy = {row.component: row.utilization for row in found.resources}
    assert found.bottleneck.utilization == busy["threads of core"] > 0.7
    assert "The busiest part, threads of core," in found.bottleneck.why


def test_the_utilisation_of_a_limit_is_that_of_the_table(runs):
    found = runs(traffic__arrivals="saturated", sram__latency_cycles=200)
    busy = {row.component: row.utilization for row in found.resources}
    assert found.bottleneck.component == "threads of core"
    assert found.bottleneck.utilization == busy["threads of core"]
    # A buffer that loses packets of bursts is full now and then, and has no utilisation.
    bursts = {"traffic__arrivals": "on_off", "traffic__peak_gbps": 60, "rx__bytes": 2048, "traffic__rate_gbps": 3}
    found = runs(**bursts)
    assert found.summary.packets_dropped > 0
    assert found.bottleneck.utilization is None or found.bottleneck.component in busy


def test_the_capacity_of_threads_with_flows_of_their_own_is_that_of_the_flows(tmp_path):
    # A single flow has one of the two threads, and five million packets a second.
    chip = tmp_path / "lanes.toml"
    chip.write_text(
        CHIP.replace("[inbox.work]\n", '[inbox.work]\nrule = "lanes"\n').replace("engines = 1", "engines = 2")
    )
    found = linecard.why(chip, packets=1000, seeds=2, set={"traffic.flows": 1})
    assert found.load == "full wires"
    assert found.throughput_mpps == pytest.approx(5.0, rel=0.01)
