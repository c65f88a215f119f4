"""What screens are made of: bars, tables, headings, and numbers in units that suit them.

A screen shows a result object and computes nothing but bar lengths and number formats.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from linecard.cli import table

DIM = table.DIM
# A share that would be shown as 0.0 % has no row.
SHOWN_SHARE = 0.0005
BAR_WIDTH = 24


def si_time(nanoseconds: float) -> str:
    """A time in the unit that suits it."""
    for limit, factor, unit in ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if abs(nanoseconds) < limit:
            return f"{nanoseconds / factor:,.4g} {unit}" if factor == 1.0 else f"{nanoseconds / factor:,.2f} {unit}"
    return f"{nanoseconds / 1e9:,.3f} s"


BIT_RATES = ("Gbit/s", "Mbit/s", "kbit/s", "bit/s")
PACKET_RATES = ("Mpps", "kpps", "pps")
# Less than this of a unit would lose its digits behind the point: the next one suits it.
_LEAST_OF_UNIT = 0.1


def rate(value: float, units: tuple[str, ...], low: float | None = None) -> str:
    """A rate in the unit that suits it, of units a thousand apart, the largest first; with ``low``, a range."""
    scaled, unit = unit_for(value, units)
    begin = "" if low is None else f"{low * scaled:.3f} to "
    return f"{begin}{value * scaled:.3f} {unit}"


def unit_for(value: float, units: tuple[str, ...]) -> tuple[float, str]:
    """The unit that suits a rate, of units a thousand apart, and by what the rate is multiplied there."""
    number, scaled = 0, 1.0
    while 0 < value * scaled < _LEAST_OF_UNIT and number + 1 < len(units):
        number, scaled = number + 1, scaled * 1000
    return scaled, units[number]


def bar(share: float, style: str, width: int = BAR_WIDTH) -> table.Bar:
    """A share from 0 to 1 as a bar of so many columns at most."""
    return table.Bar(share, style, width)


def heading(title: str, more: str = "") -> Text:
    """A section's heading."""
    return Text.assemble((title, "bold cyan"), (f"  {more}" if more else "", DIM))


def grid(*justify: str) -> table.Table:
    """A table without lines; columns are left (``l``), right (``r``) or wrapped (``w``)."""
    return table.Table([table.Column("", side) for side in justify])


def percent(share: float, decimals: int = 1) -> str:
    """A share from 0 to 1 in percent."""
    return f"{share * 100:.{decimals}f} %"


def load_style(share: float) -> str:
    """Colour of a utilisation: red when the resource is nearly always busy."""
    return "red" if share >= 0.9 else "yellow" if share >= 0.7 else "green"


def section(*parts: RenderableType) -> RenderableType:
    """Parts with a line of space above, indented."""
    return Padding(Group(*parts), (1, 0, 0, 2))


def natural(component: str) -> tuple[object, ...]:
    """Sorting key that puts engine.10 after engine.9."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in component.split("."))


def named_times(*times: tuple[str, float]) -> Text:
    """Times in nanoseconds with their names, in units that suit them."""
    return Text("   ").join(Text.assemble((f"{name} ", DIM), si_time(value)) for name, value in times)


def lined(*columns: tuple[str, str]) -> table.Table:
    """A table with a line under its header."""
    return table.Table([table.Column(name, side) for name, side in columns])
