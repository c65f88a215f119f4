//! Machines of parallel threads (IXP2400): their parameters, assembly, runs and reports.

mod build;
mod report;
mod run;
mod schema;
mod shots;

pub(crate) use build::derived;
pub(crate) use run::run;
pub(crate) use schema::PARALLEL;
pub use shots::{ShotNoiseReport, ShotNoiseRequest, shot_noise_windows};
