//! Packet programs: traced on a capture, and run on cores of every shape.

mod cache;
mod core_presets;
mod cores;
mod frame;
mod packets;
mod trace;
mod xdp;

pub use cache::{CachedTrace, TRACE_CACHE_BYTES, cached_traces, clear_cached_traces, trace_program_cached};
pub(crate) use core_presets::core_preset;
pub use cores::{
    Chips, CoreReport, CoreRequest, CoreRow, CycleShares, Deployment, DeploymentRequest, DeploymentRow,
    RegisterRequest, RegisterRow, core_report, deployments, register_study, termination_study,
};
pub(crate) use frame::Framer;
pub use packets::{PacketRequest, PacketStatistics};
pub(crate) use trace::iss as refused_iss;
pub(crate) use trace::read_image;
pub use trace::{ProgramReport, ProgramRequest, Share, TracedProgram, run_program, trace_program};
pub use xdp::{
    BlockReport, LaneRows, MapEntry, MapReport, RegionReport, RowsReport, RowsRequest, XdpReport, XdpRequest,
    rows_of_xdp, run_xdp,
};
pub(crate) use xdp::{XdpLoad, load_xdp, refused as refused_xdp};
