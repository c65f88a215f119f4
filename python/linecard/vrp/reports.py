"""The reports of the core. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec


class HierarchyReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The packet rates of the core and the host, and the utilisation of shared resources.

    Attributes:
        chip: Name of the chip.
        rate_pps: Offered load in packets per second.
        packet_bytes: Size of each packet in bytes.
        message_bytes: Size of a message to the host in bytes.
        messages_per_second: Messages per second that the host received and returned.
        most_messages_per_second: Messages per second that the host can process, if the ports offer the maximum load.
        reach_percent: Number of messages, in percent of the packets.
        host_cycles_per_message: Host cycles for each message.
        core_cycles_per_message: Core cycles for each message.
        dram_utilization: Utilisation of the DRAM.
        link_utilization: Utilisation of the link to the host.
        core_utilization: Utilisation of the core.
        host_utilization: Utilisation of the host.
        engine_wait_ns: Mean time that an access of the engines waits for the DRAM.
        engine_wait_alone_ns: Mean time that an access of the engines waits for the DRAM while the core and the host do
            no work.
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
