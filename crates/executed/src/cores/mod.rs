//! Cores of every shape on the work of one traced program.

mod deployments;
mod jobs;
mod presets;
mod registers;
mod search;
mod splits;
mod termination;

pub use deployments::{Chips, Deployment, DeploymentRequest, DeploymentRow, deployments};
pub use registers::{RegisterRequest, RegisterRow, register_study};
pub use splits::{CoreReport, CoreRequest, CoreRow, CycleShares, core_report};
pub use termination::termination_study;
