"""The screen of a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from linecard.cli.pieces import DIM, bar, grid, heading, percent, section
from linecard.cli.stdout import show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from linecard.traffic.result import FlowStatistics


def print_flows(statistics: FlowStatistics) -> None:
    """The screen of a capture."""
    parts: list[RenderableType] = []
    parts.append(Padding(Text(statistics.file, style="bold"), (1, 0, 0, 2)))
    facts = grid("l", "w")
    for name, value in statistics.facts():
        facts.add_row(Text(name, style=DIM), value)
    parts.append(section(facts))
    sizes = grid("r", "l", "r", "r")
    for each in statistics.size_bins:
        if not each.packets:
            continue
        share = each.packets / max(statistics.packets, 1)
        sizes.add_row(each.label, bar(share, "blue"), f"{each.packets:,}", percent(share))
    parts.append(section(heading("Packets by size", "bytes on the wire"), sizes))
    if statistics.skipped:
        skipped = grid("l", "r")
        for reason, count in statistics.skipped.items():
            skipped.add_row(reason.replace("_", " "), f"{count:,}")
        parts.append(section(heading("In no flow", "packets, by reason"), skipped))
    if statistics.damage:
        found = grid("l", "r")
        for kind, count in statistics.damage.items():
            found.add_row(kind.replace("_", " "), f"{count:,}")
        parts.append(section(heading("Found in the capture", "clean" if statistics.clean else "damaged"), found))
    parts.append(Text(""))
    show(*parts)
