"""Linecard: simulate programmable packet processors and compare designs.

>>> import linecard
>>> result = linecard.run("ixp1200", app="l3fwd16", packets=2000, warmup_packets=500)
>>> result.bottleneck.component != ""
True

The functions: `run` (one design under one traffic), `flows` (what a capture holds), `flowcache` (hit rates of flow
caches), `flow_mix` (traffic to stated flow statistics), `dram` (a DRAM part alone), `presets` and `describe` (what
can be run, with units and sources), `program_trace` and `core` (a C packet function on a capture, and on cores with
every split of threads and cache), `xdp_run` (an XDP program on a capture), `xdp_rows` (what it comes to in rows of
several lanes), `schema` (what editors know of a file), `sweep` (a table over a space of any of these), `reproduce` (a
published study beside its published numbers).
"""

from typing import TYPE_CHECKING

from linecard._lazy import make_lazy

if TYPE_CHECKING:
    from linecard._core import __version__
    from linecard._reports import Derived, Metric, Parameter, PresetInfo
    from linecard.catalogue import describe, presets
    from linecard.chip.draw import draw
    from linecard.chip.reports import (
        Bottleneck,
        DramTime,
        DropCount,
        Interval,
        Intervals,
        LatencyNs,
        NotIpFrames,
        PacketTime,
        Part,
        ResourceUse,
        Summary,
        ValueRange,
    )
    from linecard.chip.result import Band, RunRequest, RunResult
    from linecard.chip.run import run
    from linecard.chip.steps import Program, Step
    from linecard.chip.template import new
    from linecard.core.reports import Adapted, CoreRow
    from linecard.core.result import CoreResult
    from linecard.core.run import core
    from linecard.description import Change, Description
    from linecard.dram.reports import BankUse, CommandCounts, MemoryEnergy, MemoryLatency, MemoryTime
    from linecard.dram.result import MemoryResult
    from linecard.dram.run import dram
    from linecard.errors import (
        CompileError,
        ConfigError,
        ConfigProblem,
        InternalError,
        LinecardError,
        MissingExtraError,
        RunError,
        TrafficError,
    )
    from linecard.executed.kept_traces import cached_traces, clear_cached_traces
    from linecard.executed.reports import (
        BlockRows,
        CallStack,
        ExecutedProgram,
        HotWord,
        LaneRows,
        MemoryUse,
        ProgramResult,
        RegionUse,
        SourceLine,
        XdpMap,
        XdpMapEntry,
    )
    from linecard.executed.riscv import program_build, program_run, program_trace
    from linecard.executed.shipped import ProgramInfo, programs
    from linecard.executed.trace_result import ProgramTrace
    from linecard.executed.xdp import xdp_build, xdp_programs, xdp_rows, xdp_run
    from linecard.executed.xdp_result import XdpProgramInfo, XdpRows, XdpRun
    from linecard.explore.check import ChipCheck, check
    from linecard.explore.compare import compare
    from linecard.explore.compare_result import CompareResult
    from linecard.explore.ndr import ndr
    from linecard.explore.ndr_result import NdrResult
    from linecard.explore.optimize import optimize
    from linecard.explore.optimize_result import OptimizeResult
    from linecard.explore.reports import PlaceCheck
    from linecard.explore.result import SweepResult
    from linecard.explore.sweep import sweep
    from linecard.explore.why import why
    from linecard.explore.why_result import WhyResult
    from linecard.flowcache.reports import CacheCurves, CacheRow, LruRow, ReuseRow
    from linecard.flowcache.result import BestPolicy, FlowCacheResult
    from linecard.flowcache.run import flowcache
    from linecard.petri.models import Comparison, Difference, compare_models
    from linecard.queueing.result import QueueDesignResult, QueueingResult
    from linecard.queueing.run import queueing_design, queueing_run
    from linecard.queueing.settings import queueing_settings
    from linecard.schemas import schema
    from linecard.study.reproduce import reproduce
    from linecard.traffic.flow_view import FlowMixTraffic, TrafficView
    from linecard.traffic.flows import flows
    from linecard.traffic.mix import flow_mix
    from linecard.traffic.reports import Diagnostic, FlowSizeRow, SizeBin
    from linecard.traffic.result import FlowStatistics
    from linecard.traffic.shot_noise import ShotNoiseResult, shot_noise
    from linecard.vrp.budget import VrpBudget, VrpResource, vrp_budget
    from linecard.vrp.extension import VrpCheck, VrpUse, vrp_check
    from linecard.vrp.host import HierarchyResult, hierarchy

