//! What threads wait for: locks, rings, posted operations, cache lines. Worked out by hand.

use crate::kit;

use kit::{ALL, Fixed, Ran, SEND, TABLE, each, place, run, run_with, server, small, target, without_wires};
use linecard_chip::config::*;
use linecard_chip::{ChipConfig, DispatchRule, Outcome, RunLimit};
use linecard_program::script::{Access, Action};

fn access(kind: Access, posted: bool, bytes: u16, address: u32) -> Action {
    Action::Access { role: TABLE, kind, posted, bytes, address, used_after: 1 }
}

#[test]
fn a_lock_goes_to_whoever_waited_longest() {
    let steps = vec![(0, Action::Lock(2)), (100, Action::Unlock(2)), (10, SEND)];
    let ran = run(without_wires(small(3, 1)), steps, &[(0, 1, 64); 3]);
    assert_eq!(ran.left(), [(0, 110), (1, 210), (2, 310)]);
    assert!((ran.spent("wait lock") - (100.0 + 200.0)).abs() < 0.01);
}

#[test]
fn threads_that_never_run_hold_no_packet() {
    // One thread of four computes without a pause and keeps the engine.
    let mut config = without_wires(small(1, 4));
    config.saturated = true;
    let limit = RunLimit { warmup_packets: Some(0), packets: 100 };
    let program = Box::new(Fixed(vec![(1_000, SEND)]));
    let ran = run_with(config, vec![program], vec![(0, 1, 64); 200], limit);
    let counts = ran.chip.counts();
    assert!((counts.clusters[0].threads_held - 0.25).abs() < 1e-9, "{}", counts.clusters[0].threads_held);
    assert!((counts.inside_mean - 1.0).abs() < 0.02, "{}", counts.inside_mean);
}

#[test]
fn a_full_ring_keeps_threads_until_the_next_stage_takes_a_packet() {
    // Puts at 10, 20 and 30: the first goes to the waiting thread, the second stays in the ring until 110, the third
    // keeps its thread until then.
    let mut config = without_wires(small(1, 3));
    let inbox =
        InboxConfig { name: "ring".into(), rule: DispatchRule::FreeList, capacity: Some(1), window: None };
    config.inboxes.push(inbox);
    config.clusters.push(ClusterConfig {
        takes: vec![1],
        program: 1,
        threads: 1,
        ..config.clusters[0].clone()
    });
    config.targets.push(config.targets[0].clone());
    let first = Box::new(Fixed(vec![(10, Action::Put { inbox: 1 })]));
    let second = Box::new(Fixed(vec![(100, SEND)]));
    let ran = run_with(config, vec![first, second], vec![(0, 1, 64); 3], ALL);
    assert_eq!(ran.left(), [(0, 110), (1, 210), (2, 310)]);
    assert!((ran.spent("wait inbox room") - 80.0).abs() < 0.01);
    assert_eq!(ran.chip.counts().inboxes[1].most, 1);
}

/// Three posted writes of 100 ns each, at most two of them outstanding; then the thread waits for all.
fn posting(way: TargetConfig) -> Ran {
    let mut config = without_wires(small(1, 1));
    config.clusters[0].posted = 2;
    config.places = vec![place("sram", server(100_000, 0))];
    config.links = vec![LinkConfig { name: "bus".into(), latency_ps: 10_000, byte_fs: 0 }];
    config.targets = vec![vec![Some(way)]];
    let post = (0, access(Access::Write, true, 4, 0));
    run(config, vec![post, post, post, (0, Action::Join), (0, SEND)], &[(0, 1, 64)])
}

#[test]
fn posted_operations_wait_for_room_and_a_join_for_all() {
    // The accesses end at 100 and 200; the third is posted at 100 and ends at 300.
    let way = target(0, 0, 0).unwrap();
    let ran = posting(way.clone());
    assert_eq!(ran.left(), [(0, 300)]);
    assert!((ran.spent("wait posted") - 300.0).abs() < 0.01);
    // Over a link, the ends are unknown at first: 110 and 210; the third is posted at 110 and ends at 310.
    let ran = posting(TargetConfig { links: vec![0], ..way });
    assert_eq!(ran.left(), [(0, 310)]);
    assert!((ran.spent("wait posted") - 310.0).abs() < 0.01);
}

