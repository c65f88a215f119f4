"""Sweeps over XDP programs that run on frames, as in `linecard program run`."""

from __future__ import annotations

from typing import Any

from linecard.executed.xdp import xdp_run
from linecard.explore.programs import carried_by, outcome_of_program
from linecard.explore.subject import Outcome, Progress, Request, Subject, spelled
from linecard.records import plain


def run_xdp(request: Request, progress: Progress) -> Outcome:
    """Run an XDP program on frames, and return the frequency of each verdict in percent of the packets."""
    asked = dict(request.arguments)
    define = asked.pop("define", ())
    defines = [str(each) for each in (define if isinstance(define, (list, tuple)) else [define])]
    found = xdp_run(asked.pop("program"), asked.pop("trace", "edge"), defines=defines, **asked, progress=progress)
    whole: dict[str, Any] = plain(found)
    outcome = outcome_of_program(whole, "verdicts", "helpers")
    for region in found.regions:
        for name in ("reads", "writes", "atomics", "bytes"):
            value = float(getattr(region, f"{name}_per_packet"))
            outcome.measurements.append((region.name, f"{name}_per_packet", "", value))
    return outcome


SUBJECT = Subject(
    "xdp",
    "program",
    spelled(xdp_run, "maps", "defines") | {"define": "--define"},
    {},
    False,
    "linecard program run",
    run_xdp,
    "packets",
    carried_by,
)
