"""The view of a capture: packets, packet sizes, flows, and damaged records."""

from __future__ import annotations

from linecard.traffic.result import FlowStatistics
from linecard.view import Facts, Notes, Part, Table, Title, bars, text, view

DIAGNOSTICS_SHOWN = 10


@view.register
def _(result: FlowStatistics) -> list[Part]:
    packets = max(result.packets, 1)
    sizes = [(each.label, each.packets / packets, each.packets) for each in result.size_bins]
    return [
        Title(result.file),
        Facts(result.facts()),
        bars("Packets by size", sizes, said="bytes on the wire"),
        _counts("Packets without a flow", result.skipped, "packets, by reason"),
        _counts("Problems of the capture", result.damage, "clean" if result.clean else "damaged"),
        Notes([str(each) for each in result.diagnostics[:DIAGNOSTICS_SHOWN]]),
    ]


def _counts(title: str, counts: dict[str, int], said: str) -> Table:
    rows = [(name.replace("_", " "), count) for name, count in counts.items()]
    return Table(title, (text(""), ""), rows, said)
