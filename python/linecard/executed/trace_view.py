"""The view of a traced program: instructions, accesses, functions and source lines per packet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from linecard.executed.trace_result import ProgramTrace
from linecard.numbers import percent
from linecard.view import BAR, Bar, Beside, Fact, Facts, Notes, Part, Table, Title, view, wide

if TYPE_CHECKING:
    from linecard.executed.reports import ProgramTraffic, Share

# Rows of a list that a terminal shows.
LIST_SHOWN = 8


@view.register
def _(result: ProgramTrace) -> list[Part]:
    traffic = result.traffic
    between = f"{traffic.median_packets_between:,} packets between two packets of a flow (median)"
    accesses = (
        f"{result.packet_accesses_per_packet:.1f} packet, {result.table_accesses_per_packet:.1f} tables, "
        f"{result.other_accesses_per_packet:.1f} stack and globals"
    )
    return [
        Title(result.name, f"{traffic.title}; {between}"),
        Facts(
            (
                packets(traffic),
                instructions(result.instructions_per_packet, result.least_instructions, result.most_instructions),
                Fact("Accesses", accesses, "per packet"),
                Fact("Locks", f"{result.locks_per_packet:.2f} per packet", f"{result.locks:,} distinct"),
                Fact(
                    "Trace",
                    f"{result.trace_bytes_per_instruction:.2f} bytes per instruction",
                    f"{result.segments:,} code segments",
                ),
            )
        ),
        *damage(traffic),
        Beside(
            (shares("Functions", "instructions", result.functions), shares("Return values", "packets", result.results))
        ),
        shares("Source lines", "instructions", result.lines),
    ]


def packets(traffic: ProgramTraffic) -> Fact:
    """The part of the view that describes the processed packets."""
    left_out = f"; {traffic.not_ip:,} packets that are not IP are excluded" if traffic.not_ip else ""
    return Fact(
        "Packets", f"{traffic.packets:,}", f"of {traffic.flows:,} flows, mean {traffic.mean_bytes:.0f} bytes{left_out}"
    )


def instructions(mean: float, least: int, most: int) -> Fact:
    """The part of the view that shows instructions per packet."""
    return Fact("Instructions", f"{mean:,.1f} per packet", f"{least:,} to {most:,}", "strong")


def damage(traffic: ProgramTraffic) -> Iterable[Notes]:
    """The part of the view that shows mapped addresses and damaged records of the capture, if any."""
    if traffic.address_map:
        yield Notes([f"{traffic.address_map}; {traffic.merged_flows:,} flows became the same as another flow"])
    if traffic.damaged_records:
        yield Notes([f"{traffic.damaged_records:,} damaged records; the first: {traffic.first_damage}"])


def shares(title: str, count: str, several: Iterable[Share], shown: int = LIST_SHOWN) -> Table:
    """A part of the view that shows fractions as bars, beside the counts."""
    rows = [(each.name, Bar(each.percent / 100), percent(each.percent / 100), each.count) for each in several]
    return Table(title, (wide(title.lower()), BAR, "share", count), rows, shown=shown)
