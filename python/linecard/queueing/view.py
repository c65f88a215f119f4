"""The view of queue managers: simulated and predicted throughput, utilisation, arrival distances and cache sizes."""

from __future__ import annotations

from linecard.numbers import percent
from linecard.queueing.reports import QueueDesign, QueueRow
from linecard.queueing.result import QueueDesignResult, QueueingResult
from linecard.queueing.settings import MACHINE
from linecard.view import BAR, Bar, Cell, Fact, Facts, Notes, Part, Said, Table, Title, Verdict, load_tone, text, view

# Managers without a cache, without locks, and without engines.
NO_CACHE, NO_LOCKS, NO_ENGINES = "nc", "qc", ("nc", "dc")
COLUMNS = ("hits", "p50 ns", "p99 ns", "lock ns", "refs", "messages", "model", "differs")


@view.register
def _(result: QueueingResult) -> list[Part]:
    most = max(row.throughput_mops for row in result.rows) or 1.0
    gaps = result.gaps
    empty = sum(row.empty_dequeues for row in result.rows)
    near = (
        ("none", gaps.below_loss, "distance below the loss threshold: operations wait"),
        ("some", gaps.between, "distance below the gain threshold: cache hits without waiting"),
        ("more", gaps.above_gain, "distance of at least the number of cache entries: likely cache misses"),
    )
    return [
        Title(result.workload),
        _facts(result),
        Table(
            "Managers",
            (text("manager"), "M ops/s", BAR, *COLUMNS),
            [_manager(row, most) for row in result.rows],
            said="latency includes waiting; references and messages are per operation; model: Kumar 2006, section 3.6",
        ),
        Table(
            "Utilisation",
            (text("manager"), "reads", "writes", "requests", "replies", "engines"),
            [_busy(row) for row in result.rows],
            said="memory ports, interconnect paths, engines",
        ),
        Table(
            "Packets of other queues between two packets of one queue",
            (text(""), "", text("")),
            [(name, percent(share, 0), Said(why, "dim")) for name, share, why in near],
            said="share of arrivals that have a predecessor in their queue",
        ),
        Notes([f"{empty:,} dequeues found an empty queue"] if empty else []),
    ]


def _manager(row: QueueRow, most: float) -> tuple[Cell, ...]:
    return (
        row.manager,
        Said(f"{row.throughput_mops:.1f}"),
        Bar(row.throughput_mops / most),
        "–" if row.manager == NO_CACHE else percent(row.hit_rate, 0),
        f"{row.latency_p50_ns:.0f}",
        f"{row.latency_p99_ns:.0f}",
        "–" if row.manager == NO_LOCKS else f"{row.lock_wait_mean_ns:.0f}",
        f"{row.references_per_operation:.2f}",
        f"{row.messages_per_operation:.2f}",
        f"{row.model_mops:.1f}",
        f"{row.model_difference_percent:+.1f} %",
    )


def _busy(row: QueueRow) -> tuple[Cell, ...]:
    shares = (
        row.read_port_utilization,
        row.write_port_utilization,
        row.request_path_utilization,
        row.response_path_utilization,
    )
    engines = "–" if row.manager in NO_ENGINES else percent(row.engine_utilization, 0)
    return (row.manager, *(Said(percent(share, 0), load_tone(share)) for share in shares), engines)


@view.register
def _(result: QueueDesignResult) -> list[Part]:
    best = result.smallest
    reached = max((design.throughput_mops for design in result.designs), default=0.0)
    verdict = Verdict(f"No size reaches the target; the highest throughput is {reached:.1f} M operations/s", "", "warn")
    if best is not None:
        size = f"{best.entries} entries, {best.engines} engines, {best.threads} threads"
        verdict = Verdict(
            f"{size}: {best.throughput_mops:.1f} M operations/s",
            "the smallest product of entries, engines and threads",
            "best",
        )
    engines = sorted({design.engines for design in result.designs})
    by_size = {(design.entries, design.engines): design for design in result.designs}
    most = max((design.product or 0 for design in result.designs), default=0) or 1
    products = [
        (f"{each.entries} entries, {each.engines} engines", Bar((each.product or 0) / most), each.product, each.threads)
        for each in result.designs
        if each.product is not None
    ]
    return [
        Title(f"{result.workload}: {result.target_mops:g} M operations/s"),
        verdict,
        _facts(result),
        Table(
            "Fewest threads",
            ("entries", *(f"{count} engine{'s' if count > 1 else ''}" for count in engines)),
            [
                (str(entries), *(_threads(by_size.get((entries, count)), best) for count in engines))
                for entries in sorted({design.entries for design in result.designs})
            ],
            said=f"M marks a missed target: throughput of {result.most_threads} threads in million operations/s",
        ),
        Table("Entries × engines × threads", (text("size"), BAR, "product", "threads"), products, shown=8),
    ]


def _threads(design: QueueDesign | None, best: QueueDesign | None) -> Cell:
    if design is None:
        return ""
    if design.threads is None:
        return Said(f"{design.throughput_mops:.0f} M", "dim")
    return Said(str(design.threads), "best" if design == best else "")


def _facts(result: QueueingResult | QueueDesignResult) -> Facts:
    """The workload, the capture and the settings."""
    facts = []
    if result.format != "workload":
        left_out = result.packets_without_flow
        without = f"{left_out:,} packets without a flow are excluded" if left_out else ""
        facts.append(Fact("Packets", f"{result.packets:,}", without))
    unchanged = "defaults of Table 1"
    if result.machine != MACHINE:
        facts.append(Fact("Machine", result.machine))
        unchanged = "defaults of the machine"
    facts.append(Fact("Settings", ", ".join(result.settings) or unchanged))
    return Facts(facts)
