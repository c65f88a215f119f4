//! Order, output queues and schedulers, worked out by hand.

use crate::kit;

use kit::{ALL, Fixed, INSTANT, Ran, SEND, each, run_with, small, without_wires};
use linecard_chip::config::*;
use linecard_chip::{ChipConfig, Loss, Outcome, RunLimit, SchedulerRule};
use linecard_program::DropReason;
use linecard_program::script::Action;

/// Engines of one thread each; a byte takes a nanosecond on the output wire, and no time on input.
fn chip(engines: u32) -> ChipConfig {
    let mut config = without_wires(small(engines, 1));
    config.ports[0].transmit.as_mut().unwrap().bits_per_second = 8_000_000_000;
    config
}

fn transmit(config: &mut ChipConfig) -> &mut TransmitConfig {
    config.ports[0].transmit.as_mut().unwrap()
}

/// Packets of 64 bytes of one flow that all arrive at once and are handed over after these numbers of cycles.
fn together(config: ChipConfig, cycles: &[u32]) -> Ran {
    let steps = cycles.iter().map(|&cycles| vec![(cycles, SEND)]).collect();
    let ran = run_with(config, vec![each(steps)], vec![(0, 1, 64); cycles.len()], ALL);
    assert_eq!((&ran.outcome, ran.chip.leftovers()), (&Outcome::TrafficEnded, vec![]));
    ran
}

/// Returns the order in which packets leave: a frame of class 2 holds the wire up to 100 ns; then packets 1 to 3 of
/// class 0 (600, 200 and 300 bytes) and packets 4 to 6 of class 1 (400, 400 and 100 bytes) wait.
fn order_of(scheduler: SchedulerRule) -> Vec<(u64, u64)> {
    let mut config = chip(1);
    let t = transmit(&mut config);
    t.scheduler = SchedulerConfig::flat(scheduler, &[500; 3]);
    let classes = [2, 0, 0, 0, 1, 1, 1];
    let sizes = [100, 600, 200, 300, 400, 400, 100];
    let steps = classes.map(|class| vec![(0, Action::Send { port: 0, class })]);
    let packets = (0..7).map(|n| (n as u64, n, sizes[n as usize])).collect();
    run_with(config, vec![each(steps.to_vec())], packets, ALL).left()
}

#[test]
fn strict_priority_empties_the_lowest_class_first() {
    let expected = [(0, 100), (1, 700), (2, 900), (3, 1200), (4, 1600), (5, 2000), (6, 2100)];
    assert_eq!(order_of(SchedulerRule::Strict), expected);
}

#[test]
fn round_robin_takes_a_packet_of_each_class() {
    let expected = [(0, 100), (1, 700), (4, 1100), (2, 1300), (5, 1700), (3, 2000), (6, 2100)];
    assert_eq!(order_of(SchedulerRule::RoundRobin), expected);
}

#[test]
fn deficit_round_robin_keeps_what_a_turn_left_over() {
    // Class 0 gets 500 and waits. Class 1 gets 500, sends 400 and keeps 100. Class 0 has 1,000, sends 600 and 200 and
    // keeps 200. Class 1 has 600, sends 400 and 100 and has no further packet. Class 0 has 700 and sends 300.
    let expected = [(0, 100), (4, 500), (1, 1100), (2, 1300), (5, 1700), (6, 1800), (3, 2100)];
    assert_eq!(order_of(SchedulerRule::Deficit), expected);
}

#[test]
fn the_first_turn_is_that_of_the_first_class() {
    let mut config = chip(1);
    let t = transmit(&mut config);
    t.scheduler = SchedulerConfig::flat(SchedulerRule::Deficit, &[100, 1000]);
    // Class 0 sends 100 and its turn ends; class 1 has the turn when both have packets.
    let steps = [0, 0, 1, 1].map(|class| vec![(0, Action::Send { port: 0, class })]);
    let packets = (0..4).map(|n| (n, n as u32, 100)).collect();
    let left = run_with(config, vec![each(steps.to_vec())], packets, ALL).left();
    assert_eq!(left, [(0, 100), (2, 200), (3, 300), (1, 400)]);
}

