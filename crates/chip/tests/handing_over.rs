//! Packets that pass from one thread to another: with or without room, lent, and in order through a window. Worked
//! out by hand.

use crate::kit;

use kit::{ALL, Asked, Fixed, Ran, SEND, TABLE, each, read, run_with, small, without_wires};
use linecard_chip::config::*;
use linecard_chip::{ChipConfig, DispatchRule, Outcome};
use linecard_program::PacketHead;
use linecard_program::script::{Access, Action, NOT_USED, PacketInfo, PacketProgram, Steps};

/// A chip of two stages with these numbers of threads, and an inbox between them.
fn two_stages(threads: [u32; 2], capacity: Option<u32>, window: Option<u32>) -> ChipConfig {
    let mut config = without_wires(small(1, threads[0]));
    config.inboxes.push(InboxConfig { name: "next".into(), rule: DispatchRule::FreeList, capacity, window });
    let first = config.clusters[0].clone();
    config.clusters.push(ClusterConfig {
        name: "next".into(),
        takes: vec![1],
        program: 1,
        threads: threads[1],
        ..first
    });
    config.targets.push(config.targets[0].clone());
    config
}

fn ran(config: ChipConfig, first: Vec<(u32, Action)>, second: Vec<(u32, Action)>, packets: usize) -> Ran {
    run_with(config, vec![Box::new(Fixed(first)), Box::new(Fixed(second))], vec![(0, 1, 64); packets], ALL)
}

fn nothing_is_left(ran: &Ran) {
    assert_eq!(ran.outcome, Outcome::TrafficEnded);
    assert_eq!(ran.chip.leftovers(), Vec::<String>::new());
}

#[test]
fn a_packet_that_finds_no_room_goes_the_other_way() {
    // Packets are offered at 10, 20 and 30: the first is taken and the second waits. The third leaves by itself 5
    // cycles later. The fourth, whose thread then begins, is offered at 45. The waiting packet is taken at 110.
    let config = two_stages([4, 1], Some(1), None);
    let offer = vec![(10, Action::Offer { inbox: 1 }), (5, SEND)];
    let ran = ran(config, offer, vec![(100, SEND)], 4);
    assert_eq!(ran.left(), [(2, 35), (3, 50), (0, 110), (1, 210)]);
    assert!(ran.spent("wait inbox room") < 0.01);
    let next = &ran.chip.counts().inboxes[1];
    assert_eq!((next.offered, next.refused), (4, 2));
    nothing_is_left(&ran);
}

/// A packet that takes an entry of a ring, writes it in 100 ns, and goes into the ring.
fn ring_put(else_skips: u8) -> Vec<(u32, Action)> {
    let write = Action::Access {
        role: TABLE,
        kind: Access::Write,
        posted: false,
        bytes: 4,
        address: 0,
        used_after: NOT_USED,
    };
    vec![(10, Action::Reserve { inbox: 1, else_skips }), (0, write), (0, Action::Put { inbox: 1 })]
}

#[test]
fn an_entry_is_taken_before_it_is_written() {
    // Entries are asked for at 10, 20 and 30. The first is written until 110, when a waiting thread takes its packet;
    // the only entry is then that of the second packet, written until 210, and so on.
    let ran = ran(two_stages([3, 1], Some(1), None), ring_put(0), vec![(100, SEND)], 3);
    assert_eq!(ran.left(), [(0, 210), (1, 310), (2, 410)]);
    assert!((ran.spent("wait inbox room") - (90.0 + 180.0)).abs() < 0.01);
    nothing_is_left(&ran);
}

#[test]
fn an_entry_that_is_refused_is_not_written() {
    // The first packet has the only entry from 10 on. The others are refused at 20, 35 and 50 and leave 5 later.
    let offer = [ring_put(2), vec![(5, SEND)]].concat();
    let ran = ran(two_stages([4, 1], Some(1), None), offer, vec![(100, SEND)], 4);
    assert_eq!(ran.left(), [(1, 25), (2, 40), (3, 55), (0, 210)]);
    let counts = ran.chip.counts();
    assert_eq!((counts.inboxes[1].offered, counts.inboxes[1].refused), (4, 3));
    assert_eq!(counts.places[0].accesses, 1);
    nothing_is_left(&ran);
}

#[test]
fn who_lends_a_packet_works_beside_the_next_until_both_are_done() {
    // The packet is lent at 10. The next stage computes until 40 and waits for the first, which computes until 110;
    // the packet leaves 5 later.
    let lend = || vec![(10, Action::Lend { inbox: 1 }), (100, Action::Nothing)];
    let config = two_stages([1, 1], None, None);
    let slow = ran(config, lend(), vec![(30, Action::Alone), (5, SEND)], 1);
    assert_eq!(slow.left(), [(0, 115)]);
    assert!((slow.spent("wait posted") - 70.0).abs() < 0.01);
    nothing_is_left(&slow);
    // If no thread waits, the packet leaves before its first thread ends. That thread is free at 110 and then takes
    // the second packet, although the first packet's number in the table is in use again.
    let config = two_stages([1, 1], None, None);
    let early = ran(config, lend(), vec![(30, SEND)], 2);
    assert_eq!(early.left(), [(0, 40), (1, 150)]);
    nothing_is_left(&early);
}

