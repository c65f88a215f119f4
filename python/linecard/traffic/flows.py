"""Packet and flow statistics of a capture or a link profile: `flows`."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.errors import ConfigError
from linecard.request import U64_MAX, out_of_range
from linecard.traffic.result import FlowStatistics

if TYPE_CHECKING:
    from linecard.request import ProgressCallback

# The default for the most flows that `flows` counts: about 4 GB of memory.
MOST_FLOWS = 20_000_000


@plain
def flows(
    trace: str | PathLike[str],
    *,
    packets: int = 0,
    strict: bool = False,
    most_flows: int = MOST_FLOWS,
    progress: ProgressCallback | None = None,
) -> FlowStatistics:
    """Count the packets and flows of a capture or a link profile.

    Args:
        trace: A capture (pcap, pcapng, ERF, TSH or CSV; plain, gzip, zstd or bzip2), or a link profile (``"edge"``,
            ``"core"``, a TOML file). The files in ``presets/traffic`` show the format of link profiles.
        packets: Maximum number of packets; 0 means all packets of a capture, or the number of packets that a link
            profile specifies.
        strict: Whether to stop at the first damaged record.
        most_flows: Maximum number of flows; more flows are an error. Each flow occupies up to 220 bytes of memory.
        progress: Function that is called repeatedly with the number of bytes read and the total number, while Linecard
            reads a capture.

    Returns:
        Numbers of packets, bytes and flows, the duration, packet sizes, and the number of skipped packets by reason.

    Raises:
        ConfigError: The link profile is invalid, or ``packets`` or ``most_flows`` is not a valid count.
        TrafficError: The capture cannot be opened, has an unknown format, is damaged (with ``strict``), or contains
            more than ``most_flows`` flows.

    Example:
        >>> import linecard
        >>> linecard.flows("edge", packets=20_000).packets
        20000
    """
    ConfigError.check(out_of_range({"packets": packets, "most_flows": most_flows}, 0, U64_MAX))
    plain = _core.flows(fspath(trace), packets=packets, strict=strict, most_flows=most_flows, progress=progress)
    return convert(plain, FlowStatistics)