#[test]
fn a_thread_keeps_its_packet_while_the_window_is_full() {
    for (window, waited) in [(0, 300.0), (1, 100.0), (2, 0.0)] {
        let mut config = without_wires(chip(3));
        config.order = OrderConfig { kept: OrderKept::Flow, window };
        let ran = together(config, &[300, 200, 100]);
        assert_eq!(ran.left(), [(0, 300), (1, 300), (2, 300)]);
        assert!((ran.spent("wait order") - waited).abs() < 0.01, "window of {window}");
        assert_eq!(ran.chip.counts().order_most, window);
    }
}

#[test]
fn a_thread_goes_on_when_its_turn_comes_and_when_there_is_room() {
    // With a window of 1, packet 2 waits in it from 100 on. Packet 1 is held from 200 on. It leaves with packet 0 at
    // 300, and packet 2 follows. Packet 4, held from 250 on, gets the room. Packet 3 is done at 400.
    let mut config = without_wires(chip(5));
    config.order = OrderConfig { kept: OrderKept::Port, window: 1 };
    let ran = together(config, &[300, 200, 100, 400, 250]);
    assert_eq!(ran.left(), [(0, 300), (1, 300), (2, 300), (3, 400), (4, 400)]);
    assert!((ran.spent("wait order") - (100.0 + 50.0)).abs() < 0.01);
}

#[test]
fn a_packet_that_is_dropped_passes_its_turn_on() {
    let mut config = without_wires(chip(4));
    config.order = OrderConfig { kept: OrderKept::Flow, window: 8 };
    let drop = Action::Drop(DropReason::ALL[0]);
    // Packet 1 is dropped early, packet 0 in its turn. Packet 3 is last, and is dropped before packet 2.
    let steps = vec![vec![(300, drop)], vec![(100, drop)], vec![(200, SEND)], vec![(150, drop)]];
    let ran = run_with(config, vec![each(steps)], vec![(0, 1, 64); 4], ALL);
    assert_eq!(ran.left(), [(2, 300)]);
    assert_eq!((ran.chip.counts().drops[0], ran.chip.leftovers()), (3, vec![]));
}

#[test]
fn threads_wait_for_room_in_a_full_queue() {
    // Packet 0 is on the wire, packet 1 in the queue; packet 2 joins the queue at 64, packet 3 at 128.
    let mut config = chip(4);
    (transmit(&mut config).queue_packets, transmit(&mut config).when_full) = (1, WhenFull::Wait);
    let ran = together(config, &[10; 4]);
    assert_eq!(ran.left(), [(0, 74), (1, 138), (2, 202), (3, 266)]);
    assert!((ran.spent("wait queue room") - (64.0 + 128.0)).abs() < 0.01);
}

#[test]
fn packets_that_wait_for_their_turn_take_no_room_of_the_queue() {
    // All packets but packet 0 are done at once and wait. They follow packet 0 at 100: one goes onto the wire, one
    // into the queue, and two find the queue full and wait or are lost.
    let cycles = [100, 0, 0, 0];
    let mut config = chip(4);
    config.order = OrderConfig { kept: OrderKept::Flow, window: 8 };
    (transmit(&mut config).queue_packets, transmit(&mut config).when_full) = (1, WhenFull::Wait);
    let ran = together(config.clone(), &cycles);
    assert_eq!(ran.left(), [(0, 164), (1, 228), (2, 292), (3, 356)]);
    assert_eq!(ran.spent("wait queue room"), 0.0, "their threads are free");

    transmit(&mut config).when_full = WhenFull::Drop;
    let ran = together(config, &cycles);
    let [first, rest @ ..] = &ran.left()[..] else { panic!("none left") };
    assert_eq!(*first, (0, 164));
    assert_eq!(ran.chip.counts().drops[Loss::OutputQueueFull.number()], 3 - rest.len() as u64);
}

