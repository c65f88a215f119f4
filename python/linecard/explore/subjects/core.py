"""Sweeps over cores that execute a traced program, as in `linecard core`; points share execution traces."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from linecard.executed.riscv import program_trace
from linecard.explore.content import content_of
from linecard.explore.programs import carried_by
from linecard.explore.subject import Outcome, Progress, Request, Subject, flat, measurements_of, spelled
from linecard.malleable.run import core
from linecard.records import plain

# Traces kept for points that share them.
_MOST_TRACES = 8


class _Traces:
    """Traces, each made once for all points that share it; the least recently used one is dropped."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._making: dict[str, threading.Lock] = {}
        self._kept: OrderedDict[str, Any] = OrderedDict()

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        with self._guard:
            alone = self._making.setdefault(key, threading.Lock())
        with alone:
            with self._guard:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]
            made = make()
            with self._guard:
                self._kept[key] = made
                while len(self._kept) > _MOST_TRACES:
                    gone, _ = self._kept.popitem(last=False)
                    self._making.pop(gone, None)
            return made


_traces = _Traces()
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