#[test]
fn a_hit_at_the_end_of_a_list_takes_its_cycles() {
    let mut config = two_stages([1, 1], None, None);
    config.clusters[0].data_cache = Some(DataCacheConfig {
        per_thread: false,
        of: vec!["sram".into()],
        sets: 1,
        ways: 1,
        line_bytes: 64,
        replacement: Replacement::LeastRecent,
        latency_cycles: 5,
        leaves_engine: false,
    });
    // The first packet misses until 100, is lent at 110, and its thread reads on until 115. The second packet hits
    // until 120 and is lent at 130. Each leaves 3 later.
    let lend = vec![(0, read(4)), (10, Action::Lend { inbox: 1 }), (0, read(4))];
    assert_eq!(ran(config, lend, vec![(3, SEND)], 2).left(), [(0, 113), (1, 133)]);
}

#[test]
fn nobody_waits_for_a_packet_that_was_not_lent() {
    let config = two_stages([1, 1], None, None);
    let ran = ran(config, vec![(10, Action::Put { inbox: 1 })], vec![(0, Action::Alone), (5, SEND)], 1);
    assert_eq!(ran.left(), [(0, 15)]);
}

#[test]
fn a_window_lets_the_next_packet_in_when_one_has_ended() {
    // All four packets are handed over by 40. Two of the four later threads have packets until one packet leaves: at
    // 110, then at 210, because both threads compute in turn on one engine, and so on. The third packet ends with a
    // drop, which counts as well.
    let config = two_stages([4, 4], None, Some(2));
    let first = Box::new(Fixed(vec![(10, Action::Put { inbox: 1 })]));
    let sends = vec![(100, SEND)];
    let drops = vec![(100, Action::Drop(linecard_program::DropReason::ALL[0]))];
    let second = each(vec![sends.clone(), sends.clone(), drops, sends]);
    let ran = run_with(config, vec![first, second], vec![(0, 1, 64); 4], ALL);
    assert_eq!(ran.left(), [(0, 110), (1, 210), (3, 410)]);
    assert_eq!(ran.chip.counts().inboxes[1].most, 2);
    nothing_is_left(&ran);
    // With room for one waiting packet, the putting thread waits for the window, too: packet 1 leaves the inbox at
    // 110.
    let config = two_stages([4, 4], Some(1), Some(1));
    let first = Box::new(Fixed(vec![(10, Action::Put { inbox: 1 })]));
    let ran = run_with(config, vec![first, Box::new(Fixed(vec![(100, SEND)]))], vec![(0, 1, 64); 3], ALL);
    assert_eq!(ran.left(), [(0, 110), (1, 210), (2, 310)]);
    assert!((ran.spent("wait inbox room") - (110.0 - 30.0)).abs() < 0.01);
    nothing_is_left(&ran);
}

#[test]
fn the_first_packets_go_to_one_engine_each() {
    // No thread has been free longer than another at the start. Four packets, one in each nanosecond, find an idle
    // engine each, also if the first of them arrives at the start.
    let config = without_wires(small(4, 4));
    let ran = run_with(
        config,
        vec![each(vec![vec![(1000, SEND)]; 4])],
        (0..4).map(|at| (at, 1, 64)).collect(),
        ALL,
    );
    assert_eq!(ran.left(), [(0, 1000), (1, 1001), (2, 1002), (3, 1003)]);
}

#[test]
fn a_thread_whose_put_was_done_for_it_is_switched_to_before_its_next_packet() {
    // Thread 0 waits for room with packet 3 from 30 on. Thread 1 has packet 1 from 30 to 235, 5 of them for the
    // switch, and waits with packet 4 from 245 on. Packet 3 finds room at 110: thread 0 takes packet 5 after another
    // switch.
    let mut config = two_stages([2, 1], Some(1), None);
    config.clusters[0].switch_cycles = 5;
    let put = |cycles| vec![(cycles, Action::Put { inbox: 1 })];
    let first = each(vec![put(10), put(200), put(10), put(10), put(10), vec![(10, SEND)]]);
    let second = Box::new(Fixed(vec![(100, SEND)]));
    let ran = run_with(config, vec![first, second], vec![(0, 1, 64); 6], ALL);
    assert_eq!(ran.left(), [(0, 110), (2, 210), (5, 260), (3, 310), (1, 410), (4, 510)]);
    nothing_is_left(&ran);
}

#[test]
fn a_program_knows_which_inbox_its_packet_comes_from() {
    // One cluster takes from both inboxes: it puts the packets of the port into its own ring.
    let mut config = two_stages([1, 1], None, None);
    config.clusters.truncate(1);
    config.targets.truncate(1);
    config.clusters[0].takes = vec![0, 1];
    let program = |_: &mut PacketHead, info: &PacketInfo, steps: &mut Steps| match info.inbox {
        0 => steps.push(10, Action::Put { inbox: 1 }),
        _ => steps.push(100, SEND),
    };
    let program: Box<dyn PacketProgram> = Box::new(Asked(program));
    let ran = run_with(config, vec![program], vec![(0, 1, 64)], ALL);
    assert_eq!(ran.left(), [(0, 110)]);
}

#[test]
fn inboxes_of_ports_have_no_bound_and_no_window() {
    let refused = |change: fn(&mut InboxConfig)| {
        let mut config = without_wires(small(1, 1));
        change(&mut config.inboxes[0]);
        let program: Box<dyn PacketProgram> = Box::new(Fixed(vec![(0, SEND)]));
        linecard_chip::Chip::new(config, vec![program], Box::new(|| None))
            .err()
            .map(|misfit| misfit.to_string())
            .unwrap_or_default()
    };
    assert!(refused(|inbox| inbox.window = Some(1)).contains("neither a packet limit nor a window"));
    assert!(refused(|inbox| inbox.capacity = Some(1)).contains("neither a packet limit nor a window"));
    assert!(refused(|inbox| inbox.window = Some(0)).contains("is 0 packets; expected at least 1"));
}
