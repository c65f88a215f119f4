"""Sweeps over designs: simulations of a chip under traffic, as in `linecard run`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from linecard import _core
from linecard._options import options
from linecard.chip.length import CAPTURED_PACKETS, GENERATED_PACKETS, INTERVALS, numbers_of_summary
from linecard.chip.program import chip_program
from linecard.explore.lines import line_rows
from linecard.explore.program_options import OPTIONS, options_of
from linecard.explore.programs import carried_program
from linecard.explore.subject import NO_OPTION, Outcome, Progress, Request, Subject, overrides_of
from linecard.request import check_counts

# The arguments of each of many runs; settings have a separate table.
_ARGUMENTS = [each for each in options("run") if not each.whole and each.kind != "settings"]


def _run_design(request: Request, progress: Progress) -> Outcome:
    asked = request.arguments
    trace = asked.get("trace")
    usual = GENERATED_PACKETS if trace is None else CAPTURED_PACKETS
    packets, warmup = asked.get("packets", usual[0]), asked.get("warmup_packets")
    check_counts(seed=asked.get("seed", 1), packets=packets, warmup_packets=warmup or 0, has_end=trace is not None)
    overrides = overrides_of(request)
    with chip_program(options_of(request), chip=asked["chip"], overrides=overrides) as program:
        core = {each.name: asked[each.name] for each in _ARGUMENTS if each.name in asked}
        core |= {"program": program, "set": overrides, "packets": packets, "warmup_packets": warmup}
        report = _core.run(core, verdict=asked.get("verdict", True), progress=progress)
    outcome = outcome_of_report(report, verdict=asked.get("verdict", True))
    return replace(outcome, measurements=[*outcome.measurements, *line_rows(report)]) if asked.get("lines") else outcome


def outcome_of_report(report: Mapping[str, Any], *, verdict: bool = True) -> Outcome:
    """Return the numbers and measurements of a report; the bottleneck is included only if ``verdict`` is true."""
    summary = report["summary"]
    latency = summary["latency_ns"]
    numbers = {name: summary[name] for name in ("throughput_gbps", "throughput_mpps", "offered_gbps", "loss_fraction")}
    numbers |= {f"latency_{name}_ns": latency[name] for name in ("mean", "p50", "p90", "p99", "p999", "max")}
    numbers |= {name: summary[name] for name in ("packets_in", "packets_out", "packets_dropped")}
    numbers["packets_inside"] = summary.get("packets_inside")
    numbers["steady"] = summary.get("steady")
    bounded = numbers_of_summary(summary)
    numbers |= {name: bounded[name] for each in INTERVALS for name in (f"{each}_low", f"{each}_high")}
    numbers["simulated_seconds"] = summary["simulated_seconds"]
    if verdict:
        numbers["bottleneck"] = report["bottleneck"]["component"]
        numbers["bottleneck_utilization"] = report["bottleneck"]["utilization"]
    numbers["capture_damage"] = report["capture_damage"]
    rows = [(row["component"], row["metric"], row["unit"], row["value"]) for row in report["metrics"]]
    return Outcome(numbers, rows)


SUBJECT = Subject(
    "run",
    "chip",
    {
        **{each.name: each.flag for each in _ARGUMENTS},
        **OPTIONS,
        # The command always finds the limit and shows the lines of a program.
        "verdict": NO_OPTION,
        "lines": NO_OPTION,
    },
    {"seed": 1},
    True,
    "linecard run",
    _run_design,
    "packets",
    carried_program,
)
