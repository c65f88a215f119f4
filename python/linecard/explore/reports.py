"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec


class CheckReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """A chip's file that fits together, and what follows from it.

    Attributes:
        chip: The chip.
        title: What it is.
        program: The program that its first cluster runs.
        engines: Engines in all.
        threads: Hardware threads in all.
        receive_gbps: Rate of all ports inward.
        transmit_gbps: Rate of all ports outward.
        accesses: A row for each cluster and each role of its program.
        unused: Memories and units that nothing uses, such as ``memory.sram``.
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
    """A memory or accelerator as one cluster reaches it.

    Attributes:
        cluster: Who asks.
        role: What programs call it.
        place: The memory or unit that this is.
        unloaded_ns: From the issue of a read of ``bytes`` bytes to its result, with nobody else about.
        there_ns: Of that, the way there: issue and links.
        place_ns: The place itself.
        back_ns: The way back.
        bytes: Bytes of that read.
        peak_mops: Reads that all instances serve together at most, and each link on the way carries, 10^6 a second;
            ``None`` without a bound.
        peak_gbps: The same as bytes, Gbit/s.
        formula: How the numbers follow.
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
