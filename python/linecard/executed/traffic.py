"""The packets of programs, from a capture or a described link, and shares of their work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """A name, its count, and its percentage."""

    name: str
    count: int
    percent: float


@dataclass(frozen=True, slots=True)
class ProgramTraffic:
    """The packets that a program processed.

    Attributes:
        title: Title of the traffic.
        packets: IP packets.
        not_ip: Packets that are not IP, left out.
        flows: One-way flows.
        mean_bytes: Mean size of an IP packet.
        median_packets_between: Median number of packets between two of one flow.
        damaged_records: Damaged records of the capture, which were skipped.
        first_damage: The first of them.
    """

    title: str
    packets: int
    not_ip: int
    flows: int
    mean_bytes: float
    median_packets_between: int
    damaged_records: int
    first_damage: str | None
