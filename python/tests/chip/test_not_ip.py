"""Frames that are not IP: their policy, that it loses nothing, and that every packet is accounted for."""

from __future__ import annotations

import gzip
import json
import runpy
from pathlib import Path

import pytest
from conftest import ROOT, pcap_bytes
from msgspec.structs import asdict
from test_ipv6 import ARP, CHIP, LLDP, ip
from test_packets_out import blocks

import linecard

# One frame in four is not IP; a generated table has a route for each address.
FRAMES = [
    ip("192.0.2.9"),
    ip("2001:db8::1"),
    ARP,
    ip("198.51.100.1"),
    ip("2001:db8::1"),
    ip("8.8.8.8"),
    ip("::1"),
    LLDP,
]
CHIPS = [
    ("ixp1200", "l3fwd16"),
    ("ixp1200", "nat"),
    ("ixp1200", "firewall"),
    ("ixp1200", "vanilla_ip"),
    ("ixp2400", "ipv4_forward"),
    ("ixp2400_dynamic", "ipv4_forward"),
    ("example_smartnic", None),
]
ENDS = {"forward": "forwarded", "punt": "punted", "drop": "dropped_by_choice"}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("not_ip") / "in.pcap"
    path.write_bytes(pcap_bytes(FRAMES * 50))
    return str(path)


@pytest.mark.parametrize("policy", ENDS)
@pytest.mark.parametrize(("chip", "app"), CHIPS)
def test_the_policy_decides_and_every_packet_is_accounted_for(chip, app, policy, trace):
    changes = {"program.not_ip": policy, "traffic.arrivals": "captured"}
    for warmup in (0, 37):
        asked = {"program": app, "trace": trace, "set": changes, "verdict": False}
        ran = linecard.run(chip, packets=400 - warmup, warmup_packets=warmup, **asked)
        first, frames = ran.summary, ran.summary.not_ip
        assert frames is not None
        aside = frames.punted + frames.dropped_by_choice
        began = ran.metric("total", "packets_inside_at_start")
        assert first.packets_in + began == first.packets_out + first.packets_dropped + aside + first.packets_inside
        assert first.packets_dropped == sum(drop.packets for drop in ran.drops)
        assert {row.metric: row.value for row in ran.metrics if row.component == "not_ip"} == asdict(frames)
        if warmup == 0:
            ends = {name: 100 * (name in {"packets_in", ENDS[policy]}) for name in asdict(frames)}
            assert asdict(frames) == ends
            assert "not_ip" not in {drop.reason for drop in ran.drops}


def test_the_default_punts_and_a_list_in_a_file_has_a_policy_of_its_own(tmp_path, trace):
    steps = linecard.Program("mine", not_ip="drop").check().send()
    assert 'not_ip = "drop"' in steps.to_toml()
    for app, ends in ((None, "punted"), (str(steps.save(tmp_path / "mine.toml")), "dropped_by_choice")):
        ran = linecard.run("example_smartnic", program=app, trace=trace, packets=400, warmup_packets=0, verdict=False)
        assert getattr(ran.summary.not_ip, ends) == 100
        assert ran.summary.loss_fraction == 0


def test_a_program_that_looks_at_no_header_forwards_what_comes(tmp_path, trace, wording):
    path = linecard.Program("blind").compute(10).send().save(tmp_path / "blind.toml")
    asked = {"program": str(path), "trace": trace, "packets": 400, "warmup_packets": 0, "verdict": False}
    assert linecard.run("example_smartnic", **asked).summary.not_ip.forwarded == 100
    with pytest.raises(linecard.ConfigError) as refused:
        linecard.run("example_smartnic", set={"program.not_ip": "drop"}, **asked)
    wording(refused.value)


@pytest.mark.parametrize(
    ("policy", "interface"), [("punt", "punted to the host"), ("drop", "dropped by choice: not_ip")]
)
def test_frames_that_end_by_choice_have_an_interface_of_their_own(policy, interface, tmp_path, trace):
    out = tmp_path / "out.pcapng"
    changes = {"program.not_ip": policy}
    linecard.run("example_smartnic", trace=trace, set=changes, packets=400, warmup_packets=0, pcap_out=str(out))
    found = [block.bytes for block in blocks(out) if block.interface == interface]
    assert len(found) == 100
    assert {block[:60] for block in found} == {ARP, LLDP}


