//! Petri nets from files: PNML, or TOML.

mod analyse;
mod file;
mod read;
mod simulate;

pub use analyse::{ExploreReport, Semiflow, SolveReport, explore_net, solve_net};
pub use read::{AnyNet, NetSource, read_net};
pub use simulate::{Accuracy, SimulateReport, SimulateRequest, simulate_net};
