//! Petri nets from files: PNML, or TOML.
#![forbid(unsafe_code)]

mod analyse;
mod colour;
mod file;
mod named;
mod pnml;
mod read;
mod said;
mod simulate;
mod text;
mod timing;
mod view;
mod wrong;

pub use analyse::{ExploreReport, Semiflow, SolveReport, explore_net, solve_net};
pub use read::{AnyNet, NetSource, read_net};
pub use simulate::{Accuracy, SimulateReport, SimulateRequest, simulate_net};
pub use view::{
    ArcView, FiringView, NetView, PlaceView, TraceRequest, TransitionView, net_to_pnml, trace_net, view_net,
};
