"""The pages of `linecard program trace` and `linecard program run`: what a program does to a packet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.report import sheet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from linecard.executed.trace import ProgramTrace
    from linecard.executed.traffic import ProgramTraffic, Share
    from linecard.executed.xdp_result import XdpMap, XdpRun

_ENTRIES = 200


def write_trace(found: ProgramTrace, path: str | Path, command: str | None = None) -> Path:
    """Write the page of a traced program."""
    tiles = [
        _instructions(found.instructions_per_packet, found.least_instructions, found.most_instructions),
        ("To the packet", f"{found.packet_accesses_per_packet:,.1f} accesses", "a packet"),
        ("To tables", f"{found.table_accesses_per_packet:,.1f} accesses", "a packet"),
        ("To stack and globals", f"{found.other_accesses_per_packet:,.1f} accesses", "a packet"),
        ("Locks", f"{found.locks_per_packet:,.2f} a packet", f"{found.locks:,} different"),
    ]
    return sheet.write_page(
        path,
        found.name,
        _traffic(found.traffic),
        sheet.tiles(tiles),
        sheet.notes(_damage(found.traffic)),
        sheet.command(command) if command else "",
        sheet.beside(
            sheet.section(
                "Functions", _shares("Functions by instructions", "function", "instructions", found.functions)
            ),
            sheet.section("Source lines", _shares("Lines by instructions", "source line", "instructions", found.lines))
            if found.lines
            else "",
            sheet.section(
                "Results",
                _shares("What the program returned", "returned", "packets", found.results),
                said="the most frequent first",
            ),
        ),
    )


def write_xdp(found: XdpRun, path: str | Path, command: str | None = None) -> Path:
    """Write the page of an XDP program that was run."""
    first = found.verdicts[0] if found.verdicts else None
    accesses = sum(each.reads_per_packet + each.writes_per_packet + each.atomics_per_packet for each in found.regions)
    tiles = [
        _instructions(found.instructions_per_packet, found.least_instructions, found.most_instructions),
        ("Accesses", f"{accesses:,.1f}", f"a packet, in {len(found.regions):,} regions"),
        (
            "Frames",
            f"{found.traffic.mean_bytes:,.0f} bytes",
            f"{found.mean_bytes_left:,.0f} as the program leaves them",
        ),
    ]
    if first is not None:
        tiles.append(("Most often", first.name, f"{first.percent:.1f} % of the packets"))
    regions = [
        [
            each.name,
            f"{each.reads_per_packet:,.2f}",
            f"{each.writes_per_packet:,.2f}",
            f"{each.atomics_per_packet:,.2f}",
            f"{each.bytes_per_packet:,.1f}",
        ]
        for each in found.regions
    ]
    return sheet.write_page(
        path,
        found.name if found.name == found.program else f"{found.name}: {found.program}",
        _traffic(found.traffic),
        sheet.tiles(tiles),
        sheet.notes(_damage(found.traffic)),
        sheet.command(command) if command else "",
        sheet.beside(
            sheet.section("Verdicts", _shares("Verdicts", "verdict", "packets", found.verdicts)),
            sheet.section(
                "Accesses",
                sheet.table("Accesses a packet", ("region", "reads", "writes", "atomic", "bytes"), regions),
                said="a packet",
            ),
            sheet.section("Source lines", _shares("Source lines by instructions", "line", "instructions", found.lines)),
            sheet.section("Helpers", _shares("Helpers by calls", "helper", "calls", found.helpers)),
        ),
        *(_map(each) for each in found.maps if each.entries or each.records),
    )


def _instructions(mean: float, least: int, most: int) -> tuple[str, str, str]:
    return ("Instructions", f"{mean:,.1f} a packet", f"{least:,} to {most:,}")


def _traffic(traffic: ProgramTraffic) -> str:
    return (
        f"{traffic.title}: {traffic.packets:,} packets of {traffic.flows:,} flows, mean {traffic.mean_bytes:,.0f} bytes"
    )


def _damage(traffic: ProgramTraffic) -> list[str]:
    if not traffic.damaged_records:
        return []
    return [f"{traffic.damaged_records:,} damaged records, the first: {traffic.first_damage}"]


def _shares(caption: str, name: str, count: str, several: Sequence[Share]) -> str:
    rows: list[list[sheet.Cell]] = [
        [each.name, sheet.Bar(each.percent / 100), f"{each.percent:.1f} %", f"{each.count:,}"] for each in several
    ]
    return sheet.table(caption, (name, "", "share", count), rows, bars=True)


def _map(each: XdpMap) -> str:
    if not each.listed:
        said = f"<p>{each.records:,} records, {each.record_bytes:,} bytes</p>"
        return sheet.section(f"Map {each.name}", said, said=each.kind)
    rows = [
        [entry.key, ", ".join(f"{value:,}" for value in entry.numbers) if entry.numbers else ", ".join(entry.values)]
        for entry in each.listed[:_ENTRIES]
    ]
    return sheet.section(
        f"Map {each.name}",
        sheet.table(f"Entries of {each.name}", ("key", "values"), rows, said=("values",)),
        said=f"{each.kind}: {each.entries:,} entries"
        + (f", the first {len(rows):,} here" if each.entries > len(rows) else ""),
    )
