"""Simulates random accesses to a DRAM part without a chip, with `linecard.dram`.

The field ``preset`` names the part, ``program`` names the policy, and ``packets`` is the number of accesses. The driver
issues accesses as fast as the memory accepts them. The ``overrides`` set the driver's ``narrow_percent``,
``reads_percent`` and ``in_flight``; every other override changes a parameter of the part or of the policy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linecard.dram.run import dram
from linecard.study.runners import PlainRun

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec

    Progress = Callable[[int, int], object]

DRIVER = ("narrow_percent", "reads_percent", "in_flight")


def run(spec: RunSpec, progress: Progress) -> PlainRun:
    """Simulate one mix of reads and writes."""
    found = dict(override.split("=", 1) for override in spec.overrides)
    narrow, reads, in_flight = (found.pop(name, None) for name in DRIVER)
    result = dram(
        spec.preset,
        spec.program,
        pattern="random",
        count=spec.packets,
        reads=None if reads is None else float(reads) / 100,
        narrow=None if narrow is None else float(narrow) / 100,
        in_flight=None if in_flight is None else int(in_flight),
        seed=spec.seed,
        set=[f"{key}={value}" for key, value in found.items()],
        progress=progress,
    )
    values = {
        ("dram", "bandwidth_gbps"): result.bandwidth_gbytes_s * 8,
        ("dram", "bus_percent"): result.utilization * 100,
    }
    return PlainRun(spec, values, {"bandwidth_gbps": "Gbit/s", "bus_percent": "percent"})
