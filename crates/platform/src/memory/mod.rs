//! DRAM alone: parts, standards and policies from presets; traces and patterns; a run and its report.

mod currents;
mod device;
mod formula;
mod kind;
mod map;
mod organization;
mod output;
mod policy;
mod refresh;
mod report;
mod request;
mod run;
mod table;
mod times;

pub(crate) use device::{is_standard, part, standard};
pub(crate) use kind::{MemoryKind, kind, open};
pub(crate) use policy::{Rule, policy};
pub use report::{BankUse, CommandCounts, MemoryEnergy, MemoryLatency, MemoryReport, MemoryTime};
pub use request::{MemoryOptions, MemoryQuestion};
pub use run::{MemoryInput, MemoryRequest, run_memory};
