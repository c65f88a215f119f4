"""Simulates flow caches under traffic with given flow statistics, with `linecard.flow_mix` and `linecard.flowcache`.

Settings that begin with ``mix.`` are arguments of :func:`linecard.flow_mix`; ``entries`` and ``ways`` describe the
cache. Every policy in :data:`POLICIES` processes the same traffic. The field ``packets`` is the number of generated
packets. The metrics of each component are:

- ``traffic``: statistics of the generated traffic.
- name of a policy, such as ``SP``: ``miss_percent``, the miss classes (``cold_percent_of_misses`` and others),
  ``fewer_misses_than_lru_percent``, and ``share_of_lru_pred_gap_percent``.
- ``cache``: ``bytes``, the size of the cache (Girish 2008, equation 5.2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from linecard.flowcache.run import flowcache
from linecard.shared import Shared
from linecard.study.runners import PlainRun, settings
from linecard.traffic.mix import flow_mix

if TYPE_CHECKING:
    from linecard.flowcache.reports import CacheRow
    from linecard.study.plan import RunSpec
    from linecard.traffic.flow_view import FlowMixTraffic

# Policies that the thesis compares, a policy of this project, and the least misses that are possible in the same sets.
POLICIES = ("LRU", "SP", "PRED", "ZSP52", "OPT_BYPASS")
MIX_SETTINGS = (
    "mix.single_flows_percent",
    "mix.packets_in_single_flows_percent",
    "mix.large_flows_percent",
    "mix.packets_in_large_flows_percent",
    "mix.concurrent_flows",
    "mix.rate_pps",
)
# Added to the seed, so that two traffics with the same statistics differ.
STREAM = "mix.stream"
UNITS = {
    "miss_percent": "percent",
    "cold_percent_of_misses": "percent",
    "capacity_percent_of_misses": "percent",
    "conflict_percent_of_misses": "percent",
    "fewer_misses_than_lru_percent": "percent",
    "share_of_lru_pred_gap_percent": "percent",
    "bytes": "bytes",
    "mean_concurrent_flows": "flows",
}
# Runs that differ only in the shape of the cache share their traffic.
_traffics: Shared[FlowMixTraffic] = Shared(4)


def _traffic(spec: RunSpec, found: dict[str, str]) -> FlowMixTraffic:
    mix: dict[str, Any] = {key.removeprefix("mix."): float(found[key]) for key in MIX_SETTINGS if key in found}
    seed = spec.seed + 1000 * int(found.get(STREAM, 0))
    return _traffics.get((spec.packets, seed, *mix.items()), lambda: flow_mix(spec.packets, seed=seed, **mix))


def run(spec: RunSpec, progress: Callable[[int, int], object]) -> PlainRun:
    """Generate the traffic, and simulate every policy with this traffic."""
    found = settings(spec, (*MIX_SETTINGS, STREAM, "entries", "ways"))
    entries, ways = int(found["entries"]), int(found["ways"])
    traffic = _traffic(spec, found)
    result = flowcache(
        traffic.digests,
        entries,
        ways,
        POLICIES,
        seed=spec.seed,
        jobs=1,
        progress=lambda done, total: progress(done * spec.packets // max(total, 1), spec.packets),
    )
    rows = {row.policy: row for row in result.rows}
    values: dict[tuple[str, str], float] = {("cache", "bytes"): result.rows[0].cache_bytes}
    view = traffic.view
    for name in (
        "single_packet_flows_percent",
        "packets_in_single_packet_flows_percent",
        "large_flows_percent",
        "packets_in_large_flows_percent",
        "mean_concurrent_flows",
    ):
        values["traffic", name] = getattr(view, name)
    for policy, row in rows.items():
        for name, value in _figures(row, rows["LRU"], rows["PRED"]).items():
            values[policy, name] = value
    return PlainRun(spec, values, {name: UNITS.get(name, "percent") for _, name in values})


def _figures(row: CacheRow, lru: CacheRow, pred: CacheRow) -> dict[str, float]:
    """The statements of the thesis about a policy, in percent."""
    figures = {"miss_percent": 100 * row.miss_ratio}
    for name in ("cold", "capacity", "conflict"):
        figures[f"{name}_percent_of_misses"] = 100 * getattr(row, name) / max(row.misses, 1)
    saved = lru.misses - row.misses
    figures["fewer_misses_than_lru_percent"] = 100 * saved / max(lru.misses, 1)
    if lru.misses > pred.misses:
        figures["share_of_lru_pred_gap_percent"] = 100 * saved / (lru.misses - pred.misses)
    return figures
