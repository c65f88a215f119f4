"""Packet programs on cores: threads against cache (Mudigonda 2007).

``app`` is a program and ``traffic`` its packets (``edge``, ``core``); ``packets`` are traced and
``warmup_packets`` events counted by each simulation. ``preset`` says what is asked:

- ``split``: the best split of a core's area at ``latency`` and ``bandwidth``;
- ``registers``: register schemes of a malleable core at ``latency`` and ``bandwidth``;
- ``predictor``: the most registers missed over ``latencies`` and ``bandwidths``;
- ``termination``: what terminating a thread costs at ``latency`` and ``bandwidth``;
- ``adapt``: what a malleable core reaches that adapts, against its best number of threads;
- ``chips``: IXP2800, optimal fixed and malleable chips over all programs, ``edge`` and ``core``, ``latencies`` and
  ``bandwidths``; ``configurable=1`` tries chips with any number of cores, too, and with ``per_chip=1`` the cores of a
  chip share the bandwidth.

``registers`` and ``termination`` of the program ``all`` take the mean over the programs, and the most of what should be
small: registers missed, entries of a table, references between register files and cache.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from linecard.core.run import core, deployments, registers, termination
from linecard.errors import ConfigError, ConfigProblem
from linecard.executed.riscv import program_trace
from linecard.executed.shipped import programs
from linecard.study.runners import PlainRun, settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from linecard.executed.trace import ProgramTrace
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
_traces: dict[tuple[str, str, int, int], ProgramTrace] = {}
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


def _of(spec: RunSpec, found: dict[str, str]) -> ProgramTrace:
    return traced(spec.app, found.get("traffic", "edge"), spec.packets, spec.seed)


def _traced_once(spec: RunSpec, found: dict[str, str]) -> ProgramTrace:
    """A long trace that no other run asks for: it is not kept."""
    return program_trace(spec.app, found.get("traffic", "edge"), packets=spec.packets, seed=spec.seed)


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
    if spec.app != "all":
        return _registers_of(_of(spec, found), spec, found, progress)
    each = [
        _registers_of(traced(name, found.get("traffic", "edge"), spec.packets, spec.seed), spec, found, progress)
        for name in _names()
    ]
    most = ("missed_percent", "table_entries", "references_per_cycle")
    return {
        key: max(values[key] for values in each) if key[1] in most else sum(values[key] for values in each) / len(each)
        for key in each[0]
    }


def _registers_of(program: ProgramTrace, spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    latency, bandwidth = _memory(found)
    sizes = [int(found["registers"])] if "registers" in found else []
    rows = registers(
        program,
        latency=latency,
        bandwidth=bandwidth,
        cache_registers=sizes,
        events=spec.warmup_packets,
        jobs=1,
        progress=_ticking(progress),
    )
    values: Values = {}
    for row in rows:
        # One register cache: of the size that was asked for.
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
    program = _traced_once(spec, found)
    missed = []
    for latency, bandwidth in _points(found):
        rows = registers(
            program,
            latency=latency,
            bandwidth=bandwidth,
            only_predicted=True,
            events=spec.warmup_packets,
            jobs=1,
            progress=_ticking(progress),
        )
        missed.append(float(rows[0]["missed_percent"]))
    return {("predicted", "missed_percent"): max(missed), ("predicted", "least_missed_percent"): min(missed)}


def _termination(spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    latency, bandwidth = _memory(found)
    names = _names() if spec.app == "all" else [spec.app]
    longer = [
        termination(
            traced(name, found.get("traffic", "edge"), spec.packets, spec.seed),
            latency=latency,
            bandwidth=bandwidth,
            events=spec.warmup_packets,
            progress=_ticking(progress),
        )["longer_percent"]
        for name in names
    ]
    return {
        ("malleable", "termination_percent"): sum(longer) / len(longer),
        ("malleable", "termination_most_percent"): max(longer),
    }


def _adapt(spec: RunSpec, found: dict[str, str], progress: Progress) -> Values:
    latency, bandwidth = _memory(found)
    rows = deployments(
        _traced_once(spec, found),
        [(latency, bandwidth)],
        events=spec.warmup_packets,
        configurable=False,
        adapt_packets=int(found.get("adapt_packets", 400_000)),
        per_chip=False,
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
    names = _names()
    rows = []
    for number, (name, traffic) in enumerate((name, traffic) for name in names for traffic in ("edge", "core")):
        rows += deployments(
            traced(name, traffic, spec.packets, spec.seed),
            points,
            events=spec.warmup_packets,
            configurable=configurable,
            adapt_packets=int(found.get("adapt_packets", 0)),
            per_chip=found.get("per_chip", "0") == "1",
            progress=_ticking(progress),
        )
        progress(number, 2 * len(names))
    values: Values = {("deployments", "count"): len(rows)}

    def share(name: str, kept: Callable[[dict[str, float]], bool]) -> None:
        values["deployments", f"{name}_percent"] = sum(map(kept, rows)) / len(rows) * 100

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
    if configurable:
        share("configurable_within_10", lambda row: row["malleable"] >= 0.9 * row["configurable"])
        share("configurable_within_20", lambda row: row["malleable"] >= 0.8 * row["configurable"])
    if "adapt_packets" in found:
        share("adapted_within_3", lambda row: row["adapted"] >= 0.97 * row["malleable"])
    return values
