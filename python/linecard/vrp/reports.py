"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec


class HierarchyReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The generated load.

    Attributes:
        chip: The platform.
        rate_pps: Offered packets per second.
        packet_bytes: Size of a packet.
        message_bytes: Bytes of a message to the host.
        messages_per_second: Messages that the host received and returned.
        most_messages_per_second: Messages that the host can process, if the ports offer as many as they can.
        reach_percent: Messages in percent of the packets.
        host_cycles_per_message: Cycles of the host for a message.
        core_cycles_per_message: Cycles of the core for a message.
        dram_utilization: Utilisation of the DRAM.
        link_utilization: Utilisation of the link to the host.
        core_utilization: Utilisation of the core.
        host_utilization: Utilisation of the host.
        engine_wait_ns: Waiting time of an access of the engines for the DRAM.
        engine_wait_alone_ns: This waiting time without core and host.
    """

    chip: str
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
