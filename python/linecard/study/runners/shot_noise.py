"""Generates shot-noise traffic with `linecard.shot_noise`, and measures the load of the traffic in time windows.

The settings ``rate_mbps``, ``windows`` and ``window_ms`` define the traffic; every other setting changes a parameter of
the preset. The component ``shots`` has the metrics ``mean_mbps``, ``variation_percent``, ``expected_variation_percent``
and ``active_flows``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linecard.study.runners import PlainRun
from linecard.traffic.shot_noise import shot_noise

if TYPE_CHECKING:
    from linecard.study.plan import RunSpec


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> PlainRun:
    """Generate the traffic, and measure the load of the traffic in time windows."""
    found = dict(override.split("=", 1) for override in spec.overrides)
    rate_mbps, windows = float(found.pop("rate_mbps")), int(found.pop("windows"))
    window_ms = float(found.pop("window_ms"))
    result = shot_noise(
        spec.preset,
        rate_mbps=rate_mbps,
        windows=windows,
        window_ms=window_ms,
        set=[f"{key}={value}" for key, value in found.items()],
        seed=spec.seed,
        progress=lambda done, total: progress(done * spec.packets // max(total, 1), spec.packets),
    )
    progress(spec.packets, spec.packets)
    names = ("mean_mbps", "variation_percent", "expected_variation_percent", "active_flows")
    units = {"mean_mbps": "Mbit/s", "variation_percent": "percent", "expected_variation_percent": "percent"}
    return PlainRun(spec, {("shots", name): getattr(result, name) for name in names}, units)
