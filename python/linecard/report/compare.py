"""The page of `linecard compare`: what differs, what moved, and whether beyond noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.report import sheet
from linecard.words import label

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from linecard.explore.compare_result import CompareResult, LineMoved, Moved

# A change drawn over the whole width: twice or nothing.
_WHOLE = 1.0


def write_compare(result: CompareResult, path: str | Path, command: str | None = None) -> Path:
    """Write the page of two things side by side."""
    from linecard.explore.wording import cell_text

    beyond = sum(each.beyond_noise is True for each in result.shown)
    tiles = [
        ("Keys that differ", f"{len(result.configuration):,}", ""),
        ("Numbers that moved", f"{beyond:,} of {len(result.shown):,}", "beyond noise"),
    ]
    if result.limits is not None:
        tiles += [(f"Limit of {side}", limit, "") for side, limit in zip(("a", "b"), result.limits, strict=True)]
    keys = [[each.key, cell_text(each.a), cell_text(each.b), each.unit] for each in result.configuration]
    return sheet.write_page(
        path,
        f"{result.a} and {result.b}",
        f"two {result.kind} side by side; {result.basis}",
        sheet.tiles(tiles),
        sheet.notes(result.notes),
        sheet.command(command) if command else "",
        sheet.section(
            "What differs", sheet.table("Keys that differ", ("key", "a", "b", "unit"), keys, text=("a", "b", "unit"))
        )
        or sheet.section("What differs", "<p>nothing</p>"),
        sheet.section("What moved", _moved("Numbers side by side", result.shown), said="bold: beyond noise"),
        sheet.section(
            "Parts that moved",
            _moved("Measurements of parts that moved beyond noise", result.measurements),
            said="beyond noise, the largest change first",
        ),
        sheet.section("Lines of the programs", _lines(result.lines), said="of a packet; bold: beyond noise"),
    )


def _lines(lines: Sequence[LineMoved]) -> str:
    """Source lines of two programs, those whose time moved most first."""
    costs = ("cycles", "stall", "instructions")
    rows: list[list[sheet.Cell]] = [
        [
            line.text,
            line.a or "–",
            line.b or "–",
            *(sheet.number(cost) for moved in line.costs for cost in (moved.a, moved.b)),
        ]
        for line in lines
    ]
    return sheet.table(
        "Cost of each line in a and in b",
        ("source", "a", "b", *(f"{cost} {side}" for cost in costs for side in ("a", "b"))),
        rows,
        marked=[n for n, line in enumerate(lines) if line.beyond_noise],
        text=("a", "b"),
    )


def _readable(name: str) -> str:
    """A metric in words; what stands before a colon is the part that it is of."""
    part, colon, metric = name.rpartition(": ")
    return f"{part}{colon}{label(metric)}"


def _moved(caption: str, several: Sequence[Moved]) -> str:
    from linecard.explore.wording import change_text, noise_text

    rows: list[list[sheet.Cell]] = []
    for each in several:
        bounds: tuple[float, float] | tuple[None, None] = (None, None)
        if each.a and each.low is not None and each.high is not None:
            bounds = (each.low / abs(each.a), each.high / abs(each.a))
        between = ""
        if each.low is not None and each.high is not None:
            between = f"{sheet.number(each.low, 3)} to {sheet.number(each.high, 3)}"
        rows.append(
            [
                _readable(each.name),
                sheet.Bar((each.change or 0.0) / _WHOLE, bounds[0], bounds[1], signed=True),
                change_text(each),
                noise_text(each),
                sheet.number(each.a),
                sheet.number(each.b),
                between,
            ]
        )
    return sheet.table(
        caption,
        ("number", "", "change", "beyond noise", "a", "b", "95 % of the difference"),
        rows,
        marked=[n for n, each in enumerate(several) if each.beyond_noise],
        text=("beyond noise",),
        bars=True,
    )
