"""Simulates the processor hierarchy (engines, core and host) with `linecard.hierarchy`.

The field ``preset`` names the platform. The settings ``packet_kpps``, ``packet_bytes`` and ``message_bytes`` describe
the traffic. With ``packet_kpps=line``, packets of any size arrive at the byte rate of 1.128 million 64-byte packets per
second. Every other setting changes a value of the preset. The component ``host`` has the metrics ``reach_percent``,
``most_kpps`` and ``cycles_per_message``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linecard.study.runners import PlainRun
from linecard.vrp.host import hierarchy

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec


LINE_BYTES_PER_SECOND = 1_128_000 * 64


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> PlainRun:
    """Send packets to the core and to the host, and return the metrics."""
    found = dict(override.split("=", 1) for override in spec.overrides)
    rate_text, packet = found.pop("packet_kpps"), int(found.pop("packet_bytes"))
    rate = LINE_BYTES_PER_SECOND / packet if rate_text == "line" else float(rate_text) * 1e3
    message = int(found.pop("message_bytes", packet))
    # The points of a link contain commas; on the command line they would be in quotes.
    changes = [f'{key}="{value}"' if ":" in value else f"{key}={value}" for key, value in found.items()]
    result = hierarchy(
        spec.preset,
        rate,
        packet_bytes=packet,
        message_bytes=message,
        set=changes,
        packets=spec.packets,
        seed=spec.seed,
    )
    progress(spec.packets, spec.packets)
    values = {
        ("host", "reach_percent"): result.reach_percent,
        ("host", "most_kpps"): result.most_messages_per_second / 1e3,
        ("host", "cycles_per_message"): result.host_cycles_per_message,
        ("link", "utilization"): result.link_utilization,
    }
    units = {"reach_percent": "percent", "most_kpps": "kpps", "cycles_per_message": "cycles", "utilization": "fraction"}
    return PlainRun(spec, values, units)
