"""Does `linecard why` name the part that was made the bottleneck, and do its numbers obey their laws?"""

from __future__ import annotations

import json
import re

import pytest
from conftest import TINY

import linecard
from linecard.errors import ConfigError
from linecard.explore.batch import Bench, numbers_of
from linecard.explore.execute import Counts
from linecard.explore.levers import Chip
from linecard.explore.why import Question, limits_of, speed, verdict_of
from linecard.explore.why_result import Lifted
from linecard.interval import Estimate
from linecard.request import settings as as_overrides

# A chip with more than enough of everything: 40 Gbit/s of IMIX (14 Mpps) keep no part busy for a third of the time.
PLENTY = """
kind = "chip"
title = "More than enough of everything"
source = "a test"

[clock]
core_mhz = 1000

[cluster.core]
engines = 24
threads = 8

[memory.sram]
kind = "banked"
banks = 16
latency_cycles = 20
access_cycles = 2
capacity_bytes = "8 MiB"

[memory.flat]
latency_cycles = 10
access_cycles = 2
capacity_bytes = "64 KiB"

[memory.store]
kind = "dram"
part = "ddr4_2400"
channels = 8
latency_ns = 20
capacity_bytes = "128 MiB"
pool_bytes = "16 MiB"

[memory.slow]
kind = "banked"
banks = 64
latency_cycles = 100
access_cycles = 2
capacity_bytes = "64 MiB"

[memory.quick]
kind = "cached"
behind = "slow"
cache_bytes = "256 KiB"
line_bytes = 64
ways = 4
latency_cycles = 4
access_cycles = 1

[memory.slotted]
kind = "slots"
banks = 16
slots = 64
bus_bytes = 64
capacity_bytes = "64 MiB"

[memory.rare]
kind = "banked"
banks = 64
latency_cycles = 20
access_cycles = 2
capacity_bytes = "1 MiB"

[unit.crypto]
latency_cycles = 50
access_cycles = 2

[link.mesh]
rate_gbps = 1000
latency_cycles = 4

[[route]]
from = "core"
to = ["sram", "flat", "store", "slow", "quick", "rare", "slotted", "crypto"]
links = "mesh"

[buffer.rx]
bytes = "1 MiB"

[inbox.work]

[port.eth]
rate_gbps = 100
receive_to = "store"
send_from = "store"
send_cells = 1024
queue_packets = 8192

[order]
kept = "flow"
window_packets = 8192

[bind]
table = "sram"

[[program.step]]
op = "look_up"
at = "table"
cycles = 60

[[program.step]]
op = "read"
at = "flat"
cycles = 10

[[program.step]]
op = "read"
at = "quick"
within_bytes = 131072
cycles = 10

[[program.step]]
op = "read"
at = "slotted"
bytes = 64
cycles = 10

[[program.step]]
op = "read"
at = "rare"
share = 0.02
cycles = 10

[[program.step]]
op = "ask"
at = "crypto"
bytes = 16
cycles = 10

[[program.step]]
op = "lock"
cycles = 1

[[program.step]]
op = "compute"
cycles = 4

[[program.step]]
op = "unlock"
cycles = 1

[[program.step]]
op = "send"
cycles = 10

[traffic]
kind = "imix"
rate_gbps = 40
flows = 4000
"""

# The part that is made too small, and the component that must be named; two components if both describe the same limit.
PLANTED = {
    "engines": ({"core.engines": 1}, "engines of core"),
    "threads": ({"core.threads": 1, "core.engines": 4, "flat.latency_cycles": 1200}, {"threads of core", "flat"}),
    "a server": ({"flat.access_cycles": 150}, "flat"),
    "a latency": ({"flat.latency_cycles": 40000}, {"flat", "threads of core"}),
    "banks": ({"sram.banks": 1, "sram.access_cycles": 100}, "sram"),
    "dram": ({"store.channels": 1, "rx.bytes": 65536, "traffic.rate_gbps": 90}, "store"),
    "a cache": ({"quick.access_cycles": 150}, "quick"),
    "behind a cache": ({"quick.cache_bytes": 4096, "slow.banks": 1, "slow.access_cycles": 150}, {"slow", "quick"}),
    "slots": ({"slotted.banks": 1, "slotted.activate_cycles": 200}, "slotted"),
    "an accelerator": ({"crypto.access_cycles": 150}, "crypto"),
    "a link": ({"mesh.rate_gbps": 4}, "mesh"),
    "a port": ({"eth.rate_gbps": 45}, "eth"),
    "a lock": ({"program.step[7].cycles": 150}, "lock 0"),
    "a buffer": (
        {"rx.bytes": 1600, "traffic.arrivals": "on_off", "traffic.peak_gbps": 95, "traffic.burst_packets": 64},
        "buffer rx",
    ),
    "order": ({"order.window_packets": 1, "order.kept": "port", "rare.latency_cycles": 60000}, "order of packets"),
}


