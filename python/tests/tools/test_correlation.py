"""Correlation: statistics by hand, bands of parameters of opposite effect, counted programs, and a fresh page."""

from __future__ import annotations

import csv
import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from conftest import ROOT

import linecard
from linecard.chip.band import alone, together, widths
from linecard.chip.reports import ValueRange
from linecard.study.plan import RunSpec
from linecard.study.runners import command_of
from linecard.study.runners import counted as counted_runner
from tools.correlation.documents import documents, kept_devices, number_rows, page
from tools.correlation.picture import scatter
from tools.correlation.result import Correlation, coverage, own_errors
from tools.correlation.run import correlate, studies_with_devices
from tools.correlation.statistics import errors_of, kendall_tau, knee

if TYPE_CHECKING:
    from pathlib import Path

    from linecard._reports import Metric

STUDY = """
id = "tiny"
title = "A tiny device"
document = "Nobody 1900"
summary = "Two rates."
device = "nfp4000"
[full]
seeds = [1, 2]
packets = 1000
warmup_packets = 100
[quick]
seeds = [1]
packets = 100
warmup_packets = 10
[columns.cycles]
preset = "nfp4000"
set = ["count.cycles={value}"]
[measures.mpps]
component = "total"
metric = "throughput_mpps"
unit = "Mpps"
label = "Rate"
[[tables]]
id = "rates"
title = "Rates"
file = "rates.csv"
runner = "counted"
cells = { mpps = "mpps" }
reading = 0.5
origin = "table 1"
predicted = "abc1234"
[[calibrations]]
parameter = "none"
reason = "to have one"
cells = [{ table = "rates", cycles = 400 }]
"""


def nothing(_done: int, _all: int) -> None:
    """Progress that is ignored."""


def spec(*overrides: str, preset: str = "nfp4000", packets: int = 2000) -> RunSpec:
    return RunSpec("counted", preset, "", "", False, overrides, 1, packets, 1000)


# ---- statistics ----


def test_errors_are_those_worked_by_hand():
    # +10 %, -20 %, 0 %, +30 %.
    found = errors_of([10, 10, 20, 10], [11, 8, 20, 13])
    assert found is not None
    assert (found.points, found.worst_at) == (4, 3)
    assert found.mean_abs == pytest.approx(0.15)
    assert found.median_abs == pytest.approx(0.15)
    assert found.bias == pytest.approx(0.05)
    assert found.worst == pytest.approx(0.3)
    assert errors_of([], []) is None


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        # Two of three pairs agree, one does not.
        ([1, 2, 3], [1, 3, 2], 1 / 3),
        # One pair is tied in the first list only: 2 agree of sqrt(2 * 3).
        ([1, 1, 2], [1, 2, 3], 2 / 6**0.5),
        ([1, 1], [1, 2], None),
    ],
)
def test_tau_is_that_worked_by_hand(first, second, tau):
    assert kendall_tau(first, second) == (tau if tau is None else pytest.approx(tau))


@pytest.mark.parametrize(
    ("rates", "at"),
    [([10, 20, 30, 30], 2), ([10, 20, 28.4, 30], 3), ([10, 20, 28.6, 30], 2), ([30, 10, 30], 2), ([5], 0)],
)
def test_a_knee_is_where_a_curve_stays_within_a_twentieth_of_its_most(rates, at):
    assert knee(rates) == at


# ---- bands ----


def test_parameters_of_opposite_effect_do_not_hide_each_other():
    # banks / latency: with all low ends and all high ends, 1 / 10 and 4 / 40 would be equal.
    def rate(latency: float = 20, banks: float = 2) -> float:
        return banks / latency

    ranges = [ValueRange("latency", 10, 40), ValueRange("banks", 1, 4), ValueRange("idle", 0, 9)]
    numbers = [rate(10), rate(40), rate(banks=1), rate(banks=4), rate(), rate()]
    assert alone(ranges)[:2] == [("latency=10",), ("latency=40",)]
    assert together(rate(), ranges, numbers) == (("latency=40", "banks=1"), ("latency=10", "banks=4"))
    found = widths(rate(), ranges, numbers)
    assert [(each.key, each.low, each.high) for each in found] == [("banks", 0.05, 0.2), ("latency", 0.05, 0.2)]


def test_the_sign_of_an_effect_is_that_between_the_ends_of_its_interval():
    # Both ends are below the stated 5: an optimum is between them, or noise.
    assert together(5.0, [ValueRange("size", 1, 3)], [4.0, 3.0]) == (("size=3",), ("size=1",))
    assert together(5.0, [ValueRange("idle", 1, 3)], [5.0, 5.0]) == ((), ())


# ---- counted programs ----


