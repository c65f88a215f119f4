"""Linecard: simulate programmable packet processors and compare designs.

>>> import linecard
>>> result = linecard.run("ixp1200", app="l3fwd16", packets=2000, warmup_packets=500)
>>> result.bottleneck.component != ""
True

The functions: `run` (one design under one traffic), `flows` (what a capture holds), `flowcache` (hit rates of flow
caches), `flow_mix` (traffic to stated flow statistics), `dram` (a DRAM part alone), `presets` and `describe` (what can
be run, with units and sources), `program_trace` and `core` (a C packet
function on a capture, and on cores with every split of threads and cache), `xdp_run` (an XDP program on a capture),
`sweep` (a table over a space of any of these), `reproduce` (a published study beside its published numbers).
"""

from linecard._core import __version__
from linecard.api import describe, dram, flow_mix, flowcache, flows, presets, reproduce, run, scorecard
from linecard.buffersizing import buffer_bytes
from linecard.cachecurves import (
    CacheCurves,
    FlowMixTraffic,
    FlowSizeRow,
    LruRow,
    ReuseRow,
    TrafficView,
)
from linecard.cachestats import BestPolicy, CacheRow, FlowCacheResult
from linecard.chip import ChipCheck, PlaceCheck, check, draw, new
from linecard.cores import Adapted, CoreResult, CoreRow, core
from linecard.errors import (
    CompileError,
    ConfigError,
    ConfigProblem,
    LinecardError,
    MissingExtraError,
    RunError,
    TrafficError,
)
from linecard.explore import (
    CompareResult,
    NdrResult,
    OptimizeResult,
    SweepResult,
    WhyResult,
    compare,
    ndr,
    optimize,
    sweep,
    why,
)
from linecard.flowstats import Diagnostic, FlowStatistics, SizeBin
from linecard.memstats import BankUse, CommandCounts, MemoryEnergy, MemoryLatency, MemoryResult, MemoryTime
from linecard.models import Comparison, Difference, ModelRequest, ModelRun, compare_models
from linecard.program import (
    ProgramInfo,
    ProgramTrace,
    cached_traces,
    clear_cached_traces,
    program_build,
    program_run,
    program_trace,
    programs,
)
from linecard.queueing import (
    QueueDesignResult,
    QueueingResult,
    queueing_design,
    queueing_run,
    queueing_settings,
)
from linecard.results import (
    Bottleneck,
    Derived,
    Description,
    DramTime,
    DropCount,
    Interval,
    Intervals,
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
from linecard.shotnoise import ShotNoiseResult, shot_noise
from linecard.vrp import HierarchyResult, VrpBudget, VrpCheck, VrpResource, VrpUse, hierarchy, vrp_budget, vrp_check
from linecard.xdp import RegionUse, XdpMap, XdpMapEntry, XdpProgramInfo, XdpRun, xdp_build, xdp_programs, xdp_run

__all__ = [
    "Adapted",
    "BankUse",
    "BestPolicy",
    "Bottleneck",
    "CacheCurves",
    "CacheRow",
    "ChipCheck",
    "CommandCounts",
    "CompareResult",
    "Comparison",
    "CompileError",
    "ConfigError",
    "ConfigProblem",
    "CoreResult",
    "CoreRow",
    "Derived",
    "Description",
    "Diagnostic",
    "Difference",
    "DramTime",
    "DropCount",
    "FlowCacheResult",
    "FlowMixTraffic",
    "FlowSizeRow",
    "FlowStatistics",
    "HierarchyResult",
    "Interval",
    "Intervals",
    "LatencyNs",
    "LinecardError",
    "LruRow",
    "MemoryEnergy",
    "MemoryLatency",
    "MemoryResult",
    "MemoryTime",
    "Metric",
    "MissingExtraError",
    "ModelRequest",
    "ModelRun",
    "NdrResult",
    "OptimizeResult",
    "PacketTime",
    "Parameter",
    "PlaceCheck",
    "PresetInfo",
    "ProgramInfo",
    "ProgramTrace",
    "QueueDesignResult",
    "QueueingResult",
    "RegionUse",
    "ResourceUse",
    "ReuseRow",
    "RunError",
    "RunRequest",
    "RunResult",
    "ShotNoiseResult",
    "SizeBin",
    "Summary",
    "SweepResult",
    "TrafficError",
    "TrafficView",
    "VrpBudget",
    "VrpCheck",
    "VrpResource",
    "VrpUse",
    "WhyResult",
    "XdpMap",
    "XdpMapEntry",
    "XdpProgramInfo",
    "XdpRun",
    "__version__",
    "buffer_bytes",
    "cached_traces",
    "check",
    "clear_cached_traces",
    "compare",
    "compare_models",
    "core",
    "describe",
    "dram",
    "draw",
    "flow_mix",
    "flowcache",
    "flows",
    "hierarchy",
    "ndr",
    "new",
    "optimize",
    "presets",
    "program_build",
    "program_run",
    "program_trace",
    "programs",
    "queueing_design",
    "queueing_run",
    "queueing_settings",
    "reproduce",
    "run",
    "scorecard",
    "shot_noise",
    "sweep",
    "vrp_budget",
    "vrp_check",
    "why",
    "xdp_build",
    "xdp_programs",
    "xdp_run",
]
