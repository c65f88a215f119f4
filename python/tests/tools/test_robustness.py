"""Robustness: what is varied and where, that no finished step is lost, and that the documents state what was run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from conftest import ROOT, make_result

import linecard
from linecard.study.reproduce import run_study
from linecard.study.spec import load_study
from tools.points import WITHOUT
from tools.robustness import run as module
from tools.robustness.documents import documents, html, kept_studies, line_rows, page
from tools.robustness.kept import Kept
from tools.robustness.result import Outcome, Reached, Robustness, Variation
from tools.robustness.run import robustness, what_is_kept
from tools.robustness.tornado import tornado
from tools.robustness.values import calibrated_values
from tools.scorecard.card import limited_studies

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec

STUDY = """
id = "tiny"
title = "A tiny <study>"
document = "Nobody 1900"
summary = "Two schemes."
[full]
seeds = [1, 2, 3]
packets = 1000
warmup_packets = 100
[quick]
seeds = [1]
packets = 100
warmup_packets = 10
[columns.scheme.values]
REF = { preset = "hasan2003_ref_base" }
OUR = { preset = "hasan2003_our_base" }
EVAL = { preset = "ixp1200_eval" }
OWN = { preset = "hasan2003_ref_base", set = ["out.handshake_ns=5"] }
[measures.gbps]
component = "total"
metric = "throughput_gbps"
unit = "Gbit/s"
label = "Throughput"
[[tables]]
id = "1"
title = "Schemes"
file = "one.csv"
cells = { gbps = "gbps" }
[[figures]]
id = "figure1"
title = "Nothing that counts"
sweep = "scheme"
values = ["REF"]
axis = "scheme"
runner = "program"
series = [{ label = "a", where = {} }]
panels = [{ label = "Throughput", measures = ["gbps"] }]
[[calibrations]]
parameter = "slot"
preset = "hasan2003_ref_base"
keys = ["port.out.handshake_ns", "traffic.kind"]
reason = "not stated"
cells = []
[[calibrations]]
parameter = "way"
value = "the long one"
reason = "not stated"
cells = []
"""
ONE = "scheme,gbps\nREF,2.0\nOUR,2.0\nEVAL,2.0\nOWN,2.0\n"
KEY = "port.out.handshake_ns"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY)
    (folder / "one.csv").write_text(ONE)
    return folder


class Fake:
    """Runs whose throughput falls with a longer handshake, and differs by seed; `asked` lists the executed runs."""

    def __init__(self, stop_at: int = 0) -> None:
        self.asked: list[RunSpec] = []
        self._stop_at = stop_at

    def __call__(self, run: RunSpec, _progress):
        self.asked.append(run)
        if len(self.asked) == self._stop_at:
            raise KeyboardInterrupt
        chosen = float(linecard.describe("hasan2003_ref_base")[KEY].text)
        set_to = [float(text.partition("=")[2]) for text in run.overrides if text.startswith(KEY)]
        throughput = 2.0 * (chosen / (set_to or [chosen])[0]) + 0.01 * (run.seed - 1)
        return make_result(
            metrics={("total", "throughput_gbps"): throughput},
            chip=run.preset,
            seed=run.seed,
            config_hash=f"{run.runner} {run.preset} {run.overrides}",
        )


def test_seeds_and_values_are_run_and_only_where_the_chosen_value_is(folder):
    fake = Fake()
    found = robustness(str(folder), run_function=fake)
    assert list(found.by_seed) == list(range(1, 9))
    assert found.base.error == pytest.approx(0.0)
    assert found.by_seed[8].error == pytest.approx(0.035)
    (varied,) = found.variations
    assert varied.low == pytest.approx(0.9 * varied.value)
    assert varied.high == pytest.approx(1.1 * varied.value)
    # Two of the four cells have the chosen value: another chip sets a different value, and so does a run.
    assert varied.down.error == pytest.approx((1 / 0.9 - 1) / 2)
    assert varied.up.error == pytest.approx((1 - 1 / 1.1) / 2)
    changed = [run for run in fake.asked if any(text.startswith(KEY) for text in run.overrides)]
    assert {run.preset for run in changed} == {"hasan2003_ref_base", "hasan2003_our_base"}
    assert {run.seed for run in changed} == {1}
    assert found.left_out == {
        "slot (traffic.kind)": f"not a number: {linecard.describe('hasan2003_ref_base')['traffic.kind'].text}",
        "way": "not a number that can be a tenth smaller or larger: the long one",
    }
    # Unchanged runs are not repeated, and a figure from which nothing is computed runs only with the first seed.
    assert len(fake.asked) == len(set(fake.asked)) == (4 + 1) + 7 * 4 + 2 * 2
    assert {run.packets for run in fake.asked} == {1000}
    assert Robustness.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_the_quick_study_is_as_quick_here_and_jobs_change_nothing(folder):
    fake = Fake()
    one = robustness(str(folder), quick=True, jobs=1, run_function=fake)
    assert {run.packets for run in fake.asked} == {100}
    assert robustness(str(folder), quick=True, jobs=4, run_function=Fake()).to_dict() == one.to_dict()


def test_a_step_is_what_the_study_alone_gives(folder):
    whole = run_study(str(folder), quick=True, run_function=Fake())
    found = robustness(str(folder), quick=True, run_function=Fake())
    assert found.base == Outcome.of(whole)


def test_what_is_finished_is_kept_and_not_run_again(folder, tmp_path):
    whole = robustness(str(folder), run_function=Fake())
    file = tmp_path / "out" / "tiny.steps.json"
    # The first seed takes five runs, each side of the value two, and each other seed four: the stop is in the third
    # seed.
    with pytest.raises(KeyboardInterrupt):
        robustness(str(folder), jobs=1, kept=Kept(file, folder), run_function=Fake(stop_at=5 + 4 + 4 + 2))
    partly = what_is_kept(load_study(str(folder)), Kept(file, folder), quick=False)
    assert (partly.done, partly.steps, list(partly.by_seed)) == (4, 10, [1, 2])
    assert partly.variations == whole.variations
    assert "4 of 10 runs of the study ended" in page([partly], "pictures")
    after = Fake()
    assert robustness(str(folder), kept=Kept(file, folder), run_function=after) == whole
    assert 2 not in {run.seed for run in after.asked}
    again = Fake()
    assert robustness(str(folder), kept=Kept(file, folder), run_function=again) == whole
    assert again.asked == []
    # Results of another study, of other runs, or of a damaged file do not count.
    assert Kept(file, folder, quick=True).steps == {}
    (folder / "one.csv").write_text(ONE.replace("2.0", "2.1"))
    assert Kept(file, folder).steps == {}
    file.write_text("{")
    assert Kept(file, folder).steps == {}


def test_the_command_writes_prints_and_goes_on_after_an_interrupt(tool, folder, tmp_path, monkeypatch):
    out = tmp_path / "out"

    def fake(stop_at: int = 0) -> None:
        made = Fake(stop_at)
        monkeypatch.setattr(
            module, "execute", lambda runs, jobs, progress, run_function: {run: made(run, None) for run in runs}
        )

    fake(stop_at=12)
    stopped = tool("robustness", folder, "-o", out)
    assert stopped.status == 130
    assert f"3 of 10 steps of tiny are kept in {out / 'tiny.steps.json'}" in stopped.err
    assert json.loads((out / "tiny.json").read_text())["done"] == 3
    fake()
    ended = tool("robustness", folder, "-o", out, "--json")
    assert ended.status == 0, ended.err
    assert "3 steps were kept" in ended.err
    (one,) = json.loads(ended.out)["studies"]
    assert one == json.loads((out / "tiny.json").read_text())
    assert not (out / "tiny.steps.json").exists()
    assert (out / "tiny.html").read_text() == html(Robustness.from_dict(one))
    screen = tool("robustness", folder, "-o", out)
    assert "seed 8" in screen.out
    assert KEY in screen.out
    assert "not varied: way" in screen.out
    refused = tool("robustness", folder, "--keep")
    assert (refused.status, "--keep stores the results of all studies" in refused.err) == (2, True)


def outcome(error: float, measured: float, *, kept: bool) -> Outcome:
    return Outcome(error, {"K1": Reached(measured, kept)}, {"K8": "not run"})


@pytest.fixture
def found() -> Robustness:
    """Worked out by hand: a limit that one value breaks."""
    by_seed = {1: outcome(0.05, 0.05, kept=True), 2: outcome(0.06, 0.06, kept=True)}
    variations = (
        Variation(
            "port | x", "memory_port_ns", 8, 7.2, 8.8, outcome(0.09, 0.09, kept=False), outcome(0.05, 0.05, kept=True)
        ),
    )
    return Robustness("kumar2006", True, 4, 4, by_seed, variations, {"entry": "not a number: [pointer]"})


def test_a_limit_that_hangs_on_a_value_is_seen(found):
    (row,) = line_rows(found)
    assert (row.id, row.limit, row.chosen, row.seeds, row.values) == (
        "K1",
        "≤ 8.0 %",
        "5.0 %",
        "5.0 % to 6.0 %",
        "5.0 % to 9.0 %",
    )
    assert (row.kept, row.moved_by) == ("3 of 4", "memory_port_ns = 7.2: 9.0 %")


def test_the_page_has_pictures_with_words_and_tables_that_stay_whole(found):
    text = page([found])
    (shown,) = [line for line in text.splitlines() if line.startswith("![")]
    words, _, target = shown[2:].partition("](")
    assert target == "robustness/kumar2006.svg)"
    assert "memory_port_ns 8: 9.00 % with 7.2, 5.00 % with 8.8" in words
    assert "]" not in words
    widths = {}
    for line in text.splitlines():
        if line.startswith("|"):
            widths.setdefault(line.replace("\\|", "").count("|"), []).append(line)
    assert sorted(widths) == [3, 8]
    assert "Not run yet" not in text
    assert "Not run yet: girish2008." in page([found], ["girish2008"])
    assert "Quick runs" in text


def test_the_picture_is_an_svg_with_its_own_words(found):
    drawn = ET.fromstring(tornado(found))
    space = "{http://www.w3.org/2000/svg}"
    assert drawn.get("role") == "img"
    says = {each.get("id"): each.text for each in (drawn.find(f"{space}title"), drawn.find(f"{space}desc"))}
    assert list(says) == drawn.get("aria-labelledby").split()
    assert "5.00 % to 6.00 % over 2 seeds" in says["says-kumar2006"]
    bars = [each for each in drawn.iter(f"{space}rect") if each.find(f"{space}title") is not None]
    # One bar for the seeds, one for the value down, one for the value up.
    assert len(bars) == 3
    assert all(float(each.get("x")) >= 0 and float(each.get("width")) > 0 for each in bars)
    assert tornado(found) == tornado(found)


def test_a_bar_far_beyond_the_others_is_cut_and_says_what_it_comes_to(found):
    far = replace(found.variations[0], key="far", up=outcome(17.5, 17.5, kept=False))
    drawn = tornado(replace(found, variations=(*found.variations, far)))
    assert '">1750.00 %</text>' in drawn
    ticks = [float(text) for text in re.findall(r'text-anchor="middle">([0-9.]+) %', drawn)]
    assert max(ticks) < 12
    assert "1750.00 %</text>" not in tornado(found)


def test_every_calibration_of_a_study_with_limits_is_varied_or_named():
    for name in limited_studies():
        study = load_study(name)
        values, left_out = calibrated_values(study)
        told = {value.parameter for value in values} | {text.partition(" (")[0] for text in left_out}
        assert told == {calibration.parameter for calibration in study.spec.calibrations}, name
        for value in values:
            low, high = value.sides
            assert low < value.number < high, value


def test_a_workload_that_the_study_writes_out_is_the_one_that_it_calls_by_name():
    """`vary` of a calibration repeats the numbers of a stand-in: they must equal those of the runs."""
    for calibration in load_study("kumar2006").spec.calibrations:
        for varied in calibration.vary:
            if varied.of:
                written = varied.program.replace("{value}", f"{varied.value:g}")
                settings = {"operations": 2000, "warmup": 500, "seed": 1}
                named = linecard.queueing_run(varied.of, ("qc",), [], **settings)
                assert linecard.queueing_run(written, ("qc",), [], **settings).rows == named.rows, written


def test_a_number_to_vary_says_how(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "one.csv").write_text(ONE)
    wrong = 'vary = [{ name = "x", value = 1, runner = "queue", program = "no place" }]'
    (folder / "study.toml").write_text(STUDY.replace('value = "the long one"', f'value = "the long one"\n{wrong}'))
    with pytest.raises(linecard.ConfigError) as refused:
        load_study(str(folder))
    assert "vary.x.runner: found 'queue'; did you mean queueing?" in str(refused.value)
    assert "vary.x: expected a program that contains {value}" in str(refused.value)


def test_a_run_without_the_value_stays_as_it_was(folder):
    """A table of another program is refused: this is not a failure, and nothing changes."""
    plain = Fake()

    def run(spec: RunSpec, progress):
        if spec.preset == "hasan2003_our_base" and any(text.startswith(KEY) for text in spec.overrides):
            raise linecard.ConfigError(f"--set (number 1): {KEY}: has no effect here")
        return plain(spec, progress)

    (varied,) = robustness(str(folder), run_function=run).variations
    assert varied.down.failed_runs == 0
    assert varied.down.error == pytest.approx((1 / 0.9 - 1) / 4)


def test_a_table_of_another_program_is_refused_by_these_words():
    with pytest.raises(linecard.ConfigError, match=WITHOUT):
        linecard.run("hasan2003_ref_base", program="l3fwd16", packets=10, set={"firewall.template_cycles": 27})


def test_the_documents_say_what_was_run():
    pages = [ROOT / "docs/reference/robustness.md", *(ROOT / "docs/reference/robustness").iterdir()]
    shown = {file.relative_to(ROOT).as_posix(): file.read_text() for file in pages}
    assert shown == documents(), "run: make robustness"
    named = [one.study for one in kept_studies()]
    assert named == [name for name in limited_studies() if name in named]
