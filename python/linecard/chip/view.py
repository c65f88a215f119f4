"""The view of a chip's run: throughput, loss, latency, bottleneck, time breakdown, and every measurement."""

from __future__ import annotations

from linecard.chip.facts import Facts as ChipFacts
from linecard.chip.facts import read
from linecard.chip.frame import described
from linecard.chip.picture import Picture as ChipPicture
from linecard.chip.reports import NotIpFrames, Summary
from linecard.chip.reports import Part as PartOfChip
from linecard.chip.result import Band, RunResult
from linecard.errors import LinecardError
from linecard.executed.program_view import program_parts
from linecard.numbers import BIT_RATES, PACKET_RATES, percent, rate, si_time, unit_for
from linecard.view import (
    BAR,
    SHOWN_SHARE,
    Axis,
    Bar,
    Beside,
    Cell,
    Chart,
    Fact,
    Facts,
    Notes,
    Paragraphs,
    Part,
    Picture,
    Said,
    Series,
    Table,
    Title,
    Verdict,
    bars,
    facts_shown,
    load_tone,
    text,
    view,
    wide,
)

# The uses of the DRAM data bus over time, with their names and the tones of their bars.
DRAM = {
    "data": ("moving data", "good"),
    "row_miss": ("opening rows", "bad"),
    "turnaround": ("bus turnaround", "warn"),
    "refresh": ("refreshing", "warn"),
    "spacing": ("column spacing", ""),
    "idle": ("idle", "dim"),
}
RESULT_CACHE_HITS = ("result_cache", "hit_rate")
# Kinds of parts, their plurals, and the largest number of parts for which a terminal shows a row each.
KINDS = {"class": ("classes", 8), "output": ("sending ports", 4), "input": ("receiving ports", 4)}

# Packets inside do not affect the stated loss up to this share of the arrived packets.
_FEW = 0.01


@view.register
def _(result: RunResult) -> list[Part]:
    first = result.summary
    chip = _chip(result)
    said = f"{first.packets_out:,} packets in {si_time(first.simulated_seconds * 1e9)} simulated"
    title = f"{chip.parts.title}; " if chip is not None and chip.parts.title else ""
    used = result.bottleneck.utilization
    busy = "" if used is None else f", busy {percent(used)}"
    return [
        Title(f"{result.chip}: {result.program}", result.traffic),
        Facts(_facts(result)),
        *([_over(result, result.band)] if result.band is not None else []),
        Verdict(f"Bottleneck: {result.bottleneck.component}{busy}", result.bottleneck.why, "bad"),
        *([Picture("The chip", ChipPicture(chip).svg(), described(chip), f"{title}coloured by load")] if chip else []),
        _what_if(result),
        _utilisation(result),
        Beside(tuple(_times(result))),
        _latency_chart(first),
        _drops(result),
        *_breakdown(result.breakdown),
        *(part for program in result.programs for part in program_parts(program)),
        Notes(result.warnings),
        *_details(result),
        Paragraphs((Said(f"{said}; seed {result.seed}; run {result.run_id}", "dim"),)),
    ]


def _chip(result: RunResult) -> ChipFacts | None:
    """The chip for its drawing; `None` if its file is missing."""
    try:
        return read(result.chip, None, result)
    except LinecardError:
        return None


def _facts(result: RunResult) -> list[Fact]:
    first = result.summary
    loss, of_all = loss_words(first)
    tone = "good" if first.packets_dropped == 0 else "warn" if first.loss_fraction < 0.01 else "bad"
    leaves = f"{rate(first.throughput_mpps, PACKET_RATES)}, offered {rate(first.offered_gbps, BIT_RATES)}"
    facts = [
        Fact("Throughput", rate(first.throughput_gbps, BIT_RATES), leaves, "best"),
        Fact("Loss", loss, of_all, "warn" if loss == "none yet" else tone),
    ]
    if first.not_ip is not None:
        facts.append(Fact("Not IP", *not_ip_words(first.not_ip)))
    latency = first.latency_ns
    if first.packets_out:
        others = (("p90", latency.p90), ("p99", latency.p99), ("p99.9", latency.p999))
        ends = (("mean", latency.mean), ("max", latency.max))
        facts.append(Fact("Latency", f"p50 {si_time(latency.p50)}", _named(*others, *ends), "strong"))
    else:
        facts.append(Fact("Latency", "no packet left the chip"))
    if result.band is not None:
        facts.append(Fact("Band", *_band(result.band, first), "best"))
    facts.append(Fact("Steady", *(("yes", _sure(first), "best") if first.steady else ("no", _sure(first), "bad"))))
    facts += facts_shown(first)
    hits = next((row.value for row in result.metrics if (row.component, row.metric) == RESULT_CACHE_HITS), None)
    if hits is not None:
        facts.append(Fact("Result cache", percent(hits, 2), "hit rate of the lookups"))
    return facts


