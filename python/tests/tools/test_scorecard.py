"""The scorecard: lines follow from results, a worse result changes its line, and the documents agree with it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest
from conftest import ROOT
from small_study import SMALL

import linecard
from linecard.study import compare
from linecard.study.compare import Gain, Point, Sample, Shape
from linecard.study.evidence import Reading, largest, mean
from linecard.study.folders import study_folders
from linecard.study.keys import Calibration, Input
from linecard.study.limits import OUTCOMES, Line, contradictions_of, evaluators_of, judge, lines_of
from linecard.study.plan import make_plan
from linecard.study.result import FigureResult, StudyResult, TableResult
from linecard.study.runners import PlainRun
from linecard.study.spec import load_study
from linecard.study.targets import Target, load_targets
from tools import command
from tools.points import at_point, outcomes_at, with_points
from tools.scorecard import card, documents
from tools.scorecard.card import Scorecard
from tools.scorecard.whole import run_whole

STUDIES = sorted(study_folders())
TARGETS = load_targets(ROOT / "studies")
SEEDS = 8


def of(study: str) -> list[Target]:
    return [target for target in TARGETS if target.study == study]


def uncalibrated(name: str):
    """A study in which nothing is calibrated, so that every cell counts."""
    study = load_study(name)
    return replace(study, spec=msgspec.structs.replace(study.spec, calibrations=()))


def table(study, spec, values=lambda cell: cell.published) -> TableResult:
    """A table whose measured numbers follow from the published ones."""
    cells = []
    for number, row in enumerate(study.rows[spec.id]):
        for column, measure in spec.cells.items():
            if row.published[column] is None:
                continue
            cell = compare.Cell(
                table=spec.id,
                keys=row.keys,
                column=column,
                unit="",
                published=row.published[column],
                relation=row.relation,
                sample=Sample((0.0,)),
                calibrated=compare.is_calibrated(study.spec.calibrations, row.keys, measure, column, spec.id),
                run_ids=(f"{spec.id} {number}",),
                measure=measure,
            )
            cells.append(with_value(cell, values(cell)))
    gains = [gain for gain in study.spec.gains if gain.table == spec.id]
    told = tuple(Gain(spec.id, gain.section, gain.text, gain.percent, gain.percent, 0.0, False) for gain in gains)
    return TableResult(spec, tuple(cells), compare.find_orders(cells, spec.rank), told)


def with_value(cell, measured):
    return replace(cell, sample=Sample((float(measured),) * SEEDS))


def worse(cell) -> float:
    """Far beyond every limit, on the wrong side of a bound, and with the larger of two numbers now the smaller."""
    return 0.0 if cell.relation == ">" else 1e6 + 1e6 / (1 + cell.published)


def figure(spec, *, good: bool = True) -> FigureResult:
    """A figure that has every shape, or none; over k it peaks at 4, and writes form larger batches than reads."""
    measures = list(dict.fromkeys(measure for panel in spec.panels for measure in panel.measures))
    points = []
    for series in spec.series:
        for measure in measures:
            for number, value in enumerate(spec.values):
                height = 3.0 - abs(number - 2) + (measure == "observed_batch_write")
                if not good:
                    height = 9.0 - height - 4 * (measure == "qc_mops") * ("L1" in series.label)
                points.append(Point(series.label, value, measure, "", Sample((height,)), ()))
    shapes = tuple(Shape(check.id, check.text, good, "") for check in spec.checks)
    return FigureResult(spec, tuple(points), shapes)


def flat(spec) -> FigureResult:
    """All managers have equal numbers: two workloads then have the same ratios."""
    whole = figure(spec)
    return replace(whole, points=tuple(replace(point, sample=Sample((2.0,))) for point in whole.points))


def perfect(study) -> tuple[dict[str, TableResult], dict[str, FigureResult]]:
    tables = {spec.id: table(study, spec) for spec in study.spec.tables}
    figures = {
        spec.id: flat(spec) if spec.id in ("figure8a", "figure9a") else figure(spec) for spec in study.spec.figures
    }
    return tables, figures


def state(study, tables, figures) -> dict[str, bool | None]:
    return {line.target.id: line.kept for line in lines_of(study, tables.values(), figures.values())}


@pytest.mark.parametrize("name", STUDIES)
def test_every_line_has_an_evaluator_and_every_evaluator_a_line(name):
    assert set(evaluators_of(name)) == {target.id for target in of(name)}


@pytest.mark.parametrize("name", STUDIES)
def test_lines_follow_results_and_nothing_else(name):
    """With published results every limit is met; each is missed if its input is worse, one item at a time."""
    study = uncalibrated(name)
    tables, figures = perfect(study)
    kept = state(study, tables, figures)
    assert kept == dict.fromkeys(kept, True), [
        (line.target.id, line.measured, line.detail)
        for line in lines_of(study, tables.values(), figures.values())
        if not line.kept
    ]
    flipped: dict[str, set[str]] = {line: set() for line in kept}
    for item, good in tables.items():
        cells = tuple(with_value(cell, worse(cell)) for cell in good.cells)
        gains = tuple(
            replace(gain, measured_percent=gain.published_percent + 99, difference_points=99.0) for gain in good.gains
        )
        bad = TableResult(good.spec, cells, compare.find_orders(cells, good.spec.rank), gains)
        for line, still in state(study, {**tables, item: bad}, figures).items():
            if not still:
                flipped[line].add(item)
    for item, good in figures.items():
        for line, still in state(study, tables, {**figures, item: figure(good.spec, good=False)}).items():
            if not still:
                flipped[line].add(item)
    # The study and its presets state the chosen values; runs do not.
    unmoved = {line for line, by in flipped.items() if not by}
    assert unmoved == ({"H10"} if name == "hasan2003" else set())


def test_a_further_free_choice_counts():
    study = uncalibrated("hasan2003")
    tables, figures = perfect(study)
    more = tuple(
        Calibration(parameter=key, reason="r", cells=(), keys=(f"engine.{key}",), preset="p") for key in "abcde"
    )
    chosen = replace(study, spec=msgspec.structs.replace(study.spec, calibrations=more))
    before = next(line for line in lines_of(study, tables.values(), figures.values()) if line.target.id == "H10")
    after = next(line for line in lines_of(chosen, tables.values(), figures.values()) if line.target.id == "H10")
    assert after.measured == before.measured + 5
    assert (before.kept, after.kept) == (True, False)


@pytest.mark.parametrize("name", STUDIES)
def test_a_line_over_what_was_not_run_is_not_judged_and_one_over_a_failure_is_missed(name):
    study = uncalibrated(name)
    tables, figures = perfect(study)
    partly = state(study, {}, {})
    assert {line for line, kept in partly.items() if kept is not None} <= {"H10"}
    failed = {
        item: replace(good, cells=tuple(replace(cell, sample=Sample((), "deadlock")) for cell in good.cells))
        for item, good in tables.items()
    }
    lines = lines_of(study, failed.values(), figures.values())
    over_figures = {"hasan2003": {"H4", "H7", "H8", "H10"}, "kumar2006": {"K7"}, "girish2008": {"G3", "G11"}}
    for line in lines:
        if line.target.id in over_figures.get(name, set()) | {"H3", "H9", "K5"}:
            continue
        assert (line.kept, line.measured) == (False, None), line.target.id


def test_orders_over_eight_seeds_are_not_judged_on_one_and_missed_where_a_run_failed():
    study = uncalibrated("hasan2003")
    tables, figures = perfect(study)

    def kept(short: Callable[[int], bool]) -> bool | None:
        cut = [
            replace(
                table,
                cells=tuple(
                    replace(cell, sample=Sample(cell.sample.values[:1])) if short(number) else cell
                    for number, cell in enumerate(table.cells)
                ),
            )
            for table in tables.values()
        ]
        return next(line.kept for line in lines_of(study, cut, figures.values()) if line.target.id == "H4")

    assert kept(lambda _: False) is True
    assert kept(lambda _: True) is None
    assert kept(lambda number: number == 0) is False


def target(kind: str, limit: str) -> Target:
    return Target("s", "X1", "what", kind, limit, "source")


@pytest.mark.parametrize(
    ("kind", "limit", "measured", "of_all", "kept", "over"),
    [
        ("at_most", "0.03", 0.03, None, True, 0.0),
        ("at_most", "0.03", 0.0301, None, False, pytest.approx(0.0001)),
        ("violations", "0", 0, None, True, 0.0),
        ("violations", "0", 2, None, False, 2.0),
        ("at_least", "12 of 13", 12, 13, True, 0.0),
        ("at_least", "12 of 13", 12, 12, False, 0.0),
        ("at_least", "1000000", 999_999, None, False, 1.0),
        ("shape", "2 of 2", 2, 2, True, 0.0),
        ("shape", "2 of 2", 1, 2, False, 1.0),
        ("shape", "all", 6, 7, False, 1.0),
        ("shape", "5 of 5", 4, 4, False, 0.0),
    ],
)
def test_a_number_is_held_against_its_limit(kind, limit, measured, of_all, kept, over):
    line = judge(target(kind, limit), "count", Reading(measured, "", of=of_all))
    assert (line.kept, line.over) == (kept, over)


def test_no_number_is_a_miss_and_so_is_what_is_spoiled():
    assert judge(target("at_most", "1"), "points", Reading(None, "a run failed")).kept is False
    assert judge(target("at_most", "1"), "points", Reading(0.5, "", spoiled="drops")).kept is False


def cell(
    scheme: str, published: float, measured: float, *, run: str = "", calibrated: bool = False, measure: str = "m"
):
    return compare.Cell(
        table="1",
        keys={"scheme": scheme},
        column="c",
        unit="",
        published=published,
        sample=Sample((measured,)),
        calibrated=calibrated,
        run_ids=(run or scheme,),
        measure=measure,
    )


def test_calibrated_cells_are_in_no_mean_and_miss_when_they_are_beyond_the_limit():
    cells = [cell("A", 100, 101), cell("B", 100, 150, calibrated=True)]
    averaged = mean(cells)
    assert averaged.measured == pytest.approx(0.01)
    assert [each.keys["scheme"] for each in averaged.calibrated] == ["B"]
    worst = largest(cells)
    assert worst.measured == pytest.approx(0.5)
    assert not judge(target("at_most", "0.1"), "fraction", worst).kept


def test_bounds_thin_no_mean():
    kept = replace(cell("B", 100, 50), relation="<")
    assert mean([cell("A", 100, 110), kept]).measured == pytest.approx(0.1)


def test_a_quantity_counts_once_and_is_calibrated_wherever_it_is_printed():
    cells = [cell("A", 100, 110, run="r"), cell("A again", 100, 110, run="r"), cell("B", 100, 100)]
    assert mean(cells).measured == pytest.approx(0.05)
    cells[1] = cell("A again", 100, 110, run="r", calibrated=True)
    assert mean(cells).measured == pytest.approx(0.0)
    cells[1] = cell("A", 100, 110, run="r", measure="other")
    assert mean(cells).measured == pytest.approx(0.2 / 3)


def result(name: str) -> StudyResult:
    """A study with published results, except for one line of Spalink's that printed cells contradict; without runs."""
    study = load_study(name)
    tables, figures = perfect(study)
    if name == "spalink2000":
        cells = tuple(with_value(cell, cell.published * 1.1) for cell in tables["section3.2"].cells)
        tables["section3.2"] = replace(tables["section3.2"], cells=cells)
    lines = lines_of(study, tables.values(), figures.values())
    return StudyResult(
        study=study,
        quick=False,
        items=study.item_ids,
        tables=tuple(tables.values()),
        figures=tuple(figures.values()),
        checks=(),
        lines=lines,
        deviations=(),
        runs={},
        seconds=0.0,
    )


