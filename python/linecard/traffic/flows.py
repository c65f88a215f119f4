"""What a capture or a described link holds: `flows`."""

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

# Flows that `flows` counts at most, unless told otherwise: about 4 GB of memory.
MOST_FLOWS = 20_000_000


@plain
def flows(
    path: str | PathLike[str],
    *,
    packets: int = 0,
    strict: bool = False,
    most_flows: int = MOST_FLOWS,
    progress: ProgressCallback | None = None,
) -> FlowStatistics:
    """Count the packets and flows of a capture, or of a link that is described.

    Args:
        path: The capture: pcap, pcapng, ERF, TSH or CSV, plain or inside gzip, zstd or bzip2; or a described link:
            ``"edge"``, ``"core"``, or a ``.toml`` file like those of ``presets/traffic``.
        packets: Packets at most; 0 for the whole capture, or as many as the description of the link says.
        strict: Stop at the first damaged record.
        most_flows: Flows at which counting stops with an error; each takes up to 220 bytes of memory.
        progress: Called now and then with (bytes read, bytes in all) of a capture.

    Returns:
        Packets, bytes, duration, sizes, flows, and what was skipped and why.

    Raises:
        ConfigError: The description of a link is wrong; ``packets`` or ``most_flows`` is no count.
        TrafficError: The capture cannot be opened or is of no known format; with ``strict``, it is damaged; it
            has more than ``most_flows`` flows.

    Example:
        >>> import linecard
        >>> linecard.flows("edge", packets=20_000).packets
        20000
    """
    if problems := out_of_range({"packets": packets, "most_flows": most_flows}, 0, U64_MAX):
        raise ConfigError.of(problems)
    plain = _core.flows(fspath(path), packets=packets, strict=strict, most_flows=most_flows, progress=progress)
    return convert(plain, FlowStatistics)
