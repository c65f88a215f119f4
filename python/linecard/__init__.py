"""Linecard: simulate programmable packet processors and compare designs.

>>> import linecard
>>> result = linecard.run("ixp1200", app="l3fwd16", packets=2000, warmup_packets=500)
>>> result.bottleneck.component != ""
True

The functions: `run` (one design under one traffic), `flows` (what a capture holds), `flowcache` (hit rates of flow
caches), `presets` and `describe` (what can be run, with units and sources), `reproduce` (a published study beside its
published numbers).
"""

from linecard._core import __version__
from linecard.api import describe, flowcache, flows, presets, reproduce, run
from linecard.cachestats import BestPolicy, CacheRow, FlowCacheResult
from linecard.errors import (
    ConfigError,
    ConfigProblem,
    LinecardError,
    MissingExtraError,
    RunError,
    TrafficError,
)
from linecard.flowstats import Diagnostic, FlowStatistics, SizeBin
from linecard.results import (
    Bottleneck,
    Derived,
    Description,
    DramTime,
    DropCount,
    LatencyNs,
    Metric,
    PacketTime,
    Parameter,
    PresetInfo,
    ResourceUse,
    RunRequest,
    RunResult,
    Summary,
)

__all__ = [
    "BestPolicy",
    "Bottleneck",
    "CacheRow",
    "ConfigError",
    "ConfigProblem",
    "Derived",
    "Description",
    "Diagnostic",
    "DramTime",
    "DropCount",
    "FlowCacheResult",
    "FlowStatistics",
    "LatencyNs",
    "LinecardError",
    "Metric",
    "MissingExtraError",
    "PacketTime",
    "Parameter",
    "PresetInfo",
    "ResourceUse",
    "RunError",
    "RunRequest",
    "RunResult",
    "SizeBin",
    "Summary",
    "TrafficError",
    "__version__",
    "describe",
    "flowcache",
    "flows",
    "presets",
    "reproduce",
    "run",
]
