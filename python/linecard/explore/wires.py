"""Computes the highest load that the ports of a chip can receive, which depends on the frame sizes of the traffic."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from linecard.explore.levers import Chip

_RFC2544 = (64, 128, 256, 512, 1024, 1280, 1518)
_IMIX = {64: 7, 594: 4, 1518: 1}
# The range of traffic.packet_bytes.
_LEAST_BYTES, _MOST_BYTES = 20, 65_535


def frames_of(kind: int | str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that make all frames of one size, or of one mix.

    Raises:
        ConfigError: The changes set the frames, too, or no frame has this size.
    """
    both = [key for key in ("traffic.kind", "traffic.packet_bytes") if key in changes]
    message = f"has no effect, because the size {kind} sets the frames; omit it, or omit the size"
    ConfigError.check([ConfigProblem("set", key, message) for key in both])
    is_number = isinstance(kind, int) or kind.isdigit()
    if not is_number:
        return {"traffic.kind": kind}
    if not _LEAST_BYTES <= int(kind) <= _MOST_BYTES:
        raise ConfigError.at("size", "", f"found {kind}, expected {_LEAST_BYTES} to {_MOST_BYTES} bytes")
    return {"traffic.kind": "fixed", "traffic.packet_bytes": int(kind)}


def mean_size(said: Callable[[str], Any]) -> float:
    """Return the mean frame size of generated traffic in bytes; the function ``said`` returns the value of a key.

    Raises:
        ConfigError: The chip file does not contain the frame sizes of the generated traffic.
    """
    kind = str(said("traffic.kind"))
    if kind == "fixed":
        return float(said("traffic.packet_bytes"))
    if kind == "imix":
        return sum(size * weight for size, weight in _IMIX.items()) / sum(_IMIX.values())
    if kind == "rfc2544":
        return sum(_RFC2544) / len(_RFC2544)
    listed = said("traffic.sizes") if kind == "sizes" else said(f"mix.{kind}")
    rows = re.findall(r"(\d+)(?:-(\d+))?\s*:\s*([\d.eE+-]+)", str(listed or ""))
    weight = sum(float(each) for _, _, each in rows)
    if not rows or weight <= 0:
        message = (
            f"found {kind!r}, for which the chip file defines no sizes; expected a frame size, imix, rfc2544 "
            "or a mix that the chip file defines"
        )
        raise ConfigError.at("sizes", "", message)
    return sum((int(low) + int(high or low)) / 2 * float(each) for low, high, each in rows) / weight


def full_wires(chip: Chip, said: Callable[[str], Any], size: float) -> float:
    """Return the highest total load of all receive ports for a mean frame size, counting only the bits of frames.

    Returns:
        Gbit/s.

    Raises:
        ConfigError: A port has no line rate (``rate_gbps = 0``).
    """
    rate, overheads = 0.0, []
    for name in chip.groups("port"):
        if said(f"port.{name}.direction") == "out":
            continue
        own, count = float(said(f"port.{name}.rate_gbps")), int(said(f"port.{name}.count") or 1)
        if own == 0:
            message = f"port {name} has no line rate (rate_gbps = 0), so the largest load is unknown; set rate_gbps"
            raise ConfigError.at("set", f"port.{name}.rate_gbps", message)
        rate += own * count
        overheads.append(int(said(f"port.{name}.overhead_bytes") or 0))
    return rate * size / (size + (overheads[0] if overheads else 20))