#[test]
fn what_a_packet_posted_still_counts_when_the_thread_has_the_next() {
    // The first packet leaves at 0 with two writes outstanding until 100 and 200, so that the second may post at 100.
    let mut config = without_wires(small(1, 1));
    config.clusters[0].posted = 2;
    config.places = vec![place("sram", server(100_000, 0))];
    let post = (0, access(Access::Write, true, 4, 0));
    let lists = vec![vec![post, post, (0, SEND)], vec![post, (0, SEND)]];
    let ran = run_with(config, vec![each(lists)], vec![(0, 1, 64); 2], ALL);
    assert_eq!(ran.left(), [(0, 0), (1, 100)]);
    assert_eq!(ran.chip.leftovers(), Vec::<String>::new());
}

#[test]
fn a_switch_is_paid_also_before_an_action_is_done_again() {
    // Thread 0 waits to post from 0 to 100, thread 1 computes from 50 to 195; the switch back takes 5.
    let mut config = without_wires(small(1, 2));
    (config.clusters[0].posted, config.clusters[0].switch_cycles) = (1, 5);
    config.places = vec![place("sram", server(100_000, 0))];
    let post = (0, access(Access::Write, true, 4, 0));
    let lists = vec![vec![post, post, (0, SEND)], vec![(145, SEND)]];
    let ran = run_with(config, vec![each(lists)], vec![(0, 1, 64), (50, 1, 64)], ALL);
    assert_eq!(ran.left(), [(1, 195), (0, 200)]);
}

#[test]
fn the_thread_that_has_been_ready_for_longest_runs_next() {
    // Thread 0 reads from 0 to 50. Thread 1 computes from 0 to 100. Thread 2 takes a packet at 60: in the order of
    // numbers, it follows thread 1.
    let mut config = without_wires(small(1, 3));
    config.places = vec![place("sram", server(10_000, 50_000))];
    let read = (0, access(Access::Read, false, 4, 0));
    let lists = || each(vec![vec![read, (10, SEND)], vec![(100, SEND)], vec![(10, SEND)]]);
    let packets = vec![(0, 1, 64), (0, 1, 64), (60, 1, 64)];
    let ran = run_with(config.clone(), vec![lists()], packets.clone(), ALL);
    assert_eq!(ran.left(), [(1, 100), (2, 110), (0, 120)]);
    config.clusters[0].next_thread = NextThread::FirstReady;
    let ran = run_with(config, vec![lists()], packets, ALL);
    assert_eq!(ran.left(), [(1, 100), (0, 110), (2, 120)]);
}

#[test]
fn a_packet_leaves_the_receive_buffer_with_its_last_cell_or_cell_by_cell() {
    // The buffer holds 3 cells. Cells of a packet of 3 are moved at 10, 20 and 30, and the first is moved once more
    // before the last. So the packet of one cell that ends at 25 is lost, and the one that ends at 35 is not. If the
    // buffer releases cells, two are free at 25.
    let left = moved_out_of_three_cells(Release::Packet);
    assert_eq!(left, [(2, 36), (3, 37), (0, 5_030)]);
    let left = moved_out_of_three_cells(Release::Cell);
    assert_eq!(left, [(1, 26), (2, 36), (3, 37), (0, 5_030)]);
}