@pytest.fixture
def fake(monkeypatch):
    """The command without simulations."""
    asked = []

    def scorecard(studies, jobs, progress):
        asked.append(studies)
        return Scorecard(tuple(result(name) for name in studies or STUDIES))

    monkeypatch.setattr(card, "scorecard", scorecard)
    return asked


def test_the_command_prints_every_line_and_its_status_follows_them(tool, fake, tmp_path):
    ended = tool("scorecard", "--json", "-o", tmp_path)
    assert ended.status == 0, ended.err
    plain = json.loads(ended.out)
    assert list(plain) == ["rows"]
    assert [row["id"] for row in plain["rows"]] == [line.id for line in sorted(TARGETS, key=lambda line: line.study)]
    keys = ["id", "study", "limit", "measured", "kept", "outcome", "calibrated_cells", "shown", "reason"]
    assert all(list(row) == keys for row in plain["rows"])
    assert json.loads((tmp_path / "scorecard.json").read_text()) == plain
    page = (tmp_path / "scorecard.html").read_text()
    assert all(f">{line.id}</td>" in page for line in TARGETS)
    assert page.count("<script") == 0
    assert [(row["id"], row["outcome"]) for row in plain["rows"] if not row["kept"]] == [("S2", "contradicted")]
    checked = tool("scorecard", "spalink2000", "--check", "-o", tmp_path)
    assert (checked.status, "S2 contradicted" in checked.err) == (1, True)
    assert "6 limits: 5 kept, 1 contradicted, 0 dependent on an unpublished input, 0 missed" in checked.out


