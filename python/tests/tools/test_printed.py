"""Does the plot of all cells show each once, calibrated ones hollow, and count those that it cannot show?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_study import SMALL

from linecard.study.reproduce import run_study
from linecard.study.runners import PlainRun
from tools.scorecard.printed import draw_printed


def measured(spec, progress):
    values = {("total", "throughput_gbps"): {"a": 1.0, "b": 2.0, "c": 0.0}[spec.program]}
    return PlainRun(spec, values, {})


STUDY = (
    SMALL
    + """[[calibrations]]
parameter = "x"
value = "3"
reason = "chosen"
cells = [{ app = "b" }]
"""
)


@pytest.fixture
def three(tmp_path):
    (tmp_path / "one.csv").write_text("app,gbps\na,1\nb,4\nc,1\n")
    (tmp_path / "study.toml").write_text(STUDY)
    return run_study(str(tmp_path), run_function=measured)


def test_cells_are_counted_and_those_without_a_place_are_said(three):
    drawing = draw_printed(three)
    assert "1 of 3 cells within 10 %; 1 measured below the axis, drawn on it" in drawing
    assert "hollow: calibrated, not counted" in drawing
    assert draw_printed(three) == drawing


def test_a_printed_zero_has_no_place_and_is_counted(three, tmp_path):
    (tmp_path / "one.csv").write_text("app,gbps\na,1\nb,4\nc,0\n")
    drawing = draw_printed(run_study(str(tmp_path), run_function=measured))
    assert "1 of 2 cells within 10 %; 1 printed as zero, not drawn" in drawing


def test_without_calibrated_cells_there_are_no_hollow_ones(three):
    (table,) = three.tables
    plain = tuple(replace(cell, calibrated=False) for cell in table.cells)
    drawing = draw_printed(replace(three, tables=(replace(table, cells=plain),)))
    assert "calibrated" not in drawing
