//! A multithreaded packet-processor core with a data cache, and malleable cores (Mudigonda, Vin, Keckler 2007).
//!
//! One execution trace becomes [`Work`], which every configuration reads: [`run`] simulates a core on it, event
//! by event instead of cycle by cycle.
#![forbid(unsafe_code)]

mod adapt;
mod area;
mod cache;
mod config;
mod core;
mod error;
mod event_paths;
mod mrc;
mod register_cache;
mod registers;
mod segment;
mod segments;
mod work;

pub use adapt::{Adaptation, Adapted, Stretch, Termination, adapt, terminate};
pub use area::AreaModel;
pub use cache::{Cache, Found};
pub use config::{Arrivals, CoreConfig, MOST_THREADS, TICKS, Window};
pub use core::{Core, Counts, Ticks, run};
pub use error::MalleableError;
pub use mrc::{CONTEXT_REGISTERS, Mrc, Prediction, RegisterCounts};
pub use register_cache::{RegisterCache, RegisterCacheCounts};
pub use registers::{Registers, Separate, Surroundings};
pub use segment::{Kind, MOST_LATENCY_CYCLES, Pipeline, Segment};
pub use work::{Event, LINE_BYTES, PacketWork, Work, WorkBuilder};