__all__ = [
    "Adapted",
    "Band",
    "BankUse",
    "BestPolicy",
    "BlockRows",
    "Bottleneck",
    "CacheCurves",
    "CacheRow",
    "CallStack",
    "Change",
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
    "ExecutedProgram",
    "FlowCacheResult",
    "FlowMixTraffic",
    "FlowSizeRow",
    "FlowStatistics",
    "HierarchyResult",
    "HotWord",
    "InternalError",
    "Interval",
    "Intervals",
    "LaneRows",
    "LatencyNs",
    "LinecardError",
    "LruRow",
    "MemoryEnergy",
    "MemoryLatency",
    "MemoryResult",
    "MemoryTime",
    "MemoryUse",
    "Metric",
    "MissingExtraError",
    "NdrResult",
    "NotIpFrames",
    "OptimizeResult",
    "PacketTime",
    "Parameter",
    "Part",
    "PlaceCheck",
    "PresetInfo",
    "Program",
    "ProgramInfo",
    "ProgramResult",
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
    "SourceLine",
    "Step",
    "Summary",
    "SweepResult",
    "TrafficError",
    "TrafficView",
    "ValueRange",
    "VrpBudget",
    "VrpCheck",
    "VrpResource",
    "VrpUse",
    "WhyResult",
    "XdpMap",
    "XdpMapEntry",
    "XdpProgramInfo",
    "XdpRows",
    "XdpRun",
    "__version__",
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
    "schema",
    "shot_noise",
    "sweep",
    "vrp_budget",
    "vrp_check",
    "why",
    "xdp_build",
    "xdp_programs",
    "xdp_rows",
    "xdp_run",
]

# Where each name is.
make_lazy(
    __name__,
    {
        "_core": "__version__",
        "_reports": "Derived Metric Parameter PresetInfo",
        "catalogue": "describe presets",
        "chip.draw": "draw",
        "chip.reports": "Bottleneck DramTime DropCount Interval Intervals LatencyNs NotIpFrames PacketTime Part "
        "ResourceUse Summary ValueRange",
        "chip.result": "Band RunRequest RunResult",
        "chip.run": "run",
        "chip.steps": "Program Step",
        "chip.template": "new",
        "core.reports": "Adapted CoreRow",
        "core.result": "CoreResult",
        "core.run": "core",
        "description": "Change Description",
        "dram.reports": "BankUse CommandCounts MemoryEnergy MemoryLatency MemoryTime",
        "dram.result": "MemoryResult",
        "dram.run": "dram",
        "errors": "CompileError ConfigError ConfigProblem InternalError LinecardError MissingExtraError RunError "
        "TrafficError",
        "executed.kept_traces": "cached_traces clear_cached_traces",
        "executed.reports": "BlockRows CallStack ExecutedProgram HotWord LaneRows MemoryUse ProgramResult RegionUse "
        "SourceLine XdpMap XdpMapEntry",
        "executed.riscv": "program_build program_run program_trace",
        "executed.shipped": "ProgramInfo programs",
        "executed.trace_result": "ProgramTrace",
        "executed.xdp": "xdp_build xdp_programs xdp_rows xdp_run",
        "executed.xdp_result": "XdpProgramInfo XdpRows XdpRun",
        "explore.check": "ChipCheck check",
        "explore.compare": "compare",
        "explore.compare_result": "CompareResult",
        "explore.ndr": "ndr",
        "explore.ndr_result": "NdrResult",
        "explore.optimize": "optimize",
        "explore.optimize_result": "OptimizeResult",
        "explore.reports": "PlaceCheck",
        "explore.result": "SweepResult",
        "explore.sweep": "sweep",
        "explore.why": "why",
        "explore.why_result": "WhyResult",
        "flowcache.reports": "CacheCurves CacheRow LruRow ReuseRow",
        "flowcache.result": "BestPolicy FlowCacheResult",
        "flowcache.run": "flowcache",
        "petri.models": "Comparison Difference compare_models",
        "queueing.result": "QueueDesignResult QueueingResult",
        "queueing.run": "queueing_design queueing_run",
        "queueing.settings": "queueing_settings",
        "schemas": "schema",
        "study.reproduce": "reproduce",
        "traffic.flow_view": "FlowMixTraffic TrafficView",
        "traffic.flows": "flows",
        "traffic.mix": "flow_mix",
        "traffic.reports": "Diagnostic FlowSizeRow SizeBin",
        "traffic.result": "FlowStatistics",
        "traffic.shot_noise": "ShotNoiseResult shot_noise",
        "vrp.budget": "VrpBudget VrpResource vrp_budget",
        "vrp.extension": "VrpCheck VrpUse vrp_check",
        "vrp.host": "HierarchyResult hierarchy",
    },
)
