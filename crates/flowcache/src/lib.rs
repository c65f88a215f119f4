//! Digest and flow caches: hit rates by replacement policy, and classes of misses (Girish 2008, chapter 5).
//!
//! A packet's [`Key`] is hashed to a digest of c bits ([`Digester`]). The digest chooses a set and is looked up in
//! it; a miss takes the slow path and may insert the digest. All simulations use one array of digests, a
//! [`Trace`]:
//!
//! ```
//! use linecard_flowcache::{Configuration, Geometry, Options, Policy, Trace, simulate};
//!
//! let digests = [7, 8, 7, 9, 7, 8];
//! let trace = Trace::new(&digests)?;
//! let configuration = Configuration::new(Geometry::new(2, 2)?, Policy::parse("SP")?);
//! let row = simulate(&trace, &configuration, &Options::default())?;
//! assert_eq!((row.hits, row.misses, row.first_ref_misses), (2, 4, 3));
//! # Ok::<(), linecard_flowcache::FlowCacheError>(())
//! ```
//!
//! | question | answer |
//! |---|---|
//! | one configuration, every hit | [`simulate`], [`simulate_with`], [`simulate_until`] |
//! | LRU of all sizes at once | [`MissRatioCurve`], [`lru_all_ways`] |
//! | a cache inside a machine | [`FlowCache`] |
//! | bits and bytes (equation 5.2, Table 5.1) | [`CacheCost`] |
//! | flows that share a digest (equation 5.1) | [`FalseHits`] |
//! | statistics of the traffic (Figure 5.3) | [`TrafficViewBuilder`], [`reuse_rows`] |
//!
//! # Misses
//!
//! Each miss is of one class, tried in this order: *cold* if the digest does not occur in the 10,000 packets before,
//! *capacity* if a fully associative LRU cache of the same size misses too, else *conflict* (thesis, section
//! 5.4). First references of the whole trace are counted separately.
//!
//! # Policies
//!
//! A policy is a file in `policy/` and a line in the list of `policy/mod.rs`; an admission filter likewise in
//! `admission/`. Names are those of the golden files; [`Policy::parse`] knows them in any case. The loop over the
//! packets is compiled for each policy; one call through a pointer processes a block of some thousand packets.
//!
//! # Not modelled
//!
//! Time: a cache here has no latency and no ports. Results: an entry represents its result. Digests have 1 to 32 bits
//! each; two flows that share a digest are one to every policy, and [`FalseHits`] counts the false hits. No result
//! depends on the number of threads or on the order of a hash table.
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
mod last_seen;
mod list_pool;
mod lists;
mod marks;
mod names;
mod one_pass;
mod order;
mod packed_lists;
mod policy;
mod pooled_lists;
mod reuse;
mod rows;
mod simulate;
mod slot_stacks;
mod trace;
mod ways;

pub use admission::{Admission, AdmissionInfo, AdmissionKind};
pub use cost::CacheCost;
pub use digest::{Digester, Hash};
pub use error::FlowCacheError;
pub use false_hits::{FalseHitRow, FalseHits};
pub use flows::{FlowSizeRow, TrafficView, TrafficViewBuilder};
pub use geometry::{Geometry, MOST_ENTRIES};
pub use key::{Field, Key, KeyBytes};
pub use one_pass::{LruRow, MOST_ONE_PASS_WAYS, MissRatioCurve, lru_all_ways};
pub use policy::{Cost, Info, Parameter, Policy, PolicyKind};
pub use reuse::{ReuseRow, reuse_rows};
pub use simulate::{Configuration, FlowCache, Options, Row, simulate, simulate_until, simulate_with};
pub use trace::{MOST_PACKETS, NEVER, Trace, digests_from_bytes};
