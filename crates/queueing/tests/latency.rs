//! Are unloaded latencies, serial rates and traffic those of Table 5 and section 5?

use crate::kit;

use kit::table_1;
use linecard_queueing::{Entry, Kind, Locking, Operation, Report, Settings, Window, Workload, run, unloaded};

/// Returns the latency of each operation of a single thread, in nanoseconds.
fn latencies(kind: Kind, settings: &Settings, operations: &[Operation]) -> Vec<f64> {
    (0..operations.len() as u64)
        .map(|warmup| {
            let window = Window { warmup, measured: 1 };
            run(kind, settings, operations, window, &mut |_| true).unwrap().latency_mean_ns
        })
        .collect()
}

fn throughput(kind: Kind, workload: &str) -> Report {
    throughput_with(&table_1(), kind, workload)
}

fn throughput_with(settings: &Settings, kind: Kind, workload: &str) -> Report {
    let window = Window { warmup: 5_000, measured: 40_000 };
    let operations = Workload::parse(workload).unwrap().operations(settings, 50_000, 1).unwrap();
    run(kind, settings, &operations, window, &mut |_| true).unwrap()
}

#[test]
fn unloaded_latencies_are_those_of_table_5() {
    // The first enqueue and the first dequeue miss, because each end has a separate pointer; the second ones hit.
    let operations =
        [Operation::enqueue(3), Operation::enqueue(3), Operation::dequeue(3), Operation::dequeue(3)];
    let expected: [(Kind, [f64; 4]); 5] = [
        (Kind::NoCache, [170.0, 170.0, 250.0, 250.0]),
        (Kind::DataCache, [170.0, 130.0, 210.0, 170.0]),
        (Kind::SoftwareCache, [200.0, 120.0, 200.0, 120.0]),
        (Kind::QArray, [200.0, 120.0, 200.0, 120.0]),
        // Table 5 leaves out the 5 ns of instructions that Table 1 states for the queuing cache.
        (Kind::QueuingCache, [120.0 + 5.0, 80.0 + 5.0, 120.0 + 5.0, 80.0 + 5.0]),
    ];
    // Table 5 adds latencies, so ports and paths serve everything at once.
    let free = Settings { threads: 1, port_ps: 0, slot_ps: 0, ..table_1() };
    for (kind, expected) in expected {
        if kind != Kind::QArray {
            assert_eq!(latencies(kind, &free, &operations), expected, "{}", kind.name());
        }
        for entry in [Entry::Pointer, Entry::Descriptor] {
            let found = unloaded(kind, &Settings { entry, ..table_1() }).unwrap();
            let found =
                [found.enqueue_miss_ns, found.enqueue_hit_ns, found.dequeue_miss_ns, found.dequeue_hit_ns];
            assert_eq!(found, expected, "{} {entry:?}", kind.name());
        }
    }
    // The two writes of an enqueue are issued at once and share a port: the second ends 8 ns later.
    let found = latencies(Kind::NoCache, &Settings { threads: 1, ..table_1() }, &operations);
    assert_eq!(found, [178.0, 178.0, 250.0, 250.0]);
}

#[test]
fn whole_descriptors_are_loaded_once() {
    let operations = [Operation::enqueue(3), Operation::dequeue(3)];
    let settings = Settings { threads: 1, entry: Entry::Descriptor, ..table_1() };
    assert_eq!(latencies(Kind::QueuingCache, &settings, &operations), [125.0, 85.0]);
    assert_eq!(latencies(Kind::SoftwareCache, &settings, &operations), [200.0, 120.0]);
    // The IXP2800 has no alternative.
    let settings = Settings { threads: 1, ..table_1() };
    assert_eq!(latencies(Kind::QArray, &settings, &operations), [200.0, 120.0]);
}

#[test]
fn one_queue_is_served_at_the_pace_of_its_slower_end() {
    // Half of the operations are dequeues, each of which holds the head for its whole latency. Inside the queuing
    // cache, one operation follows another every 40 ns.
    let expected = [
        (Kind::NoCache, 2e3 / 250.0),
        (Kind::DataCache, 2e3 / 170.0),
        (Kind::SoftwareCache, 2e3 / 120.0),
        (Kind::QueuingCache, 1e3 / 40.0),
    ];
    for (kind, expected) in expected {
        let found = throughput(kind, "SD1_100").throughput_mops;
        assert!((found / expected - 1.0).abs() < 2e-3, "{}: {found} {expected}", kind.name());
    }
}

