//! Small chips whose every event was worked out by hand.

use crate::kit;

use kit::{ALL, SEND, each, head, read, run, small, without_wires};
use linecard_chip::{Arrival, Chip, Outcome, Window};
use linecard_program::script::{Access, Action, RoleId};
use std::ops::ControlFlow;

#[test]
fn one_packet_takes_the_sum_of_its_parts() {
    // 64 bytes at 10 Gbit/s take 51.2 ns in (not counted) and 51.2 ns out; the program takes 10 cycles, 100 ns in
    // SRAM, and 5 cycles.
    let ran = run(small(1, 1), vec![(10, read(4)), (5, SEND)], &[(0, 1, 64)]);
    assert_eq!(ran.outcome, Outcome::TrafficEnded);
    let counts = ran.chip.counts();
    assert_eq!((counts.packets_in, counts.packets_out), (1, 1));
    assert!((ran.ns(counts.latency.max()) - (10.0 + 100.0 + 5.0 + 51.2)).abs() < 0.01);
    assert!((ran.ns(ran.departures[0].at) - (51.2 + 115.0 + 51.2)).abs() < 0.01);
}

#[test]
fn a_role_without_a_memory_ends_the_run_with_a_sentence() {
    let mut config = small(1, 1);
    config.roles.push("table".into());
    config.targets[0].push(None);
    let table = RoleId(config.roles.len() as u8 - 1);
    let access = Action::Access {
        role: table,
        kind: Access::Read,
        posted: false,
        bytes: 4,
        address: 0,
        used_after: 0,
    };
    for action in
        [access, Action::Recall { role: table }, Action::Link { role: table, queue: 0, enqueue: true }]
    {
        let ran = run(config.clone(), vec![(10, action), (5, SEND)], &[(0, 1, 64)]);
        let sentence = "the program of me uses the role table, but me has no memory for this role".to_owned();
        assert_eq!(ran.outcome, Outcome::Fault(sentence), "{action:?}");
    }
}

#[test]
fn a_second_thread_computes_while_the_first_waits() {
    // Both packets have arrived at 102.4 ns. Thread 0 computes from 51.2 to 61.2, waits for SRAM until 161.2, and
    // computes 5 cycles until 166.2. Thread 1 computes from 102.4 to 112.4 and waits for SRAM until 212.4.
    let ran = run(small(1, 2), vec![(10, read(4)), (5, SEND)], &[(0, 1, 64), (0, 2, 64)]);
    let at: Vec<f64> = ran.departures.iter().map(|d| ran.ns(d.at)).collect();
    assert!((at[0] - (166.2 + 51.2)).abs() < 0.02, "{at:?}");
    assert!((at[1] - (217.4 + 51.2)).abs() < 0.02, "{at:?}");
}

#[test]
fn an_engine_with_one_thread_takes_packets_one_after_another() {
    let ran = run(small(1, 1), vec![(10, read(4)), (5, SEND)], &[(0, 1, 64), (0, 2, 64), (0, 3, 64)]);
    let at: Vec<f64> = ran.departures.iter().map(|d| ran.ns(d.at)).collect();
    for (number, at) in at.iter().enumerate() {
        assert!((at - (51.2 + 115.0 * (number + 1) as f64 + 51.2)).abs() < 0.05, "{number}: {at}");
    }
}

#[test]
fn the_switch_costs_its_cycles_only_between_threads_that_follow_each_other() {
    let mut config = small(1, 2);
    config.clusters[0].switch_cycles = 3;
    config.ports[0].receive.as_mut().unwrap().bits_per_second = 1_000_000_000_000_000;
    // Both threads are ready at 0: the first computes for 10, the engine switches for 3, and the second computes for
    // 10.
    let ran = run(config, vec![(10, read(4)), (5, SEND)], &[(0, 1, 64), (0, 2, 64)]);
    let at: Vec<f64> = ran.departures.iter().map(|d| ran.ns(d.at)).collect();
    assert!((at[0] - (10.0 + 100.0 + 5.0 + 51.2)).abs() < 0.05, "{at:?}");
    // The second access returns at 123, after the first thread has finished its five cycles: the engine is idle, so
    // there is no switch.
    assert!((at[1] - (13.0 + 10.0 + 100.0 + 5.0 + 51.2)).abs() < 51.2, "{at:?}");
}

#[test]
fn a_span_names_the_packet_that_its_thread_held() {
    // One thread takes packet 1 when it has sent packet 0, without a pause. It waits from 30 until packet 2 comes.
    let steps = [10, 20, 5].map(|cycles| vec![(cycles, SEND)]);
    let mut arrivals = [0, 0, 100].into_iter().map(|at_ns| Arrival { at_ns, flow_hash: 1, head: head(64) });
    let config = without_wires(small(1, 1));
    let source = Box::new(move || arrivals.next());
    let mut chip = Chip::new(config, vec![each(steps.to_vec())], source).unwrap();
    chip.record(Window { from_ns: 0, for_ns: 1_000, most_events: 100 });
    chip.run(ALL, &mut |_| ControlFlow::Continue(()));
    let recording = chip.recording().unwrap();
    let ns = |ticks| chip.timebase().nanoseconds(ticks).round() as u64;
    let spans = recording.spans.iter().map(|span| {
        (recording.states[usize::from(span.state)].as_str(), span.packet, ns(span.from), ns(span.to))
    });
    let spans: Vec<_> = spans.filter(|(.., from, to)| to > from).collect();
    let expected = [
        ("compute", Some(0), 0, 10),
        ("compute", Some(1), 10, 30),
        ("wait packet", None, 30, 100),
        ("compute", Some(2), 100, 105),
    ];
    assert_eq!(spans[..4], expected);
}
