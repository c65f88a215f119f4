"""Packets out: departures and losses as pcapng, read by the project's own reader and by tshark."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import ROOT

import linecard

CAPTURE = str(ROOT / "examples/captures/edge-mix.pcap.gz")
TSHARK = shutil.which("tshark")


@dataclass(frozen=True)
class Written:
    """A packet of a capture."""

    interface: str
    time_ns: int
    bytes: bytes
    wire_bytes: int
    comment: str


def blocks(file: Path) -> list[Written]:
    """The packets of a capture, according to the format's definition; inconsistent lengths fail."""
    data, at, names, found = file.read_bytes(), 0, [], []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, at + length - 4)[0] == length
        body = data[at + 8 : at + length - 4]
        if kind == 1:
            options = options_of(body[8:])
            assert options[9] == b"\x09"
            names.append(options[2].decode())
        if kind == 6:
            interface, high, low, kept, wire = struct.unpack_from("<IIIII", body)
            options = options_of(body[20 + (kept + 3) // 4 * 4 :])
            comment = options.get(1, b"").decode()
            found.append(Written(names[interface], high << 32 | low, body[20 : 20 + kept], wire, comment))
        at += length
    assert at == len(data)
    return found


def options_of(text: bytes) -> dict[int, bytes]:
    found, at = {}, 0
    while at < len(text):
        code, length = struct.unpack_from("<HH", text, at)
        found[code] = text[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
    return found


@pytest.fixture(scope="module")
def forwarded(tmp_path_factory) -> tuple[linecard.RunResult, Path]:
    file = tmp_path_factory.mktemp("out") / "left.pcapng"
    return linecard.run("example_smartnic", packets=1500, warmup_packets=0, verdict=False, pcap_out=file), file


@pytest.fixture(scope="module")
def lossy(tmp_path_factory) -> tuple[linecard.RunResult, Path]:
    file = tmp_path_factory.mktemp("out") / "lost.pcapng"
    settings = {"rx.bytes": 4096, "island.count": 1, "island.engines": 1}
    return linecard.run("example_smartnic", set=settings, packets=1500, warmup_packets=0, pcap_out=file), file


def test_every_packet_that_left_is_there_at_its_port(forwarded):
    result, file = forwarded
    written = blocks(file)
    by_port = Counter(each.interface for each in written)
    assert by_port == {name: result.metric(name, "packets_out") for name in ("eth.0", "eth.1")}
    assert len(written) == result.summary.packets_out
    # Captures do not contain check sequences.
    assert sum(each.wire_bytes + 4 for each in written) == sum(result.metric(name, "bytes_out") for name in by_port)


def test_packets_stand_in_the_order_of_time_in_nanoseconds(forwarded):
    result, file = forwarded
    times = [each.time_ns for each in blocks(file)]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(result.summary.simulated_seconds * 1e9, abs=1)


def test_one_comment_stands_at_the_packet_that_waited_longest(forwarded):
    result, file = forwarded
    commented = [each for each in blocks(file) if each.comment]
    assert len(commented) == 1
    ns = float(commented[0].comment.split()[2])
    assert ns == pytest.approx(result.summary.latency_ns.max, abs=0.001)


def test_what_is_lost_has_an_interface_a_reason(lossy):
    result, file = lossy
    found = Counter(each.interface for each in blocks(file))
    drops = {f"lost: {each.reason}": each.packets for each in result.drops}
    assert drops
    assert {name: count for name, count in found.items() if name.startswith("lost")} == drops
    left = sum(count for name, count in found.items() if name.startswith("eth"))
    assert left == result.summary.packets_out


def test_the_own_reader_of_captures_reads_it(forwarded):
    result, file = forwarded
    read = linecard.flows(file)
    assert read.clean
    assert read.format == "pcapng"
    assert read.packets == result.summary.packets_out
    assert read.ipv4_checksums_ok_percent == 100.0


def test_a_run_takes_what_another_one_wrote(forwarded):
    result, file = forwarded
    again = linecard.run("example_smartnic", trace=file, packets=0, warmup_packets=0, verdict=False)
    assert again.summary.packets_in == result.summary.packets_out


@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed: whether Wireshark opens the file was not tested")
def test_tshark_reads_it(forwarded):
    _, file = forwarded
    assert TSHARK is not None
    fields = ("frame.number", "frame.time_epoch", "frame.interface_name", "frame.len", "frame.comment")
    words = [TSHARK, "-r", str(file), "-T", "fields", *(part for name in fields for part in ("-e", name))]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    rows = [line.split("\t") for line in ended.stdout.splitlines()]
    written = blocks(file)
    assert len(rows) == len(written)
    for row, each in zip(rows, written, strict=True):
        assert (row[2], int(row[3])) == (each.interface, each.wire_bytes)
        assert round(float(row[1]) * 1e9) == each.time_ns
        assert row[4:] == [each.comment]


def test_a_translated_packet_has_its_new_address_and_a_right_checksum(tmp_path):
    """NAT of the chip itself writes source address and port; the header's checksum is correct."""
    file = tmp_path / "nat.pcapng"
    linecard.run("ixp1200", program="nat", packets=300, warmup_packets=0, verdict=False, pcap_out=file)
    plain = tmp_path / "plain.pcapng"
    linecard.run("ixp1200", program="l3fwd16", packets=300, warmup_packets=0, verdict=False, pcap_out=plain)
    sources = [{each.bytes[26:30] for each in blocks(each_file)} for each_file in (file, plain)]
    assert len(sources[0]) < len(sources[1]) / 10
    assert linecard.flows(file).ipv4_checksums_ok_percent == 100.0


def test_an_executed_program_writes_the_frame(tmp_path):
    source = tmp_path / "mark.c"
    source.write_text(
        "#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\n"
        'SEC("xdp") int mark(struct xdp_md *context) {\n'
        "  unsigned char *bytes = (void *)(long)context->data;\n"
        "  if (bytes + 34 > (unsigned char *)(long)context->data_end) return XDP_DROP;\n"
        "  bytes[0] = 0xab;\n  return bytes[33] & 1 ? XDP_DROP : XDP_TX;\n}\n"
    )
    file = tmp_path / "marked.pcapng"
    linecard.run("example_smartnic", program=source, packets=300, warmup_packets=0, verdict=False, pcap_out=file)
    written = blocks(file)
    assert {each.interface for each in written} == {"eth.0", "eth.1", "ended by the program"}
    assert {each.bytes[0] for each in written} == {0xAB}


def test_the_same_request_writes_the_same_bytes(forwarded, tmp_path):
    file = tmp_path / "again.pcapng"
    linecard.run("example_smartnic", packets=1500, warmup_packets=0, verdict=False, pcap_out=file)
    assert file.read_bytes() == forwarded[1].read_bytes()
    assert [each.name for each in tmp_path.iterdir()] == ["again.pcapng"]


def test_a_place_that_cannot_be_written_is_refused_before_the_run(cli, tmp_path):
    ended = cli("run", "example_smartnic", "--pcap-out", tmp_path / "no/where.pcapng", "--packets", 100)
    assert ended.status == 2
    assert "where.pcapng" in ended.err
    same = tmp_path / "one"
    ended = cli("run", "example_smartnic", "--pcap-out", same, "--latency", same, "--packets", 100)
    assert ended.status == 2
    assert not same.exists()
