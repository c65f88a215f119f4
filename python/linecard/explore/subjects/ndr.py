"""Sweeps that search for the no-drop rate at each point, as in `linecard ndr`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linecard.errors import ConfigError
from linecard.explore.execute import evaluate
from linecard.explore.ndr import PACKETS, WIDTH, search_rates
from linecard.explore.program_options import OPTIONS
from linecard.explore.programs import carried_program
from linecard.explore.subject import Outcome, Progress, Request, Subject, measurements_of


class _Alone:
    """Executes the runs of a search one after another, because other points use the other cores."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def run(self, requests: Sequence[Request]) -> list[Mapping[str, Any]]:
        """Execute all requests, and return their records in the order of the requests."""
        # The number of trials is unknown: progress only shows that the search continues.
        return [evaluate(request, lambda _done, _total: self._progress(0, 1)) for request in requests]


def _run_ndr(request: Request, progress: Progress) -> Outcome:
    asked = dict(request.arguments)
    size = asked.get("size")
    if isinstance(size, str) and "," in size:
        raise ConfigError.at("size", "", f"found {size!r}, expected one size, because each point has one rate")
    shared = {name: asked[name] for name in ("chip", "trace", *OPTIONS) if name in asked}
    found = search_rates(
        {**shared, "packets": asked.get("packets", PACKETS)},
        None if size is None else [size],
        changes=dict(request.settings),
        seeds=[asked.get("seed", 1)],
        width=asked.get("width", WIDTH),
        bench=_Alone(progress),
    )
    row = found[0]
    names = ("ndr_mpps", "pdr_mpps", "ndr_gbps", "pdr_gbps", "line_mpps", "size_bytes", "trials")
    numbers: dict[str, Any] = {name: getattr(row, name) for name in names}
    numbers["confirmed"] = row.confirmed
    for at in row.latency:
        for name in ("p50", "p90", "p99", "max", "mean"):
            numbers[f"latency_{name}_ns_at_{at.share_of_pdr:.0%}".rstrip("%") + "_pdr"] = getattr(at, f"{name}_ns")
    return Outcome(numbers, measurements_of("rates", numbers))


SUBJECT = Subject(
    "ndr",
    "chip",
    {
        "chip": "",
        **OPTIONS,
        "trace": "--trace",
        "size": "--size",
        "seed": "--seed",
        "packets": "--packets",
        "width": "--width",
    },
    {"seed": 1},
    True,
    "linecard ndr",
    _run_ndr,
    "packets",
    carried_program,
)