def loss_words(summary: Summary) -> tuple[str, str]:
    """Format the loss, with its packet counts; the loss is “none” only if every packet has left the chip."""
    gone = summary.packets_out + summary.packets_dropped
    stayed = summary.packets_in - gone - (summary.not_ip.set_aside if summary.not_ip is not None else 0)
    of_all = f"{summary.packets_dropped:,} of {gone:,} packets that left or were dropped"
    piles_up = stayed > _FEW * summary.packets_in
    loss = f"{100 * summary.loss_fraction:.3f} %" if summary.packets_dropped else "none yet" if piles_up else "none"
    if piles_up:
        share = f"{100 * stayed / summary.packets_in:.1f} %"
        of_all += f"; another {stayed:,} of the {summary.packets_in:,} arrived packets ({share}) are still in the chip"
        of_all += "" if summary.steady else ": not steady"
    return loss, of_all


def not_ip_words(frames: NotIpFrames) -> tuple[str, str]:
    """Describe the number and the outcomes of non-IP frames."""
    became = (
        ("forwarded", frames.forwarded),
        ("punted to the host", frames.punted),
        ("dropped by choice", frames.dropped_by_choice),
        ("ended by the program", frames.finished),
        ("lost", frames.lost),
    )
    return f"{frames.packets_in:,} frames", ", ".join(f"{count:,} {what}" for what, count in became if count)


def _named(*times: tuple[str, float]) -> str:
    return ", ".join(f"{name} {si_time(value)}" for name, value in times)


def _over(result: RunResult, band: Band) -> Paragraphs:
    """The intervals of the band, and the one with the largest effect."""
    over = ", ".join(f"{each.key} {each.low:g} to {each.high:g}" for each in result.ranges)
    made_by = f"; {band.made_by}" if band.made_by else ""
    return Paragraphs((Said(f"The band covers {over}{made_by}.", "dim"),))


def _band(band: Band, stated: Summary) -> tuple[str, str]:
    """The least and the greatest of the main numbers over the intervals of the file's values."""
    ends = (band.low, stated, band.high)
    gbps, mpps = [end.throughput_gbps for end in ends], [end.throughput_mpps for end in ends]
    p99 = [end.latency_ns.p99 for end in ends]
    packets = rate(max(mpps), PACKET_RATES, min(mpps))
    times = f"p99 {si_time(min(p99))} to {si_time(max(p99))}"
    return rate(max(gbps), BIT_RATES, min(gbps)), f"{packets}, {times}"


def _sure(summary: Summary) -> str:
    """The confidence intervals of a run, and the packets that are still inside."""
    said = ""
    if summary.intervals is not None:
        sure = summary.intervals
        said = f"95 %: {rate(sure.throughput_gbps.high, BIT_RATES, sure.throughput_gbps.low)}"
        if summary.packets_dropped:
            said += f", loss {percent(sure.loss_fraction.low, 2)} to {percent(sure.loss_fraction.high, 2)}"
        said += f", mean latency {si_time(sure.latency_mean_ns.low)} to {si_time(sure.latency_mean_ns.high)}; "
    return f"{said}{summary.packets_inside:,} packets in the chip at the end"


def _what_if(result: RunResult) -> Table:
    most = max((abs(each.gain) for each in result.what_if), default=0.0) or 1.0
    rows = [(each.change, Bar(each.gain / most, signed=True), f"{each.gain:+.1%}") for each in result.what_if]
    said = "each run has the same traffic and one improved part"
    return Table("What if", (wide("change"), BAR, "throughput"), rows, said)


def _utilisation(result: RunResult) -> Table:
    uses = sorted(result.resources, key=lambda use: natural(use.component))
    idle = " · ".join(use.component for use in uses if use.utilization < SHOWN_SHARE)
    rows = [
        (
            Said(use.component, "strong" if use.component == result.bottleneck.component else ""),
            Bar(use.utilization, load_tone(use.utilization)),
            percent(use.utilization),
        )
        for use in uses
        if use.utilization >= SHOWN_SHARE
    ]
    below = (Said(f"idle: {idle}", "dim"),) if idle else ()
    return Table("Utilisation", (text(""), BAR, ""), rows, below=below)


