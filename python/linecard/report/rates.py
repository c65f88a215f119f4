"""The page of `linecard ndr`: rates by frame size, the loss of every trial, latency below the rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.report import chart, sheet
from linecard.report.run import microseconds

if TYPE_CHECKING:
    from pathlib import Path

    from linecard.explore.ndr_result import NdrResult

# Where no loss stands on an axis of logarithms, in percent.
_NONE = 1e-3


def write_rates(result: NdrResult, path: str | Path, command: str | None = None) -> Path:
    """Write the page of no-drop and partial-drop rates."""
    rows = result.rows
    first = rows[0]
    head = (
        "frames",
        "line, Mpps",
        "NDR, Mpps",
        "Gbit/s",
        "PDR, Mpps",
        "Gbit/s ",
        "of line",
        "trials",
        "confirmed with",
        "limit",
    )
    rates = [
        [
            row.traffic,
            f"{row.line_mpps:,.3f}",
            f"{row.ndr_mpps:,.3f}",
            f"{row.ndr_gbps:,.2f}",
            f"{row.pdr_mpps:,.3f}",
            f"{row.pdr_gbps:,.2f}",
            f"{row.pdr_mpps / row.line_mpps:.1%}",
            f"{row.trials}",
            f"{row.confirmed_packets:,} packets" if row.confirmed else "not confirmed",
            row.limit,
        ]
        for row in rows
    ]
    seeds = f"{result.seeds} seed{'s' if result.seeds > 1 else ''}"
    tiles = [
        ("No-drop rate", f"{first.ndr_mpps:,.3f} Mpps", f"{first.ndr_gbps:,.2f} Gbit/s of {first.traffic}"),
        ("Partial-drop rate", f"{first.pdr_mpps:,.3f} Mpps", f"{first.pdr_gbps:,.2f} Gbit/s, loss up to 0.5 %"),
        ("Line rate", f"{first.line_mpps:,.3f} Mpps", f"frames of {first.size_bytes:,.0f} bytes"),
    ]
    share = [
        (f"{row.traffic}: {name}", value / row.line_mpps, f"{value / row.line_mpps:.1%}")
        for row in rows
        for name, value in (("NDR", row.ndr_mpps), ("PDR", row.pdr_mpps))
    ]
    losses = [
        chart.Series(
            row.traffic,
            sorted((each.load_mpps / row.line_mpps * 100, max(each.lost * 100, _NONE)) for each in row.tried),
        )
        for row in rows
    ]
    latencies = [
        chart.Series(row.traffic, [(at.share_of_pdr * 100, at.p99_ns / 1e3) for at in row.latency]) for row in rows
    ]
    times = [
        [row.traffic, f"{at.share_of_pdr:.0%}", f"{at.load_mpps:,.3f}"]
        + [microseconds(each) for each in (at.p50_ns, at.p90_ns, at.p99_ns, at.max_ns, at.mean_ns)]
        for row in rows
        for at in row.latency
    ]
    tried = [
        [
            row.traffic,
            str(number),
            f"{each.load_mpps:,.3f}",
            f"{each.load_gbps:,.2f}",
            f"{each.lost:.3%}",
            f"{each.dropped:.3%}",
            f"{each.forwarded_mpps:,.3f}",
            f"{each.inside_mean:,.1f}",
            f"{each.grew:,.0f}",
        ]
        for row in rows
        for number, each in enumerate(row.tried, 1)
    ]
    return sheet.write_page(
        path,
        f"{result.chip}: rates without loss",
        f"to {result.width:.1%}; {result.packets:,} packets and {seeds} a trial",
        sheet.tiles(tiles),
        sheet.command(command) if command else "",
        sheet.section("Rates", sheet.table("Rates by frame size", head, rates)),
        sheet.beside(
            sheet.section(
                "Of the line rate", sheet.shares("Rates as shares of the line rate", ("rate", "of it"), share)
            ),
            sheet.section(
                "What each trial lost",
                chart.lines(
                    "Loss of every trial over its load; the lowest place is no loss at all",
                    chart.Axis("load, % of the wires", zero=True, high=100),
                    chart.Axis("lost, %", logarithmic=True, low=_NONE, high=100),
                    losses,
                    level=("PDR", 0.5),
                ),
            ),
            sheet.section(
                "Latency below PDR",
                chart.lines(
                    "99 % of the packets are faster",
                    chart.Axis("load, % of PDR", low=0, high=100),
                    chart.Axis("latency, µs", zero=True),
                    latencies,
                ),
            ),
        ),
        sheet.section(
            "Latency",
            sheet.table(
                "Latency at shares of PDR",
                ("frames", "of PDR", "load, Mpps", "p50", "p90", "p99", "max", "mean"),
                times,
            ),
            said="from a packet's last bit in to its last bit out",
        ),
        sheet.folded(
            f"All {len(tried):,} trials",
            sheet.table(
                "Trials in the order of the search",
                ("frames", "trial", "load, Mpps", "Gbit/s", "lost", "dropped", "left, Mpps", "inside", "grew by"),
                tried,
            ),
        ),
    )
