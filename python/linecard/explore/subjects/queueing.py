"""Sweeps that simulate one queue manager at each point, as in `linecard queueing run`."""

from __future__ import annotations

from linecard.errors import ConfigError
from linecard.explore.subject import Outcome, Progress, Request, Subject, flat, measurements_of, overrides_of, spelled
from linecard.queueing.run import queueing_run
from linecard.records import plain


def _run_queueing(request: Request, progress: Progress) -> Outcome:
    asked = dict(request.arguments)
    manager = asked.pop("manager")
    trace, workload = asked.pop("trace", None), asked.pop("workload", None)
    if (trace is None) == (workload is None):
        found = "neither" if trace is None else "both"
        raise ConfigError.at("sweep", "", f"found {found}, expected a workload or a capture")
    settings, is_trace = overrides_of(request), trace is not None
    result = queueing_run(trace or workload, manager, settings, trace=is_trace, **asked, progress=progress)
    numbers = flat(plain(result.rows[0]))
    numbers.pop("manager", None)
    return Outcome(numbers, measurements_of(manager, numbers))


SUBJECT = Subject(
    "queueing",
    "workload",
    spelled(queueing_run, "managers", "set") | {"workload": "--workload", "manager": "--manager"},
    {"manager": "qc"},
    True,
    "linecard queueing run",
    _run_queueing,
    "operations",
)