def test_a_cycle_more_is_a_cycle_more():
    # The engines of five islands limit both; each island has one engine of 800 MHz.
    rates = {}
    for cycles in (2000, 3000):
        found = counted_runner.run(spec(f"count.cycles={cycles}", "island.engines=1"), nothing)
        rates[cycles] = 5 * 800 / found.metric("total", "throughput_mpps")
    assert rates[3000] - rates[2000] == pytest.approx(1000, rel=0.01)


def test_issuing_is_in_the_cycles_of_instructions():
    # 10 reads that wait take 3 cycles each to issue, and 4 additions take 1 each; the firmware's step has 25 of its
    # own.
    changes = counted_runner.changes(
        spec("count.cycles=100", "count.maps.read=10", "count.maps.add=4", "count.packet.write=0")
    )
    assert changes[-1] == f"program.step[6].cycles={25 + 100 - 34}"
    assert "times = 10" in changes[-2]
    assert "write" not in changes[-2]


@pytest.mark.parametrize(
    ("wrong", "preset", "message"),
    [
        ("count.maps.reed=1", "nfp4000", r"count\.maps\.reed: expected count\.cycles or count\.ROLE\.OP"),
        ("count.cycles=2.5", "nfp4000", "found '2.5', expected a whole number"),
        ("count.maps.read=9", "nfp4000", "found 0, expected at least 27 cycles"),
        ("count.cycles=9", "ixp1200", 'found 0 steps with op = "run"'),
    ],
)
def test_counts_that_no_program_has_are_refused(wrong, preset, message):
    with pytest.raises(linecard.ConfigError, match=message):
        counted_runner.run(spec(wrong, preset=preset), nothing)


@pytest.mark.parametrize(("percent", "cycles"), [(95, 25 + 380), (100, 25 + 400), (105, 25 + 420)])
def test_what_the_instructions_are_off_by_is_in_the_counted_ones_alone(percent, cycles):
    changed = counted_runner.changes(spec("count.cycles=400", f"cluster.island.ebpf.percent={percent}"))
    assert changed[-1] == f"program.step[6].cycles={cycles}"
    # The correction of the steps around is removed beforehand: 1.1 times 25 + 364 is 27.5 and the 400 again.
    assert counted_runner.changes(spec("count.cycles=400", "program.percent=110"))[-1].endswith(f"={25 + 364}")


# ---- a device ----


@dataclass(frozen=True)
class Answer:
    """The result of a run, without a simulation."""

    mpps: float
    run_id: str = "x"
    metrics: tuple[Metric, ...] = ()

    def metric(self, _component: str, _metric: str) -> float:
        return self.mpps

    def manifest(self) -> dict[str, object]:
        return {}


def folder(tmp_path: Path, study: str = STUDY) -> str:
    (tmp_path / "study.toml").write_text(study)
    (tmp_path / "rates.csv").write_text("cycles,mpps\n200,20\n400,10\n800,2\n")
    return str(tmp_path)


def test_a_point_that_is_missed_stays_and_calibrated_ones_do_not_count(tmp_path):
    runs: list[RunSpec] = []

    def answer(run: RunSpec, _progress: object) -> Answer:
        runs.append(run)
        settings = dict(each.split("=") for each in run.overrides)
        cycles = float(settings["count.cycles"]) * float(settings.get("cluster.island.ebpf.percent", 100)) / 100
        latency = float(settings.get("memory.ctm.latency_cycles", 75))
        return Answer(4000 / cycles * 75 / latency)

    found = correlate(study=folder(tmp_path), run_function=answer)
    (device,) = found.devices
    assert [(point.predicted, point.calibrated) for point in device.points] == [(20, False), (10, True), (5, False)]
    errors = own_errors(device.judged)
    assert errors is not None
    assert (errors.points, errors.worst, errors.bias) == (2, 1.5, 0.75)
    # The band worked out by hand: 5 % of the cycles, and the interval of the file's CTM; of 20: 4000 / 210 * 75 / 128
    # and above.
    band = device.points[0].band
    assert band is not None
    assert (band.low, band.high) == (pytest.approx(4000 / 210 * 75 / 128), pytest.approx(4000 / 190 * 1.5))
    assert [each.key for each in band.widths] == ["memory.ctm.latency_cycles", "cluster.island.ebpf.percent"]
    # 2 is below 4000 / 840 * 75 / 128 by more than its reading error; the calibrated point is in neither number.
    assert coverage(device.judged) == (1, 2)
    assert device.points[0].before_seen == "abc1234"
    # Each point has one run, one on a single thread, and 2n + 2 for its band.
    ranges = [each for each in linecard.describe("nfp4000").parameters if each.interval is not None]
    assert len(runs) == len(set(runs)) == 3 * (2 + 2 * len(ranges) + 2)
    text = page(found, "pictures")
    assert "+150.0 %" in text
    assert "| calibrated |" in text
    assert ET.fromstring(scatter(device)) is not None
    assert Correlation.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_a_run_that_fails_is_named_and_the_others_stay(tmp_path, cli):
    def answer(run: RunSpec, _progress: object) -> Answer:
        if "count.cycles=200" in run.overrides:
            raise linecard.RunError("no result")
        return Answer(1.0)

    found = correlate(study=folder(tmp_path), band=False, run_function=answer)
    assert [point.predicted for point in found.devices[0].points] == [None, 1.0, 1.0]
    assert len(found.failures) == 1
    assert "cycles 200: RunError: no result" in found.failures[0]
    assert "failed" in page(found, ".")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('device = "nfp4000"', "", "expected a study with a device: hxdp, nfp4000, spalink2000"),
        ('origin = "table 1"', 'named_by = ["n"]', "tables.rates.named_by: found 'n'"),
    ],
)
def test_a_study_that_says_what_cannot_be_is_refused(tmp_path, old, new, message):
    assert old in STUDY
    with pytest.raises(linecard.ConfigError, match=message):
        correlate(study=folder(tmp_path, STUDY.replace(old, new)), run_function=lambda *_: Answer(1.0))


