"""What a capture holds: `flows`."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING

from linecard import _core
from linecard._convert import convert
from linecard.traffic.result import FlowStatistics

if TYPE_CHECKING:
    from linecard.request import ProgressCallback

# Flows that `flows` counts at most, unless told otherwise: about 4 GB of memory.
MOST_FLOWS = 20_000_000


def flows(
    path: str | PathLike[str],
    *,
    strict: bool = False,
    most_flows: int = MOST_FLOWS,
    progress: ProgressCallback | None = None,
) -> FlowStatistics:
    """Count the packets and flows of a capture.

    Args:
        path: The capture: pcap, pcapng, ERF, TSH or CSV, plain or inside gzip, zstd or bzip2.
        strict: Stop at the first damaged record.
        most_flows: Flows at which counting stops with an error; each takes up to 220 bytes of memory.
        progress: Called now and then with (bytes read, bytes in all).

    Returns:
        Packets, bytes, duration, sizes, flows, and what was skipped and why.

    Raises:
        TrafficError: The capture cannot be opened or is of no known format; with ``strict``, it is damaged; it
            has more than ``most_flows`` flows.
    """
    plain = _core.flows(fspath(path), strict=strict, most_flows=most_flows, progress=progress)
    return convert(plain, FlowStatistics)