def asked(chip, settings, seeds=3, packets=1500):
    shared = {"chip": chip, "packets": packets, "warmup_packets": packets // 2}
    bench = Bench(None, None, None, Counts())
    return Question(shared, settings, Chip(chip, as_overrides(settings)), range(1, seeds + 1), bench)


@pytest.fixture
def chip(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plenty.toml").write_text(PLENTY)
    return "plenty.toml"


# Runs with long waits become steady late: five to fifteen seconds of processor time each. `make check-long` runs them.
LONG = {"threads", "a latency", "slots", "a lock", "order"}


@pytest.mark.parametrize(
    "planted", [pytest.param(each, marks=pytest.mark.long if each in LONG else ()) for each in PLANTED]
)
def test_a_planted_bottleneck_is_named(chip, planted):
    settings, expected = PLANTED[planted]
    question = asked(chip, settings)
    lifts = question.lifts(question.base())
    verdict, reason = verdict_of(lifts, question.load)
    assert verdict in (expected if isinstance(expected, set) else {expected}), reason
    best = next(lift for lift in lifts if verdict in lift.components and lift.kind != "pair")
    assert best.counts
    assert question.load == ("saturated" if planted == "a port" else "as given")


@pytest.mark.parametrize("planted", ["a server", "a link", "an accelerator"])
def test_gains_are_of_packets_per_second_whatever_the_seeds(chip, planted):
    question = asked(chip, PLANTED[planted][0])
    for record in question.base():
        assert speed(record) == record["numbers"]["throughput_mpps"]
    assert "throughput_mpps" in question.answer(global_=False).to_dict()["metric"]


@pytest.mark.parametrize("changes", [[], ["program.step[6].lock=1", "program.step[8].lock=1"]])
def test_every_lift_has_its_settings(chip, changes, wording):
    lifts = Chip(chip, changes).lifts()
    kinds = {"engines", "threads", "memory", "latency", "link", "port", "buffer", "order", "lock"}
    assert {lift.kind for lift in lifts} == kinds
    wording("\n".join(f"{lift.component}: {lift.text}: {lift.settings}" for lift in lifts))


def test_a_queue_manager_has_lifts():
    def of_manager(manager):
        lifts = Chip("ixp1200", [f"unit.queues.manager={manager}"]).lifts()
        return [lift.settings for lift in lifts if lift.component == "queues"]

    # The file has 40 ns for each time, and 32 engines, which `nc` does not use.
    times = {"unit.queues.memory_ns": 20, "unit.queues.interconnect_ns": 20}
    assert of_manager("none") == []
    assert of_manager("nc") == [times]
    assert of_manager("qc") == [times, {"unit.queues.engines": 64}]


def test_a_capture_that_has_ended_is_not_asked_for_more_packets(chip):
    question = asked(chip, {}, packets=2000)
    question.doubt = "the runs are not steady"
    for trace, sent, says in (
        (None, 10, ("With 2,000 packets and 3 seeds, the runs", "Simulate more packets (--packets), lower")),
        ("edge", 2000, ("With 2,000 packets and 3 seeds, the runs", "Simulate more packets (--packets), lower")),
        ("edge", 10, ("With the whole capture and 3 seeds, the runs", "Replay a longer capture (--trace), lower")),
    ):
        if trace is not None:
            question.shared["trace"] = trace
        numbers = {"packets_in": sent, "packets_out": sent, "packets_dropped": 0}
        verdict, why = question._not_known(2000, [{"status": "ok", "numbers": numbers}])
        assert (verdict, [part in why for part in says]) == ("not known", [True, True]), why


def test_a_gain_within_noise_is_no_verdict_and_not_called_small(wording):
    def lifted(gain, low, high):
        return Lifted(("crypto",), "memory", "crypto twice as fast", gain, low, high, {})

    assert verdict_of([lifted(0.13, 0.05, 0.2)], "as given")[0] == "crypto"
    verdict, reason = verdict_of([lifted(0.13, -0.09, 0.4)], "as given")
    assert verdict == "not clear"
    wording(reason)
    verdict, reason = verdict_of([lifted(0.01, 0.005, 0.015)], "as given")
    assert (verdict, "gains less than 3%" in reason) == ("several parts", True)


def test_a_chip_that_carries_its_load_is_asked_with_a_packet_always_waiting(chip, cli):
    ended = cli("why", chip, "--packets", 1000, "--seeds", 2, "--json")
    found = json.loads(ended.out)
    assert found["load"] == "saturated"
    assert found["why"].startswith("The chip carries its entire offered load")
    assert found["throughput_gbps"] > 40
    assert {"limits", "elasticities", "lifts"} <= found.keys()


def test_the_screen_has_the_verdict_and_the_reason_in_full(chip, cli):
    ended = cli("why", chip, "--set", "crypto.access_cycles=150", "--packets", 300, "--seeds", 2)
    said = " ".join(ended.out.split())
    # The text is longer than a line, and neither it nor the words before it are cut.
    assert re.search(
        r"Limit: crypto With crypto twice as fast, the throughput rises by \d+% \(95 %: \+\d+% to \+\d+%\)\. Through",
        said,
    )


def test_bounds_are_the_rate_over_the_share_of_time(chip):
    # An access of 150 cycles of 1 GHz keeps the unit busy for 150 ns: at most 6.67 million accesses per second.
    question = asked(chip, {"crypto.access_cycles": 150}, seeds=1)
    records = question.base()
    limit = limits_of(records, question.chip.pooled)[0]
    assert limit.component == "crypto"
    assert limit.bound_mpps == pytest.approx(1000 / 150, rel=0.02)
    assert numbers_of(records[0])["throughput_mpps"] <= limit.bound_mpps * 1.001


def test_what_limits_has_all_the_elasticity_and_rates_less_times_add_up_to_one(chip):
    # All times of this chip are cycles of one clock, except for links, ports, the traffic and a part of DRAM.
    question = asked(chip, {"core.engines": 1}, seeds=3, packets=3000)
    question.base()
    found, total = question.elasticities()
    by_name = {each.parameter: each for each in found}
    assert by_name["clock.core_mhz"].value == pytest.approx(1, abs=0.15)
    # Engines wait for nothing else here: only cycles of the program make them slower.
    assert by_name["program cycles"].value == pytest.approx(-1, abs=0.2)
    assert by_name["link.mesh.rate_gbps"].value == pytest.approx(0, abs=0.1)
    assert total.low < 1 < total.high
    assert question.chip.scales_out_of_reach == ["store"]


def test_scaling_every_rate_and_time_scales_throughput_exactly(tmp_path, monkeypatch):
    """The law behind the sum; 512 bytes at 4.096 and 8.192 Gbit/s arrive at whole nanoseconds."""
    monkeypatch.chdir(tmp_path)
    dram = 'kind = "dram"\npart = "ddr4_2400"\nchannels = 8\nlatency_ns = 20'
    text = PLENTY.replace(dram, 'kind = "banked"\nbanks = 64').replace("rate_gbps = 40\n", "rate_gbps = 4.096\n")
    (tmp_path / "one.toml").write_text(text)
    chip = Chip("one.toml", [])
    assert chip.scales_out_of_reach == []
    changes = {"traffic.arrivals": "constant", "traffic.kind": "fixed", "traffic.packet_bytes": 512}
    slow = linecard.run("one.toml", set=changes, packets=500, warmup_packets=100).summary
    for each in chip.parameters(saturated=False):
        if each.kind in {"rate", "time"}:
            changes |= each.scaled(2.0 if each.kind == "rate" else 0.5)[0]
    fast = linecard.run("one.toml", set=changes, packets=500, warmup_packets=100).summary
    assert fast.throughput_mpps == pytest.approx(2 * slow.throughput_mpps, rel=1e-9)
    assert fast.latency_ns.mean == pytest.approx(slow.latency_ns.mean / 2, rel=1e-9)


def test_the_same_words_again_with_any_number_of_jobs_and_from_the_store(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ("why", TINY, "--packets", 300, "--seeds", 2, "--json", "--store")
    first = cli(*command, "one", "--jobs", 1)
    assert first.status == 0, first.err
    assert first.out == cli(*command, "one", "--jobs", 3).out == cli(*command, "two", "--jobs", 2).out


@pytest.mark.long
def test_many_parameters_are_screened_and_their_shares_found(chip):
    pytest.importorskip("SALib")
    found = linecard.why(chip, set={"crypto.access_cycles": 150}, packets=100, seeds=1, global_=True)
    totals = {each.parameter: each.sobol_total for each in found.sensitivities[:5]}
    assert all(each.sobol_total is None for each in found.sensitivities[5:])
    # The throughput is the least of the offered load, 13.8 Mpps, and concurrency x clock / cycles, 6.7 Mpps. With each
    # factor from half to twice its value, and a concurrency of 1 or 2, this formula has these total indices.
    expected = {"unit.crypto.access_cycles": 0.37, "clock.core_mhz": 0.37, "unit.crypto.concurrency": 0.29}
    assert sorted(totals, key=lambda name: -totals[name])[2] == "unit.crypto.concurrency"
    assert {name: totals[name] for name in expected} == pytest.approx(expected, abs=0.1)
    assert max(total for name, total in totals.items() if name not in expected) < 0.25


def test_a_part_is_no_chip(cli):
    ended = cli("why", "ddr4_2400")
    assert ended.status == 2
    assert "is not a chip" in ended.err


def test_an_interval_is_that_of_student():
    found = Estimate.of([1.0, 2.0, 3.0])
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5))
    assert Estimate.of([2.0]) == Estimate(2.0, None, None)


def test_refused_values_are_refused_before_anything_runs(wording):
    with pytest.raises(ConfigError) as refused:
        linecard.why("example_smartnic", packets=1)
    wording(refused.value)
