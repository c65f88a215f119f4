"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

from typing import Any

import msgspec


class CheckReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of ``linecard check`` for a valid chip file.

    Attributes:
        chip: The chip.
        title: Title.
        program: The program that the first cluster executes.
        engines: Total number of engines.
        threads: Total number of hardware threads.
        receive_gbps: Total receive rate of all ports.
        transmit_gbps: Total send rate of all ports.
        accesses: For each cluster, one row for each name by which the cluster's program accesses a memory or an
            accelerator.
        unused: Memories and units that no program uses, such as ``memory.sram``.
        warnings: Memories that store packet headers in only some of their channels or banks. The list also contains
            problems in the first 200 packets of a trial run, such as failures and avoidable losses.
    """

    chip: str
    title: str
    program: str
    engines: int
    threads: int
    receive_gbps: float
    transmit_gbps: float
    accesses: tuple[MemoryCheck, ...]
    unused: tuple[str, ...]
    warnings: tuple[str, ...]


class MemoryCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory or an accelerator, accessed from one cluster.

    Attributes:
        cluster: Name of the accessing cluster.
        role: The role name that programs use for the memory or accelerator.
        memory: Name of the memory or accelerator.
        unloaded_ns: Unloaded latency of a read of ``bytes`` bytes, from issue to result.
        there_ns: Time of the request path, which is the issue time plus the latency of the links.
        memory_ns: Time in the memory or accelerator itself.
        back_ns: Time of the response path.
        bytes: Number of bytes that the read transfers.
        peak_mops: Peak read rate in 10^6 reads per second, limited by the memory's instances and by the links to the
            memory; ``None`` if unlimited.
        peak_gbps: Peak read rate in Gbit/s; ``None`` if unlimited.
        formula: Formula from which the times and rates of this row are computed.
    """

    cluster: str
    role: str
    memory: str
    unloaded_ns: float
    there_ns: float
    memory_ns: float
    back_ns: float
    bytes: int
    peak_mops: float | None
    peak_gbps: float | None
    formula: str


class Lift(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change that removes one limit on the throughput of a chip.

    Attributes:
        component: Name of the part that the change improves, as in the results of a run.
        kind: Type of the limit: ``engines``, ``threads``, ``memory`` (also for units), ``latency``, ``link``, ``port``,
            ``shaper``, ``buffer``, ``lock`` or ``order``.
        text: Description of the change.
        settings: The settings that apply the change to the chip.
    """

    component: str
    kind: str
    text: str
    settings: dict[str, Any]
