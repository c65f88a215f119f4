"""Views besides the rows of `linecard flowcache`: curves, flows, plots, synthetic traffic; and chapter 5."""

from __future__ import annotations

import csv
import json
import re

import pytest
from conftest import ROOT

import linecard
from linecard.study.reproduce import run_study
from linecard.study.runners import flowcache as runner

SHARED = ROOT.parent / "shared"
CAPTURE = ROOT / "examples" / "captures" / "edge-mix.pcap.gz"
STUDY = ROOT / "studies" / "girish2008"
MIX = {
    "single_flows_percent": 58.0,
    "packets_in_single_flows_percent": 5.5,
    "large_flows_percent": 0.15,
    "packets_in_large_flows_percent": 52.0,
    "concurrent_flows": 4000.0,
}


@pytest.mark.parametrize("name", ["edge", "core"])
def test_every_golden_lru_size_through_the_command(cli, name):
    golden = SHARED / "golden" / "cache" / f"{name}.lru_all_sizes.csv"
    if not golden.exists():
        print(f"skipped: {golden.name} is not there")
        return
    arguments = ("--entries", "4", "--policy", "lru", "--curves", "--json")
    ended = cli("flowcache", golden.with_name(f"{name}.u32le.gz"), *arguments)
    assert ended.status == 0, ended.err
    found = {(row["sets"], row["ways"]): row["misses"] for row in json.loads(ended.out)["curves"]["lru"]}
    with golden.open(newline="") as file:
        lines = list(csv.DictReader(file))
    wrong = [line for line in lines if found[int(line["sets"]), int(line["ways"])] != int(line["misses"])]
    assert len(lines) > 60
    assert not wrong


def test_curves_by_hand(wording):
    # Distances: none, none, 1, none, 1, 2.
    result = linecard.flowcache(
        memoryview(b"".join(n.to_bytes(4, "little") for n in (7, 8, 7, 9, 7, 8))).cast("I"),
        entries=2,
        ways="full",
        policy="lru",
        curves=True,
    )
    curves = result.curves
    assert [curves.row(1, entries).misses for entries in (1, 2, 4)] == [6, 4, 3]
    assert [(row.distance_from, row.distance_to, row.packets) for row in curves.reuse] == [
        (0, 0, 0),
        (1, 1, 2),
        (2, 3, 1),
    ]
    assert result.row("lru", 2, 2).misses == curves.row(1, 2).misses
    with pytest.raises(KeyError) as refused:
        curves.row(3, 4)
    wording(refused.value)


def test_without_being_asked_there_are_no_curves_and_no_traffic(cli):
    found = json.loads(cli("flowcache", CAPTURE, "--entries", "64", "--policy", "lru", "--json").out)
    assert (found["curves"], found["traffic"], found["time_out_ns"]) == (None, None, None)


def test_flows_end_by_the_time_out(cli, wording):
    arguments = ("--entries", "64", "--policy", "lru", "--traffic", "--json")
    long = json.loads(cli("flowcache", CAPTURE, *arguments, "--time-out", "1e6").out)["traffic"]
    short = json.loads(cli("flowcache", CAPTURE, *arguments, "--time-out", "1e-6").out)["traffic"]
    assert long["flows"] == long["keys"] == short["keys"] < short["flows"]
    assert sum(row["flows"] * row["flow_packets"] for row in long["sizes"]) == long["packets"]
    refused = cli("flowcache", CAPTURE, *arguments, "--time-out", "0")
    assert refused.status == 2
    wording(refused.err)


def test_digests_have_no_times(cli, tmp_path, wording):
    (tmp_path / "d.u32le").write_bytes(b"\1\0\0\0")
    refused = cli("flowcache", tmp_path / "d.u32le", "--traffic")
    assert refused.status == 2
    wording(refused.err)


def test_plots_are_written_whole_and_the_same_each_time(cli, tmp_path):
    arguments = ("--entries", "64,128", "--ways", "4,full", "--policy", "lru,sp,opt", "--curves", "--traffic")
    for name in ("one", "two"):
        files = (tmp_path / f"{name}.{kind}" for kind in ("png", "svg"))
        ended = cli("flowcache", CAPTURE, *arguments, *(word for file in files for word in ("-o", file)))
        assert ended.status == 0, ended.err
    for kind in ("png", "svg"):
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    drawn = (tmp_path / "one.svg").read_text()
    for title in ("Hit rate", "Misses by class", "LRU of every size", "Flows by size"):
        assert f">{title}</text>" in drawn