@pytest.mark.parametrize(
    ("rows", "keys", "message"),
    [
        ("cycles,mpps\n200,0\n", "", "rates.csv, line 2: mpps: found 0, expected a rate above 0"),
        ("cycles,mpps\n200,-1\n", "", "found -1, expected a rate above 0"),
        (
            "cycles,mpps\nmany,1\n",
            'curve = { over = "cycles", by = [], axis = "x" }',
            "found 'many', expected a number",
        ),
        ("cycles,mpps\n200,1\n", 'grouped_by = "other"', "other: no such column, by which 'rates' names or groups"),
    ],
)
def test_rows_that_no_page_can_show_are_refused(tmp_path, rows, keys, message):
    study = STUDY.replace('origin = "table 1"', keys).replace("[measures.mpps]", "[columns.other]\n[measures.mpps]")
    name = folder(tmp_path, study)
    (tmp_path / "rates.csv").write_text(rows)
    with pytest.raises(linecard.ConfigError, match=message):
        correlate(study=name, band=False, run_function=lambda *_: Answer(1.0))


def test_a_device_that_carries_nothing_is_in_the_table(tmp_path):
    found = correlate(study=folder(tmp_path), band=False, run_function=lambda *_: Answer(0.0))
    assert "-100.0 %" in page(found, ".")
    assert ET.fromstring(scatter(found.devices[0])) is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("nfp4000", "--quick"), "No such option"),
        (("nfp4000", "--keep"), "--keep stores the results of all studies"),
        (("hasan2003",), "expected a study with a device: hxdp, nfp4000, spalink2000"),
    ],
)
def test_requests_that_mean_nothing_are_refused(tool, options, message):
    ended = tool("correlation", *options)
    assert (ended.status, ended.out) == (2, "")
    assert message in " ".join(ended.err.split())


def test_the_command_prints_a_device_and_writes_its_page(tool, tmp_path):
    ended = tool("correlation", "hxdp", "--no-band", "-o", tmp_path)
    assert ended.status == 0
    assert "4 rates predicted, 3 calibrated and not counted" in ended.out
    assert {file.name for file in tmp_path.iterdir()} == {"correlation.json", "correlation.md", "hxdp.svg"}


# ---- kept results, and the page ----


def test_every_published_rate_of_a_device_is_on_the_page():
    found = {device.study: device for device in kept_devices().devices}
    assert sorted(found) == studies_with_devices()
    for study, files in (("nfp4000", ("reads", "additions", "programs")), ("hxdp", ("rates", "programs"))):
        for name in files:
            with (ROOT / "studies" / study / "published" / f"{name}.csv").open() as stream:
                published = [float(row["mpps"]) for row in csv.DictReader(stream)]
            assert [point.published for point in found[study].points if point.table == name] == published
    assert sum(point.before_seen != "" for device in found.values() for point in device.points) == 119
    assert next(row[1] for row in number_rows(found["nfp4000"])) == "116"


def test_the_page_and_its_pictures_are_fresh():
    pages = [ROOT / "docs/reference/correlation.md", *(ROOT / "docs/reference/correlation").iterdir()]
    shown = {file.relative_to(ROOT).as_posix(): file.read_text() for file in pages}
    assert shown == documents(), "run: make correlation"
    assert all(ET.fromstring(text) is not None for name, text in shown.items() if name.endswith(".svg"))


def test_the_command_of_a_point_repeats_it(cli, monkeypatch):
    monkeypatch.chdir(ROOT)
    devices = {device.study: device for device in kept_devices().devices}
    for point in (devices["nfp4000"].points[1], devices["hxdp"].points[-1], devices["spalink2000"].points[0]):
        words = shlex.split(point.command)
        ended = cli(*words[1:], "--no-band", "--json")
        assert ended.status == 0
        assert json.loads(ended.out)["summary"]["throughput_mpps"] == point.predicted
    assert command_of(spec("count.cycles=9"))[:3] == ["linecard", "run", "nfp4000"]
