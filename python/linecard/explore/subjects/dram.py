"""Sweeps over DRAM parts without a chip, as in `linecard dram run`."""

from __future__ import annotations

from linecard._options import options
from linecard.dram.run import dram
from linecard.explore.subject import Outcome, Progress, Request, Subject, flat, overrides_of


def _run_dram(request: Request, progress: Progress) -> Outcome:
    result = dram(**request.arguments, set=overrides_of(request), progress=progress)
    numbers = flat(result.to_dict())
    for name in ("device", "policy", "input", "format", "version", "config_hash"):
        del numbers[name]
    rows = [(row.component, row.metric, row.unit, row.value) for row in result.metrics()]
    return Outcome(numbers, rows)


SUBJECT = Subject(
    "dram",
    "device",
    {each.name: each.flag for each in options("dram") if not each.whole and each.kind != "settings"},
    {},
    True,
    "linecard dram run",
    _run_dram,
    "count",
)
