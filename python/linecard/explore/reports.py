"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

from typing import Any

import msgspec


class CheckReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """A valid chip's file, and derived numbers.

    Attributes:
        chip: The chip.
        title: Title.
        program: The program that its first cluster runs.
        engines: Total number of engines.
        threads: Total number of hardware threads.
        receive_gbps: Total receive rate of all ports.
        transmit_gbps: Total send rate of all ports.
        accesses: A row for each cluster and each role of its program.
        unused: Memories and units that no program uses, such as ``memory.sram``.
        warnings: Why a run of it would fail, or lose what it should not: what its first 200 packets come upon, and
            channels of the packet memory in which no packet begins.
    """

    chip: str
    title: str
    program: str
    engines: int
    threads: int
    receive_gbps: float
    transmit_gbps: float
    accesses: tuple[PlaceCheck, ...]
    unused: tuple[str, ...]
    warnings: tuple[str, ...]


class PlaceCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory or accelerator, as one cluster accesses it.

    Attributes:
        cluster: The accessing cluster.
        role: The role by which programs name it.
        place: The memory or unit.
        unloaded_ns: Unloaded latency: from the issue of a read of ``bytes`` bytes to its result.
        there_ns: Time of the request path: issue and links.
        place_ns: Time in the memory or unit itself.
        back_ns: Time of the response path.
        bytes: Bytes of the read.
        peak_mops: Peak rate of reads over all instances and the links of the route, 10^6 per second; ``None`` without a
            bound.
        peak_gbps: The same peak in Gbit/s.
        formula: Formula of these numbers.
    """

    cluster: str
    role: str
    place: str
    unloaded_ns: float
    there_ns: float
    place_ns: float
    back_ns: float
    bytes: int
    peak_mops: float | None
    peak_gbps: float | None
    formula: str


class Lift(msgspec.Struct, frozen=True, omit_defaults=True):
    """A lifted limit of a chip.

    Attributes:
        component: The improved part, named as in the results of a run.
        kind: ``engines``, ``threads``, ``place``, ``latency``, ``link``, ``port``, ``shaper``, ``buffer``, ``lock`` or
            ``order``.
        text: The change in words.
        settings: The settings of the change.
    """

    component: str
    kind: str
    text: str
    settings: dict[str, Any]
