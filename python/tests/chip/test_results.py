"""Results: typed from plain reports, equal for equal requests, and the same numbers in every form."""

from __future__ import annotations

import dataclasses
import json
import sys

import pytest
from conftest import make_result, report

import linecard
from linecard import RunRequest, RunResult, tables
from linecard.records import field_names
from linecard.request import mapping_of, settings


def test_a_report_becomes_typed_and_frozen():
    result = make_result()
    assert result.summary.latency_ns.p99 == 1e5
    assert result.metric("dram", "row_hit_rate") == 0.4
    with pytest.raises(AttributeError):
        result.seed = 2


def test_an_unknown_metric_names_the_nearest():
    with pytest.raises(KeyError, match="dram row_hit_rate"):
        make_result().metric("dram", "row_hits_rate")


def test_real_time_is_no_part_of_the_result():
    request = make_result().request
    one = RunResult.from_report(report(), request, wall_seconds=1.0)
    other = RunResult.from_report(report(), request, wall_seconds=2.0)
    assert one == other
    assert "wall_seconds" not in one.to_dict()
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


@pytest.mark.parametrize(
    "change",
    [{"packets": 7}, {"warmup_packets": 7}, {"map_addresses": True}, {"input_hash": "abc"}],
)
def test_the_run_id_tells_requests_apart(change):
    base = RunRequest(overrides=(), packets=1, warmup_packets=1, map_addresses=False, input_hash=None)
    changed = dataclasses.replace(base, **change)
    assert RunResult.from_report(report(), base).run_id != RunResult.from_report(report(), changed).run_id


def test_every_part_of_a_report_is_kept():
    plain = make_result().to_dict()
    for name, value in report().items():
        assert name in RunResult.APART or plain[name] == value, name


def test_short_repr_and_escaped_notebook_form():
    result = make_result()
    assert repr(result) == "<RunResult ixp1200 l3fwd16: 2.000 Gbit/s, 0.463 Mpps, limited by dram>"
    page = result._repr_html_()
    assert "It was busy &lt;99 %&gt; of the time." in page
    assert "engine.10" in page


def test_frames_are_tidy():
    frame = make_result().to_frame()
    assert frame.columns == list(tables.METRIC_COLUMNS)
    assert frame["value"].to_list() == [2.0, 0.4]


def test_a_missing_extra_is_named(monkeypatch, wording):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(linecard.MissingExtraError) as refused:
        make_result().to_frame()
    wording(refused.value)


def test_settings_as_mapping_and_as_texts(wording):
    assert settings({"dram.banks": 2, "a.b": True, "c": "fixed", "d": [1, 2.5]}) == [
        "dram.banks=2",
        "a.b=true",
        'c="fixed"',
        "d=[1, 2.5]",
    ]
    assert settings(["dram.banks=2"]) == ["dram.banks=2"]
    # The table of a part stands for its keys; a new part is given whole.
    assert settings({"dram": {"banks": 2, "width": 8}}) == ["dram.banks=2", "dram.width=8"]
    assert settings({"cluster": {"extra": {"engines": 1}}}) == ["cluster.extra={engines = 1}"]
    assert settings({"cluster.extra": {"engines": 1}}) == ["cluster.extra={engines = 1}"]
    assert settings({"cluster.extra": {"a b": 1}}) == ['cluster.extra={"a b" = 1}']
    assert mapping_of("set", {"dram": {"banks": 2}}) == {"dram.banks": 2}
    # Texts are TOML, as for the core, and a value may state its unit and its source.
    texts = [
        'p.step=[{cycles=20}, {op="read"}]',
        'a.takes=["work"]',
        "dram={banks=2}",
        "on = 2020-01-01",
        "b=some text",
    ]
    assert mapping_of("set", texts) == {
        "p.step": [{"cycles": 20}, {"op": "read"}],
        "a.takes": ["work"],
        "dram.banks": 2,
        "on": "2020-01-01",
        "b": "some text",
    }
    valued = ['a.rate={value=2, source="s"}', 'b.rate={value=2, unit="Gbit/s"}', "c={value=2, other=1}"]
    assert mapping_of("set", valued) == {"a.rate": 2, "b.rate": "2 Gbit/s", "c.value": 2, "c.other": 1}
    for text in ("a=[{b=1}", "a=" + "[" * 400 + "]" * 400):
        with pytest.raises(linecard.ConfigError, match="is not a value"):
            mapping_of("set", [text])
    assert settings(None) == []
    with pytest.raises(linecard.ConfigError) as raised:
        settings(["dram.banks", "=3"])
    wording(raised.value)
    assert len(raised.value.problems) == 2
    with pytest.raises(linecard.ConfigError) as refused:
        settings({"dram.banks": object()})
    wording(refused.value)


def test_errors_carry_exit_codes():
    codes = {kind.__name__: kind.exit_code for kind in (linecard.ConfigError, linecard.TrafficError, linecard.RunError)}
    assert codes == {"ConfigError": 2, "TrafficError": 3, "RunError": 4}


def test_field_names_in_order():
    assert field_names(linecard.Metric) == ("component", "metric", "unit", "value")
