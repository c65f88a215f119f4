"""Throughput, loss and latency of each class and each port: conserved, summed, and equal in all outputs."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import asdict

import linecard
from linecard.records import plain as plain_record

CHIP = """\
kind = "chip"
title = "The shipped example, with three classes of which two are held to a rate"
extends = ["platforms/example_smartnic"]
source = "a test"

[port.eth]
queue_packets = 64
scheduler = ["strict", "deficit"]
group = [{ name = "urgent" }, { name = "rest", rate_gbps = 4 }]
class = [
  { name = "voice", group = "urgent", rate_gbps = 1, burst_bytes = 4000 },
  { name = "video", group = "rest", quantum_bytes = 6000 },
  { name = "data", group = "rest", quantum_bytes = 3000 },
]

[program]
run = "my_classes.toml"

[traffic]
rate_gbps = 20
"""
PROGRAM = """\
kind = "program"
title = "Sends to three classes"
source = "a test"
step = [
  { op = "send", class = "voice", share = 0.05, cycles = 100 },
  { op = "send", class = "video", share = 0.5, cycles = 100 },
  { op = "send", class = "data", cycles = 100 },
]
"""


@pytest.fixture(scope="module")
def chip(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classes")
    program = folder / "my_classes.toml"
    program.write_text(PROGRAM)
    file = folder / "classes.toml"
    file.write_text(CHIP.replace("my_classes.toml", str(program)))
    return file


@pytest.fixture(scope="module")
def result(chip) -> linecard.RunResult:
    return linecard.run(chip, packets=8000, warmup_packets=2000, verdict=False)


def parts(result: linecard.RunResult, of: str) -> list[linecard.Part]:
    return [part for part in result.breakdown if part.of == of]


def test_each_part_is_conserved(result):
    assert [len(parts(result, of)) for of in ("input", "output", "class", "queue", "no queue")] == [2, 2, 3, 6, 1]
    for part in result.breakdown:
        gone = part.packets_delivered + part.packets_lost + part.packets_by_choice + part.packets_inside
        assert part.packets_inside_at_start + part.packets_offered == gone, part
        assert (part.latency_ns is None) == (part.packets_delivered == 0 or part.of == "no queue")


@pytest.mark.parametrize("of", ["input", "output", "class", "queue"])
def test_each_kind_of_parts_adds_up_to_the_run(result, of):
    first, found = result.summary, parts(result, of)
    rest = [] if of == "input" else parts(result, "no queue")
    assert sum(part.packets_delivered for part in (*found, *rest)) == first.packets_out
    assert sum(part.packets_lost for part in (*found, *rest)) == first.packets_dropped > 0
    assert sum(part.packets_inside for part in (*found, *rest)) == first.packets_inside
    assert sum(part.throughput_gbps for part in found) == pytest.approx(first.throughput_gbps)
    assert max(part.latency_ns.max for part in found) == first.latency_ns.max
    mean = sum(part.packets_delivered * part.latency_ns.mean for part in found) / first.packets_out
    assert mean == pytest.approx(first.latency_ns.mean)


def test_classes_get_what_the_scheduler_says(result):
    voice, video, data = parts(result, "class")
    # The two ports limit video and data to 4 Gbit/s each, shared in the ratio 2 to 1.
    assert (voice.packets_lost, voice.throughput_gbps) == (0, pytest.approx(voice.offered_gbps, rel=0.01))
    assert video.throughput_gbps + data.throughput_gbps == pytest.approx(8, rel=0.002)
    assert video.throughput_gbps / data.throughput_gbps == pytest.approx(2, rel=0.01)
    assert voice.latency_ns.p99 < video.latency_ns.p50 < data.latency_ns.p50


def test_json_and_frame_have_the_same_numbers(result, chip):
    plain = json.loads(json.dumps(result.to_dict()))["breakdown"]
    assert plain == [plain_record(part) for part in result.breakdown]
    frame = result.breakdown_frame().to_dicts()
    for row, part in zip(frame, result.breakdown, strict=True):
        latency = {name: row.pop(f"latency_{name}_ns") for name in ("mean", "p50", "p90", "p99", "p999", "max")}
        assert latency == (asdict(part.latency_ns) if part.latency_ns else dict.fromkeys(latency))
        assert row == {name: value for name, value in asdict(part).items() if name != "latency_ns"}


def test_classes_and_their_queues_are_metrics(result):
    voice = parts(result, "class")[0]
    assert result.metric("class.voice", "throughput_gbps") == voice.throughput_gbps
    assert result.metric("class.voice", "latency_p99") == voice.latency_ns.p99
    queues = [result.metric(f"eth.{port}.class.voice", "packets_in") for port in (0, 1)]
    assert sum(queues) == voice.packets_offered


def test_the_screen_and_the_page_have_a_row_for_each_class(cli, chip, tmp_path):
    page = tmp_path / "run.html"
    screen = cli("run", chip, "--packets", 500, "--warmup", 100, "-o", page).out
    for name in ("class voice", "class data", "output eth.1", "input eth.0"):
        assert name in screen
        assert name in page.read_text()
    assert "queue eth.1 video" in page.read_text()


def test_a_chip_with_one_port_and_one_class_has_no_parts(cli):
    slow = ("--set", "port.eth.count=1", "--set", "traffic.rate_gbps=50")
    asked = ("run", "example_smartnic", *slow, "--packets", 300, "--warmup", 100)
    assert "breakdown" not in json.loads(cli(*asked, "--json").out)
    assert "Classes and ports" not in cli(*asked).out
