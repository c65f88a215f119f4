//! Digest and flow caches.
#![forbid(unsafe_code)]

mod admission;
mod cache;
mod chain;
mod cost;
mod digest;
mod error;
mod false_hits;
mod flows;
mod geometry;
mod key;
mod names;
mod one_pass;
mod order;
mod policy;
mod reuse;
mod rows;
mod shelf;
mod simulate;
mod sweep;
mod trace;
mod ways;

pub use admission::{Admission, AdmissionInfo, AdmissionKind};
pub use cost::CacheCost;
pub use digest::{Digester, Hash};
pub use error::FlowCacheError;
pub use false_hits::{FalseHitRow, FalseHits};
pub use flows::{FlowSizeRow, TIME_OUT_NS, TrafficView, TrafficViewBuilder};
pub use geometry::{Geometry, MOST_ENTRIES};
pub use key::{Field, Key, KeyBytes};
pub use one_pass::{LruRow, MOST_ONE_PASS_WAYS, MissRatioCurve, lru_all_ways};
pub use policy::{Cost, Info, Parameter, Policy, PolicyKind};
pub use simulate::{Configuration, FlowCache, Options, Row, simulate, simulate_with};
pub use sweep::sweep;
pub use trace::{MOST_PACKETS, NEVER, Trace, digests_from_bytes};
