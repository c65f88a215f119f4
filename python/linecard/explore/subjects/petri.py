"""Sweeps over simulations of Petri nets, as in `linecard petri simulate`."""

from __future__ import annotations

from linecard import petri
from linecard.explore.subject import Outcome, Progress, Request, Subject, flat, measurements_of, overrides_of, spelled
from linecard.records import plain


def _run_petri(request: Request, progress: Progress) -> Outcome:
    asked = dict(request.arguments)
    net = asked.pop("net")
    asked["time"] = float(asked.get("time", 10_000.0))
    result = petri.simulate(net, **asked, jobs=1, overrides=overrides_of(request), progress=progress)
    numbers = flat(plain(result))
    numbers.pop("net", None)
    return Outcome(numbers, measurements_of("net", numbers))


SUBJECT = Subject(
    "petri",
    "net",
    spelled(petri.simulate, "accuracy", "of", "most_replications", "jobs", "overrides"),
    {},
    True,
    "linecard petri simulate",
    _run_petri,
    "time",
)