def test_executed_programs_see_every_frame_as_captured_and_their_verdict_is_the_policy(tmp_path, trace):
    """`drop` drops all frames; `tx` returns each through its port with its Ethernet addresses swapped."""
    out = tmp_path / "out.pcapng"
    for program, ends in (("drop", "finished"), ("tx", "forwarded")):
        asked = {"trace": trace, "packets": 400, "warmup_packets": 0, "verdict": False, "pcap_out": str(out)}
        ran = linecard.run("example_smartnic", program=program, **asked)
        assert [(each.result, each.packets) for each in ran.programs[0].results] == [(program, 400)]
        assert getattr(ran.summary.not_ip, ends) == 100
        assert ran.summary.packets_out == 400
    assert {block.bytes for block in blocks(out)} == {frame[6:12] + frame[:6] + frame[12:] for frame in FRAMES}


def test_frames_that_are_not_ip_pass_c_programs_by(trace):
    ran = linecard.run("ixp2800", program="classify", trace=trace, packets=400, warmup_packets=0, verdict=False)
    assert sum(each.packets for each in ran.programs[0].results) == 300, "IPv4 and IPv6"
    assert (ran.summary.not_ip.forwarded, ran.summary.packets_out) == (100, 400)


def test_a_run_without_such_frames_does_not_speak_of_them(capture):
    ran = linecard.run("example_smartnic", trace=str(capture), packets=10, warmup_packets=0, verdict=False)
    assert ran.summary.not_ip is None
    assert "not_ip" not in ran.to_dict()["summary"]
    assert not [row for row in ran.metrics if row.component == "not_ip" or row.metric in {"punted", "not_ip"}]


def test_screen_json_and_table_say_how_many_there_were_and_what_became_of_them(cli, trace, tmp_path):
    asked = ("example_smartnic", "--trace", trace, "--packets", 400, "--warmup", 0)
    screen = " ".join(cli("run", *asked).out.split())
    assert "Loss none 0 of 300 packets that left or were dropped" in screen
    assert "Not IP 100 frames 100 punted to the host" in screen
    dropped = cli("run", *asked, "--set", "program.not_ip=drop", "--json", "-o", tmp_path / "out.csv")
    assert json.loads(dropped.out)["summary"]["not_ip"] == {
        "packets_in": 100,
        "forwarded": 0,
        "punted": 0,
        "dropped_by_choice": 100,
        "finished": 0,
        "lost": 0,
    }
    assert "not_ip,dropped_by_choice,packets,100" in (tmp_path / "out.csv").read_text()


def test_a_capture_of_nothing_else_is_limited_by_no_part_of_the_chip(tmp_path, wording):
    path = tmp_path / "arp.pcap"
    path.write_bytes(pcap_bytes([ARP] * 50))
    ran = linecard.run("example_smartnic", trace=str(path), packets=50, warmup_packets=0)
    assert (ran.summary.packets_out, ran.summary.packets_dropped, ran.summary.loss_fraction) == (0, 0, 0)
    assert ran.bottleneck.component == "punted"
    wording(ran.bottleneck.why)


def test_ndr_counts_no_frame_that_ends_by_choice(tmp_path, trace):
    """A chip that carries its full line rate: punting a quarter of the frames does not lower the rate."""
    chip = tmp_path / "chip.toml"
    chip.write_text(CHIP.replace("latency_ns = 100", "latency_ns = 5").replace("threads = 1", "threads = 8"))
    shares = {}
    for policy in ("punt", "drop"):
        found = linecard.ndr(str(chip), trace=trace, set={"program.not_ip": policy}, packets=2000)
        row = found.rows[0]
        shares[policy] = row.ndr_gbps
    assert shares["punt"] == shares["drop"] > 30


def test_the_shipped_capture_is_what_its_program_makes():
    folder = ROOT / "examples/captures"
    made = runpy.run_path(str(folder / "make_dual_stack.py"))["capture"]()
    assert gzip.decompress(Path(folder / "dual-stack.pcap.gz").read_bytes()) == made
