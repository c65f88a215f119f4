//! Presets, assembly of a machine by name, and a run.
//!
//! The only crate that reads configuration and turns names into types. Everything it returns is plain data
//! ([`RunReport`], [`Description`], …) that the bindings hand to Python unchanged.
#![forbid(unsafe_code)]

mod chip;
mod describe;
mod queue_managers;
mod report;
mod request;
mod routes;
mod rules;
mod run;
mod shot_noise;
mod summary;
mod totals;
mod traffic;

pub use chip::{
    ChipCheck, ChipDrawing, DrawnCluster, DrawnLink, DrawnPlace, DrawnPort, DrawnRoute, HierarchyReport,
    HierarchyRequest, PlaceCheck, check_chip, chip_template, drawing, hierarchy,
};
pub use describe::{declared, describe};
pub use linecard_config::{Declared, Shown};
pub use linecard_drams::{
    BankUse, CommandCounts, MemoryEnergy, MemoryInput, MemoryLatency, MemoryOptions, MemoryQuestion,
    MemoryReport, MemoryRequest, MemoryTime, run_memory,
};
pub use linecard_executed::{
    BlockReport, CachedTrace, Chips, CoreReport, CoreRequest, CoreRow, CycleShares, Deployment,
    DeploymentRequest, DeploymentRow, LaneRows, MapEntry, MapReport, PacketRequest, PacketStatistics,
    ProgramReport, ProgramRequest, RegionReport, RegisterRequest, RegisterRow, RowsReport, RowsRequest,
    Share, TRACE_CACHE_BYTES, TracedProgram, XdpReport, XdpRequest, cached_traces, clear_cached_traces,
    core_report, deployments, register_study, rows_of_xdp, run_program, run_xdp, termination_study,
    trace_program, trace_program_cached,
};
pub use linecard_files::preset::{PresetInfo, presets};
pub use linecard_files::{ConfigProblem, Derived, Described, Description, Error, InputError, PacketInput};
pub use linecard_jobs::spread;
pub use linecard_nets::*;
pub use queue_managers::queue_settings;
pub use report::{
    Bottleneck, DramTime, DropCount, ExecutedProgram, Interval, Intervals, LatencyNs, Metric, PacketTime,
    PartReport, ProgramResult, ResourceUse, RunReport, SourceLine, Summary, WhatIf,
};
pub use request::{ChipProgram, ProgramFile, Progress, RunQuestion, RunRequest, request_schemas};
pub use run::{run, run_without_verdict};
pub use shot_noise::{ShotNoiseReport, ShotNoiseRequest, shot_noise_windows};
