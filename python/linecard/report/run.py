"""The page of one run: what it reached, what limits it, where the time went, and every number of it."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from linecard.chip import not_ip
from linecard.chip.dram_time import DRAM_WORDS
from linecard.chip.facts import read
from linecard.chip.frame import described
from linecard.chip.loss import loss_words
from linecard.chip.picture import Picture
from linecard.errors import LinecardError
from linecard.report import chart, sheet
from linecard.report.source import program_section

if TYPE_CHECKING:
    from pathlib import Path

    from linecard.chip.facts import Facts
    from linecard.chip.result import RunResult


def write_run(result: RunResult, path: str | Path, command: str | None = None) -> Path:
    """Write the page of a run."""
    first = result.summary
    gone = first.packets_out + first.packets_dropped
    steady = {True: "yes", False: "no", None: ""}[first.steady]
    tiles = [
        ("Throughput", f"{first.throughput_gbps:,.3f} Gbit/s", f"{first.throughput_mpps:,.3f} Mpps"),
        ("Offered", f"{first.offered_gbps:,.3f} Gbit/s", f"{first.packets_in:,} packets"),
        ("Loss", *loss_words(first)),
        *((("Not IP", *not_ip.words(first.not_ip)),) if first.not_ip is not None else ()),
        ("Latency, median", microseconds(first.latency_ns.p50), f"p99 {microseconds(first.latency_ns.p99)}"),
    ]
    if steady:
        sure = first.intervals
        between = ""
        if sure is not None:
            between = f"95 %: {sure.throughput_gbps.low:,.3f} to {sure.throughput_gbps.high:,.3f} Gbit/s"
        tiles.append(("Steady", steady, between))
    if result.band is not None:
        rates = [each.throughput_mpps for each in (result.band.low, first, result.band.high)]
        over = ", ".join(f"{each.key} {each.low:g} to {each.high:g}" for each in result.ranges)
        tiles.append(
            (
                "Band",
                f"{min(rates):,.3f} to {max(rates):,.3f} Mpps",
                f"over {over}; {result.band.made_by}".removesuffix("; "),
            )
        )
    latency = first.latency_ns
    marks = (
        ("p50", 50, latency.p50),
        ("p90", 90, latency.p90),
        ("p99", 99, latency.p99),
        ("p99.9", 99.9, latency.p999),
    )
    curve = chart.Series("", [(100 / (100 - share), ns / 1e3) for _, share, ns in marks])
    uses = sorted(result.resources, key=lambda use: (-use.utilization, use.component))
    limit = [n for n, use in enumerate(uses) if use.component == result.bottleneck.component]
    busy: list[list[sheet.Cell]] = [
        [use.component, sheet.Bar(use.utilization, use=True), f"{use.utilization:.1%}"] for use in uses
    ]
    times: list[list[sheet.Cell]] = [
        [each.part, sheet.Bar(each.share), f"{each.share:.1%}", microseconds(each.mean_ns)]
        for each in result.packet_time
    ]
    dram = [(words, getattr(result.dram, name)) for name, words in DRAM_WORDS.items()]
    facts = _facts(result)
    title = "" if facts is None or not facts.parts.title else f"{facts.parts.title}; "
    has_dram = result.dram.data > 0 or result.dram.idle > 0
    return sheet.write_page(
        path,
        f"{result.preset}: {result.app}",
        f"{title}{result.traffic}; {first.packets_out:,} packets in "
        f"{microseconds(first.simulated_seconds * 1e9)} simulated; seed {result.seed}; run {result.run_id}",
        sheet.verdict(f"Limit: {result.bottleneck.component}", result.bottleneck.why),
        sheet.notes(result.warnings),
        sheet.tiles(tiles),
        sheet.command(command) if command else "",
        sheet.section("The chip", "" if facts is None else _drawing(facts), said="coloured by load"),
        sheet.section(
            "What if", _what_if(result), said="measured by re-runs with one part made better, on the same traffic"
        ),
        sheet.beside(
            sheet.section(
                "Utilisation",
                sheet.table("Utilisation of each part", ("part", "", "busy"), busy, marked=limit, bars=True),
            ),
            sheet.section(
                "Where a packet's time goes",
                sheet.table(
                    "Time of a packet by part",
                    ("part", "", "share", "mean"),
                    times,
                    bars=True,
                ),
            ),
            sheet.section(
                "Where the DRAM's time goes",
                sheet.shares(
                    "Time of the DRAM's data bus",
                    ("what", "share"),
                    [(words, share, f"{share:.1%}") for words, share in dram if share is not None],
                ),
                said=f"{result.dram.row_hit_rate:.1%} of the accesses find their row open",
            )
            if has_dram
            else "",
            sheet.section(
                "Latency",
                chart.lines(
                    "Latency by the share of packets that are faster: one in so many takes longer",
                    chart.Axis("one packet in", logarithmic=True),
                    chart.Axis("takes longer than, µs", zero=True),
                    [curve],
                ),
                sheet.table(
                    "Latency",
                    ("share of packets", "latency"),
                    [[name, microseconds(ns)] for name, _, ns in marks]
                    + [["mean", microseconds(latency.mean)], ["max", microseconds(latency.max)]],
                ),
            ),
            sheet.section(
                "Drops",
                sheet.table(
                    "Drops by reason",
                    ("reason", "packets", "share"),
                    [
                        [each.reason.replace("_", " "), f"{each.packets:,}", f"{each.packets / max(gone, 1):.2%}"]
                        for each in result.drops
                    ],
                ),
            ),
        ),
        sheet.section(
            "Classes and ports",
            _breakdown(result),
            said="packets: offered to it; inside: there at the end",
        )
        if result.breakdown
        else "",
        *(program_section(each) for each in result.programs),
        sheet.folded("Configuration", _configuration(result)),
        sheet.folded(
            f"All {len(result.metrics):,} measurements",
            sheet.table(
                "Measurements",
                ("component", "metric", "value", "unit"),
                [[each.component, each.metric, sheet.number(each.value, 6), each.unit] for each in result.metrics],
                text=("metric", "unit"),
            ),
        ),
    )


def _breakdown(result: RunResult) -> str:
    """Packets of each port, class and queue."""
    rows: list[list[sheet.Cell]] = []
    for part in result.breakdown:
        latency = part.latency_ns
        rates = (part.offered_gbps, part.throughput_gbps)
        times = () if latency is None else (latency.p50, latency.p90, latency.p99, latency.max)
        rows.append(
            [
                part.of if part.name == part.of else f"{part.of} {part.name}",
                *("" if gbps is None else f"{gbps:,.3f}" for gbps in rates),
                f"{part.packets_offered:,}",
                f"{part.packets_lost:,}",
                f"{part.loss_fraction:.2%}",
                f"{part.packets_inside:,}",
                *([microseconds(ns) for ns in times] or [""] * 4),
            ]
        )
    columns = (
        "",
        "offered, Gbit/s",
        "throughput, Gbit/s",
        "packets",
        "lost",
        "loss",
        "inside",
        "p50",
        "p90",
        "p99",
        "max",
    )
    return sheet.table("Packets by class and port", columns, rows)


def _facts(result: RunResult) -> Facts | None:
    """The chip as it is drawn; nothing where its file is not here."""
    try:
        return read(result.preset, None, result)
    except LinecardError:
        return None


def _drawing(facts: Facts) -> str:
    """The drawing as a picture of its own, so that its colours are not those of the page."""
    text = base64.b64encode(Picture(facts).svg().encode()).decode()
    return f'<img class="drawing" src="data:image/svg+xml;base64,{text}" alt="{escape(described(facts))}"/>'


def _what_if(result: RunResult) -> str:
    """What making each part better gains."""
    most = max((abs(each.gain) for each in result.what_if), default=0.0) or 1.0
    rows: list[list[sheet.Cell]] = [
        [each.change, sheet.Bar(each.gain / most, signed=True), f"{each.gain:+.1%}"] for each in result.what_if
    ]
    return sheet.table("More that leaves with one part made better", ("change", "", "more leaves"), rows, bars=True)


def _configuration(result: RunResult) -> str:
    """Every key of the design; nothing where the design is not here."""
    from linecard.catalogue import describe

    try:
        described = describe(result.preset, list(result.request.overrides))
    except LinecardError:
        return ""
    changed = {text.partition("=")[0].strip() for text in result.request.overrides}
    rows = [[each.key, each.text, each.unit, each.source] for each in described.parameters]
    marked = [n for n, row in enumerate(rows) if any(row[0] == key or row[0].endswith(f".{key}") for key in changed)]
    return sheet.table(
        "Configuration; keys that were changed stand out",
        ("key", "value", "unit", "source"),
        rows,
        marked=marked,
        text=("value", "unit"),
        said=("source",),
    )


def microseconds(nanoseconds: float) -> str:
    """A time in the unit that suits it."""
    for limit, factor, unit in ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if abs(nanoseconds) < limit:
            return f"{nanoseconds / factor:,.4g} {unit}"
    return f"{nanoseconds / 1e9:,.3f} s"
