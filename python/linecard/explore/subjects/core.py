"""Sweeps over cores that execute a traced program, as in `linecard core`; points share execution traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.executed.riscv import program_trace
from linecard.explore.content import content_of
from linecard.explore.programs import carried_by
from linecard.explore.subject import Outcome, Progress, Request, Subject, flat, measurements_of, spelled
from linecard.malleable.run import core
from linecard.records import plain
from linecard.shared import Shared

if TYPE_CHECKING:
    from linecard.executed.trace_result import ProgramTrace

# Traces for points that share them.
_traces: Shared[ProgramTrace] = Shared(8)
_TRACED = ("control", "packets")


def _run_core(request: Request, progress: Progress) -> Outcome:
    asked = dict(request.arguments)
    program, trace = asked.pop("program"), asked.pop("trace", "edge")
    tracing = {name: asked.pop(name) for name in _TRACED if name in asked}
    shared = Request("core", {"program": program, "trace": trace, **tracing}, {})
    traced = _traces.get(content_of(shared), lambda: program_trace(program, trace, **tracing, progress=progress))
    result = core(traced, **asked, jobs=1, progress=progress)
    numbers = flat(plain(result.best))
    numbers["window_packets"] = result.window_packets
    if result.adapted is not None:
        numbers["adapted_threads"] = result.adapted.threads
        if result.adapted.steady_packets_per_mcycle is not None:
            numbers["adapted_packets_per_mcycle"] = result.adapted.steady_packets_per_mcycle
    if "threads" in asked:
        numbers.pop("threads")
    else:
        numbers["best_threads"] = numbers.pop("threads")
    return Outcome(numbers, measurements_of("core", numbers))


SUBJECT = Subject(
    "core",
    "program",
    spelled(core, "jobs") | {"control": "--control"},
    {"adapt_packets": 0},
    False,
    "linecard core",
    _run_core,
    "events",
    carried_by,
)
