"""Does the nfp4000 translate a published program to the cycles of its listing?

A path's cycles and reads are those of `studies/nfp4000/published/programs.csv`, counted by hand in the artifact of
Krude et al., data-paper/programs/xdp-quic-lb.asm, lines .0 to .193 and .577: an instruction takes a cycle, a taken
branch 4, an instruction that accesses a memory and waits 3. The listing has no eBPF instructions; those below were
reconstructed from its groups, up to the place where the program parses an identifier.

`pytest -s` prints measured beside published numbers.
"""

import csv
import struct

import pytest
from conftest import ROOT, pcap_bytes

import linecard

PUBLISHED = ROOT / "studies" / "nfp4000" / "published" / "programs.csv"
R0, R1, R2, R3, R4, R5, R6 = range(7)
BYTE, HALF, WORD = 0x71, 0x69, 0x61
ADD, AND, MOVE, SHIFT_LEFT, SHIFT_SIGNED = 0x07, 0x57, 0xB7, 0x67, 0xC7
ADD_REGISTER, OR_REGISTER, MOVE_REGISTER = 0x0F, 0x4F, 0xBF
GO, EQUAL, UNEQUAL, UNEQUAL_REGISTER, ABOVE, ABOVE_SIGNED, EXIT = 0x05, 0x15, 0x55, 0x5D, 0x2D, 0x65, 0x95
# Opcode, destination, source, offset or label, constant; a text alone is a label.
PROGRAM = [
    *((WORD, R3, R1, 4, 0), (WORD, R1, R1, 0, 0)),
    *((MOVE_REGISTER, R2, R1, 0, 0), (ADD, R2, 0, 0, 14), (MOVE, R0, 0, 0, 2), (ABOVE, R2, R3, "end", 0)),
    *((MOVE_REGISTER, R2, R1, 0, 0), (ADD, R2, 0, 0, 34), (MOVE, R0, 0, 0, 2), (ABOVE, R2, R3, "end", 0)),
    *((BYTE, R2, R1, 13, 0), (SHIFT_LEFT, R2, 0, 0, 8), (BYTE, R4, R1, 12, 0), (OR_REGISTER, R2, R4, 0, 0)),
    *((AND, R2, 0, 0, 0xFFFF), (MOVE, R0, 0, 0, 2), (UNEQUAL, R2, 0, "end", 8)),
    *((BYTE, R2, R1, 23, 0), (MOVE, R0, 0, 0, 2), (UNEQUAL, R2, 0, "end", 17)),
    *((MOVE_REGISTER, R2, R1, 0, 0), (ADD, R2, 0, 0, 42), (MOVE, R0, 0, 0, 2), (ABOVE, R2, R3, "end", 0)),
    *((HALF, R4, R1, 36, 0), (EQUAL, R4, 0, "port", 0xBB01)),
    *((MOVE, R0, 0, 0, 2), (UNEQUAL, R4, 0, "end", 0x5000)),
    "port",
    *((MOVE, R0, 0, 0, 1), (MOVE_REGISTER, R4, R1, 0, 0), (ADD, R4, 0, 0, 43), (ABOVE, R4, R3, "end", 0)),
    *((BYTE, R5, R2, 0, 0), (MOVE_REGISTER, R4, R5, 0, 0), (AND, R4, 0, 0, 64), (EQUAL, R4, 0, "end", 0)),
    *((SHIFT_LEFT, R5, 0, 0, 56), (SHIFT_SIGNED, R5, 0, 0, 56), (MOVE, R4, 0, 0, 0x7FFF), (MOVE, R6, 0, 0, 1)),
    (ABOVE_SIGNED, R5, 0, "identifier", -1),
    *((MOVE_REGISTER, R5, R1, 0, 0), (ADD, R5, 0, 0, 48), (MOVE, R0, 0, 0, 1), (ABOVE, R5, R3, "end", 0)),
    *((BYTE, R4, R1, 47, 0), (SHIFT_LEFT, R4, 0, 0, 56), (SHIFT_SIGNED, R4, 0, 0, 56)),
    *((MOVE, R0, 0, 0, 2), (EQUAL, R4, 0, "end", 0)),
    *((MOVE_REGISTER, R0, R4, 0, 0), (AND, R0, 0, 0, 0xFFFF), (ADD_REGISTER, R5, R0, 0, 0)),
    *((MOVE, R6, 0, 0, 6), (MOVE, R0, 0, 0, 1), (ABOVE, R5, R3, "end", 0)),
    "identifier",
    *((ADD_REGISTER, R2, R6, 0, 0), (MOVE_REGISTER, R5, R2, 0, 0), (ADD, R5, 0, 0, 1)),
    *((MOVE, R0, 0, 0, 1), (ABOVE, R5, R3, "end", 0)),
    *((BYTE, R5, R2, 0, 0), (AND, R5, 0, 0, 63), (EQUAL, R4, 0, "short", 0x7FFF)),
    *((MOVE, R6, 0, 0, 8), (MOVE, R0, 0, 0, 2), (ABOVE, R6, R5, "end", 0)),
    *((AND, R4, 0, 0, 0xFFFF), (ADD, R4, 0, 0, -1), (MOVE, R0, 0, 0, 2), (UNEQUAL_REGISTER, R4, R5, "end", 0)),
    (GO, 0, 0, "end", 0),
    "short",
    *((MOVE, R4, 0, 0, 8), (MOVE, R0, 0, 0, 2), (ABOVE, R4, R5, "end", 0)),
    "end",
    (EXIT, 0, 0, 0, 0),
]
HTTPS, HTTP = 443, 80


