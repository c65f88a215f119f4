"""Queue managers under a workload: `linecard.queueing_run`.

``program`` is the workload and ``overrides`` are settings of the queueing machine; ``packets`` are operations. With
``manager`` among the settings only that one runs, and its metrics are under ``chosen``, too. ``preset`` selects the
question, a single point by default:

- ``threads``: the fewest threads, of 1 to those set, with 98 percent of the most throughput;
- ``weight``: the largest weight of one dominating queue that does not take throughput below the uniform one's;
- ``set_size``: the largest number of dominating queues, in doublings, with 98 percent of the most throughput;
- ``latency``: operations of a single thread;
- ``change``: throughput in percent of that without the settings that begin with ``vary.``;

With ``block``, the metrics are those of a block in the synthesis result ``trace``, which ``make rtl`` wrote; ``all``
takes the sums over the runs of the recorded simulation ``trace``.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from linecard.errors import ConfigError, ConfigProblem
from linecard.queueing.run import MANAGERS, queueing_run
from linecard.queueing.settings import queueing_settings
from linecard.study.runners import PlainRun, settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from linecard.queueing.result import QueueingResult
    from linecard.study.plan import RunSpec

    Values = dict[tuple[str, str], float]
    Progress = Callable[[int, int], object]

# From this share of the highest throughput on, more threads no longer help.
PEAK_SHARE = 0.98
WEIGHTS_PERCENT = range(1, 51)
SET_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SET_PERCENT = 90
VARY = "vary."

UNITS = {
    "throughput_mops": "Mop/s",
    "model_mops": "Mop/s",
    "model_difference_percent": "percent",
    "hit_rate_percent": "percent",
    "messages_per_operation": "messages",
    "references_per_operation": "references",
    "threads_to_peak": "threads",
    "weight_percent": "percent",
    "set_size": "queues",
    "relative_percent": "percent",
    "flip_flops": "flip-flops",
    "nand2_equivalents": "gates",
    "plain_gates": "gates",
    "operations": "operations",
    "mismatches": "mismatches",
}


def run(spec: RunSpec, progress: Progress) -> PlainRun:
    """Answer one question of the document."""
    questions: dict[str, Callable[[RunSpec, Progress], Values]] = {
        "": _point,
        "threads": _threads,
        "weight": _weight,
        "set_size": _set_size,
        "latency": _latency,
        "change": _change,
    }
    if spec.preset not in questions:
        known = ", ".join(name for name in questions if name)
        problem = ConfigProblem("preset", "", f"found {spec.preset!r}, expected one of {known}, or none")
        raise ConfigError.of([problem])
    known_settings = [setting.key for setting in queueing_settings()]
    found = settings(spec, ["manager", "block", *known_settings, *(VARY + key for key in known_settings)])
    values = _recorded(spec, progress) if "block" in found else questions[spec.preset](spec, progress)
    chosen = found.get("block") or found.get("manager")
    values.update({("chosen", name): value for (component, name), value in values.items() if component == chosen})
    units = {name: UNITS.get(name, "ns" if name.endswith("_ns") else "") for _, name in values}
    return PlainRun(spec, values, units)


def _measure(spec: RunSpec, progress: Progress, workload: str = "", *changes: str) -> QueueingResult:
    """Run all managers under one workload, with these changes instead of the run's own."""
    own = [change for change in spec.overrides if not change.startswith((VARY, "manager="))]
    result = queueing_run(
        workload or spec.program,
        _managers(spec),
        dict(change.split("=", 1) for change in (*own, *changes)),
        operations=spec.packets,
        warmup=spec.warmup_packets,
        seed=spec.seed,
        progress=lambda _done, _all: progress(0, 0),
    )
    progress(0, 0)
    return result


def _managers(spec: RunSpec) -> tuple[str, ...]:
    """The requested manager, or all managers."""
    chosen = tuple(change.partition("=")[2] for change in spec.overrides if change.startswith("manager="))
    return chosen or MANAGERS