fn moved_out_of_three_cells(release: Release) -> Vec<(u64, u64)> {
    let mut config = without_wires(small(3, 1));
    (config.pools[0].cells, config.pools[0].release) = (3, release);
    config.packets = Some(PacketMemoryConfig {
        role: 0,
        placement: PlacementRule::Allocator(linecard_buffers::AllocatorConfig {
            kind: linecard_buffers::AllocatorKind::FineGrain,
            cells: 64,
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
    let cell = |cell| Action::Cell { role: TABLE, write: true, posted: true, cell, registers: 0 };
    let large = vec![(10, cell(0)), (10, cell(1)), (0, cell(0)), (10, cell(2)), (5_000, SEND)];
    let small = || vec![(1, cell(0)), (0, SEND)];
    let packets = vec![(0, 1, 192), (25, 1, 64), (35, 1, 64), (36, 1, 64)];
    let ran = run_with(config, vec![each(vec![large, small(), small(), small()])], packets, ALL);
    assert_eq!(ran.chip.counts().pools[0].most, 3);
    assert_eq!(ran.chip.leftovers(), Vec::<String>::new());
    ran.left()
}

/// Reads and writes (time, kind, bytes, address) through a cache of these sets and ways in front of a server of 100
/// ns, each by a thread of its own; the cache accepts an access per nanosecond.
fn through_cache(sets: u32, ways: u32, accesses: &[(u64, Access, u16, u32)]) -> (Vec<u64>, u64) {
    let mut config: ChipConfig = without_wires(small(8, 1));
    let cache = CacheConfig {
        port: server(1_000, 0),
        line_bytes: 64,
        sets,
        ways,
        replacement: Replacement::LeastRecent,
        port_ways: ways,
        behind: 1,
    };
    config.places = vec![
        PlaceConfig { name: "cache".into(), group: "cache".into(), kind: PlaceKind::Cached(cache) },
        place("sram", server(100_000, 0)),
    ];
    let lists = accesses
        .iter()
        .map(|&(_, kind, bytes, address)| vec![(0, access(kind, false, bytes, address)), (0, SEND)]);
    let packets = accesses.iter().map(|&(at, ..)| (at, 1, 64)).collect();
    let ran = run_with(config, vec![each(lists.collect())], packets, ALL);
    assert_eq!((&ran.outcome, ran.chip.leftovers()), (&Outcome::TrafficEnded, vec![]));
    let mut left = ran.left();
    left.sort_unstable();
    let counts = ran.chip.counts();
    let stays: f64 = left.iter().zip(accesses).map(|(&(_, at), &(came, ..))| (at - came) as f64).sum();
    let mean = ran.ns(1) * counts.places[0].time_mean;
    assert!((mean - stays / accesses.len() as f64).abs() < 0.1, "the mean time at the cache is {mean}");
    (left.into_iter().map(|(_, at)| at).collect(), counts.places[1].accesses)
}

#[test]
fn a_line_on_its_way_is_read_once() {
    use Access::Read;
    let accesses = [(0, Read, 4, 0), (10, Read, 4, 32), (200, Read, 4, 60)];
    assert_eq!(through_cache(1, 2, &accesses), (vec![101, 101, 201], 1));
}

#[test]
fn a_line_that_was_written_goes_back_before_another_takes_its_place() {
    use Access::{Read, Write};
    // The dirty line is written back from 501 on, then the new line arrives at 701; a clean line is not written back.
    let accesses = [(0, Write, 4, 0), (500, Read, 4, 64), (1_000, Read, 4, 128)];
    assert_eq!(through_cache(1, 1, &accesses), (vec![101, 701, 1_101], 4));
}

#[test]
fn an_access_goes_past_a_cache_whose_lines_are_all_on_their_way() {
    use Access::Read;
    // The second access finds that the only line is being fetched until 101, and bypasses the cache; the third
    // fetches the line, and the fourth hits.
    let accesses = [(0, Read, 4, 0), (10, Read, 4, 64), (300, Read, 4, 64), (500, Read, 4, 64)];
    assert_eq!(through_cache(1, 1, &accesses), (vec![101, 201, 401, 501], 3));
}

#[test]
fn an_access_over_two_lines_reads_both() {
    use Access::Read;
    let accesses = [(0, Read, 64, 32), (500, Read, 4, 0), (600, Read, 128, 0), (700, Read, 65, 64)];
    // A lookup takes 1 ns, then lines arrive one after the other; the last access finds one of its two lines.
    assert_eq!(through_cache(4, 2, &accesses), (vec![201, 501, 601, 801], 3));
}
