"""Write `dual-stack.pcap.gz`: 2,000 synthetic Ethernet frames of IPv4, IPv6, ARP and LLDP. See README.md beside it."""

from __future__ import annotations

import gzip
import random
import struct
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path

FRAMES, KEPT_BYTES, MEAN_GAP_NS = 2000, 62, 400
BETWEEN = bytes.fromhex("020000000002020000000001")
# What of each kind there is in 100 frames.
KINDS = {"ipv4": 55, "ipv6": 40, "arp": 4, "lldp": 1}
SIZES = {60: 40, 120: 15, 574: 20, 1514: 25}
V4 = [IPv4Network(each) for each in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")]
V6 = [
    IPv6Network(each)
    for each in ("2001:db8::/48", "2001:db8:41::/48", "2001:db8:42:8000::/52", "2001:db8:42:8100::/64", "3fff:1::/32")
]


def checksum(header: bytes) -> int:
    """The ones' complement of the sum of a header's words, whose own checksum is 0."""
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ports(draw: random.Random) -> bytes:
    """The first 8 bytes of UDP."""
    return struct.pack("!HHHH", 1024 + draw.randrange(60000), 443, 8, 0)


def ipv4(draw: random.Random, size: int) -> bytes:
    """Headers of a frame of so many bytes."""
    network = draw.choice(V4)
    to = IPv4Address(int(network.network_address) + draw.randrange(256))
    source = IPv4Address(0xC0000200 + draw.randrange(256))
    header = struct.pack("!BBHHHBB", 0x45, 0, size - 14, 0, 0, 64, 17)
    addresses = source.packed + to.packed
    return b"\x08\x00" + header + struct.pack("!H", checksum(header + b"\0\0" + addresses)) + addresses + ports(draw)


def ipv6(draw: random.Random, size: int) -> bytes:
    """The same of IPv6."""
    network = draw.choice(V6)
    to = IPv6Address(int(network.network_address) + draw.getrandbits(128 - network.prefixlen))
    source = IPv6Address(int(V6[0].network_address) + draw.getrandbits(80))
    header = struct.pack("!IHBB", 6 << 28, size - 54, 17, 64)
    return b"\x86\xdd" + header + source.packed + to.packed + ports(draw)


def capture() -> bytes:
    """The file, unpacked."""
    draw = random.Random(1)
    out = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1)]
    time_ns = 0
    for _ in range(FRAMES):
        kind = draw.choices(list(KINDS), list(KINDS.values()))[0]
        size = draw.choices(list(SIZES), list(SIZES.values()))[0] if kind.startswith("ip") else 60
        size = max(size, 62) if kind == "ipv6" else size
        if kind == "ipv4":
            frame = BETWEEN + ipv4(draw, size)
        elif kind == "ipv6":
            frame = BETWEEN + ipv6(draw, size)
        elif kind == "arp":
            frame = b"\xff" * 6 + BETWEEN[6:] + bytes.fromhex("08060001080006040001")
        else:
            frame = bytes.fromhex("0180c200000e") + BETWEEN[6:] + b"\x88\xcc"
        kept = frame[:KEPT_BYTES].ljust(min(size, KEPT_BYTES), b"\0")
        out += [struct.pack("<IIII", time_ns // 10**9, time_ns % 10**9, len(kept), size), kept]
        time_ns += round(draw.expovariate(1 / MEAN_GAP_NS))
    return b"".join(out)


if __name__ == "__main__":
    file = Path(__file__).with_name("dual-stack.pcap.gz")
    file.write_bytes(gzip.compress(capture(), mtime=0))
