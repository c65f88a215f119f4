//! DRAM alone: parts, standards and policies from presets; traces and patterns; a run and its report.
#![forbid(unsafe_code)]

mod currents;
mod describe;
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

pub use describe::describe;
pub use device::{Part, part};
pub use kind::open;
pub use policy::{PolicyPreset, Rule, policy};
pub use report::{BankUse, CommandCounts, MemoryEnergy, MemoryLatency, MemoryReport, MemoryTime};
pub use request::{MemoryOptions, MemoryQuestion};
pub use run::{MemoryInput, MemoryRequest, run_memory};
