"""Parses bit rates with units, such as ``155Mbps`` or ``2.5 Gbit/s``."""

from __future__ import annotations

import re

from linecard.errors import ConfigError

_SIZES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


def parse_bit_rate(text: str) -> float:
    """Convert a rate with a unit to bits per second.

    Raises:
        ConfigError: The text is not a positive rate, or has no unit.

    Example:
        >>> parse_bit_rate("2.5Gbps"), parse_bit_rate("155 Mbit/s")
        (2500000000.0, 155000000.0)
    """
    found = re.fullmatch(r"\s*([0-9.eE+-]+?)\s*([kKmMgGtT]?)(?:bps|bit/s|b/s)\s*", text)
    try:
        rate = float(found[1]) * _SIZES[found[2].lower()] if found else 0.0
    except ValueError:
        rate = 0.0
    if not 0 < rate <= 1e15:
        raise ConfigError.at("--rate", "", f"found {text!r}, expected a rate above 0 with its unit, such as 155Mbps")
    return rate
