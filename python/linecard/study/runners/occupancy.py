"""Measures with `linecard.run` how often a chip with a transmit buffer contains fewer packet bytes than a limit.

The setting ``below_kib`` is the limit in KiB, and every other setting changes a parameter of the preset. The component
``inside`` has two metrics. The metric ``time_below_percent`` is the percentage of time during which the packets inside
the chip total fewer bytes than the limit. The metric ``events_below_percent`` is the percentage of arrivals and
departures at which the packets inside the chip total fewer bytes than the limit. For runs that differ only in
``below_kib``, the runner simulates the chip only once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linecard.shared import Shared
from linecard.study.runners import PlainRun
from linecard.study.runners.machine import run_as

if TYPE_CHECKING:
    from linecard.chip.result import RunResult
    from linecard.study.plan import RunSpec

# Room for the curves of a few figures, each with a few seeds.
_results: Shared[RunResult] = Shared(32)


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> PlainRun:
    """Simulate the chip, or return the result of an earlier simulation with the same inputs."""
    found = dict(override.split("=", 1) for override in spec.overrides)
    kib = int(found.pop("below_kib"))
    changes = tuple(f"{key}={value}" for key, value in found.items())
    key = (spec.preset, changes, spec.seed, spec.packets, spec.warmup_packets)
    result = _results.get(key, lambda: run_as(spec, changes, progress))
    progress(spec.packets, spec.packets)
    values = {
        ("inside", f"{what}_below_percent"): result.metric("inside", f"{what}_below_{kib}_kib_percent")
        for what in ("time", "events")
    }
    return PlainRun(spec, values, dict.fromkeys(("time_below_percent", "events_below_percent"), "percent"))
