"""The arithmetic of a comparison, on numbers small enough to check by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linecard.study import compare
from linecard.study.compare import Sample
from linecard.study.keys import Calibration, CheckSpec, KnownDeviation, ShapeCheck, TableSpec

TABLE = TableSpec(id="1", title="", file="", cells={"gbps": "gbps"}, rank="scheme")


def cell(scheme: str, published: float, *values: float, banks: int = 2, calibrated: bool = False) -> compare.Cell:
    return compare.Cell(
        table="1",
        keys={"banks": banks, "scheme": scheme},
        column="gbps",
        unit="Gbit/s",
        published=published,
        sample=Sample(tuple(values)) if values else Sample((), "it failed"),
        calibrated=calibrated,
    )


def test_a_cell_is_the_mean_over_seeds_with_its_standard_deviation():
    made = cell("A", 2.0, 2.1, 2.2, 2.3)
    assert made.measured == pytest.approx(2.2)
    assert made.spread == pytest.approx(0.1)
    assert made.error == pytest.approx(0.1)


def test_one_seed_has_no_spread_and_a_failed_cell_has_nothing():
    assert cell("A", 2.0, 1.9).spread is None
    failed = cell("A", 2.0)
    assert (failed.measured, failed.error, failed.failure) == (None, None, "it failed")


def test_orders_are_found_within_groups_and_only_where_published_values_differ():
    cells = [cell("A", 2.0, 2.0), cell("B", 2.2, 1.9), cell("C", 2.0, 2.5), cell("A", 9.0, 9.0, banks=4)]
    orders = compare.find_orders(cells, "scheme")
    assert [(order.first, order.second, order.agrees) for order in orders] == [("B", "A", False), ("B", "C", False)]
    first = orders[0]
    assert first.group == {"banks": 2}
    assert first.published_gap_percent == pytest.approx(10.0)
    assert first.measured_gap_percent == pytest.approx(-5.0)


def test_equal_measurements_do_not_keep_a_published_order():
    assert compare.find_orders([cell("A", 2.0, 2.0), cell("B", 2.2, 2.0)], "scheme")[0].agrees is False


def test_an_order_with_a_failed_run_is_neither_kept_nor_turned():
    assert compare.find_orders([cell("A", 2.0), cell("B", 2.2, 2.0)], "scheme")[0].agrees is None


@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=2, max_size=6))
def test_orders_count_every_pair_once_and_agree_exactly_when_the_ranking_does(values):
    cells = [cell(f"S{number}", published, measured) for number, (published, measured) in enumerate(values)]
    orders = compare.find_orders(cells, "scheme")
    pairs = [(a, b) for number, a in enumerate(cells) for b in cells[number + 1 :] if a.published != b.published]
    assert len(orders) == len(pairs)
    kept = [(a.published > b.published) == (a.measured > b.measured) and a.measured != b.measured for a, b in pairs]
    assert sum(order.agrees for order in orders) == sum(kept)


def test_a_gain_is_the_mean_improvement_in_percent():
    assert compare.gain_percent([(2.2, 2.0)]) == pytest.approx(10.0)
    assert compare.gain_percent([(2.2, 2.0), (3.0, 2.0)]) == pytest.approx(30.0)
    assert compare.gain_percent([(2.2, 2.0), (None, 2.0)]) is None


def test_calibrated_cells_are_marked_by_table_keys_and_measure():
    marks = [
        Calibration(parameter="p", preset="x", keys=(), reason="r", cells=({"table": "1", "scheme": "A"},)),
        Calibration(
            parameter="q", preset="x", keys=(), reason="r", cells=({"table": "2", "mhz": 200, "measure": "idle"},)
        ),
    ]
    assert compare.is_calibrated(marks, {"scheme": "A", "banks": 2}, "gbps", "gbps", "1")
    assert not compare.is_calibrated(marks, {"scheme": "A"}, "gbps", "gbps", "3")
    assert not compare.is_calibrated(marks, {"scheme": "B"}, "gbps", "gbps", "1")
    assert compare.is_calibrated(marks, {"mhz": 200}, "idle", "idle_percent", "2")
    assert not compare.is_calibrated(marks, {"mhz": 200}, "other", "other_percent", "2")
    # A gain compares configurations, wherever they are printed, so a mark in any table counts.
    assert compare.is_calibrated(marks, {"scheme": "A"}, "gbps", "gbps", "3", anywhere=True)


def test_a_mark_without_a_cell_marks_its_table_and_no_gain_of_another():
    marks = [Calibration(parameter="p", reason="r", cells=({"table": "2"}, {"table": "4", "measure": "gbps"}))]
    for anywhere in (False, True):
        assert compare.is_calibrated(marks, {"scheme": "A"}, "gbps", "gbps", "2", anywhere=anywhere)
        assert not compare.is_calibrated(marks, {"scheme": "A"}, "gbps", "gbps", "1", anywhere=anywhere)


def check(kind: str, limit: float, tie_percent: float | None = None) -> CheckSpec:
    return CheckSpec(id="c", kind=kind, tables=("1",), limit=limit, tie_percent=tie_percent)


def test_means_leave_calibrated_cells_out_and_largest_errors_do_not():
    cells = [cell("A", 2.0, 2.1), cell("B", 2.0, 1.7), cell("C", 2.0, 2.0, calibrated=True)]
    mean = compare.judge_check(check("mean_abs_error", 0.1), ["1"], cells, [])
    assert mean.reached == pytest.approx(0.1)
    assert mean.holds
    largest = compare.judge_check(check("max_abs_error", 0.1), ["1"], cells, [])
    assert largest.reached == pytest.approx(0.15)
    assert not largest.holds
    assert "banks 2, B" in largest.detail
    points = compare.judge_check(check("max_abs_points", 0.31), ["1"], cells, [])
    assert points.reached == pytest.approx(0.3)
    assert points.holds
    cells[2] = cell("C", 2.0, 9.0, calibrated=True)
    assert compare.judge_check(check("mean_abs_error", 0.1), ["1"], cells, []).reached == pytest.approx(0.1)
    chosen = compare.judge_check(check("max_abs_error", 0.2), ["1"], cells, [])
    assert (chosen.holds, chosen.reached) == (False, pytest.approx(3.5))
    assert "banks 2, C" in chosen.detail


def test_a_failed_cell_fails_its_limit_and_a_missing_table_leaves_it_open():
    failed = compare.judge_check(check("mean_abs_error", 0.1), ["1"], [cell("A", 2.0, 2.0), cell("B", 2.0)], [])
    assert failed.holds is False
    assert compare.judge_check(check("mean_abs_error", 0.1), ["2"], [], []).holds is None


def gain(points: float | None, *, calibrated: bool = False) -> compare.Gain:
    return compare.Gain("1", "3.6", "HB over BASE", 9.0, None if points is None else 9.0 + points, points, calibrated)


def test_a_limit_may_hold_for_stated_gains():
    limit = check("max_gain_points", 3.0)
    gains = [gain(-2.5), gain(1.0), gain(8.0, calibrated=True)]
    judged = compare.judge_check(limit, ["1"], [], [], gains)
    assert (judged.reached, judged.holds) == (2.5, True)
    assert compare.judge_check(limit, ["1"], [], [], [*gains, gain(3.5)]).holds is False
    assert compare.judge_check(limit, ["1"], [], [], [*gains, gain(None)]).holds is False


def test_a_limit_of_gains_may_be_in_shares_of_them():
    limit = check("max_gain_error", 0.05)
    assert compare.judge_check(limit, ["1"], [], [], [gain(0.45)]).holds
    missed = compare.judge_check(limit, ["1"], [], [], [gain(-1.8), gain(0.1)])
    assert (missed.reached, missed.holds) == (pytest.approx(0.2), False)


def test_a_curve_may_have_to_fall():
    assert shape("falls", [4.0, 3.0, 3.0, 1.0]).holds
    assert not shape("falls", [4.0, 3.0, 3.5, 1.0]).holds
    assert shape("falls", [4.0, 3.0, 3.5, 1.0], at=2).holds
    assert shape("falls", [3.0, 4.0, 3.5, 1.0], from_=2).holds
    assert not shape("rises", [3.0, 4.0, 3.5, 1.0], from_=2).holds


@pytest.mark.parametrize(("published", "holds"), [(2.02, True), (2.2, False)])
def test_an_order_may_be_turned_only_between_ties(published, holds):
    orders = compare.find_orders([cell("A", 2.0, 2.1), cell("B", published, 2.0)], "scheme")
    judged = compare.judge_check(check("order_violations", 2, tie_percent=2.0), ["1"], [], orders)
    assert (judged.reached, judged.holds) == (1, holds)


def shape(kind: str, ys: list[float | None], **more: object) -> compare.Shape:
    made = ShapeCheck(id="s", kind=kind, measure="m", series="one", text="t", **more)
    return compare.judge_shape(made, (1, 2, 4, 8), {("one", "m"): ys, ("two", "m"): [1.0, 1.0, 1.0, 1.0]})


def test_shapes_of_curves():
    assert shape("peak_at", [1, 2, 4, 3], at=4).holds
    assert not shape("peak_at", [1, 2, 3, 4], at=4).holds
    assert shape("rises", [1, 2, 3, 0], at=4).holds
    assert not shape("rises", [1, 2, 3, 0]).holds
    assert shape("levels_off_at", [1.0, 2.0, 3.0, 3.05], at=4, within=0.03).holds
    assert not shape("levels_off_at", [1.0, 2.0, 3.0, 3.5], at=4, within=0.03).holds
    assert shape("above", [0.5, 2, 2, 2], than="two", at=2).holds
    assert not shape("above", [0.5, 2, 2, 2], than="two").holds
    assert not shape("above", [1.01, 2, 2, 2], than="two", margin=0.02).holds
    assert shape("peak_at", [1, None, 4, 3], at=4).holds is None


def test_deviations_are_strict_both_ways():
    listed = [KnownDeviation(id="a", reason="why"), KnownDeviation(id="b", reason="old")]
    found = compare.judge_deviations({"a": "off", "c": "off"}, ["a", "b", "c"], listed, complete=True)
    assert {deviation.id: deviation.state for deviation in found} == {"a": "known", "b": "gone", "c": "unlisted"}
    # A partial run of a study makes no statement about items that did not run.
    found = compare.judge_deviations({"a": "off"}, ["a"], listed, complete=False)
    assert [deviation.id for deviation in found] == ["a"]


def test_tolerance_is_relative_or_in_points():
    assert compare.beyond_tolerance(cell("A", 2.0, 2.3), TABLE)
    assert compare.beyond_tolerance(cell("A", 2.0, 2.3, calibrated=True), TABLE), "to choose and to miss is a miss"
    points = TableSpec(id="1", title="", file="", cells={"x": "x"}, tolerance_points=4.0)
    assert not compare.beyond_tolerance(cell("A", 1.0, 4.9), points)
    assert compare.beyond_tolerance(cell("A", 1.0, 5.1), points)


def test_names_in_words():
    assert compare.item_name("5") == "table 5"
    assert compare.item_name("figure5") == "figure 5"
    assert compare.item_name("section5.3") == "section 5.3"
    assert compare.words({"app": "nat", "packet_bytes": 64}) == "nat, packet bytes 64"
