"""Sweeps that simulate one flow cache at each point, as in `linecard flowcache`."""

from __future__ import annotations

from linecard.errors import ConfigError
from linecard.explore.subject import Outcome, Progress, Request, Subject, flat, measurements_of, spelled
from linecard.flowcache.run import flowcache
from linecard.records import plain


def _run_flowcache(request: Request, progress: Progress) -> Outcome:
    asked = dict(request.arguments)
    trace = asked.pop("trace")
    # Points run in parallel, so a point with its single cache takes one thread.
    result = flowcache(trace, **asked, jobs=1, progress=progress)
    if len(result.rows) != 1:
        raise ConfigError.at("sweep", "", "each point is one cache; set one size, one number of ways and one policy")
    numbers = flat(plain(result.rows[0]))
    for name in asked:
        numbers.pop(name, None)
    return Outcome(numbers, measurements_of("cache", numbers))


SUBJECT = Subject(
    "flowcache",
    "trace",
    spelled(flowcache, "jobs", "curves", "time_out_seconds"),
    {"entries": 1024, "ways": 4, "policy": "lru"},
    False,
    "linecard flowcache",
    _run_flowcache,
)