def frame(protocol=17, port=HTTPS, payload=b"", ether_type=0x0800):
    """A frame of 60 bytes, which are 64 with the check sequence."""
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 46, 0, 0, 64, protocol, 0, 1, 2)
    head = bytes(12) + struct.pack(">H", ether_type) + ip + struct.pack(">HHHH", 5000, port, 26, 0)
    return (head + payload).ljust(60, b"\0")


def both_ports(https, http, **what):
    return {https: frame(**what), http: frame(port=HTTP, **what)}


def long_header(length, first):
    """A long header: its flags, four bytes of version, the identifier's length and its first byte."""
    return bytes([0xC0, 0, 0, 0, 0, length, first])


# The paths, by their names in the published table.
FRAMES = {
    "0xa82eed7c": frame(ether_type=0x86DD),
    "0x25871906": frame(protocol=6),
    "0x7bd514a4": frame(port=53),
    **both_ports("0xd3624c72", "0x42373af3", payload=b"\x00"),  # no fixed bit
    **both_ports("0x3075b1d7", "0x72d44886", payload=long_header(0, 0)),  # no identifier
    **both_ports("0xe511f9e9", "0xf4f16996", payload=long_header(100, 0)),  # an identifier that goes beyond the packet
    **both_ports("0x6c92277a", "0x0d350e0a", payload=long_header(6, 7)),  # its own length is below 8
    **both_ports("0xffa6871c", "0x405a3285", payload=long_header(6, 32)),  # its own length is another
    **both_ports("0x975ce266", "0x9007ebc6", payload=b"\x40\x07"),  # a short header, its length is below 8
}


def slots():
    """The program's slots, labels resolved."""
    labels, count = {}, 0
    for line in PROGRAM:
        if isinstance(line, str):
            labels[line] = count
        else:
            count += 1
    lines = [line for line in PROGRAM if not isinstance(line, str)]
    for at, (opcode, to, by, offset, constant) in enumerate(lines):
        distance = labels[offset] - at - 1 if isinstance(offset, str) else offset
        yield struct.pack("<BBhi", opcode, to | by << 4, distance, constant)


def published():
    """Cycles and reads of each path whose instructions are above."""
    with PUBLISHED.open() as file:
        rows = [row for row in csv.DictReader(file) if row["program"] == "quic-lb" and row["path"] in FRAMES]
    return {row["path"]: (int(row["issue_cycles"]), int(row["ctm_reads"])) for row in rows}


@pytest.fixture(scope="module")
def translated(tmp_path_factory):
    """The same numbers as executed by the chip."""
    folder = tmp_path_factory.mktemp("paths")
    program, capture = folder / "quic_lb.bin", folder / "path.pcap"
    program.write_bytes(b"".join(slots()))
    one_engine = {"island.count": 1, "island.engines": 1}
    waits = int(linecard.describe("nfp4000")["cluster.island.issue_cycles"].text)
    found = {}
    for path, one in FRAMES.items():
        capture.write_bytes(pcap_bytes([one] * 30))
        run = linecard.run(
            "nfp4000", program=program, trace=capture, packets=20, warmup_packets=10, verdict=False, set=one_engine
        )
        own = run.programs[0]
        cycles = sum(line.cycles_per_packet for line in own.lines) + waits * own.accesses_per_packet
        found[path] = (cycles, own.accesses_per_packet)
    return found


def test_fifteen_paths_have_the_published_cycles_and_reads(translated):
    expected = published()
    assert len(expected) == len(FRAMES) == 15
    errors = [abs(translated[path][0] / cycles - 1) for path, (cycles, _) in expected.items()]
    for path, (cycles, reads) in expected.items():
        print(f"quic-lb {path}: published {cycles} cycles, {reads} reads; here {translated[path]}")
    print(f"mean {sum(errors) / len(errors):.2%}, worst {max(errors):.2%}")
    assert translated == expected
