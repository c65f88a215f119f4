"""Throughput, loss and latency of the packets of a port, a class or a queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from linecard.chip.latency import LatencyNs  # msgspec reads the annotations
from linecard.records import field_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linecard.tables import Row


@dataclass(frozen=True, slots=True)
class Part:
    """A group of the packets of a run, counted separately.

    ``packets_inside_at_start + packets_offered`` equals ``packets_delivered + packets_lost + packets_by_choice +
    packets_inside`` for each.

    Attributes:
        of: ``input``, packets that arrived at a port; ``output``, packets that programs sent to a port. ``class``,
            packets of a class of any port; ``queue``, of a class of one port. ``no queue``, packets that no program had
            sent when they were lost or ended, or at the end of the run.
        packets_inside_at_start: Packets inside when statistics started.
        packets_offered: Packets that arrived or were sent there.
        packets_delivered: Packets that left.
        packets_lost: Packets lost, for any reason.
        packets_by_choice: Packets that programs ended by choice (``program.not_ip``), which are not lost.
        packets_inside: Packets inside at the end.
        loss_fraction: Packets lost, divided by packets that left or were lost.
        port: The port, of inputs, outputs and queues.
        traffic_class: The class, of classes and queues.
        offered_gbps: Offered load: bits of packets that arrived or were sent there, in Gbit/s; ``None`` without a
            queue.
        throughput_gbps: Bits of packets that left, likewise.
        latency_ns: Latency of those that left; ``None`` if none did, and without a queue.
    """

    of: str
    packets_inside_at_start: int
    packets_offered: int
    packets_delivered: int
    packets_lost: int
    packets_by_choice: int
    packets_inside: int
    loss_fraction: float
    port: str | None = None
    traffic_class: str | None = None
    offered_gbps: float | None = None
    throughput_gbps: float | None = None
    latency_ns: LatencyNs | None = None

    @property
    def name(self) -> str:
        """Its name on screens."""
        return " ".join(each for each in (self.port, self.traffic_class) if each) or self.of


def part_columns() -> list[str]:
    """Columns of a table of parts: their fields, with the latency split into its own."""
    return [*_plain(), *(f"latency_{name}_ns" for name in field_names(LatencyNs))]


def part_rows(parts: Sequence[Part]) -> list[Row]:
    """A row for each part, without latency if no packet left."""
    latency = field_names(LatencyNs)
    return [
        [
            *(getattr(part, name) for name in _plain()),
            *(None if part.latency_ns is None else getattr(part.latency_ns, name) for name in latency),
        ]
        for part in parts
    ]


def _plain() -> list[str]:
    return [name for name in field_names(Part) if name != "latency_ns"]
