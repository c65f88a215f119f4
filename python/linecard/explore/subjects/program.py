"""Sweeps over program traces, as in `linecard program trace`."""

from __future__ import annotations

from linecard.executed.riscv import program_trace
from linecard.explore.programs import carried_by, outcome_of_program
from linecard.explore.subject import Outcome, Progress, Request, Subject, spelled


def run_trace(request: Request, progress: Progress) -> Outcome:
    """Trace a program that processes packets, and return the frequency of each result in percent of the packets."""
    asked = dict(request.arguments)
    found = program_trace(asked.pop("program"), asked.pop("trace", "edge"), **asked, progress=progress)
    return outcome_of_program(found.to_dict(), "results", "functions")


SUBJECT = Subject(
    "program",
    "program",
    spelled(program_trace, "entry", "defines", "unchecked", "cache", "cache_bytes"),
    {},
    False,
    "linecard program trace",
    run_trace,
    "packets",
    carried_by,
)
