"""IPv6 is forwarded by the routes of a file, and a lookup costs the reads of its table, level by level."""

from __future__ import annotations

import struct
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import ROOT, pcap_bytes
from test_packets_out import blocks

import linecard

CHIP = """
kind = "chip"
title = "One thread that looks each destination up"
source = "made for the test"
[clock]
core_mhz = 1000
[cluster.core]
engines = 1
threads = 1
takes = "work"
[memory.table]
latency_ns = 100
access_ns = 0
[buffer.rx]
bytes = "64 KiB"
[inbox.work]
[port.eth]
count = 4
rate_gbps = 10
inbox = "work"
[traffic]
kind = "fixed"
packet_bytes = 64
rate_gbps = 1
[[program.step]]
op = "look_up"
at = "table"
[[program.step]]
op = "send"
"""
ROUTES = """
192.0.2.0/24     east
198.51.100.0/24  west
2001:db8::/32    west
2001:db8:1::/48  north
2001:db8:1::5/128 south
"""
ETHERNET = bytes.fromhex("020000000002020000000001")
ARP = b"\xff" * 6 + ETHERNET[6:] + bytes.fromhex("0806") + bytes(46)
LLDP = bytes.fromhex("0180c200000e") + ETHERNET[6:] + bytes.fromhex("88cc") + bytes(46)


def ip(to: str, hops: int = 64) -> bytes:
    """A frame with UDP to an address."""
    address = ip_address(to).packed
    if len(address) == 4:
        header = b"\x08\x00" + struct.pack("!BBHHHBBH", 0x45, 0, 46, 0, 0, hops, 17, 0) + bytes(4)
    else:
        header = b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, 26, 17, hops) + ip_address("2001:db8::9").packed
    return ETHERNET + header + address + struct.pack("!HHHH", 7, 9, 26, 0) + bytes(18)


# Worked out by hand for each frame: its output port, and the number of table reads. IPv4 reads 16, 8 and 8 bits while
# longer prefixes exist, IPv6 reads 16 and then 8 each: a /32 ends at the third level, a /48 at the fifth.
EXPECTED = [
    (ip("192.0.2.9"), "eth.0", 2),
    (ip("198.51.100.1"), "eth.1", 2),
    (ip("10.0.0.1"), "lost: no_route", 1),
    (ip("2001:db8:ff00::1"), "eth.1", 4),
    (ip("2001:db8:0:1::1"), "eth.1", 5),
    (ip("2001:db8:1:ffff::1"), "eth.2", 6),
    (ip("2001:db8:1::5"), "eth.3", 15),
    (ip("2001:db8:1::6"), "eth.2", 15),
    (ip("2001:ffff::1"), "lost: no_route", 2),
    (ip("fe80::1"), "lost: no_route", 1),
    (ip("2001:db8:1::5", hops=1), "lost: ttl_expired", 0),
    (ARP, "punted to the host", 0),
    (LLDP, "punted to the host", 0),
    (ETHERNET + b"\x08\x00\x95" + bytes(45), "lost: not_ipv4", 0),
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "chip.toml").write_text(CHIP)
    (tmp_path / "routes.txt").write_text(ROUTES)
    return tmp_path


def run(files: Path, frames: list[bytes], **asked: object) -> linecard.RunResult:
    (files / "in.pcap").write_bytes(pcap_bytes(frames))
    return linecard.run(
        str(files / "chip.toml"),
        trace=str(files / "in.pcap"),
        set={"program.routes": str(files / "routes.txt")},
        packets=len(frames),
        warmup_packets=0,
        **asked,
    )


def test_each_frame_goes_where_a_hand_sends_it_after_as_many_reads(files):
    result = run(files, [frame for frame, _, _ in EXPECTED], pcap_out=str(files / "out.pcapng"))
    out = sorted(blocks(files / "out.pcapng"), key=lambda block: block.time_ns)
    assert [(block.bytes[:54], block.interface) for block in out] == [(f[:54], where) for f, where, _ in EXPECTED]
    assert result.metric("table", "accesses") == sum(reads for *_, reads in EXPECTED)
    summary = result.summary
    assert (summary.packets_in, summary.packets_out, summary.packets_dropped) == (14, 7, 5)
    assert {drop.reason: drop.packets for drop in result.drops} == {"no_route": 3, "ttl_expired": 1, "not_ipv4": 1}
    assert summary.loss_fraction == 5 / 12
    assert summary.not_ip == linecard.NotIpFrames(
        packets_in=2, forwarded=0, punted=2, dropped_by_choice=0, finished=0, lost=0
    )