def test_equal_hits_have_equal_hashes_and_others_not():
    mix = linecard.flow_mix(20_000, **{**MIX, "concurrent_flows": 400, "large_flows_percent": 0.2}, rate_pps=2000)
    result = linecard.flowcache(mix.digests, 256, 4, ["lru", "sp", "sp2"])
    hashes = [row.hit_seq_sha256 for row in result.rows]
    assert len(set(hashes)) == len(hashes)
    assert hashes == [row.hit_seq_sha256 for row in linecard.flowcache(mix.digests, 256, 4, ["lru", "sp", "sp2"]).rows]


def test_a_mix_has_the_statistics_asked_for():
    mix = linecard.flow_mix(200_000, **MIX)
    view = mix.view
    assert len(mix) == view.packets == 200_000
    assert view.single_packet_flows_percent == pytest.approx(58, abs=0.05)
    assert view.packets_in_single_packet_flows_percent == pytest.approx(5.5, abs=0.01)
    assert view.packets_in_large_flows_percent == pytest.approx(52, abs=0.01)
    # The mean is over packets here and over time there; a short traffic begins and ends with fewer flows.
    assert view.mean_concurrent_flows == pytest.approx(4000, rel=0.15)
    assert list(mix.times_ns) == sorted(mix.times_ns)
    assert len(set(mix.digests)) == view.keys == view.flows
    assert mix.digests.tobytes() == linecard.flow_mix(200_000, **MIX).digests.tobytes()


def test_a_mix_that_cannot_be_is_refused(wording):
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.flow_mix(200_000, **{**MIX, "concurrent_flows": 10.0})
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.flow_mix(-1, **MIX)
    wording(refused.value)
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.flow_mix(10**12, **MIX)
    wording(refused.value)


def test_chapter_5_quick():
    result = run_study("girish2008", chapters=[5], quick=True)
    assert {"5.1", "section5.3", "section5.4", "figure5.5a", "figure5.5b"} <= set(result.items)
    tables = {table.spec.id: table for table in result.tables}
    assert tables["5.1"].max_abs_error == 0
    assert not result.failures
    for figure in result.figures:
        shapes = {shape.id: shape.holds for shape in figure.shapes}
        if figure.spec.runner == "flowcache":
            assert shapes["SP below LRU"]
            assert shapes["PRED below SP"]


def test_the_runner_refuses_settings_that_it_does_not_have(wording):
    from linecard.study.plan import RunSpec

    spec = RunSpec("flowcache", "", "", "", False, ("entries=64", "mix.rate=3", "ways=4"), 1, 1000, 0)
    with pytest.raises(linecard.ConfigError) as refused:
        runner.run(spec, lambda done, total: None)
    wording(refused.value)


def test_the_table_of_real_captures_is_what_the_command_says():
    """Each row of the study's details is measured again."""
    traces = SHARED / "data" / "traces"
    if not traces.is_dir():
        print("skipped: the captures are not there")
        return
    rows = re.findall(r"^\| (\S+\.(?:gz|zst)) \| (.*) \|$", (STUDY / "details.md").read_text(), re.MULTILINE)
    assert len(rows) == 10
    for name, cells in rows:
        active, lru, *changes = (float(cell) for cell in cells.split(" | "))
        result = linecard.flowcache(traces / name, [512, 1024, 2048], 4, ["lru", "sp", "zsp"], time_out_seconds=1.0)
        assert result.traffic.mean_concurrent_flows == pytest.approx(active, abs=0.51), name
        assert 100 * result.row("LRU", 1024, 4).miss_ratio == pytest.approx(lru, abs=0.0051), name
        found = []
        for policy, over in (("SP", "LRU"), ("ZSP52", "SP")):
            for entries in (512, 1024, 2048):
                misses, base = (result.row(each, entries, 4).misses for each in (policy, over))
                found.append(100 * (misses / base - 1))
        assert found == pytest.approx(changes, abs=0.051), name
