"""Does `linecard compare` report the differences, and distinguish changes from noise?"""

from __future__ import annotations

import json

import pytest

import linecard
from linecard.errors import ConfigError
from linecard.explore.moved import paired

NIC = "example_smartnic"


def by_name(found):
    return {each.name: each for each in found.metrics}


SLOW = """
# first.toml
kind = "chip"
title = "My first chip"
source = "my design"                  # of every value that names no other source

[clock]
core_mhz = 1000

[cluster.core]
engines = 4
threads = 2

[memory.sram]
latency_cycles = 40                   # until the result
access_cycles = 4                     # service time of an access
capacity_bytes = "8 MiB"

[memory.packets]
kind = "dram"
part = "ddr4_2400"                    # `linecard presets dram` lists others
pool_bytes = "1 MiB"                  # room for 512 packets in pages of 2 KiB

[buffer.rx]
bytes = "128 KiB"

[inbox.work]

[port.eth]
rate_gbps = 100
receive_to = "packets"
send_from = "packets"

[[program.step]]
name = "parse the header"
op = "read"
at = "packets"
bytes = 64
cycles = 60

[[program.step]]
name = "look the route up"
op = "look_up"
at = "sram"
cycles = 80

[[program.step]]
op = "send"
cycles = 40

[traffic]
kind = "imix"
rate_gbps = 60
"""


def test_a_part_that_was_made_slower_is_beyond_noise():
    found = linecard.compare(
        NIC, NIC, set={"program.run": "secure_gateway"}, set_b={"crypto.rate_gbps": 5}, packets=1000, seeds=2
    )
    assert [(each.key, each.a, each.b) for each in found.configuration] == [("unit.crypto.rate_gbps", 50.0, 5.0)]
    throughput = by_name(found)["throughput_gbps"]
    assert throughput.beyond_noise is True
    assert throughput.high < 0
    # Packets accumulate before the slow unit: its rate is conclusive, but no latency is.
    assert found.answered
    assert by_name(found)["latency_p99_ns"].beyond_noise is None
    assert any(note.startswith("b, example_smartnic: the throughput is conclusive") for note in found.notes)
    assert throughput.difference == pytest.approx(throughput.b - throughput.a)
    assert throughput.change == pytest.approx(throughput.b / throughput.a - 1)
    assert any(each.name == "crypto: utilization" for each in found.measurements)


def test_what_has_no_effect_is_no_more_than_noise():
    # Twice the room does not matter if a tenth is used: the same packets take exactly the same time.
    found = linecard.compare(NIC, NIC, set_b={"rx.bytes": "512 KiB"}, packets=1000, seeds=3)
    for name in ("throughput_gbps", "latency_mean_ns", "loss_fraction"):
        moved = by_name(found)[name]
        assert (moved.difference, moved.beyond_noise) == (0.0, False)
    assert {each.key for each in found.configuration} == {"buffer.rx.bytes"}


def test_the_offered_load_is_no_difference_of_designs(tmp_path):
    """The runs of two designs end at different times, so that the same arrivals have different means."""
    (tmp_path / "slow.toml").write_text(SLOW)
    slow = str(tmp_path / "slow.toml")
    asked = {"set_b": {"core.threads": 4}, "packets": 4000, "seeds": 3}
    found = linecard.compare(slow, slow, **asked)
    assert by_name(found)["throughput_mpps"].beyond_noise is True
    for name in ("offered_gbps", "packets_in"):
        assert by_name(found)[name].difference != 0
        assert (by_name(found)[name].low, by_name(found)[name].beyond_noise) == (None, None)
    assert not {each.name for each in found.measurements} & {"eth, inward: utilization", "eth: wire_in"}
    # Saturated input offers as much as the design accepts.
    found = linecard.compare(slow, slow, set={"traffic.arrivals": "saturated"}, **asked)
    assert by_name(found)["offered_gbps"].beyond_noise is True
    # A different load is an input that the user changed.
    found = linecard.compare(slow, slow, set_b={"traffic.rate_gbps": 30}, packets=4000, seeds=3)
    assert by_name(found)["offered_gbps"].beyond_noise is True


