"""Measures the budget for extensions of the virtual router processor, with `linecard.vrp_budget`.

The field ``preset`` names the platform, and the setting ``rate_kpps`` is the packet rate; every other setting changes a
parameter of the preset. Each resource is a component with the metrics ``head_room``, ``budget`` and ``cost_cycles``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linecard.study.runners import PlainRun
from linecard.vrp.budget import vrp_budget

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec

# The number of simulations of a search, for progress.
_SEARCH = 60


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> PlainRun:
    """Search for the budget at the packet rate ``rate_kpps``."""
    found = dict(override.split("=", 1) for override in spec.overrides)
    rate = float(found.pop("rate_kpps")) * 1e3
    changes = [f"{key}={value}" for key, value in found.items()]

    def step(done: int, _total: int) -> None:
        progress(min(done, _SEARCH) * spec.packets // _SEARCH, spec.packets)

    budget = vrp_budget(spec.preset, rate, set=changes, seed=spec.seed, progress=step)
    values: dict[tuple[str, str], float] = {}
    for row in budget.resources:
        values[row.resource, "head_room"] = row.head_room
        values[row.resource, "budget"] = row.budget
        values[row.resource, "cost_cycles"] = row.cost_cycles
    return PlainRun(spec, values, {"cost_cycles": "engine cycles"})
