//! Do lists stay intact under any interleaving, manager and machine, and does every packet leave in order?
//!
//! A run itself checks that each queue's packets leave in order and, at the end, that every list in memory is
//! correct; these tests run it on random machines and streams.

use crate::kit;

use kit::table_1;
use linecard_queueing::{
    Entry, Kind, Locking, Operation, QueueingError, Replacement, Settings, Token, Window, Workload, run,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

const ALL: Window = Window { warmup: 0, measured: u64::MAX };

/// A machine in which everything is small, so that every limit is reached.
fn small_machine() -> impl Strategy<Value = Settings> {
    let counts = (1u32..9, 1u32..6, 1u32..6, 1u32..5, 1u32..4);
    let caches = (0u32..2, 0u32..3, 0u32..2, 0u32..2, 0u32..2);
    let times = (0u32..30, 0u32..50, 1u32..12, 0u32..2, 0u32..2, 0u32..2);
    (counts, caches, times).prop_map(|(counts, caches, times)| {
        let (threads, entries, engines, requests, mshrs) = counts;
        let (ways, line, write, allocate, replacement) = caches;
        let (interconnect, memory, clock, token, entry, locking) = times;
        let (ways, line_words) = (ways + 1, 1 << line);
        let ps = |ns: u32| u64::from(ns) * 1000;
        Settings {
            threads,
            entries,
            engines,
            requests,
            mshrs,
            ways,
            line_words,
            words: ways * line_words * 2,
            write_through: write == 1,
            allocate: allocate == 0,
            replacement: [Replacement::Lru, Replacement::Random][replacement as usize],
            interconnect_ps: ps(interconnect),
            memory_ps: ps(memory),
            clock_ps: ps(clock),
            token: [Token::Rotating, Token::Idle][token as usize],
            entry: [Entry::Pointer, Entry::Descriptor][entry as usize],
            locking: [Locking::End, Locking::Queue][locking as usize],
            queues: 7,
            ..table_1()
        }
    })
}

fn streams() -> impl Strategy<Value = Vec<Operation>> {
    let operation = (0u32..7, any::<bool>()).prop_map(|(queue, out)| {
        // Some queues are accessed more often than others.
        let queue = queue * queue / 6;
        if out { Operation::dequeue(queue) } else { Operation::enqueue(queue) }
    });
    proptest::collection::vec(operation, 1..300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_packet_is_lost_duplicated_or_reordered(settings in small_machine(), operations in streams()) {
        prop_assert_eq!(settings.contradictions(), []);
        for kind in Kind::ALL {
            let report = run(kind, &settings, &operations, ALL, &mut |_| true).unwrap();
            prop_assert_eq!(report.operations, operations.len() as u64);
            let dequeues = operations.iter().filter(|operation| operation.is_dequeue()).count() as u64;
            let left = report.operations - dequeues - (dequeues - report.empty_dequeues);
            prop_assert_eq!(report.packets_left_inside, left);
            prop_assert_eq!(run(kind, &settings, &operations, ALL, &mut |_| true).unwrap(), report);
        }
    }

    /// A single thread performs one operation after the other: its empty dequeues are those of plain queues.
    #[test]
    fn a_lone_thread_agrees_with_plain_queues(operations in streams()) {
        let settings = Settings { threads: 1, queues: 7, entries: 3, words: 4, ..table_1() };
        let mut inside = BTreeMap::<u32, u64>::new();
        let mut empty = 0;
        for operation in &operations {
            let count = inside.entry(operation.queue()).or_default();
            match (operation.is_dequeue(), *count) {
                (false, _) => *count += 1,
                (true, 0) => empty += 1,
                (true, _) => *count -= 1,
            }
        }
        for kind in Kind::ALL {
            let report = run(kind, &settings, &operations, ALL, &mut |_| true).unwrap();
            prop_assert_eq!(report.empty_dequeues, empty);
        }
    }

    /// A single thread hits in the cache exactly if a list of lines, newest first, contains the line.
    #[test]
    fn hits_are_those_of_a_naive_cache(operations in streams()) {
        let settings = Settings { threads: 1, queues: 7, entries: 3, words: 4, ways: 2, ..table_1() };
        let mut entries: Vec<(u32, bool)> = Vec::new();
        let mut sets: Vec<Vec<u32>> = vec![Vec::new(); 2];
        let (mut entry_hits, mut set_hits) = (0, 0);
        for operation in &operations {
            let key = (operation.queue(), operation.is_dequeue());
            entry_hits += u64::from(entries.contains(&key));
            entries.retain(|other| *other != key);
            entries.insert(0, key);
            entries.truncate(3);
            // The store after a load hits the same line and does not change the order.
            let address = operation.queue() * 2 + u32::from(!operation.is_dequeue());
            let set = &mut sets[address as usize % 2];
            set_hits += u64::from(set.contains(&address));
            set.retain(|&other| other != address);
            set.insert(0, address);
            set.truncate(2);
        }
        let rate = |hits: u64| hits as f64 / operations.len() as f64;
        let hit_rate = |kind| run(kind, &settings, &operations, ALL, &mut |_| true).unwrap().hit_rate;
        prop_assert_eq!(hit_rate(Kind::QueuingCache), rate(entry_hits));
        prop_assert_eq!(hit_rate(Kind::SoftwareCache), rate(entry_hits));
        prop_assert_eq!(hit_rate(Kind::DataCache), rate(set_hits));
    }
}

#[test]
fn three_levels_keep_every_level_whole() {
    let settings = Settings { levels: 3, queues: 512, backlog: 300, ..table_1() };
    let operations = Workload::parse("edge").unwrap().operations(&settings, 30_000, 1).unwrap();
    for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::QArray) {
        let report = run(kind, &settings, &operations, ALL, &mut |_| true).unwrap();
        assert_eq!(report.operations, operations.len() as u64);
    }
}

#[test]
fn unusable_requests_are_refused() {
    let go = &mut |_| true;
    let settings = table_1();
    assert_eq!(run(Kind::NoCache, &settings, &[], ALL, go).unwrap_err(), QueueingError::Empty);
    let error = run(Kind::QArray, &settings, &[Operation::enqueue(1)], ALL, go).unwrap_err().to_string();
    assert!(error.contains("at most 8"), "{error}");
    let error = run(Kind::NoCache, &settings, &[Operation::enqueue(4096)], ALL, go).unwrap_err().to_string();
    assert!(error.contains("queue 4096, expected ids below 4096"), "{error}");
    for (key, wrong) in [
        ("words", Settings { words: 100, ways: 3, ..table_1() }),
        ("line_words", Settings { line_words: 3, words: 126, ..table_1() }),
        ("levels", Settings { levels: 2, ..table_1() }),
        ("queues", Settings { levels: 3, queues: 100, ..table_1() }),
        ("queues", Settings { levels: 3, queues: 65536, ..table_1() }),
    ] {
        let contradictions = wrong.contradictions();
        let keys: Vec<_> = contradictions.iter().map(|each| each.what.as_str()).collect();
        assert_eq!(keys, [key]);
    }
    assert_eq!(table_1().contradictions(), []);
}

#[test]
fn a_run_can_be_stopped() {
    let settings = table_1();
    let operations = Workload::parse("R").unwrap().operations(&settings, 200_000, 1).unwrap();
    let report = run(Kind::QueuingCache, &settings, &operations, ALL, &mut |_| false).unwrap();
    assert!(report.operations < 20_000);
}
