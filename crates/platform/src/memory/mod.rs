//! DRAM alone: parts, standards and policies from presets; traces and patterns; a run and its report.

mod device;
mod file;
mod formula;
mod kind;
mod output;
mod policy;
mod report;
mod run;

pub(crate) use device::{part, standard};
pub(crate) use file::MemoryRow;
pub(crate) use kind::open;
pub(crate) use policy::{Rule, policy};
pub use report::{BankUse, CommandCounts, MemoryEnergy, MemoryLatency, MemoryReport, MemoryTime};
pub use run::{MemoryInput, MemoryRequest, run_memory};
