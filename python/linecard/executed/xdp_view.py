"""The view of an XDP program: verdicts, accesses, source lines, maps, and rows of instructions."""

from __future__ import annotations

from linecard.executed.reports import XdpMap
from linecard.executed.trace_view import damage, instructions, packets, shares
from linecard.executed.xdp_result import XdpRows, XdpRun
from linecard.view import BAR, Bar, Beside, Cell, Fact, Facts, Part, Table, Title, text, view, wide

# Entries of a map, lines, and digits of a value that a terminal shows; entries on a page.
ENTRIES_SHOWN, DIGITS_SHOWN, MOST_ENTRIES = 5, 48, 200


@view.register
def _(result: XdpRun) -> list[Part]:
    traffic = result.traffic
    name = result.name if result.name == result.program else f"{result.name}: {result.program}"
    left = f"mean size before the program; {result.mean_bytes_left:,.0f} bytes after the program"
    columns = (text("region"), "reads", "writes", "atomic", "bytes")
    regions = [
        (
            each.name,
            *(f"{count:,.2f}" for count in (each.reads_per_packet, each.writes_per_packet, each.atomics_per_packet)),
            f"{each.bytes_per_packet:,.1f}",
        )
        for each in result.regions
    ]
    return [
        Title(name, traffic.title),
        Facts(
            (
                packets(traffic),
                Fact("Frames", f"{traffic.mean_bytes:,.0f} bytes", left),
                instructions(result.instructions_per_packet, result.least_instructions, result.most_instructions),
            )
        ),
        *damage(traffic),
        Beside(
            (
                shares("Verdicts", "packets", result.verdicts),
                Table("Accesses", columns, regions, "per packet"),
                shares("Helpers", "calls", result.helpers),
            )
        ),
        shares("Source lines", "instructions", result.lines, ENTRIES_SHOWN),
        *(_map(each) for each in result.maps if each.entries or each.records),
    ]


@view.register
def _(result: XdpRows) -> list[Part]:
    most = max((each.rows for each in result.lanes), default=1)
    lanes = [
        (f"{each.lanes}", Bar(each.rows / most), each.rows, f"{each.instructions_per_row:.2f}") for each in result.lanes
    ]
    blocks = [(each.place, each.rows, each.instructions, each.exit or "") for each in result.blocks]
    return [
        Title(f"{result.name}: {result.program}", f"{result.instructions:,} instructions"),
        Table("Rows", (text("lanes"), BAR, "rows", "instructions per row"), lanes),
        Table(
            "Blocks", (wide("block"), "rows", "instructions", text("exit")), blocks, f"with {len(result.lanes)} lanes"
        ),
    ]


def _map(each: XdpMap) -> Table:
    title = f"Map {each.name}"
    if not each.listed:
        row = (f"{each.records:,} records, {each.record_bytes:,} bytes",)
        return Table(title, (text(""),), [row], each.kind)
    rows: list[tuple[Cell, ...]] = []
    for entry in each.listed[:MOST_ENTRIES]:
        values = [f"{number:,}" for number in entry.numbers] if entry.numbers is not None else entry.values
        shown = [value if len(value) <= DIGITS_SHOWN else f"{value[:DIGITS_SHOWN]} …" for value in values]
        rows.append((entry.key, ", ".join(shown)))
    return Table(title, (text("key"), wide("values")), rows, f"{each.kind}: {each.entries:,} entries", ENTRIES_SHOWN)
