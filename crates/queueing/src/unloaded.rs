//! Latency of one operation on an idle machine (Table 5).

use crate::lists::MOST_QUEUES;
use crate::machine::{Window, run};
use crate::operation::Operation;
use crate::settings::Settings;
use crate::{Kind, QueueingError};
use schemars::JsonSchema;
use serde::Serialize;

/// Latencies in nanoseconds, from when a thread takes the operation to when it is done.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Unloaded {
    /// Unloaded latency of an enqueue whose descriptor word is in the cache (Kumar and Crowley 2006, Table 5).
    pub enqueue_hit_ns: f64,
    /// Unloaded latency of an enqueue whose descriptor word is in memory.
    pub enqueue_miss_ns: f64,
    /// Unloaded latency of a dequeue whose descriptor word is in the cache.
    pub dequeue_hit_ns: f64,
    /// Unloaded latency of a dequeue whose descriptor word is in memory.
    pub dequeue_miss_ns: f64,
}

/// A single thread executes each kind of operation, with ports and paths of unlimited capacity: Table 5 adds
/// latencies. Without a cache a hit is a miss.
///
/// # Errors
///
/// Only those of the settings.
pub fn unloaded(kind: Kind, settings: &Settings) -> Result<Unloaded, QueueingError> {
    let others = (settings.entries + settings.words).min(MOST_QUEUES - 1);
    let alone =
        Settings { threads: 1, levels: 1, queues: others + 1, port_ps: 0, slot_ps: 0, ..settings.clone() };
    // The others evict the first queue, if the cache holds both of its ends.
    let mut operations = vec![Operation::enqueue(0), Operation::enqueue(0)];
    operations.extend((1..=others).map(Operation::enqueue));
    operations.extend([Operation::dequeue(0), Operation::dequeue(0)]);
    let latency = |warmup: u64| {
        let window = Window { warmup, measured: 1 };
        run(kind, &alone, &operations, window, &mut |_| true).map(|report| report.latency_mean_ns)
    };
    let last = operations.len() as u64 - 1;
    Ok(Unloaded {
        enqueue_miss_ns: latency(0)?,
        enqueue_hit_ns: latency(1)?,
        dequeue_miss_ns: latency(last - 1)?,
        dequeue_hit_ns: latency(last)?,
    })
}
