"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec


class HierarchyReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What comes out.

    Attributes:
        preset: The platform.
        rate_pps: Packets that come, a second.
        packet_bytes: Size of each.
        message_bytes: Bytes of a message to the host.
        messages_per_second: Messages that went up and came back.
        most_messages_per_second: The same if as many packets asked as the ports take.
        reach_percent: Messages by packets.
        host_cycles_per_message: Cycles that the host has for the work on a message.
        core_cycles_per_message: Cycles that the core has.
        dram_utilization: Share of the time for which the DRAM was busy.
        link_utilization: The same of the link to the host.
        core_utilization: Of the core.
        host_utilization: Of the host.
        engine_wait_ns: What an access of the engines waits for the DRAM.
        engine_wait_alone_ns: The same without core and host.
    """

    preset: str
    rate_pps: float
    packet_bytes: int
    message_bytes: int
    messages_per_second: float
    most_messages_per_second: float
    reach_percent: float
    host_cycles_per_message: float
    core_cycles_per_message: float
    dram_utilization: float
    link_utilization: float
    core_utilization: float
    host_utilization: float
    engine_wait_ns: float
    engine_wait_alone_ns: float