def test_one_study_is_enough(tool, fake, tmp_path):
    ended = tool("scorecard", "kumar2006", "--check", "-o", tmp_path)
    assert ended.status == 0, ended.err
    assert fake == [["kumar2006"]]
    assert "8 limits: 8 kept, 0 contradicted" in ended.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("hasan2003", "--quick"), "No such option"),
        (("hasan2013",), "hasan2003"),
        (("hasan2003", "--keep"), "--keep stores the results of all studies"),
    ],
)
def test_what_cannot_be_judged_is_refused(tool, arguments, words):
    ended = tool("scorecard", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert words in ended.err


def test_the_documents_say_what_was_measured():
    assert len(documents.IN_README.findall((ROOT / "README.md").read_text())) == 1
    for name, text in documents.documents().items():
        assert (ROOT / name).read_text() == text, f"{name}: run: make scorecard"


def test_what_is_kept_comes_out_in_the_documents(tmp_path, monkeypatch):
    """In a copy of the repository: the rows, the plot, the page and the counts of the README."""
    (tmp_path / "studies/spalink2000").mkdir(parents=True)
    for name in ("README.md", "studies/targets.csv"):
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(documents, "ROOT", tmp_path)
    monkeypatch.setattr(documents, "STUDIES", tmp_path / "studies")
    documents.keep(Scorecard((result("spalink2000"),)))
    assert [row["id"] for row in documents.kept_rows() if row["outcome"] == "contradicted"] == ["S2"]
    assert (
        "**6 limits: 5 kept, 1 contradicted, 0 dependent on an unpublished input, 0 missed.**"
        in (tmp_path / "README.md").read_text()
    )
    assert "| **contradicted** |" in (tmp_path / "docs/reference/scorecard.md").read_text()
    assert (tmp_path / "studies/spalink2000/printed.svg").is_file()


def test_the_recorded_rows_are_those_of_the_limits():
    rows = json.loads((ROOT / "studies/scorecard.json").read_text())["rows"]
    targets = {line.id: line for line in TARGETS}
    assert {row["id"] for row in rows} == set(targets)
    for row in rows:
        line = targets[row["id"]]
        counted = line.kind == "shape" or line.of is not None
        assert row["limit"] == (line.limit if counted else line.number), row["id"]
        assert row["kept"] == (row["outcome"] == "kept")
        assert row["outcome"] in OUTCOMES
        assert row["outcome"] in ("kept", "missed") or row["shown"]
        assert row["kept"] or row["reason"], f"{row['id']} is missed and deviations.toml gives no reason"
        if isinstance(row["measured"], str):
            reached, _, whole = row["measured"].partition(" of ")
            assert row["kept"] == (int(reached) >= (line.number or int(whole))), row["id"]
        elif row["measured"] is not None:
            limit = line.number
            within = row["measured"] >= limit if line.kind == "at_least" else row["measured"] <= limit + 1e-12
            # A second condition, as in G7, can only make a line miss.
            assert within or not row["kept"], row["id"]


def test_a_line_says_by_how_much_it_is_missed():
    line = Line(target("at_most", "0.1"), "fraction", 0.15, None, False, (), "")
    assert (line.measured_text, line.limit_text, line.over_text) == ("15.0 %", "≤ 10.0 %", "by 5.0 %")


# A line that published cells exclude, a cell that would no longer support that, and the text that would then be
# printed.
SUPPORT = [
    ("spalink2000", "S2", "section3_2_dram.csv", "32,4.16", "32,4.4"),
    ("spalink2000", "S2", "section2_1_peaks.csv", "DRAM,64,88", "DRAM,64,100"),
    ("kumar2006", "K3", "ratios.csv", "SD1_100,dc,2.1", "SD1_100,dc,1.7"),
    ("kumar2006", "K3", "weights.csv", "dc,10", "dc,8"),
    ("girish2008", "G8", "table4_2.csv", "7505,DRAM,5860", "7505,DRAM,6100"),
    ("girish2008", "G8", "table4_2_drops.csv", "7505,DRAM,9.06", "7505,DRAM,9.5"),
    ("girish2008", "G8", "table4_1_drops.csv", "5667,DRAM,5.08", "5667,DRAM,4.3"),
]


def test_every_contradiction_holds_on_the_published_cells_and_is_of_a_line():
    known = {(study, name) for study in STUDIES for name in contradictions_of(study)}
    assert known == {(study, name) for study, name, *_ in SUPPORT}
    for study, name in known:
        (line,) = [line for line in of(study) if line.id == name]
        assert contradictions_of(study)[name](load_study(study), line.number).holds, name


@pytest.mark.parametrize(("name", "line", "file", "printed", "otherwise"), SUPPORT)
def test_a_contradiction_falls_with_the_cells_that_support_it(tmp_path, name, line, file, printed, otherwise):
    folder = tmp_path / name
    shutil.copytree(ROOT / "studies" / name, folder)
    text = (folder / "published" / file).read_text()
    assert printed in text
    (folder / "published" / file).write_text(text.replace(printed, otherwise))
    (target,) = [each for each in of(name) if each.id == line]
    assert not contradictions_of(name)[line](load_study(str(folder)), target.number).holds
    (folder / "published" / file).write_text("")
    with pytest.raises(linecard.ConfigError, match=file):
        contradictions_of(name)[line](load_study(str(folder)), target.number)


def test_an_input_counts_where_the_line_is_met_at_its_point_and_names_what_is_lost():
    study = load_study("hasan2003")
    tables, figures = perfect(study)
    bad = tuple(with_value(cell, worse(cell)) for cell in tables["section5.3"].cells)
    as_it_is = {**tables, "section5.3": replace(tables["section5.3"], cells=bad)}
    moved = tuple(with_value(cell, worse(cell)) for cell in tables["5"].cells)
    there = lines_of(study, {**tables, "5": replace(tables["5"], cells=moved)}.values(), figures.values())
    point = Input(line="H6", input="a program", range="0 to 9", reason="others have them", set=("program.x=3",))

    def idle(at: tuple[Line, ...]) -> Line:
        lines = with_points(lines_of(study, as_it_is.values(), figures.values()), {point: at})
        return next(line for line in lines if line.target.id == "H6")

    assert idle(there).outcome == "input"
    assert idle(there).shown.endswith("met at program.x=3: 0 points; limits that are newly missed at this point: H5")
    # A line that could not be judged at the point must not count as kept there.
    silent = tuple(replace(line, kept=None) if line.target.id == "H1" else line for line in there)
    assert idle(silent).shown.endswith("limits that are newly missed at this point: H1, H5")
    still = lines_of(study, as_it_is.values(), figures.values())
    assert (idle(still).outcome, "not met at program.x=3" in idle(still).shown) == ("missed", True)
    assert "no limit is newly missed at this point" in idle(still).shown


@pytest.mark.parametrize("name", STUDIES)
def test_an_input_is_of_a_line_and_moves_runs(name):
    study = load_study(name)
    plan = make_plan(study, study.item_ids, study.spec.full)
    lines = [point.line for point in study.spec.inputs]
    assert len(set(lines)) == len(lines)
    assert set(lines) <= {target.id for target in of(name)}
    for point in study.spec.inputs:
        moved = at_point(study, study.item_ids, study.spec.full, point)
        assert moved.cells != plan.cells, point.line
        assert moved.cells.keys() == plan.cells.keys()


def test_a_point_is_run_where_it_has_a_meaning_and_the_defaults_stay(tmp_path, monkeypatch):
    monkeypatch.setattr("tools.scorecard.whole.items_behind", lambda *_: {"1"})
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "one.csv").write_text("app,gbps\nl3fwd16,1\nprobe,1\n")
    (folder / "study.toml").write_text(TINY)
    asked: list[str] = []

    def run(spec, progress):
        asked.append(str(spec))
        if spec.program == "probe" and spec.overrides:
            raise linecard.ConfigError("program.x has no effect here")
        values = {("total", "throughput_gbps"): 2.0 if spec.overrides else 1.0}
        return PlainRun(spec, values, {})

    (result,) = run_whole([str(folder)], run_function=run)
    assert not result.failures
    assert [cell.measured for cell in result.tables[0].cells] == [1.0, 1.0]
    assert sorted(asked) == [
        "ixp1200 l3fwd16 program.x=3 seed 1",
        "ixp1200 l3fwd16 seed 1",
        "ixp1200 probe program.x=3 seed 1",
        "ixp1200 probe seed 1",
    ]
    plan = make_plan(result.study, ("1",), result.study.spec.full)
    moved = at_point(result.study, ("1",), result.study.spec.full, result.study.spec.inputs[0])
    runs = {
        each: run(each, None) if each.program != "probe" or not each.overrides else "no: has no effect here"
        for each in (*plan.runs, *moved.runs)
    }
    found = outcomes_at(plan, moved, runs)
    assert [found[each].metric("total", "throughput_gbps") for each in moved.runs] == [2.0, 1.0]


