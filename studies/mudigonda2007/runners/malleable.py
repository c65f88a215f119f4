"""Packet programs on cores: threads against cache (Mudigonda 2007).

``program`` is executed on the packets of ``traffic`` (``edge``, ``core``); ``packets`` are traced and
``warmup_packets`` events counted by each simulation. ``preset`` selects the question:

- ``split``: the best split of a core's area at ``latency`` and ``bandwidth``;
- ``registers``: register schemes of a malleable core at ``latency`` and ``bandwidth``;
- ``predictor``: the most registers missed over ``latencies`` and ``bandwidths``;
- ``termination``: the cost of terminating a thread at ``latency`` and ``bandwidth``;
- ``adapt``: the throughput of an adapting malleable core, relative to that with its best number of threads;
- ``chips``: IXP2800, optimal fixed and malleable chips over all programs, ``edge`` and ``core``, ``latencies`` and
  ``bandwidths``; ``configurable=1`` compares the malleable chip with chips with any number of cores instead, and with
  ``per_chip=1`` the cores of a chip share the bandwidth.

Chips of a program with a memory are simulated once for all runs; `registers`, `predictor` and `termination` take the
best number of threads from there.

``registers`` and ``termination`` of the program ``all`` take the mean over the programs, and the maximum of
numbers that should be small: registers missed, entries of a table, references between register files and cache.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from linecard.errors import ConfigError, ConfigProblem
from linecard.executed.riscv import program_trace
from linecard.executed.shipped import programs
from linecard.malleable.run import core, deployments, registers, termination
from linecard.study.runners import PlainRun, settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from linecard.executed.trace_result import ProgramTrace
    from linecard.study.plan import RunSpec

    Values = dict[tuple[str, str], float]
    Progress = Callable[[int, int], object]

KEYS = (
    "traffic",
    "latency",
    "bandwidth",
    "area",
    "latencies",
    "bandwidths",
    "configurable",
    "per_chip",
    "adapt_packets",
    "registers",
)
LATENCIES = "50,100,200,300,400,500"
BANDWIDTHS = "0.04,0.08,0.16,0.32,0.64,1.28,2.56"
VARIANTS = {"cast256"}
# The document says "a few hundred packets" (section 5).
AFTER_PACKETS = (100, 200, 300, 500)
# Packets traced and events counted by the search for the best number of threads. They equal those of a full run of
# `chips`, which searches for every program and memory.
SEARCH_PACKETS, SEARCH_EVENTS = 20_000, 60_000
# The columns of a row of `deployments`, by the requested chips.
SAYS = {
    "fixed": ("ixp2800", "optimal_fixed", "ideal", "single_peak"),
    "malleable": ("malleable", "malleable_threads"),
    "configurable": ("configurable",),
}
_traces: dict[tuple[str, str, int, int], ProgramTrace] = {}
_rows: dict[tuple[object, ...], dict[tuple[int, float], dict[str, float]]] = {}
_locks: dict[tuple[object, ...], threading.Lock] = {}
_lock = threading.Lock()


def run(spec: RunSpec, progress: Progress) -> PlainRun:
    """Answer one question of the document."""
    questions: dict[str, Callable[[RunSpec, dict[str, str], Progress], Values]] = {
        "split": _split,
        "registers": _registers,
        "predictor": _predictor,
        "termination": _termination,
        "adapt": _adapt,
        "chips": _chips,
    }
    if spec.preset not in questions:
        problem = ConfigProblem("preset", "", f"found {spec.preset!r}, expected one of {', '.join(questions)}")
        raise ConfigError.of([problem])
    values = questions[spec.preset](spec, settings(spec, KEYS), progress)
    units = {name: "percent" if name.endswith("_percent") else "" for _, name in values}
    return PlainRun(spec, values, units)


def traced(program: str, traffic: str, packets: int, seed: int) -> ProgramTrace:
    """A program traced once for all runs."""
    key = (program, traffic, packets, seed)
    with _lock:
        if key not in _traces:
            _traces[key] = program_trace(program, traffic, packets=packets, seed=seed)
        return _traces[key]


def deployed(
    program: str,
    traffic: str,
    points: list[tuple[int, float]],
    chips: str,
    *,
    effort: tuple[int, int, int],
    per_chip: bool = False,
    progress: Progress,
) -> list[dict[str, float]]:
    """The results of these chips with each memory; results of earlier runs are not simulated again.

    ``effort`` are packets, events and the seed.
    """
    key = (program, traffic, chips, effort, per_chip)
    with _lock:
        known, own = _rows.setdefault(key, {}), _locks.setdefault(key, threading.Lock())
    with own:
        missing = [point for point in points if point not in known]
        if missing:
            packets, events, seed = effort
            trace = traced(program, traffic, packets, seed)
            rows = deployments(trace, missing, events=events, chips=[chips], per_chip=per_chip, progress=progress)
            for point, row in zip(missing, rows, strict=True):
                known[point] = {name: row[name] for name in SAYS[chips]}
        return [known[point] for point in points]


def _best_threads(
    program: str, spec: RunSpec, found: dict[str, str], points: list[tuple[int, float]], progress: Progress
) -> list[int]:
    """The best number of threads of a malleable core with each memory."""
    effort = (min(spec.packets, SEARCH_PACKETS), min(spec.warmup_packets, SEARCH_EVENTS), spec.seed)
    traffic = found.get("traffic", "edge")
    rows = deployed(program, traffic, points, "malleable", effort=effort, progress=_ticking(progress))
    return [int(row["malleable_threads"]) for row in rows]


def _of(spec: RunSpec, found: dict[str, str]) -> ProgramTrace:
    return traced(spec.program, found.get("traffic", "edge"), spec.packets, spec.seed)


def _traced_once(spec: RunSpec, found: dict[str, str]) -> ProgramTrace:
    """A long trace that no other run needs, so that it is not kept."""
    return program_trace(spec.program, found.get("traffic", "edge"), packets=spec.packets, seed=spec.seed)


def _memory(found: dict[str, str]) -> tuple[int, float]:
    return int(found.get("latency", 150)), float(found.get("bandwidth", 0.64))


def _ticking(progress: Progress) -> Progress:
    return lambda _done, _all: progress(0, 0)


def _split(spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    latency, bandwidth = _memory(found)
    area = int(found.get("area", 16))
    result = core(
        _of(spec, found),
        latency=latency,
        bandwidth=bandwidth,
        area=area,
        events=spec.warmup_packets,
        jobs=1,
        progress=_ticking(progress),
    )
    worst = min(row.packets_per_mcycle for row in result.rows)
    return {
        ("core", "threads"): result.best_threads,
        ("core", "cache_th_eq"): area - result.best_threads,
        ("core", "packets_per_mcycle"): result.best_packets_per_mcycle,
        ("core", "hit_percent"): result.best.hit_percent,
        ("core", "single_peak"): float(result.single_peak),
        ("core", "best_over_worst"): result.best_packets_per_mcycle / worst,
        ("program", "instructions"): result.program.instructions_per_packet,
    }


def _names() -> list[str]:
    return [program.name for program in programs() if program.name not in VARIANTS]


def _registers(spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    if spec.program != "all":
        return _registers_of(spec.program, spec, found, progress)
    each = [_registers_of(name, spec, found, progress) for name in _names()]
    most = ("missed_percent", "table_entries", "references_per_cycle")
    return {
        key: max(values[key] for values in each) if key[1] in most else sum(values[key] for values in each) / len(each)
        for key in each[0]
    }


def _registers_of(program: str, spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    latency, bandwidth = _memory(found)
    (threads,) = _best_threads(program, spec, found, [(latency, bandwidth)], progress)
    sizes = [int(found["registers"])] if "registers" in found else []
    rows = registers(
        traced(program, found.get("traffic", "edge"), spec.packets, spec.seed),
        latency=latency,
        bandwidth=bandwidth,
        threads=threads,
        cache_registers=sizes,
        events=spec.warmup_packets,
        jobs=1,
        progress=_ticking(progress),
    )
    values: Values = {}
    for row in rows:
        # There is one register cache, of the requested size.
        scheme = "lru" if row["scheme"].startswith("lru_") else row["scheme"]
        for name in (
            "needed_per_switch",
            "prefetched_per_switch",
            "missed_percent",
            "references_per_cycle",
            "table_entries",
            "relative_percent",
            "threads",
        ):
            values[scheme, name] = float(row[name])
    predicted = values["predicted", "relative_percent"]
    values["hot5", "of_predicted_percent"] = values["hot5", "relative_percent"] / predicted * 100
    return values


def _points(found: dict[str, str]) -> list[tuple[int, float]]:
    """Latencies and bandwidths of the deployments."""
    return [
        (int(latency), float(bandwidth))
        for latency in found.get("latencies", LATENCIES).split(",")
        for bandwidth in found.get("bandwidths", BANDWIDTHS).split(",")
    ]


def _predictor(spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    points = _points(found)
    best = _best_threads(spec.program, spec, found, points, progress)
    program = _traced_once(spec, found)
    missed = []
    for (latency, bandwidth), threads in zip(points, best, strict=True):
        rows = registers(
            program,
            latency=latency,
            bandwidth=bandwidth,
            threads=threads,
            only_predicted=True,
            events=spec.warmup_packets,
            jobs=1,
            progress=_ticking(progress),
        )
        missed.append(float(rows[0]["missed_percent"]))
    return {("predicted", "missed_percent"): max(missed), ("predicted", "least_missed_percent"): min(missed)}


def _termination(spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    latency, bandwidth = _memory(found)
    names = _names() if spec.program == "all" else [spec.program]
    longer = [
        termination(
            traced(name, found.get("traffic", "edge"), spec.packets, spec.seed),
            latency=latency,
            bandwidth=bandwidth,
            threads=_best_threads(name, spec, found, [(latency, bandwidth)], progress)[0],
            packets=AFTER_PACKETS,
            events=spec.warmup_packets,
            progress=_ticking(progress),
        )["longer_percent"]
        for name in names
    ]
    values: Values = {}
    for packets, each in zip(AFTER_PACKETS, zip(*longer, strict=True), strict=True):
        values["malleable", f"termination_{packets}_percent"] = sum(each) / len(each)
        values["malleable", f"termination_{packets}_most_percent"] = max(each)
    return values


def _adapt(spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    latency, bandwidth = _memory(found)
    rows = deployments(
        _traced_once(spec, found),
        [(latency, bandwidth)],
        events=spec.warmup_packets,
        chips=["malleable"],
        adapt_packets=int(found.get("adapt_packets", 400_000)),
        jobs=1,
        progress=_ticking(progress),
    )
    row = rows[0]
    return {
        ("malleable", "adapted_percent"): row["adapted"] / row["malleable"] * 100,
        ("malleable", "adapted_threads"): row["adapted_threads"],
        ("malleable", "best_threads"): row["malleable_threads"],
    }


def _chips(spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    points = _points(found)
    configurable = found.get("configurable", "0") == "1"
    asked = ("malleable", "configurable") if configurable else ("malleable", "fixed")
    effort, per_chip = (spec.packets, spec.warmup_packets, spec.seed), found.get("per_chip", "0") == "1"
    names = _names()
    rows: list[dict[str, float]] = []
    for number, (name, traffic) in enumerate((name, traffic) for name in names for traffic in ("edge", "core")):
        each = [
            deployed(name, traffic, points, chips, effort=effort, per_chip=per_chip, progress=_ticking(progress))
            for chips in asked
        ]
        rows += [first | second for first, second in zip(*each, strict=True)]
        progress(number, 2 * len(names))
    values: Values = {("deployments", "count"): len(rows)}

    def share(name: str, kept: Callable[[dict[str, float]], bool]) -> None:
        values["deployments", f"{name}_percent"] = sum(map(kept, rows)) / len(rows) * 100

    if configurable:
        share("configurable_within_10", lambda row: row["malleable"] >= 0.9 * row["configurable"])
        share("configurable_within_20", lambda row: row["malleable"] >= 0.8 * row["configurable"])
        return values
    share("ixp_by_100", lambda row: row["ideal"] >= 2.0 * row["ixp2800"])
    share("ixp_by_300", lambda row: row["ideal"] >= 4.0 * row["ixp2800"])
    share("ixp_lose", lambda row: row["ideal"] < row["ixp2800"])
    share("fixed_by_60", lambda row: row["ideal"] >= 1.6 * row["optimal_fixed"])
    share("fixed_by_70", lambda row: row["ideal"] >= 1.7 * row["optimal_fixed"])
    share("fixed_lose", lambda row: row["ideal"] < row["optimal_fixed"])
    share("outperform_ixp", lambda row: row["malleable"] > row["ixp2800"])
    share("ideal_within_6", lambda row: row["malleable"] >= 0.94 * row["ideal"])
    share("ideal_within_8", lambda row: row["malleable"] >= 0.92 * row["ideal"])
    share("single_peak", lambda row: bool(row["single_peak"]))
    values["deployments", "ideal_loss_percent"] = max(1 - row["malleable"] / row["ideal"] for row in rows) * 100
    return values
