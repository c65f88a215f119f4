//! Presets, their schema, assembly of a machine by name, and a run.
//!
//! The only crate that reads configuration and turns names into types. Everything it returns is plain data
//! ([`RunReport`], [`Description`], …) that the bindings hand to Python unchanged.

mod error;
mod report;
mod request;

pub use error::{ConfigProblem, Error};
pub use report::{
    Bottleneck, DramTime, DropCount, LatencyNs, Metric, PacketTime, ResourceUse, RunReport, Summary,
};
pub use request::{Progress, RunRequest};