#[test]
fn thousands_of_threads_that_wait_for_each_other_go_on_one_after_another() {
    // Each is one turn after the previous one, and all leave when the first is done.
    let threads = 4096;
    let mut config = without_wires(small(threads, 1));
    config.order = OrderConfig { kept: OrderKept::Flow, window: 0 };
    let cycles: Vec<u32> = (0..threads).map(|n| if n == 0 { 100_000 } else { 10 }).collect();
    let ran = together(config, &cycles);
    assert_eq!(ran.departures.len(), 4096);
    assert!(ran.departures.windows(2).all(|pair| pair[0].number < pair[1].number));
}

#[test]
fn memories_that_have_room_are_filled_while_another_has_none() {
    // Each cluster has a memory for one packet; the first takes 10 us for it and the second 10 ns.
    let mut config = without_wires(small(1, 2));
    config.saturated = true;
    config.inboxes[0].rule = linecard_chip::DispatchRule::Hash;
    let second =
        ClusterConfig { clock_hz: 1_000_000_000_000, name: "fast".into(), ..config.clusters[0].clone() };
    config.clusters.push(second);
    config.places.push(kit::place("other", kit::server(0, 0)));
    config.targets = vec![vec![kit::target(0, 0, 0)], vec![kit::target(1, 0, 0)]];
    config.packets = Some(PacketMemoryConfig {
        role: 0,
        placement: PlacementRule::Allocator(linecard_buffers::AllocatorConfig {
            kind: linecard_buffers::AllocatorKind::Fixed,
            cells: 1,
            page_cells: 1,
            pools: 1,
            order: linecard_buffers::PoolOrder::Fifo,
            queues: 1,
            seed: 1,
        }),
        placed_by_programs: false,
        wide: None,
        received_by_ports: false,
        sent_by_ports: false,
    });
    let limit = RunLimit { warmup_packets: Some(0), packets: 1_000 };
    let program = Box::new(Fixed(vec![(10_000, SEND)]));
    let ran = run_with(config, vec![program], vec![(0, 1, 64); 2_000], limit);
    assert_eq!(ran.outcome, Outcome::Completed);
    assert!(ran.ns(ran.chip.counts().duration) < 12_000.0, "{}", ran.ns(ran.chip.counts().duration));
}

#[test]
fn a_saturated_chip_gives_threads_packets_of_the_ports_of_their_inbox() {
    let mut config = without_wires(small(1, 2));
    config.saturated = true;
    config.ports.push(config.ports[0].clone());
    config.inboxes.push(config.inboxes[0].clone());
    config.ports[1].receive.as_mut().unwrap().inbox = 1;
    config.clusters.push(ClusterConfig { takes: vec![1], program: 1, ..config.clusters[0].clone() });
    config.targets.push(config.targets[0].clone());
    let to = |port| Box::new(Fixed(vec![(100, Action::Send { port, class: 0 })])) as _;
    let packets = (0..500).map(|n| (0, n * 77, 64)).collect();
    let ran = run_with(config, vec![to(0), to(1)], packets, ALL);
    assert_eq!(ran.outcome, Outcome::TrafficEnded);
    assert!(ran.departures.iter().all(|d| d.input_port == d.output_port));
    assert_eq!(ran.departures.iter().filter(|d| d.input_port == 0).count(), 250);
}

#[test]
fn a_warm_up_that_the_traffic_did_not_outlast_has_not_ended() {
    let run = |warmup_packets, count| {
        let mut config = chip(2);
        config.ports[0].receive.as_mut().unwrap().bits_per_second = INSTANT;
        let packets = (0..count).map(|n| (n * 100, 1, 64)).collect();
        let limit = RunLimit { warmup_packets, packets: 5_000 };
        run_with(config, vec![Box::new(Fixed(vec![(10, SEND)]))], packets, limit)
    };
    for warmup in [None, Some(1_000)] {
        let ran = run(warmup, 100);
        assert_eq!((ran.outcome, ran.chip.was_warm()), (Outcome::TrafficEnded, false));
        let ran = run(warmup, 30_000);
        assert_eq!((ran.outcome, ran.chip.was_warm()), (Outcome::Completed, true));
        assert_eq!(ran.chip.counts().packets_out, 5_000);
    }
}
