"""Functions that format numbers with suitable units for display."""

from __future__ import annotations

from typing import TypeGuard

BIT_RATES = ("Gbit/s", "Mbit/s", "kbit/s", "bit/s")
PACKET_RATES = ("Mpps", "kpps", "pps")
# A smaller fraction of a unit would lose its digits after the point, so the next smaller unit is used.
_LEAST_OF_UNIT = 0.1


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number, and not a boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number(value: float | None, digits: int = 4) -> str:
    """Format a value with ``digits`` significant digits; ``–`` for ``None``."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.{digits}g}" if abs(value) < 10**digits else f"{value:,.0f}"


def percent(share: float, decimals: int = 1) -> str:
    """Format a fraction from 0 to 1 in percent."""
    return f"{share * 100:.{decimals}f} %"


def si_time(nanoseconds: float) -> str:
    """Format a time in a suitable unit."""
    for limit, factor, unit in ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if abs(nanoseconds) < limit:
            return f"{nanoseconds / factor:,.4g} {unit}" if factor == 1.0 else f"{nanoseconds / factor:,.2f} {unit}"
    return f"{nanoseconds / 1e9:,.3f} s"


def rate(value: float, units: tuple[str, ...], low: float | None = None) -> str:
    """Format a rate, or a range that begins at ``low``, in the most readable of ``units`` (largest unit first)."""
    scaled, unit = unit_for(value, units)
    begin = "" if low is None else f"{low * scaled:.3f} to "
    return f"{begin}{value * scaled:.3f} {unit}"


def unit_for(value: float, units: tuple[str, ...]) -> tuple[float, str]:
    """Return the factor and the unit that make a rate readable; each unit is 1,000 times the next one in ``units``."""
    at, scaled = 0, 1.0
    while 0 < value * scaled < _LEAST_OF_UNIT and at + 1 < len(units):
        at, scaled = at + 1, scaled * 1000
    return scaled, units[at]


def several(count: int, one: str, more: str = "") -> str:
    """Format a count with its noun: ``1 thread``, ``2 threads``."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"
