"""Complete latency data: HdrHistogram's percentile text and the frame agree with the run's summary."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

import linecard
from linecard.chip.latency import percentile_text


@pytest.fixture(scope="module")
def result() -> linecard.RunResult:
    return linecard.run("example_smartnic", packets=3000, warmup_packets=500, verdict=False)


@pytest.fixture(scope="module")
def text(result, tmp_path_factory) -> str:
    return result.write_latency(tmp_path_factory.mktemp("latency") / "all.hgrm").read_text()


def rows(text: str) -> list[list[float]]:
    return [[float(each) for each in line.split()] for line in text.splitlines()[2:] if not line.startswith("#")]


def test_the_text_has_the_columns_of_hdrhistogram(text):
    lines = text.splitlines()
    assert lines[0].split() == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
    assert lines[1] == ""
    assert re.fullmatch(r"#\[Mean    = +[\d.]+, StdDeviation   = +[\d.]+\]", lines[-3])
    assert re.fullmatch(r"#\[Max     = +[\d.]+, Total count    = +\d+\]", lines[-2])
    assert re.fullmatch(r"#\[Buckets = +59, SubBuckets     = +64\]", lines[-1])


def test_percentiles_grow_and_count_every_packet(result, text):
    found = rows(text)
    total = result.summary.packets_out
    for before, after in pairwise(found):
        assert before[0] < after[0]
        assert before[2] < after[2]
    for row in found[:-1]:
        assert row[1] == pytest.approx(row[2] / total, abs=1e-12)
        assert row[3] == pytest.approx(total / (total - row[2]), abs=0.006)
    # The last latency covers all packets: 1/(1-1) does not exist.
    assert found[-1][1:] == [1.0, total]


@pytest.mark.parametrize(("share", "name"), [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p999"), (1.0, "max")])
def test_percentiles_are_those_of_the_summary(result, text, share, name):
    value = next(row[0] for row in rows(text) if row[1] >= share)
    assert value == pytest.approx(getattr(result.summary.latency_ns, name), abs=0.001)


def test_the_footer_has_the_exact_mean(result, text):
    assert float(re.search(r"Mean    = +([\d.]+)", text)[1]) == pytest.approx(result.summary.latency_ns.mean, abs=0.001)


def test_the_frame_has_a_row_a_bin(result):
    frame = result.latency_frame()
    assert frame.columns == ["latency_ns", "packets", "percentile"]
    assert frame["packets"].sum() == result.summary.packets_out
    assert frame["percentile"][-1] == 100
    assert frame["latency_ns"].max() == pytest.approx(result.summary.latency_ns.max)


def test_no_packets_have_an_empty_distribution():
    text = percentile_text((), 0.0)
    assert rows(text) == []
    assert "Total count    =            0" in text


def test_the_command_writes_the_file(cli, tmp_path):
    file = tmp_path / "latency.hgrm"
    ended = cli("run", "example_smartnic", "--packets", 500, "--warmup", 100, "--latency", file, "--json")
    assert ended.status == 0
    assert str(file) in ended.err
    assert file.read_text().split()[:2] == ["Value", "Percentile"]
    assert "latency_bins" not in ended.out
