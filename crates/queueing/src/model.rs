//! The analytical model of section 3.6: throughput from latencies, hits and inter-arrival times, without a
//! machine.
//!
//! The document adds the service times of all operations, adds the time lost while a queue is busy, subtracts
//! the time saved by hits, and divides by the number of threads. Two readings are computed:
//!
//! - *printed*: the printed formula, with two necessary corrections (f is one if t(i) is below Top; savings are
//!   summed over hits). t(i) is counted from the previous operation on the same queue, at the spacing of the
//!   contention-free case, so that a packet loses at most one Top.
//! - *recursion*: each operation starts when a thread is free and its queue is free. This is the meaning of the
//!   sums when several operations wait for one queue.
//!
//! Both are limited by the memory ports, as "peak throughput is achieved when enough threads are used to
//! saturate memory bandwidth". Hits depend on the order of operations alone.

use crate::Kind;
use crate::directory::{Directory, Replacement};
use crate::kind::Q_ARRAY_ENTRIES;
use crate::lists::address;
use crate::operation::Operation;
use crate::settings::{Entry, Locking, Settings};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The model's prediction for one manager under one stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Throughput by the recursion, in 10^6 operations per second.
    pub recursion_mops: f64,
    /// Throughput by the printed formula, 10^6.
    pub printed_mops: f64,
    /// Hit rate from the order of operations.
    pub hit_rate: f64,
    /// Limit by the memory ports, 10^6.
    pub memory_mops: f64,
}

/// Returns the service time of an operation, from the thread's start to its end, in picoseconds (Table 5).
pub fn service_ps(kind: Kind, settings: &Settings, is_dequeue: bool, hit: bool) -> u64 {
    let (path, memory) = (settings.interconnect_ps, settings.memory_ps);
    let reference = path + memory;
    let miss = |cost: u64| if hit { 0 } else { cost };
    let instructions = settings.instruction_ps[kind as usize];
    instructions
        + match kind {
            Kind::NoCache => reference * if is_dequeue { 3 } else { 2 },
            Kind::DataCache => path + miss(memory) + reference + if is_dequeue { path } else { 0 },
            Kind::SoftwareCache | Kind::QArray => settings.cam_ps + miss(reference) + reference,
            Kind::QueuingCache => reference + miss(memory),
        }
}

/// Returns the time for which an operation excludes others from its queue, in picoseconds.
fn serial_ps(kind: Kind, settings: &Settings, service_ps: u64) -> u64 {
    match kind {
        // For the queuing cache, the time after its command: the references, and the interconnect if the whole
        // operation excludes others.
        Kind::QueuingCache => {
            let outside = if settings.locking == Locking::End { settings.interconnect_ps } else { 0 };
            service_ps - settings.instruction_ps[kind as usize] - outside
        }
        _ => service_ps,
    }
}

/// Predicts the throughput of a manager under a stream.
pub fn predict(kind: Kind, settings: &Settings, operations: &[Operation]) -> Prediction {
    let (service, hits) = service_and_hits(kind, settings, operations);
    let hit_rate = hits as f64 / operations.len().max(1) as f64;
    // One and a half references each for read and write, of which a hit saves one.
    let references = if kind == Kind::NoCache { 1.5 } else { 1.5 - hit_rate };
    let ports = if settings.shared_port { 2.0 } else { 1.0 };
    let memory_mops = 1e6 / (references * ports * settings.port_ps as f64);
    Prediction {
        recursion_mops: recursion_mops(kind, settings, operations, &service).min(memory_mops),
        printed_mops: printed_mops(kind, settings, operations, &service).min(memory_mops),
        hit_rate,
        memory_mops,
    }
}

/// Returns the service time of each operation and how many hit, when they execute one after another.
fn service_and_hits(kind: Kind, settings: &Settings, operations: &[Operation]) -> (Vec<u64>, u64) {
    // By whether it is a dequeue and whether it hits.
    let times =
        [false, true].map(|dequeue| [false, true].map(|hit| service_ps(kind, settings, dequeue, hit)));
    let time =
        |operation: &Operation, hit: bool| times[usize::from(operation.is_dequeue())][usize::from(hit)];
    let words = settings.all_queues() * 2;
    let (sets, ways, line_words) = match kind {
        Kind::NoCache => return (operations.iter().map(|operation| time(operation, false)).collect(), 0),
        Kind::DataCache => {
            (settings.words / settings.line_words / settings.ways, settings.ways, settings.line_words)
        }
        Kind::QArray => (1, Q_ARRAY_ENTRIES, 1),
        Kind::SoftwareCache | Kind::QueuingCache => (1, settings.entries, 1),
    };
    let whole = kind == Kind::QArray || kind != Kind::DataCache && settings.entry == Entry::Descriptor;
    let mut directory = Directory::new(sets, ways, words, Replacement::Lru, 1);
    let mut hits = 0;
    let serve = |operation: &Operation| {
        let word = address(operation.queue(), operation.end());
        let line = if whole { operation.queue() } else { word / line_words };
        let found = directory.find(line);
        match found {
            Some(slot) => directory.touch(slot),
            None => {
                if let Some(slot) = directory.victim(line) {
                    directory.replace(slot, line);
                }
            }
        }
        hits += u64::from(found.is_some());
        time(operation, found.is_some())
    };
    let service = operations.iter().map(serve).collect();
    (service, hits)
}

