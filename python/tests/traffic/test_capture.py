"""`linecard.flows` on captures written byte by byte; the readers themselves are tested in Rust."""

from __future__ import annotations

import gzip
import json

import pytest
from conftest import ROOT

import linecard


def test_a_sound_capture(capture):
    statistics = linecard.flows(capture)
    assert (statistics.packets, statistics.bytes, statistics.flows) == (10, 720, 10)
    assert statistics.seconds == pytest.approx(0.009)
    assert statistics.single_packet_flows == 10
    assert statistics.skipped == {}
    assert statistics.clean
    assert statistics.ipv4_checksums_ok_percent == 100.0


def test_compression_changes_nothing_but_its_name(capture, tmp_path):
    packed = tmp_path / "ten.pcap.gz"
    packed.write_bytes(gzip.compress(capture.read_bytes()))
    plain, inside = linecard.flows(capture).to_dict(), linecard.flows(packed).to_dict()
    assert inside["compression"] == "gzip"
    for name in ("file", "compression"):
        del plain[name], inside[name]
    assert plain == inside


def test_a_cut_capture_tells_what_was_read_and_where_it_ends(cut_capture):
    statistics = linecard.flows(cut_capture)
    assert statistics.packets == 9
    assert not statistics.clean
    assert statistics.damaged_records == 1
    finding = statistics.diagnostics[0]
    assert finding.packet == 10
    assert finding.byte_offset == 24 + 9 * (16 + 72)
    with pytest.raises(linecard.TrafficError, match="packet 10"):
        linecard.flows(cut_capture, strict=True)


@pytest.mark.parametrize("content", [b"", b"hello, this is no capture at all\n" * 20])
def test_what_is_no_capture_is_refused(tmp_path, content):
    path = tmp_path / "thing"
    path.write_bytes(content)
    with pytest.raises(linecard.TrafficError, match="thing"):
        linecard.flows(path)
    with pytest.raises(linecard.TrafficError, match=r"nowhere\.pcap"):
        linecard.flows(tmp_path / "nowhere.pcap")


def test_the_command_prints_the_promised_keys(cli, capture):
    ended = cli("flows", capture, "--json")
    plain = json.loads(ended.out)
    assert ended.status == 0
    assert {"packets", "bytes", "seconds", "flows", "mean_bytes", "single_packet_flows", "skipped"} <= plain.keys()
    assert plain == linecard.flows(capture).to_dict()


def test_the_screen_and_the_exit_status_of_damage(cli, capture, cut_capture):
    ended = cli("flows", capture)
    assert ended.status == 0
    assert "10   one-way" in ended.out
    ended = cli("flows", cut_capture)
    assert ended.status == 3
    assert "Packets" in ended.out
    assert "byte offset" in ended.err
    ended = cli("flows", cut_capture, "--strict")
    assert (ended.status, ended.out) == (3, "")


def test_a_link_profile_has_no_damaged_record_at_which_to_stop(cli):
    for command in ("flows", "flowcache"):
        ended = cli(command, "edge", "--strict")
        assert (ended.status, ended.out) == (2, "")
        assert ended.err.startswith("linecard: --strict: has no effect on the link profile edge; pass a capture")


def test_the_notebook_form(capture):
    statistics = linecard.flows(capture)
    assert "one-way" in statistics._repr_html_()
    assert repr(statistics).endswith("ten.pcap: 10 packets, 10 flows>")
    assert statistics.to_frame()["packets"].sum() == 10


def test_more_flows_than_memory_is_meant_for_are_refused_with_the_option(cli, capture):
    assert cli("flows", capture, "--json", "--most-flows", 10).status == 0
    ended = cli("flows", capture, "--json", "--most-flows", 9)
    assert (ended.status, ended.out) == (3, "")
    assert "--most-flows" in ended.err


def test_packed_digests_that_expand_without_end_are_refused(cli, tmp_path):
    path = tmp_path / "bomb.u32le.gz"
    path.write_bytes(gzip.compress(bytes(1 << 24)) * 65)
    ended = cli("flowcache", path)
    assert ended.status == 3
    assert "exceeds 1024 MiB" in ended.err