@pytest.mark.long
def test_noise_alone_is_seldom_called_more():
    """The same design on other packets: of many such comparisons, one in twenty may err, for each number."""
    wrong = 0
    for first in range(20):
        seeds = f"{first * 10 + 1}..{first * 10 + 10}"
        rows = linecard.sweep(NIC, set={"verdict": False}, vary={"seed": seeds}, packets=100, lengthen=False).rows
        sides = [[{"x": row["latency_mean_ns"]} for row in rows[start::2]] for start in (0, 1)]
        wrong += bool(paired(*sides)[0].beyond_noise)
    assert wrong <= 4


def test_one_seed_says_nothing_of_noise(wording):
    found = linecard.compare(NIC, NIC, set_b={"island.count": 2}, packets=200, seeds=1)
    assert {each.beyond_noise for each in found.metrics} == {None}
    wording(found.notes[0])


def test_runs_that_were_made_before_are_compared_by_their_own_intervals(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, rate in (("a", 50), ("b", 100), ("c", 50)):
        seed = 2 if name == "c" else 1
        ended = cli("run", NIC, "--set", f"traffic.rate_gbps={rate}", "--packets", 3000, "--seed", seed, "--json")
        (tmp_path / f"{name}.json").write_text(ended.out)
    found = linecard.compare("a.json", "b.json")
    assert found.kind == "runs"
    assert [each.key for each in found.configuration] == ["traffic.rate_gbps"]
    assert by_name(found)["throughput_gbps"].beyond_noise is True
    assert by_name(found)["latency_p99_ns"].beyond_noise is None
    other = linecard.compare("a.json", "c.json")
    assert by_name(other)["throughput_gbps"].beyond_noise is False
    assert other.notes == ("only the seeds differ, so the difference is noise",)


def test_sweeps_are_compared_point_by_point(cli, tmp_path, monkeypatch, wording):
    monkeypatch.chdir(tmp_path)
    for name, counts, rate in (("a", "1..4", 50), ("b", "2..5", 80)):
        ended = cli(
            *("sweep", NIC, "--vary", f"island.count={counts}", "--set", f"traffic.rate_gbps={rate}"),
            *("--packets", 1000, "--repeat", 3, "--json"),
        )
        (tmp_path / f"{name}.json").write_text(ended.out)
    found = linecard.compare("a.json", "b.json")
    assert found.kind == "sweeps"
    assert [(each.key, each.a, each.b) for each in found.configuration] == [
        ("island.count", [1, 2, 3, 4], [2, 3, 4, 5]),
        ("traffic.rate_gbps", "50", "80"),
    ]
    wording(found.notes[0])
    assert by_name(found)["throughput_gbps"].beyond_noise is True
    assert by_name(found)["throughput_gbps"].change == pytest.approx(0.6, abs=0.1)


def test_the_command_prints_the_same_bytes_with_any_number_of_jobs(cli, tmp_path, wording):
    command = ("compare", NIC, NIC, "--set-b", "packets.part=hbm2", "--packets", 500, "--seeds", 2, "--store")
    first = cli(*command, tmp_path / "one", "--json", "--jobs", 1)
    assert first.status == 0, first.err
    assert {"configuration", "metrics"} <= json.loads(first.out).keys()
    assert cli(*command, tmp_path / "two", "--json", "--jobs", 3).out == first.out
    shown = cli(*command, tmp_path / "one")
    assert "memory.packets.part" in shown.out
    wording(shown.err)


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[1]",
        '{"rows": [1]}',
        '{"summary": {}}',
    ],
)
def test_files_of_other_things_are_refused(tmp_path, content, wording):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(ConfigError) as refused:
        linecard.compare(path, path)
    wording(refused.value)
    with pytest.raises(ConfigError, match="cannot read"):
        linecard.compare(tmp_path / "none.json", path)


def test_two_kinds_are_refused(tmp_path, wording):
    path = tmp_path / "x.json"
    path.write_text('{"rows": [{"run": "a", "x": 1, "status": "ok"}]}')
    with pytest.raises(ConfigError) as refused:
        linecard.compare(NIC, path)
    wording(refused.value)
    with pytest.raises(ConfigError) as refused:
        linecard.compare(path, path, packets=5)
    wording(refused.value)