def natural(component: str) -> tuple[object, ...]:
    """Sort key that puts engine.10 after engine.9."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in component.split("."))


def _times(result: RunResult) -> list[Part]:
    found: list[Part] = []
    if result.dram.data or result.dram.idle:
        shares = [(words, tone, getattr(result.dram, name)) for name, (words, tone) in DRAM.items()]
        rows = [
            (words, Bar(share, tone), percent(share))
            for words, tone, share in shares
            if share is not None and share >= SHOWN_SHARE
        ]
        found.append(Table("DRAM time", (text(""), BAR, ""), rows, f"row hits {percent(result.dram.row_hit_rate)}"))
    packet = [(part.part, part.share, si_time(part.mean_ns)) for part in result.packet_time]
    return [*found, bars("Packet time", packet, "mean per packet")]


def _latency_chart(summary: Summary) -> Chart:
    latency = summary.latency_ns
    marks = ((50, latency.p50), (90, latency.p90), (99, latency.p99), (99.9, latency.p999))
    points = [(100 / (100 - share), ns / 1e3) for share, ns in marks] if summary.packets_out else []
    return Chart(
        "Latency",
        Axis("one packet in N", logarithmic=True),
        Axis("latency exceeded, µs", zero=True),
        [Series("", points)],
        "the latency that one packet in N exceeds",
    )


def _drops(result: RunResult) -> Table:
    gone = max(result.summary.packets_out + result.summary.packets_dropped, 1)
    rows = [(drop.reason.replace("_", " "), drop.packets, percent(drop.packets / gone, 2)) for drop in result.drops]
    said = "dropped packets, and their share of all packets that left the chip or were dropped"
    return Table("Drops", (text(""), "", ""), rows, said)


def _breakdown(parts: tuple[PartOfChip, ...]) -> list[Part]:
    """Classes and ports, if there are several. Many of a kind share a row with their range; a folded table has each."""
    rows: list[tuple[Cell, ...]] = []
    for kind, (several, most) in KINDS.items():
        found = [part for part in parts if part.of == kind]
        if len(found) > most:
            rows.append((f"{len(found)} {several}", *_between(found)))
        else:
            rows += [(f"{kind} {part.name}", *_between([part])) for part in found]
    columns = (text(""), "offered", "throughput", "loss", "inside", "p50", "p99")
    each: list[tuple[Cell, ...]] = [
        (part.of if part.name == part.of else f"{part.of} {part.name}", part.packets_offered, *_between([part]))
        for part in parts
    ]
    return [
        Table("Classes and ports", columns, rows, "inside: packets still in the chip at the end of the run"),
        Table("Each class, port and queue", (columns[0], "packets", *columns[1:]), each, folded=True),
    ]


def _between(parts: list[PartOfChip]) -> tuple[str, ...]:
    """Rates, loss and latency of a part, or their ranges over several."""
    offered = [part.offered_gbps or 0.0 for part in parts]
    throughput = [part.throughput_gbps or 0.0 for part in parts]
    loss = [part.loss_fraction for part in parts]
    inside = [part.packets_inside for part in parts]
    latency = [part.latency_ns for part in parts if part.latency_ns is not None]
    scaled, unit = unit_for(max(*offered, *throughput), BIT_RATES)
    rates = ((f"{min(each) * scaled:.3f}", f"{max(each) * scaled:.3f}") for each in (offered, throughput))
    times = ([each.p50 for each in latency], [each.p99 for each in latency])
    others = (
        (percent(min(loss), 2), percent(max(loss), 2)),
        (f"{min(inside):,}", f"{max(inside):,}"),
        *((si_time(min(each)), si_time(max(each))) if each else ("-", "-") for each in times),
    )
    return (*(f"{_range(*each)} {unit}" for each in rates), *(_range(*each) for each in others))


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _details(result: RunResult) -> list[Part]:
    """Every key of the design, if its file is present, and every measurement, both folded."""
    from linecard.catalogue import describe

    columns = (text("component"), text("metric"), "value", text("unit"))
    metrics = [(each.component, each.metric, f"{each.value:,.6g}", each.unit) for each in result.metrics]
    measurements = Table(f"All {len(metrics):,} measurements", columns, metrics, folded=True)
    try:
        parameters = describe(result.chip, list(result.request.overrides)).parameters
    except LinecardError:
        return [measurements]
    changed = {said.partition("=")[0].strip() for said in result.request.overrides}
    marked = [
        at
        for at, each in enumerate(parameters)
        if any(each.key == key or each.key.endswith(f".{key}") for key in changed)
    ]
    keys = [(each.key, each.text, each.unit, each.source) for each in parameters]
    names = (text("key"), text("value"), text("unit"), wide("source"))
    return [Table("Configuration; changed keys are marked", names, keys, marked=marked, folded=True), measurements]
