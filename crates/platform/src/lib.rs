//! All front ends as one: what the bindings and the fuzzer use.
//!
//! Everything it returns is plain data ([`RunReport`], [`Description`], …) that the bindings hand to Python unchanged.
#![forbid(unsafe_code)]

mod describe;
mod schemas;

pub use describe::{declared, describe};
pub use linecard_chips::*;
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
pub use linecard_queues::queue_settings;
pub use schemas::request_schemas;
