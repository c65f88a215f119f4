//! Presets, assembly of a machine by name, and a run.
//!
//! The only crate that reads configuration and turns names into types. Everything it returns is plain data
//! ([`RunReport`], [`Description`], …) that the bindings hand to Python unchanged.
#![forbid(unsafe_code)]

mod bounded;
mod chip;
mod describe;
mod description;
mod error;
mod input;
mod link;
mod memory;
mod petri;
mod plain;
mod preset;
mod program;
mod queue_managers;
mod report;
mod request;
mod routes;
mod rules;
mod run;
mod shot_noise;
mod spread;
mod summary;
mod totals;
mod traffic;
mod whole_file;

pub use chip::{
    ChipCheck, ChipDrawing, DrawnCluster, DrawnLink, DrawnPlace, DrawnPort, DrawnRoute, HierarchyReport,
    HierarchyRequest, PlaceCheck, applications, check_chip, chip_template, drawing, hierarchy,
};
pub use describe::{declared, describe};
pub use description::{Derived, Described, Description};
pub use error::{ConfigProblem, Error};
pub use input::{InputError, PacketInput};
pub use linecard_config::{Declared, Shown};
pub use memory::{
    BankUse, CommandCounts, MemoryEnergy, MemoryInput, MemoryLatency, MemoryOptions, MemoryQuestion,
    MemoryReport, MemoryRequest, MemoryTime, run_memory,
};
pub use petri::{
    Accuracy, AnyNet, ArcView, ExploreReport, FiringView, NetSource, NetView, PlaceView, Semiflow,
    SimulateReport, SimulateRequest, SolveReport, TraceRequest, TransitionView, explore_net, net_to_pnml,
    read_net, simulate_net, solve_net, trace_net, view_net,
};
pub use preset::{PresetInfo, presets};
pub use program::{
    BlockReport, CachedTrace, Chips, CoreReport, CoreRequest, CoreRow, CycleShares, Deployment,
    DeploymentRequest, DeploymentRow, LaneRows, MapEntry, MapReport, PacketRequest, PacketStatistics,
    ProgramReport, ProgramRequest, RegionReport, RegisterRequest, RegisterRow, RowsReport, RowsRequest,
    Share, TRACE_CACHE_BYTES, TracedProgram, XdpReport, XdpRequest, cached_traces, clear_cached_traces,
    core_report, deployments, register_study, rows_of_xdp, run_program, run_xdp, termination_study,
    trace_program, trace_program_cached,
};
pub use queue_managers::queue_settings;
pub use report::{
    Bottleneck, DramTime, DropCount, ExecutedProgram, Interval, Intervals, LatencyNs, Metric, PacketTime,
    PartReport, ProgramResult, ResourceUse, RunReport, SourceLine, Summary, WhatIf,
};
pub use request::{Program, ProgramFile, ProgramOptions, Progress, RunQuestion, RunRequest, request_schemas};
pub use run::{run, run_without_verdict};
pub use shot_noise::{ShotNoiseReport, ShotNoiseRequest, shot_noise_windows};
pub use spread::spread;
