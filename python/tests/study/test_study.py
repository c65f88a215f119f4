"""The study runner on a small study with hand-made runs, and the files of the shipped studies."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from conftest import make_result

import linecard
from linecard.study.execute import execute
from linecard.study.folders import study_folders
from linecard.study.plan import RunSpec, make_plan
from linecard.study.reproduce import evaluate
from linecard.study.reproduce import run_study as reproduce
from linecard.study.spec import load_study, select_items
from linecard.study.write import write_study

STUDY = """
id = "tiny"
title = "A tiny <study>"
document = "Nobody 1900"
summary = "Two schemes, two bank counts."
[full]
seeds = [1, 2, 3]
packets = 1000
warmup_packets = 100
[quick]
seeds = [1]
packets = 100
warmup_packets = 10
[columns.app]
program = "{value}"
[columns.banks]
set = ["dram.banks={value}"]
[columns.size]
set = ['traffic.kind="fixed"', "traffic.packet_bytes={value}"]
[columns.side.values]
input = { measure = "rows" }
[columns.scheme.values]
BASE = { preset = "p_base" }
FAST = { preset = "p_fast" }
[measures.gbps]
component = "total"
metric = "throughput_gbps"
unit = "Gbit/s"
label = "Throughput"
[measures.rows]
component = "dram"
metric = "rows"
unit = "rows"
label = "Rows"
[[tables]]
id = "1"
title = "Base and fast"
file = "one.csv"
cells = { gbps = "gbps" }
rank = "scheme"
[[tables]]
id = "2"
title = "Base again, and rows"
file = "two.csv"
cells = { rows = "*" }
where = { app = "nat", banks = 2 }
headline = false
[[figures]]
id = "figure1"
title = "Sweep"
sweep = "size"
values = [64, 256, 1024]
axis = "bytes"
where = { app = "nat", scheme = "BASE" }
series = [{ label = "2 banks", where = { banks = 2 } }]
panels = [{ label = "Throughput", measures = ["gbps"] }]
[[figures.checks]]
id = "peak"
kind = "peak_at"
measure = "gbps"
series = "2 banks"
at = 1024
text = "largest for large packets"
[[gains]]
table = "1"
section = "6"
text = "FAST over BASE"
percent = 50
measure = "gbps"
pairs = [{ of = { app = "nat", banks = 2, scheme = "FAST" }, over = { app = "nat", banks = 2, scheme = "BASE" } }]
[[checks]]
id = "mean"
kind = "mean_abs_error"
tables = ["1"]
limit = 0.05
[[calibrations]]
parameter = "slot"
preset = "ixp1200"
keys = ["port.out.handshake_ns"]
reason = "not stated"
cells = [{ table = "1", scheme = "FAST", banks = 4 }]
"""
ONE = "app,banks,scheme,gbps\nnat,2,BASE,2.0\nnat,2,FAST,3.0\nnat,4,BASE,2.1\nnat,4,FAST,3.1\n"
TWO = "scheme,side,rows\nBASE,input,4\nFAST,input,\n"
VALUES = {"p_base": 2.1, "p_fast": 3.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY)
    (folder / "one.csv").write_text(ONE)
    (folder / "two.csv").write_text(TWO)
    return folder


def fake_run(run: RunSpec, progress):
    """A run whose throughput depends on the preset, the packet size and the seed."""
    progress(run.packets, run.packets + run.warmup_packets)
    size = next((int(text.split("=")[1]) for text in run.overrides if text.startswith("traffic.packet_bytes")), 0)
    throughput = VALUES[run.preset] + (run.seed - 2) * 0.01 + size / 1e5
    metrics = {("total", "throughput_gbps"): throughput, ("dram", "rows"): 4.4}
    config_hash = f"{run.preset} {run.overrides}"
    return make_result(metrics=metrics, chip=run.preset, seed=run.seed, config_hash=config_hash)


def run_study(folder: Path, **options):
    return reproduce(str(folder), run_function=fake_run, **options)


def test_cells_become_runs_and_equal_runs_are_shared(folder):
    study = load_study(str(folder))
    plan = make_plan(study, study.item_ids, study.spec.full)
    first = plan.cells["1", 0, "gbps"].runs[0]
    assert first == RunSpec("machine", "p_base", "nat", "", False, ("dram.banks=2",), 1, 1000, 100)
    # Four rows and three sweep points, with three seeds each; table 2 and the gain need no further run.
    assert len(plan.runs) == (4 + 3) * 3
    assert ("2", 1, "rows") not in plan.cells  # an empty published cell is not run


@pytest.mark.parametrize("quick", [False, True])
def test_no_two_shipped_studies_need_the_same_run(quick):
    # Cells of a study share runs. If studies shared runs, too, the scorecard would have to run them together.
    runs = []
    for name in study_folders():
        study = load_study(name)
        effort = study.spec.quick if quick else study.spec.full
        runs += make_plan(study, select_items(study, None), effort, quick=quick).runs
    assert len(runs) > (500 if quick else 2000)
    assert len(set(runs)) == len(runs)


def test_the_first_numbers(folder):
    result = run_study(folder)
    plain = result.to_dict()
    assert list(plain) == [
        "study",
        "cells",
        "calibrated_cells",
        "mean_abs_error",
        "max_abs_error",
        "order_pairs",
        "order_violations",
        "gains_mean_abs_error_points",
        "point_cells",
        "mean_abs_points",
        "bounds",
        "bounds_kept",
        "seconds",
        "tables",
    ]
    assert (plain["cells"], plain["calibrated_cells"]) == (3, 1)
    assert plain["mean_abs_error"] == pytest.approx((0.05 + 0 + 0) / 3)
    assert plain["max_abs_error"] == pytest.approx(0.05)
    assert (plain["order_pairs"], plain["order_violations"]) == (2, 0)
    assert plain["gains_mean_abs_error_points"] == pytest.approx(50 - (3.0 / 2.1 - 1) * 100)
    row = plain["tables"][0]["rows"][3]
    assert row["calibrated"]
    assert (row["app"], row["banks"], row["scheme"]) == ("nat", 4, "FAST")
    assert row["spread"] == pytest.approx(0.01)
    assert [table["id"] for table in plain["tables"]] == ["1", "2", "figure1"]
    assert plain["tables"][2]["shapes"][0]["holds"] is True


def test_the_result_does_not_depend_on_jobs(folder):
    def slow(run, progress):
        time.sleep(0.002 * (hash(run) % 5))
        return fake_run(run, progress)

    def text(jobs):
        plain = reproduce(str(folder), jobs=jobs, run_function=slow).to_dict()
        del plain["seconds"]
        return json.dumps(plain)

    assert text(1) == text(4)


def test_a_table_says_what_is_quick_of_it(folder):
    file = folder / "study.toml"
    more = 'packets = 9_000\nquick = { seeds = [1], packets = 20, warmup_packets = 2 }\nrank = "scheme"'
    file.write_text(file.read_text().replace('rank = "scheme"', more, 1))
    study = load_study(str(folder))
    full = make_plan(study, ("1",), study.spec.full).cells["1", 0, "gbps"].runs
    quick = make_plan(study, ("1",), study.spec.quick, quick=True).cells["1", 0, "gbps"].runs
    assert [(run.seed, run.packets, run.warmup_packets) for run in full] == [(seed, 9000, 100) for seed in (1, 2, 3)]
    assert [(run.seed, run.packets, run.warmup_packets) for run in quick] == [(1, 20, 2)]


def test_a_failing_run_takes_only_its_own_cells(folder):
    def sometimes(run, progress):
        if run.preset == "p_fast" and "dram.banks=4" in run.overrides:
            raise linecard.RunError("deadlock of engine.1 and dram")
        return fake_run(run, progress)

    result = reproduce(str(folder), run_function=sometimes)
    cells = result.tables[0].cells
    assert [cell.measured is None for cell in cells] == [False, False, False, True]
    assert "deadlock of engine.1" in cells[3].failure
    assert len(result.failures) == 3
    assert any("deadlock" in problem for problem in result.problems)


def test_an_absent_metric_is_a_failed_cell_that_names_near_ones(folder):
    result = reproduce(str(folder), run_function=lambda run, _: make_result(metrics={("total", "throughput_gbp"): 1.0}))
    assert "nearest: total throughput_gbp" in result.tables[0].cells[0].failure


def test_a_part_of_a_study(folder):
    result = run_study(folder, tables=["2"], quick=True)
    assert result.items == ("2",)
    assert result.checks[0].holds is None
    assert len(result.runs) == 1
    assert result.to_dict()["cells"] == 1  # no headline table was run, so every table that was run counts


def test_deviations_are_strict(folder):
    (folder / "two.csv").write_text("scheme,side,rows\nBASE,input,5\n")
    result = run_study(folder)
    assert [deviation.state for deviation in result.deviations] == ["unlisted"]
    name = result.deviations[0].id
    assert name == "table 2: app=nat banks=2 scheme=BASE side=input"
    (folder / "deviations.toml").write_text(f'[[deviations]]\nid = "{name}"\nreason = "unknown"\n')
    result = run_study(folder)
    assert [deviation.state for deviation in result.deviations] == ["known"]
    assert result.problems == ()
    (folder / "two.csv").write_text(TWO)
    assert "deviation gone" in run_study(folder).problems[0]


def test_a_reason_explains_a_missed_limit_and_does_not_excuse_it(folder, wording):
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("limit = 0.05", "limit = 0.01"))
    (problem,) = run_study(folder).problems
    assert problem.startswith("limit missed: mean (over 3 cells)")
    assert problem.endswith("no reason listed")
    (folder / "deviations.toml").write_text('[[deviations]]\nid = "limit: mean"\nreason = "BASE is 5 % off"\n')
    result = run_study(folder)
    assert [(deviation.id, deviation.state) for deviation in result.deviations] == [("limit: mean", "known")]
    (problem,) = result.problems
    assert problem.endswith("BASE is 5 % off")
    (folder / "study.toml").write_text(text)
    wording(run_study(folder).problems[0])


def test_the_only_gain_of_spalink_counts():
    """No parameter was chosen on the runs of 16 and 8 contexts; a mark on a whole table of another kind once hid it."""
    study = load_study("spalink2000")
    plan = make_plan(study, ("section3.1 rates",), study.spec.quick)
    result = evaluate(study, ("section3.1 rates",), plan, dict.fromkeys(plan.runs, "not run"), quick=True, seconds=0)
    (stated,) = result.tables[0].gains
    assert not stated.calibrated


def test_items_are_chosen_by_the_names_people_use(folder, wording):
    study = load_study(str(folder))
    assert select_items(study, ["Table 1", "figure 1"]) == ("1", "figure1")
    with pytest.raises(linecard.ConfigError) as refused:
        select_items(study, ["9"])
    wording(refused.value)


@pytest.mark.parametrize(
    "change",
    [
        ('rank = "scheme"', 'rank = "schema"'),
        ('cells = { gbps = "gbps" }', 'cells = { gbps = "gbbs" }'),
        ('tables = ["1"]\nlimit', 'tables = ["7"]\nlimit'),
        ('kind = "peak_at"', 'kind = "peaks"'),
        ("[full]", "[fall]"),
        ('scheme = "BASE" }\nseries', 'scheme = "BASS" }\nseries'),
    ],
)
def test_a_wrong_study_says_what_and_where(folder, change, wording):
    (folder / "study.toml").write_text(STUDY.replace(*change, 1))
    with pytest.raises(linecard.ConfigError) as raised:
        load_study(str(folder))
    wording(raised.value)
    assert "study.toml" in str(raised.value)


def test_a_wrong_table_says_file_line_and_column(folder, wording):
    (folder / "one.csv").write_text(ONE.replace("3.0", "three").replace("BASE,2.1", "BASIS,2.1"))
    with pytest.raises(linecard.ConfigError) as refused:
        load_study(str(folder))
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        load_study("hasan203")
    wording(refused.value)


def test_jobs_below_one_are_refused(folder, wording):
    with pytest.raises(linecard.ConfigError) as refused:
        run_study(folder, jobs=0)
    wording(refused.value)


def test_an_interrupt_stops_the_running_simulations():
    runs = [RunSpec("machine", "p_base", "", "", False, (), seed, 10, 0) for seed in range(6)]
    stopped = []

    def endless(run, progress):
        try:
            while True:
                progress(1, 10)
                time.sleep(0.005)
        finally:
            stopped.append(run)

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(runs, jobs=2, progress=interrupt, run_function=endless)
    assert len(stopped) == 2  # the others never began
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("linecard")]


def test_progress_reaches_the_end(folder):
    seen = []
    run_study(folder, quick=True, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (7 * 110, 7 * 110)


def test_the_output_folder(folder, tmp_path):
    out = tmp_path / "out"
    written = write_study(run_study(folder), out)
    assert written.left_out == []
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert names == {
        "comparison.csv",
        "comparison.parquet",
        "manifest.json",
        "measurements.csv",
        "measurements.parquet",
        "plots/figure_1.png",
        "plots/figure_1.svg",
        "plots/table_1.png",
        "plots/table_1.svg",
        "plots/table_2.png",
        "plots/table_2.svg",
        "report.html",
        "result.json",
    }
    page = (out / "report.html").read_text()
    assert "A tiny &lt;study&gt;" in page
    assert page.count("<svg") == 3
    assert "http://" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )
    assert "<script" not in page
    assert "src=" not in page
    manifest = json.loads((out / "manifest.json").read_text())
    assert len(manifest["runs"]) == 21
    (value,) = manifest["calibrations"][0]["values"].values()
    assert value.endswith(" ns")
    assert value in page
    assert set(manifest["inputs"]) == {"study.toml", "one.csv", "two.csv"}
    # The same study writes the same bytes again.
    again = tmp_path / "again"
    write_study(run_study(folder), again)
    for name in names - {"result.json"}:
        assert (out / name).read_bytes() == (again / name).read_bytes(), name


def test_missing_extras_are_named_and_lose_nothing(folder, tmp_path, monkeypatch):
    import sys

    for name in ("polars", "resvg_py", "jinja2"):
        monkeypatch.setitem(sys.modules, name, None)
    written = write_study(run_study(folder), tmp_path / "out")
    assert len(written.left_out) == 3
    assert "pip install 'linecard[frames]'" in written.left_out[0]
    assert (tmp_path / "out" / "comparison.csv").exists()


def test_the_result_in_a_notebook_and_as_a_frame(folder):
    result = run_study(folder)
    assert "mean 1.7 %" in result._repr_html_()
    assert repr(result) == "<StudyResult tiny: 3 cells, mean error 1.7%>"
    frame = result.to_frame()
    assert frame.shape == (8, 11)


@pytest.mark.parametrize("name", study_folders())
def test_shipped_studies_are_whole(name):
    study = load_study(name)
    assert study.spec.id == name
    for file in ("README.md", "citation.bib", "deviations.toml"):
        assert (study.folder / file).is_file(), file
    plan = make_plan(study, study.item_ids, study.spec.full)
    assert plan.runs
    used = {table.file for table in study.spec.tables}
    shipped = {path.relative_to(study.folder).as_posix() for path in study.folder.glob("published/*.csv")}
    # A file that only the computation of a contradiction reads belongs to no table.
    assert used == shipped - {"published/section2_1_peaks.csv"}


def test_gains_of_hasan2003_follow_from_its_published_tables():
    """The text's improvements are its tables' ratios; a slip in copying one of them shows here."""
    study = load_study("hasan2003")
    published = {}
    for table in study.spec.tables:
        for row in study.rows[table.id]:
            if "throughput_gbps" in row.published and "scheme" in row.keys:
                published[row.keys["app"], row.keys["banks"], row.keys["scheme"]] = row.published["throughput_gbps"]
    for gain in study.spec.gains:
        ratios = [published[tuple(pair.of.values())] / published[tuple(pair.over.values())] - 1 for pair in gain.pairs]
        assert sum(ratios) / len(ratios) * 100 == pytest.approx(gain.percent, abs=0.6), gain.text


def test_a_kept_bound_has_no_error(folder, wording):
    text = (folder / "study.toml").read_text().replace('rank = "scheme"', 'rank = "scheme"\nrelation = "is"', 1)
    (folder / "study.toml").write_text(text)
    (folder / "one.csv").write_text("app,banks,scheme,is,gbps\nnat,2,BASE,>,1.0\nnat,2,FAST,<,1.0\nnat,4,FAST,=,1.0\n")
    cells = {(cell.relation, cell.keys["scheme"]): cell for cell in run_study(folder, tables=["1"]).tables[0].cells}
    assert cells[">", "BASE"].measured == pytest.approx(VALUES["p_base"])
    assert (cells[">", "BASE"].error, cells[">", "BASE"].bound) == (min(VALUES["p_base"] - 1, 0), "> ")
    beyond = cells["<", "FAST"]
    assert beyond.difference == max(beyond.measured - 1, 0)
    assert cells["=", "FAST"].error == pytest.approx(VALUES["p_fast"] - 1)
    (folder / "one.csv").write_text("app,banks,scheme,is,gbps\nnat,2,BASE,about,1.0\n")
    with pytest.raises(linecard.ConfigError) as refused:
        run_study(folder, tables=["1"])
    wording(refused.value)


def test_a_runner_is_named_and_an_unknown_one_is_answered(folder, wording):
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace('rank = "scheme"', 'rank = "scheme"\nrunner = "machin"', 1))
    with pytest.raises(linecard.ConfigError) as refused:
        load_study(str(folder))
    wording(refused.value)


def test_chapters_select_by_the_number_of_a_table(folder, wording):
    study = load_study(str(folder))
    with pytest.raises(linecard.ConfigError) as refused:
        select_items(study, None, [5])
    wording(refused.value)
    text = (folder / "study.toml").read_text().replace('id = "figure1"', 'id = "figure5.3"')
    (folder / "study.toml").write_text(text)
    study = load_study(str(folder))
    assert select_items(study, None, [5]) == ("figure5.3",)
    assert select_items(study, ["1"], [5]) == ("1", "figure5.3")


def test_a_table_and_a_section_may_have_the_same_number():
    study = load_study("girish2008")
    assert {"3.6", "section3.6", "figure3.6"} <= set(study.item_ids)
    assert select_items(study, ["3.6"]) == ("3.6",)
    assert select_items(study, ["section 3.6"]) == ("section3.6",)
    assert select_items(study, ["figure3.6"]) == ("figure3.6",)
    assert select_items(study, ["5.4"]) == ("section5.4",)


def test_an_item_may_ask_for_its_own_number_of_packets():
    study = load_study("girish2008")
    plan = make_plan(study, ("4.1", "5.1"), study.spec.full)
    assert {(run.packets, run.warmup_packets) for run in plan.runs if run.runner == "machine"} == {(60_000, 5_000)}
    whole = (study.spec.full.packets, study.spec.full.warmup_packets)
    assert {(run.packets, run.warmup_packets) for run in plan.runs if run.runner == "flowcache"} == {whole}