def test_a_lookup_takes_the_latency_of_its_table_once_for_each_read(files):
    """Frames of IPv6, of one size and a millisecond apart: nothing else differs."""
    sent = [(frame, reads) for frame, where, reads in EXPECTED if "eth" in where and len(frame) == 80]
    found = {reads: run(files, [frame] * 5).summary.latency_ns for frame, reads in sent}
    assert sorted(found) == [4, 5, 6, 15]
    for few, many in pairwise(sorted(found)):
        assert found[many].mean - found[few].mean == pytest.approx(100 * (many - few))


def test_l3fwd16_takes_one_hop_off_and_reads_as_many_words_of_sram(files):
    frames = [frame for frame, where, _ in EXPECTED if where.startswith("eth")]
    (files / "in.pcap").write_bytes(pcap_bytes(frames))
    linecard.run(
        "ixp1200",
        program="l3fwd16",
        trace=str(files / "in.pcap"),
        set={"program.routes": str(files / "routes.txt")},
        packets=len(frames),
        warmup_packets=0,
        pcap_out=str(files / "out.pcapng"),
    )
    out = {block.bytes: block.interface for block in blocks(files / "out.pcapng")}
    v6 = [(frame, where) for frame, where, _ in EXPECTED if where.startswith("eth") and frame[12:14] == b"\x86\xdd"]
    for frame, where in v6:
        left = frame[:21] + bytes([63]) + frame[22:]
        assert out[left] == where.replace("eth", "out"), "the hop limit of IPv6, and nothing else"


def test_programs_of_ipv4_alone_drop_ipv6_as_before(files):
    (files / "in.pcap").write_bytes(pcap_bytes([ip("192.0.2.9"), ip("2001:db8::1")]))
    for chip, app in (("ixp1200", "nat"), ("ixp1200", "firewall"), ("ixp2400", "ipv4_forward")):
        asked = {"trace": str(files / "in.pcap"), "set": ["traffic.arrivals=captured"], "verdict": False}
        ran = linecard.run(chip, program=app, packets=2, warmup_packets=0, **asked)
        assert [(drop.reason, drop.packets) for drop in ran.drops] == [("not_ipv4", 1)], app
        assert ran.summary.packets_out == 1


def test_routes_of_ipv6_move_no_port_of_ipv4(files):
    """A file with both kinds of routes, of which only IPv4 used to be read, forwards IPv4 as before."""
    both = "2001:db8::/32 first\n" + ROUTES
    only = "".join(line + "\n" for line in ROUTES.splitlines() if ":" not in line)
    frames = [ip(f"198.51.100.{n}") for n in range(20)]
    ran = []
    for routes in (both, only):
        (files / "routes.txt").write_text(routes)
        ran.append(run(files, frames).to_dict())
    assert {key: each for key, each in ran[0].items() if "run_id" not in key} == {
        key: each for key, each in ran[1].items() if "run_id" not in key
    }


def test_the_shipped_routes_forward_the_shipped_capture():
    capture = ROOT / "examples/captures/dual-stack.pcap.gz"
    ran = linecard.run(
        "example_smartnic",
        trace=str(capture),
        set={"program.routes": str(ROOT / "examples/routes.txt")},
        warmup_packets=0,
        verdict=False,
    )
    assert (ran.summary.packets_in, ran.summary.packets_out, ran.summary.packets_dropped) == (2000, 1899, 0)
    assert ran.summary.not_ip is not None
    assert ran.summary.not_ip.punted == 101


def test_a_wrong_route_is_named(files, cli, wording):
    (files / "routes.txt").write_text("2001:db8::/32 a\n2001:db8::/129 b\n")
    (files / "in.pcap").write_bytes(pcap_bytes([ARP]))
    asked = (files / "chip.toml", "--trace", files / "in.pcap", "--set", f"program.routes={files / 'routes.txt'}")
    ended = cli("run", *asked)
    assert ended.status == 2
    wording(ended.err)
