"""Sweeps over program traces, as in `linecard program trace`."""

from __future__ import annotations

from linecard.executed.riscv import program_trace
from linecard.explore.programs import carried_by, outcome_of_program
from linecard.explore.subject import Outcome, Progress, Request, Subject


def run_trace(request: Request, progress: Progress) -> Outcome:
    """Trace a program on packets, and return its results in percent of packets."""
    asked = dict(request.arguments)
    found = program_trace(asked.pop("program"), asked.pop("trace", "edge"), **asked, progress=progress)
    return outcome_of_program(found.to_dict(), "results", "functions")


SUBJECT = Subject(
    "program",
    "program",
    {
        "program": "",
        "trace": "--trace",
        "control": "--control",
        "packets": "--packets",
        "payload": "--payload",
        "seed": "--seed",
        "routes": "--map-addresses",
        "strict": "--strict",
        "budget": "--budget",
    },
    {},
    False,
    "linecard program trace",
    run_trace,
    "packets",
    carried_by,
)