#[test]
fn with_a_lock_for_a_queue_its_whole_operations_take_turns() {
    let expected = [
        (Kind::NoCache, 2e3 / (178.0 + 250.0)),
        (Kind::DataCache, 2e3 / (130.0 + 170.0)),
        (Kind::SoftwareCache, 1e3 / 120.0),
        // The latency of a hit in Table 5; its instructions overlap with the previous operation.
        (Kind::QueuingCache, 1e3 / 80.0),
    ];
    for (kind, expected) in expected {
        let settings = Settings { locking: Locking::Queue, ..table_1() };
        let found = throughput_with(&settings, kind, "SD1_100").throughput_mops;
        assert!((found / expected - 1.0).abs() < 2e-3, "{}: {found} {expected}", kind.name());
    }
}

#[test]
fn the_memory_ports_limit_uniform_traffic() {
    // Each operation makes three references, half of them reads, and each port serves one every 8 ns.
    let report = throughput(Kind::NoCache, "R");
    assert!((report.throughput_mops / (1e3 / 12.0) - 1.0).abs() < 1e-3, "{}", report.throughput_mops);
    assert!(report.read_port_utilization > 0.999 && report.write_port_utilization > 0.999);
    let shared = throughput_with(&Settings { shared_port: true, ..table_1() }, Kind::NoCache, "R");
    assert!((shared.throughput_mops / (1e3 / 24.0) - 1.0).abs() < 1e-3, "{}", shared.throughput_mops);
    assert!(shared.read_port_utilization > 0.999);
    assert_eq!(shared.read_port_utilization, shared.write_port_utilization);
}

#[test]
fn references_and_messages_are_those_of_section_5() {
    let nc = throughput(Kind::NoCache, "SD16_90");
    // There are three of each, and half of the references are reads; operations in progress at the ends of the window
    // add an error.
    for (found, expected) in [
        (nc.references_per_operation, 3.0),
        (nc.messages_per_operation, 3.0),
        (nc.reads_per_operation, 1.5),
        (nc.writes_per_operation, 1.5),
    ] {
        assert!((found - expected).abs() < 0.002, "{found} {expected}");
    }
    for kind in [Kind::QueuingCache, Kind::SoftwareCache] {
        let report = throughput(kind, "SD16_90");
        // A miss reads a pointer and writes one back: every victim has changed.
        let expected = (1.0 - report.hit_rate) * 2.0 + 1.0;
        assert!((report.references_per_operation - expected).abs() < 0.01, "{report:?}");
        let messages = if kind == Kind::QueuingCache { 1.0 } else { 2.0 - report.hit_rate };
        assert!((report.messages_per_operation - messages).abs() < 0.01, "{report:?}");
    }
}

#[test]
fn waiting_is_counted() {
    let report = throughput(Kind::NoCache, "SD1_100");
    // Two of the 32 threads work: by Little's law an operation takes 32 / T.
    let latency = 32e3 / report.throughput_mops;
    assert!((report.latency_mean_ns / latency - 1.0).abs() < 1e-2, "{report:?}");
    assert!(report.lock_wait_mean_ns > 0.9 * latency * 15.0 / 16.0);
    assert!(report.latency_p50_ns <= report.latency_p99_ns && report.latency_p99_ns <= report.latency_max_ns);
}

#[test]
fn an_engine_that_never_becomes_idle_is_busy() {
    // All operations are on one queue, whose engine continues with the next one: one engine of 32 works all the time.
    for (engines, expected) in [(1, 1.0), (32, 1.0 / 32.0)] {
        let settings = Settings { engines, ..table_1() };
        let report = throughput_with(&settings, Kind::QueuingCache, "SD1_100");
        assert_eq!(report.engine_utilization, expected, "{engines} engines");
    }
}

#[test]
fn waits_after_the_measurement_do_not_count() {
    // Ten threads begin an enqueue of 178 ns on one queue together. The first does not wait, and the second, with which
    // the measurement ends, waits for 178 ns. The others wait until later.
    let settings = Settings { threads: 10, locking: Locking::Queue, ..table_1() };
    let operations = [Operation::enqueue(0); 10];
    let report =
        run(Kind::NoCache, &settings, &operations, Window { warmup: 0, measured: 2 }, &mut |_| true).unwrap();
    assert_eq!(report.lock_wait_mean_ns, 178.0 / 2.0);
}

#[test]
fn times_are_not_rounded() {
    // A dequeue without a cache: 10 ns of instructions, then three round trips and three accesses.
    let cases = [
        (40_000, 40_000, 250.0),
        (40_000, 3_300, 139.9),
        (10_001, 3_300, 49.903),
        (0, 1, 10.003),
        (500, 40_000, 131.5),
    ];
    for (interconnect_ps, memory_ps, expected_ns) in cases {
        let settings = Settings { interconnect_ps, memory_ps, ..table_1() };
        let found = unloaded(Kind::NoCache, &settings).unwrap().dequeue_miss_ns;
        assert!((found - expected_ns).abs() < 1e-9, "{found} ns for {interconnect_ps} and {memory_ps} ps");
    }
}