/// Returns what operations exclude others from: their queue, or their end of the queue if software locks ends.
fn exclusion(kind: Kind, settings: &Settings) -> impl Fn(Operation) -> usize {
    let both = kind == Kind::QueuingCache || settings.locking == Locking::Queue;
    let kept = if both { !1 } else { !0 };
    move |operation| (address(operation.queue(), operation.end()) & kept) as usize
}

fn recursion_mops(kind: Kind, settings: &Settings, operations: &[Operation], service: &[u64]) -> f64 {
    let mut threads: BinaryHeap<Reverse<u64>> = (0..settings.threads).map(|_| Reverse(0)).collect();
    let mut free_at = vec![0u64; settings.all_queues() as usize * 2];
    let excluded = exclusion(kind, settings);
    let mut last = 0;
    for (operation, &service) in operations.iter().zip(service) {
        let Some(mut thread) = threads.peek_mut() else { break };
        let queue = &mut free_at[excluded(*operation)];
        let start = thread.0.max(*queue);
        *queue = start + serial_ps(kind, settings, service);
        // The thread that is free first takes the operation, and its position in the heap is found once.
        thread.0 = start + service;
        last = last.max(start + service);
    }
    if last == 0 { f64::INFINITY } else { operations.len() as f64 * 1e6 / last as f64 }
}

fn printed_mops(kind: Kind, settings: &Settings, operations: &[Operation], service: &[u64]) -> f64 {
    let count = operations.len().max(1) as f64;
    let mean = service.iter().sum::<u64>() as f64 / count;
    let spacing = mean / f64::from(settings.threads);
    const NEVER: u64 = u64::MAX;
    let mut last_at = vec![NEVER; settings.all_queues() as usize * 2];
    let excluded = exclusion(kind, settings);
    let mut lost = 0.0;
    for (at, (operation, &service)) in operations.iter().zip(service).enumerate() {
        let top = serial_ps(kind, settings, service) as i64 as f64;
        let before = std::mem::replace(&mut last_at[excluded(*operation)], at as u64);
        if before != NEVER {
            let since = (at as u64 - before) as i64 as f64 * spacing;
            lost += (top - since).max(0.0);
        }
    }
    let all = mean * count + lost;
    if all == 0.0 { f64::INFINITY } else { count * f64::from(settings.threads) * 1e6 / all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::table_1;

    fn one_queue(count: u32) -> Vec<Operation> {
        (0..count).flat_map(|_| [Operation::enqueue(0), Operation::dequeue(0)]).collect()
    }

    #[test]
    fn one_queue_by_hand() {
        let near =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-2, "{found} {expected}");
        let operations = one_queue(20_000);
        let recursion = |kind| predict(kind, &table_1(), &operations).recursion_mops;
        near(recursion(Kind::NoCache), 2e3 / 250.0);
        near(recursion(Kind::SoftwareCache), 2e3 / 120.0);
        near(recursion(Kind::QueuingCache), 1e3 / 40.0);
        // Printed: no packet loses more than one Top, so contention at most doubles the time.
        let unlimited = Settings { port_ps: 0, ..table_1() };
        let printed = predict(Kind::QueuingCache, &unlimited, &operations).printed_mops;
        let spacing = 85.0 / 32.0;
        near(printed, 32e3 / (85.0 + 40.0 - spacing));
    }

    #[test]
    fn without_contention_threads_add_up_to_the_memory_limit() {
        let operations: Vec<Operation> = (0..4000).map(Operation::enqueue).collect();
        let two = predict(Kind::NoCache, &Settings { threads: 2, ..table_1() }, &operations);
        assert!((two.recursion_mops / (2e3 / 170.0) - 1.0).abs() < 1e-3, "{two:?}");
        assert!((two.printed_mops / (2e3 / 170.0) - 1.0).abs() < 1e-3, "{two:?}");
        let many = predict(Kind::QueuingCache, &table_1(), &operations);
        assert_eq!((many.hit_rate, many.recursion_mops), (0.0, 1e3 / 12.0));
    }
}
