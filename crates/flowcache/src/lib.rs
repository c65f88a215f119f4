//! Digest and flow caches: replacement, admission, oracles, miss classes.
#![forbid(unsafe_code)]

mod cache;
mod chain;
mod error;
mod geometry;
mod names;
mod order;
mod policy;
mod reuse;
mod rows;
mod shelf;
mod simulate;
mod trace;
mod ways;

pub use error::FlowCacheError;
pub use geometry::{Geometry, MOST_ENTRIES};
pub use policy::{Cost, Info, Parameter, Policy, PolicyKind};
pub use simulate::{Configuration, FlowCache, Options, Row, simulate, simulate_with};
pub use trace::{MOST_PACKETS, NEVER, Trace, digests_from_bytes};
