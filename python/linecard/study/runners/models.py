"""Runs the event-driven model and the Petri net of the IXP2400 with the same settings, as in `linecard compare-models`.

In ``overrides``, the value of ``threads`` has the form "engines x threads per engine". The key ``traffic`` is a packet
size in bytes or a mix of sizes, and ``program.scheme`` is the buffering scheme.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linecard.petri.models import compare_models
from linecard.study.runners import PlainRun, settings

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec

KEYS = ("threads", "traffic", "program.scheme")


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> PlainRun:
    """Run the event-driven model and the Petri net for one configuration."""
    found = settings(spec, KEYS)
    comparison = compare_models(
        threads=[found["threads"]],
        traffic=[found["traffic"]],
        schemes=[found["program.scheme"]],
        seed=spec.seed,
        packets=spec.packets,
        progress=lambda _done, _all: progress(0, 0),
    )
    (throughput,) = (row for row in comparison.rows if row.metric == "throughput_mbps")
    values = {
        ("models", "np_mbps"): throughput.np,
        ("models", "petri_mbps"): throughput.petri,
        ("models", "throughput_difference_percent"): abs(throughput.difference),
    }
    units = {"np_mbps": "Mbit/s", "petri_mbps": "Mbit/s", "throughput_difference_percent": "percent"}
    return PlainRun(spec, values, units)
