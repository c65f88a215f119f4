//! Queues of packets, the managers that move packets in and out, and the caches that make them fast (Kumar and
//! Crowley, "Exploiting Locality to Ameliorate Packet Queue Contention and Serialization", 2006).
//!
//! Every packet of a scheduler is enqueued and dequeued once, and both operations read and write a queue descriptor in
//! external memory. Operations on different queues overlap; operations on one queue do not. This crate simulates
//! threads, interconnect, memory and a queue manager, and measures their throughput and latency:
//!
//! ```
//! use linecard_queueing::{Kind, QueueingError, Report, Settings, Window, Workload, run};
//!
//! fn with_16_threads(table_1: &Settings) -> Result<Report, QueueingError> {
//!     let settings = Settings { threads: 16, ..table_1.clone() };
//!     let window = Window { warmup: 1_000, measured: 10_000 };
//!     let operations = Workload::parse("SD16_90")?.operations(&settings, 12_000, 1)?;
//!     run(Kind::QueuingCache, &settings, &operations, window, &mut |_| true)
//! }
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `settings` | every number, with its unit |
//! | `workload` | the operations: Table 4's workloads, captures, three levels of queues |
//! | `machine` | threads that take operations from a stream: the standalone study |
//! | `service` | the same subsystem inside another machine, with its threads and its clock |
//! | `subsystem`, `fabric`, `locks` | the path of an operation; clock, interconnect, memory ports, synchronisation |
//! | `manager` | `nc`, `dc`, `sqc`, `qarray`, `qc`: one file each |
//! | `model`, `gaps` | the analytical model of section 3.6 and its inputs |
//! | `design` | the smallest queuing cache for a target |
//! | `vectors` | the answers of any correct hardware |
//! | `lists`, `ledger` | queues as linked lists in memory, and the checker that knows nothing of managers |
//!
//! # Not modelled
//!
//! The packets themselves, and the decisions of a scheduler: a stream states the next queue. Clock edges of the
//! interconnect: a message starts when the path is free. Costs of synchronisation, which the document omits too.
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate self as linecard_queueing;

mod design;
mod directory;
mod error;
mod fabric;
mod gaps;
mod kind;
#[cfg(test)]
#[path = "../tests/kit/mod.rs"]
mod kit;
mod ledger;
mod lists;
mod locks;
mod machine;
mod manager;
mod model;
mod operation;
mod report;
mod service;
mod settings;
mod subsystem;
mod unloaded;
mod vectors;
mod workload;

pub use design::{Design, MOST_DESIGN_THREADS, design, smallest};
pub use directory::Replacement;
pub use error::QueueingError;
pub use fabric::CLOCKS_HZ;
pub use gaps::{GapRow, Gaps, gaps};
pub use kind::{Kind, Q_ARRAY_ENTRIES, Q_ARRAY_THREADS};
pub use lists::MOST_QUEUES;
pub use machine::{Window, run};
pub use model::{Prediction, predict, service_ps};
pub use operation::Operation;
pub use report::Report;
pub use service::{Service, Usage};
pub use settings::{Entry, Locking, Settings, Token};
pub use unloaded::{Unloaded, unloaded};
pub use vectors::{REUSE_OPERATIONS, Vector, vectors};
pub use workload::{Workload, operations_of_queues};