def test_a_described_link_stands_where_a_capture_does(cli, tmp_path):
    whole = linecard.flows("edge")
    assert (whole.format, whole.packets, whole.captured_bytes) == ("described link", 150_000, 0)
    assert not [fact for fact in whole.facts() if "0 captured" in fact.more]
    # The shares of flows and packets in the description are within a few percent of the requested shares.
    assert whole.single_packet_flows_percent == pytest.approx(45, rel=0.05)
    assert whole.packets_in_single_packet_flows_percent == pytest.approx(3, rel=0.1)
    assert linecard.flows("edge") == whole
    own = tmp_path / "own.toml"
    own.write_text((ROOT / "presets/traffic/edge.toml").read_text())
    assert linecard.flows(own).flows == whole.flows
    assert linecard.flows("core", packets=5000).packets == 5000
    assert (
        json.loads(cli("flows", "core", "--packets", 5000, "--json").out)
        == linecard.flows("core", packets=5000).to_dict()
    )
    cached = linecard.flowcache("edge", 1024, packets=20_000)
    assert cached.packets == 20_000
    assert cached.manifest()["input_hash"] is None
    queued = linecard.queueing_run("edge", "qc", trace=True, operations=5000, warmup=100)
    assert (queued.packets, queued.format) == (150_000, "described link")
    program = linecard.xdp_run("stateful_firewall", "edge", packets=500)
    assert program.traffic.packets == 500


def test_more_packets_than_a_description_says_are_drawn():
    assert linecard.flows("edge", packets=200_000).packets == 200_000


def test_packets_of_a_capture_end_where_they_are_told_to(capture):
    assert linecard.flows(capture, packets=4).packets == 4
    assert linecard.flows(capture, packets=11).packets == 10
    assert linecard.flowcache(capture, 4, packets=4).packets == 4


@pytest.mark.parametrize("command", [("flows",), ("flowcache",), ("queueing", "run", "--trace")])
def test_what_is_neither_a_file_nor_a_described_link_is_told_with_those_there_are(cli, command, wording):
    ended = cli(*command, "edgs")
    assert (ended.status, ended.out) == (3, "")
    wording(ended.err)
    assert "core, edge" in ended.err
    wording(ended.err)


@pytest.mark.parametrize("command", ["flows", "flowcache"])
def test_a_description_that_is_wrong_is_told_with_its_key(cli, tmp_path, command):
    path = tmp_path / "link.toml"
    path.write_text((ROOT / "presets/traffic/edge.toml").read_text().replace("value = 85", "value = 850"))
    ended = cli(command, path)
    assert (ended.status, ended.out) == (2, "")
    assert "flows.tcp" in ended.err


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("percent = { value = [30,", "percent = { value = [20,"),
        ("percent = { value = [30,", "percent = { value = [10, 20,"),
        ("skip = { value = 25", "skip = { value = 100"),
        ("single_flows = { value = 45", "single_flows = { value = 100"),
    ],
    ids=["sum", "lengths", "skip", "single_flows"],
)
def test_percentages_that_no_link_has_are_refused(tmp_path, wording, before, after):
    path = tmp_path / "link.toml"
    edge = (ROOT / "presets/traffic/edge.toml").read_text()
    assert before in edge
    path.write_text(edge.replace(before, after, 1))
    with pytest.raises(linecard.LinecardError) as refused:
        linecard.flows(path)
    wording(refused.value)


def test_numbers_of_packets_that_nothing_has_are_refused(tmp_path, wording):
    for packets in (-1, 2**64):
        with pytest.raises(linecard.ConfigError, match="packets"):
            linecard.flows("edge", packets=packets)
        with pytest.raises(linecard.ConfigError, match="packets"):
            linecard.flowcache("edge", packets=packets)
    (tmp_path / "some.u32le").write_bytes(bytes(16))
    with pytest.raises(linecard.ConfigError, match="packets"):
        linecard.flowcache(tmp_path / "some.u32le", packets=2)
    with pytest.raises(linecard.TrafficError) as refused:
        linecard.flows("edge", packets=2**63)
    wording(refused.value)


def test_a_run_that_ends_before_its_capture_reports_the_damage_that_it_met(capture):
    """The second packet is ten seconds before the first; the others arrive long after the run has ended."""
    data, at = bytearray(capture.read_bytes()), 24
    for seconds in (100, 90, *range(101, 109)):
        data[at : at + 4] = seconds.to_bytes(4, "little")
        at += 16 + int.from_bytes(data[at + 8 : at + 12], "little")
    capture.write_bytes(data)
    found = linecard.run("example_smartnic", trace=capture, packets=2, warmup_packets=0, verdict=False)
    assert found.capture_damage == 1
