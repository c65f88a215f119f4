"""Files: complete or absent, with equal bytes for equal numbers."""

from __future__ import annotations

import csv
import io
import json

import pytest
from conftest import make_result
from hypothesis import given
from hypothesis import strategies as st

from linecard import ConfigError, files, tables


def test_csv_has_one_row_per_measurement_and_a_manifest_beside_it(tmp_path):
    result = make_result()
    assert result.save(tmp_path / "run.csv") == tmp_path / "run.csv"
    manifest = tmp_path / "run.csv.manifest.json"
    with (tmp_path / "run.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["run_id", "component", "metric", "unit", "value"]
    assert rows[1] == [result.run_id, "total", "throughput_gbps", "Gbit/s", "2.0"]
    plain = json.loads(manifest.read_text())
    assert plain["run_id"] == result.run_id
    assert {"linecard_version", "config_hash", "seed", "input_hash", "overrides"} <= plain.keys()


def test_parquet_holds_the_same_table(tmp_path):
    polars = pytest.importorskip("polars")
    result = make_result()
    result.save(tmp_path / "run.parquet")
    assert polars.read_parquet(tmp_path / "run.parquet").equals(result.to_frame())


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False))))
def test_csv_keeps_every_text_and_every_bit_of_a_number(rows):
    rows = [(text.replace("\r", " ").replace("\x00", " "), value) for text, value in rows]
    text = tables.csv_text(("text", "value"), rows)
    read = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert [(cells[0], float(cells[1])) for cells in read] == rows


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "result.csv"
    files.write_text(path, "old")

    def fail(file):
        file.write(b"half of the n")
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        files.write_file(path, fail)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path, wording):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError) as refused:
        files.write_text(tmp_path / "file" / "result.csv", "x")
    wording(refused.value)


def test_folders_are_made_only_where_that_was_asked_for(tmp_path, wording):
    with pytest.raises(ConfigError) as refused:
        files.write_text(tmp_path / "a" / "b" / "c.txt", "x")
    wording(refused.value)
    assert list(tmp_path.iterdir()) == []
    assert files.make_folder(tmp_path / "a" / "b").is_dir()


def test_json_refuses_what_json_cannot_hold(wording):
    with pytest.raises(ValueError) as refused:
        tables.json_text({"value": float("nan")})
    wording(refused.value)
