//! Packet programs: traced on a capture, and run on cores of every shape.

mod cache;
mod cores;
mod packets;
mod part;
mod trace;
mod xdp;

pub use cache::{CachedTrace, TRACE_CACHE_BYTES, cached_traces, clear_cached_traces, trace_program_cached};
pub use cores::{
    CoreReport, CoreRequest, CoreRow, CycleShares, Deployment, DeploymentRequest, DeploymentRow,
    RegisterRequest, RegisterRow, core_report, deployments, register_study, termination_study,
};
pub use packets::{PacketRequest, PacketStatistics};
pub(crate) use part::Part;
pub use trace::{ProgramReport, ProgramRequest, Share, TracedProgram, run_program, trace_program};
pub use xdp::{MapEntry, MapReport, RegionReport, XdpReport, XdpRequest, run_xdp};
