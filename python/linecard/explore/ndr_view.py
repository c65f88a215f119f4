"""The view of no-drop rates: rates and bottlenecks by frame size, latency below the PDR, and all trials."""

from __future__ import annotations

from linecard.explore.ndr_result import NdrResult, RateRow
from linecard.numbers import percent, several, si_time
from linecard.view import BAR, Axis, Bar, Cell, Chart, Column, Part, Said, Series, Table, Title, text, view, wide

# The point for no loss on a logarithmic axis, and the loss of a partial-drop rate, in percent.
NONE, PARTIAL = 1e-3, 0.5


@view.register
def _(result: NdrResult) -> list[Part]:
    length = f"accurate to {result.width:.1%}; {result.packets:,} packets and {several(result.seeds, 'seed')} per trial"
    limits = [(row.traffic, row.limited_by()) for row in result.rows]
    doubts = [(row.traffic, Said(said, "warn")) for row in result.rows if (said := row.doubt())]
    times = [
        (
            *(row.traffic, percent(at.share_of_pdr, 0), f"{at.load_mpps:,.3f}"),
            *map(si_time, (at.p50_ns, at.p90_ns, at.p99_ns, at.max_ns, at.mean_ns)),
        )
        for row in result.rows
        for at in row.latency
    ]
    names = ("line rate, Mpps", "NDR, Mpps", "Gbit/s", "PDR, Mpps", "Gbit/s", "of line rate")
    latency = ("of PDR", "load, Mpps", "p50", "p90", "p99", "max", "mean")
    return [
        Title(f"{result.chip}: rates without loss"),
        Table(
            "Rates",
            (text("frames"), *names, BAR, "trials", "confirmed by"),
            [_rates(row) for row in result.rows],
            length,
        ),
        Table(
            "Limit", (text(""), wide("")), [*limits, *doubts], "measured at the lowest load at which packets were lost"
        ),
        Table(
            "Latency",
            (text("frames"), *latency),
            times,
            "time from the last received bit to the last sent bit of a packet",
        ),
        *_charts(result),
        _trials(result),
    ]


def _rates(row: RateRow) -> tuple[Cell, ...]:
    return (
        row.traffic,
        f"{row.line_mpps:,.3f}",
        Said(f"{row.ndr_mpps:,.3f}"),
        f"{row.ndr_gbps:,.2f}",
        Said(f"{row.pdr_mpps:,.3f}"),
        f"{row.pdr_gbps:,.2f}",
        percent(row.pdr_mpps / row.line_mpps),
        Bar(row.pdr_mpps / row.line_mpps),
        str(row.trials),
        f"{row.confirmed_packets:,} packets" if row.confirmed else "–",
    )


def _charts(result: NdrResult) -> list[Part]:
    names = [row.traffic for row in result.rows]
    rates = {
        "line rate": [row.line_mpps for row in result.rows],
        "no-drop rate": [row.ndr_mpps for row in result.rows],
        "partial-drop rate": [row.pdr_mpps for row in result.rows],
    }
    losses = [
        Series(
            row.traffic,
            sorted((each.load_mpps / row.line_mpps * 100, max(each.lost * 100, NONE)) for each in row.tried),
            line=False,
        )
        for row in result.rows
    ]
    latencies = [
        Series(row.traffic, [(at.share_of_pdr * 100, at.p99_ns / 1e3) for at in row.latency]) for row in result.rows
    ]
    return [
        Chart(
            "Rates by frame size",
            Axis("frames", names=names),
            Axis("total rate of all ports, Mpps", zero=True),
            [Series(name, list(enumerate(values))) for name, values in rates.items()],
        ),
        Chart(
            "Loss of each trial",
            Axis("load, % of the line rate", zero=True, high=100),
            Axis("lost, %", logarithmic=True, low=NONE, high=100),
            losses,
            "loss by offered load; points at the bottom have no loss",
            ("PDR", PARTIAL),
        ),
        Chart(
            "Latency below PDR",
            Axis("load, % of PDR", low=0, high=100),
            Axis("latency, µs", zero=True),
            latencies,
            "99 % of the packets have a lower latency",
        ),
    ]


def _trials(result: NdrResult) -> Table:
    rows = [
        (
            row.traffic,
            number,
            f"{each.load_mpps:,.3f}",
            f"{each.load_gbps:,.2f}",
            f"{each.lost:.3%}",
            f"{each.dropped:.3%}",
            f"{each.forwarded_mpps:,.3f}",
            f"{each.inside_mean:,.1f}",
            f"{each.grew:,.0f}",
        )
        for row in result.rows
        for number, each in enumerate(row.tried, 1)
    ]
    columns = ("trial", "load, Mpps", "Gbit/s", "lost", "dropped", "throughput, Mpps", "inside", "growth")
    return Table(f"All {len(rows):,} trials", (text("frames"), *map(Column, columns)), rows, folded=True)
