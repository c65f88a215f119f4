//! Packet programs: traced on a capture, and run on cores of every shape.
#![forbid(unsafe_code)]

mod cache;
mod core_presets;
mod cores;
mod frame;
mod packets;
mod trace;
mod xdp;

pub use cache::{CachedTrace, TRACE_CACHE_BYTES, cached_traces, clear_cached_traces, trace_program_cached};
pub use core_presets::core_preset;
pub use cores::{
    Chips, CoreReport, CoreRequest, CoreRow, CycleShares, Deployment, DeploymentRequest, DeploymentRow,
    RegisterRequest, RegisterRow, core_report, deployments, register_study, termination_study,
};
pub use frame::Framer;
pub use packets::{PacketRequest, PacketStatistics};
pub use trace::{
    ProgramReport, ProgramRequest, Share, TracedProgram, read_image, refused_iss, run_program, trace_program,
};
pub use xdp::{
    BlockReport, LaneRows, MapEntry, MapReport, RegionReport, RowsReport, RowsRequest, XdpLoad, XdpReport,
    XdpRequest, load_xdp, refused_xdp, rows_left_out, rows_of_xdp, run_xdp,
};
