//! Does a manager inside another machine behave as in the standalone study?

use crate::kit;

use kit::table_1;
use linecard_queueing::{CLOCKS_HZ, Kind, Operation, Service, Settings, Window, Workload, run};
use linecard_sim::{Ticks, Timebase};

/// Another machine: its clocks have a finer tick, and it calls the manager only when an event is due.
struct Elsewhere<'a> {
    service: Service,
    operations: std::slice::Iter<'a, Operation>,
    now: Ticks,
}

impl Elsewhere<'_> {
    fn start(&mut self, thread: u32) {
        if let Some(&operation) = self.operations.next() {
            self.service.start(self.now, thread, operation);
        }
    }

    fn run_out(&mut self, threads: u32) {
        (0..threads).for_each(|thread| self.start(thread));
        while let Some(at) = self.service.next_at() {
            self.now = at;
            while let Some(thread) = self.service.take_complete(at).unwrap() {
                self.start(thread);
            }
        }
    }
}

#[test]
fn every_manager_takes_the_same_time_in_another_machine() {
    let clocks: Vec<u64> = CLOCKS_HZ.into_iter().chain([232_000_000]).collect();
    let timebase = Timebase::from_clocks_hz(&clocks).unwrap();
    for kind in Kind::ALL {
        for workload in ["SD4_90", "R"] {
            let settings = Settings { threads: 8, entries: 4, engines: 3, queues: 256, ..table_1() };
            let operations = Workload::parse(workload).unwrap().operations(&settings, 5_000, 1).unwrap();
            let window = Window { warmup: 0, measured: operations.len() as u64 };
            let alone = run(kind, &settings, &operations, window, &mut |_| true).unwrap();

            let service = Service::new(kind, &settings, timebase).unwrap();
            let mut elsewhere = Elsewhere { service, operations: operations.iter(), now: 0 };
            elsewhere.run_out(settings.threads);
            elsewhere.service.audit().unwrap();

            let name = kind.name();
            let usage = elsewhere.service.usage(elsewhere.now);
            assert_eq!(usage.operations, alone.operations, "{name}");
            assert!((timebase.nanoseconds(elsewhere.now) - alone.simulated_ns).abs() < 1e-6, "{name}");
            let hit_rate = usage.hits as f64 / usage.lookups.max(1) as f64;
            assert_eq!(hit_rate, alone.hit_rate, "{name}");
            assert_eq!(
                (usage.empty_dequeues, usage.inside),
                (alone.empty_dequeues, alone.packets_left_inside)
            );
            let busiest = [
                alone.read_port_utilization,
                alone.write_port_utilization,
                alone.request_path_utilization,
                alone.response_path_utilization,
                alone.engine_utilization,
            ];
            let busiest = busiest.into_iter().fold(0.0, f64::max).min(1.0);
            assert!((usage.utilization - busiest).abs() < 1e-9, "{name}: {} {busiest}", usage.utilization);
        }
    }
}

#[test]
fn what_was_counted_before_a_restart_is_forgotten() {
    let timebase = Timebase::from_clocks_hz(&CLOCKS_HZ).unwrap();
    let settings = Settings { threads: 1, queues: 1, ..table_1() };
    let service = Service::new(Kind::QueuingCache, &settings, timebase).unwrap();
    let operations = [Operation::enqueue(0), Operation::enqueue(0)];
    let mut elsewhere = Elsewhere { service, operations: operations[..1].iter(), now: 0 };
    elsewhere.run_out(1);
    elsewhere.service.restart(elsewhere.now);
    assert_eq!(elsewhere.service.usage(elsewhere.now).operations, 0);
    elsewhere.operations = operations[1..].iter();
    elsewhere.run_out(1);
    let usage = elsewhere.service.usage(elsewhere.now);
    assert_eq!((usage.operations, usage.lookups, usage.hits, usage.inside), (1, 1, 1, 2));
}

#[test]
fn a_q_array_serves_the_threads_of_one_microengine() {
    let timebase = Timebase::from_clocks_hz(&CLOCKS_HZ).unwrap();
    let settings = Settings { threads: 9, ..table_1() };
    let error = Service::new(Kind::QArray, &settings, timebase).err().unwrap().to_string();
    assert!(error.contains("at most 8"), "{error}");
}