def _point(spec: RunSpec, progress: Progress) -> Values:
    result = _measure(spec, progress)
    values: Values = {}
    for row in result.rows:
        for name in ("throughput_mops", "model_mops", "model_difference_percent"):
            values[row.manager, name] = getattr(row, name)
        for name in ("messages_per_operation", "references_per_operation", "latency_mean_ns"):
            values[row.manager, name] = getattr(row, name)
        values[row.manager, "hit_rate_percent"] = row.hit_rate * 100
        for other in result.rows:
            if other is not row:
                values[row.manager, f"ratio_to_{other.manager}"] = result.ratio(row.manager, other.manager)
    values["gaps", "below_loss_percent"] = result.gaps.below_loss * 100
    values["gaps", "between_percent"] = result.gaps.between * 100
    values["gaps", "above_gain_percent"] = result.gaps.above_gain * 100
    values["gaps", "below_gain_percent"] = 100 - result.gaps.above_gain * 100
    return values


def _curves(results: dict[int, QueueingResult]) -> dict[str, dict[int, float]]:
    """Throughput of each manager over the swept value."""
    curves: dict[str, dict[int, float]] = {}
    for value, result in results.items():
        for row in result.rows:
            curves.setdefault(row.manager, {})[value] = row.throughput_mops
    return curves


def _threads(spec: RunSpec, progress: Progress) -> Values:
    set_threads = next((int(change.split("=")[1]) for change in spec.overrides if change.startswith("threads=")), 32)
    results = {count: _measure(spec, progress, "", f"threads={count}") for count in range(1, set_threads + 1)}
    values: Values = {}
    for manager, curve in _curves(results).items():
        most = max(curve.values())
        values[manager, "threads_to_peak"] = next(count for count, rate in curve.items() if rate >= PEAK_SHARE * most)
    return values


def _weight(spec: RunSpec, progress: Progress) -> Values:
    uniform = _measure(spec, progress, "R")
    results = {percent: _measure(spec, progress, f"SD1_{percent}") for percent in WEIGHTS_PERCENT}
    values: Values = {}
    for manager, curve in _curves(results).items():
        base = uniform.row(manager).throughput_mops
        helping = [percent for percent, rate in curve.items() if rate >= base]
        values[manager, "weight_percent"] = max(helping, default=0)
    return values


def _set_size(spec: RunSpec, progress: Progress) -> Values:
    results = {count: _measure(spec, progress, f"SD{count}_{SET_PERCENT}") for count in SET_SIZES}
    values: Values = {}
    for manager, curve in _curves(results).items():
        most = max(curve.values())
        values[manager, "set_size"] = max(count for count, rate in curve.items() if rate >= PEAK_SHARE * most)
    return values


def _latency(spec: RunSpec, progress: Progress) -> Values:
    # Table 5 leaves out the instructions of the queuing cache and includes those of all other managers.
    result = _measure(spec, progress, "R", "qc_instruction_ns=0")
    names = ("enqueue_hit_ns", "enqueue_miss_ns", "dequeue_hit_ns", "dequeue_miss_ns")
    return {(row.manager, name): getattr(row, name) for row in result.rows for name in names}


def _change(spec: RunSpec, progress: Progress) -> Values:
    varied = [change.removeprefix(VARY) for change in spec.overrides if change.startswith(VARY)]
    before, after = _measure(spec, progress), _measure(spec, progress, "", *varied)
    return {
        (row.manager, "relative_percent"): after.row(row.manager).throughput_mops / row.throughput_mops * 100
        for row in before.rows
    }


def _recorded(spec: RunSpec, progress: Progress) -> Values:
    progress(0, 0)
    try:
        with Path(spec.trace).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        if rows and "run" in rows[0]:
            names = [name for name in rows[0] if name != "run"]
            return {("all", name): float(sum(int(row[name]) for row in rows)) for name in names}
        return {(row["block"], name): float(row[name]) for row in rows for name in row if name != "block"}
    except (OSError, KeyError, ValueError) as error:
        raise ConfigError(f"{spec.trace}: {error}; expected the table that `make rtl` writes") from error
