"""Throughput, loss and latency of the packets of a port, a class or a queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.chip.reports import LatencyNs, Part
from linecard.records import field_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linecard.tables import Row


def part_columns() -> list[str]:
    """The columns of the breakdown table: the fields of a group of packets, with latency in several columns."""
    return [*_plain(), *(f"latency_{name}_ns" for name in field_names(LatencyNs))]


def part_rows(parts: Sequence[Part]) -> list[Row]:
    """One row for each group of packets, without latency if no packet of the group left."""
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