def test_a_point_can_differ_by_a_key_column_and_leaves_other_values_alone(tmp_path):
    (tmp_path / "one.csv").write_text("app,gbps\nl3fwd16,1\nnat,1\n")
    by_app = 'values = [{ column = "app", value = "nat", set = ["program.x=3"] }]'
    (tmp_path / "study.toml").write_text(TINY.replace('set = ["program.x=3"]', by_app))
    study = load_study(str(tmp_path))
    (point,) = study.spec.inputs
    moved = at_point(study, study.item_ids, study.spec.full, point)
    assert [str(run) for run in moved.runs] == ["ixp1200 l3fwd16 seed 1", "ixp1200 nat program.x=3 seed 1"]
    assert point.point == "app nat: program.x=3"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "found neither `set` nor `values`, expected at least one of the two"),
        ('values = [{ column = "ap", value = "nat", set = ["program.x=3"] }]', "did you mean app?"),
    ],
)
def test_an_input_without_a_point_or_of_an_unknown_column_is_refused(tmp_path, written, said):
    (tmp_path / "one.csv").write_text("app,gbps\nl3fwd16,1\n")
    (tmp_path / "study.toml").write_text(TINY.replace('set = ["program.x=3"]', written))
    with pytest.raises(linecard.ConfigError, match=re.escape(said)):
        load_study(str(tmp_path))


TINY = (
    SMALL
    + """[[inputs]]
line = "T1"
input = "x of a program"
range = "0 to 9"
reason = "no program has more"
set = ["program.x=3"]
"""
)
