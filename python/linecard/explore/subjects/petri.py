"""Sweeps over simulations of Petri nets, as in `linecard petri simulate`."""

from __future__ import annotations

from linecard import petri
from linecard.explore.subject import Outcome, Progress, Request, Subject, flat, measurements_of, overrides_of
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
    {
        "net": "",
        "time": "--time",
        "warmup": "--warmup",
        "replications": "--replications",
        "seed": "--seed",
    },
    {},
    True,
    "linecard petri simulate",
    _run_petri,
    "time",
)
