"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec


class HierarchyReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The packet rates of the core and the host, and the utilisation of shared resources.

    Attributes:
        chip: Name of the chip.
        rate_pps: Offered load in packets per second.
        packet_bytes: Size of each packet in bytes.
        message_bytes: Size of a message to the host in bytes.
        messages_per_second: Number of messages per second that the host received and returned.
        most_messages_per_second: Number of messages per second that the host processes if packets arrive at the maximum
            rate of the ports.
        reach_percent: Number of messages as a percentage of the number of packets.
        host_cycles_per_message: Number of idle host cycles, divided by the number of messages.
        core_cycles_per_message: Number of idle core cycles, divided by the number of messages.
        dram_utilization: Utilisation of the DRAM.
        link_utilization: Utilisation of the link to the host.
        core_utilization: Utilisation of the core.
        host_utilization: Utilisation of the host.
        engine_wait_ns: Mean waiting time of the engines' accesses to the DRAM.
        engine_wait_alone_ns: Mean waiting time of the engines' accesses to the DRAM in a run in which the core and the
            host do no work.
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
