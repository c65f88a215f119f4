//! Caches in sequence, and caches of threads. Worked out by hand.

use crate::kit;

use kit::{ALL, Ran, SEND, each, place, run_with, server, small, target, without_wires};
use linecard_chip::config::*;
use linecard_program::script::{Access, Action, NOT_USED, RoleId};

fn access(role: u8, kind: Access, bytes: u16, address: u32) -> (u32, Action) {
    (0, Action::Access { role: RoleId(role), kind, posted: false, bytes, address, used_after: 1 })
}

fn read(role: u8, address: u32) -> (u32, Action) {
    access(role, Access::Read, 8, address)
}

/// A cache with this hit time in nanoseconds, which accepts the next access after one nanosecond.
fn cache(name: &str, ns: u64, sets: u32, ways: u32, behind: usize) -> PlaceConfig {
    let kind = PlaceKind::Cached(CacheConfig {
        port: server(1_000, ns * 1_000),
        line_bytes: 64,
        sets,
        ways,
        replacement: Replacement::LeastRecent,
        port_ways: 1,
        behind,
    });
    PlaceConfig { name: name.into(), group: name.into(), kind }
}

/// A memory `far` behind three levels of cache, and a memory `near` behind the last of them alone.
fn levels(l1: Option<DataCacheConfig>) -> ChipConfig {
    let mut config = without_wires(small(1, 2));
    config.places = vec![
        cache("l2", 10, 2, 1, 1),
        cache("l3", 30, 3, 2, 2),
        place("far", server(1_000, 400_000)),
        cache("own", 150, 4, 2, 4),
        place("near", server(1_000, 200_000)),
    ];
    config.clusters[0].data_cache = l1;
    config.roles = vec!["far".into(), "near".into()];
    config.targets = vec![vec![target(0, 0, 0), target(3, 0, 0)]];
    config
}

fn own_cache(leaves_engine: bool, per_thread: bool) -> DataCacheConfig {
    DataCacheConfig {
        per_thread,
        of: vec!["l2".into(), "own".into()],
        sets: 1,
        ways: 2,
        line_bytes: 64,
        replacement: Replacement::LeastRecent,
        latency_cycles: 5,
        leaves_engine,
    }
}

fn ran(config: ChipConfig, lists: Vec<Vec<(u32, Action)>>, times: &[u64]) -> Ran {
    let packets = times.iter().map(|&at| (at, 1, 64)).collect();
    run_with(config, vec![each(lists)], packets, ALL)
}

#[test]
fn each_memory_is_reached_by_the_levels_in_front_of_it() {
    let one = |step| vec![step, (0, SEND)];
    // Lines 0 and 3 share a set of l2 (2 sets, one way) but no set of l3 (3 sets): the third packet finds line 0 in
    // l3 only.
    let lists = vec![one(read(0, 0)), one(read(0, 192)), one(read(0, 0)), one(read(0, 8)), one(read(1, 0))];
    let lists = [lists, vec![one(read(1, 32))]].concat();
    let ran = ran(levels(None), lists, &[0, 1_000, 2_000, 3_000, 4_000, 5_000]);
    assert_eq!(
        ran.left(),
        [(0, 440), (1, 1_440), (2, 2_040), (3, 3_010), (4, 4_350), (5, 5_150)],
        "10 + 30 + 400, the same, 10 + 30, 10, 150 + 200, 150"
    );
}

#[test]
fn a_cache_of_three_sets_keeps_three_neighbouring_lines_and_two_of_one_set() {
    let mut config = levels(None);
    config.targets = vec![vec![target(1, 0, 0), None]];
    let one = |line: u32| vec![read(0, 64 * line), (0, SEND)];
    // Each pass over the three sets begins one set later: lines 0, 5 and 7 share a set of two ways, and line 7
    // replaces line 5.
    let lines = [0, 1, 5, 0, 1, 7, 1, 0, 5];
    let times: Vec<u64> = (0..9).map(|at| 1_000 * at).collect();
    let ran = ran(config, lines.map(one).to_vec(), &times);
    let took: Vec<u64> = ran.left().iter().map(|&(number, at)| at - 1_000 * number).collect();
    assert_eq!(took, [430, 430, 430, 30, 30, 430, 30, 30, 430]);
}

#[test]
fn a_write_of_a_whole_line_fetches_nothing_and_one_of_a_part_does() {
    use Access::Write;
    let lists = vec![
        vec![access(0, Write, 64, 0), (0, SEND)],
        vec![access(0, Write, 32, 64), (0, SEND)],
        vec![read(0, 0), (0, SEND)],
    ];
    let ran = ran(levels(None), lists, &[0, 1_000, 2_000]);
    assert_eq!(ran.left(), [(0, 10), (1, 1_440), (2, 2_010)]);
    assert_eq!(ran.chip.counts().places[2].accesses, 1);
}

#[test]
fn threads_with_caches_of_their_own_fetch_a_line_each() {
    let list = || vec![read(1, 0), (0, SEND)];
    let fetched = |per_thread| {
        let ran = ran(levels(Some(own_cache(false, per_thread))), vec![list(), list()], &[0, 1_000]);
        (ran.left(), ran.chip.counts().places[3].accesses)
    };
    // A hit delays the packet's next step by 5 cycles.
    assert_eq!(fetched(false), (vec![(0, 350), (1, 1_005)], 1));
    assert_eq!(fetched(true), (vec![(0, 350), (1, 1_150)], 2));
}

#[test]
fn a_line_that_a_thread_writes_whole_is_not_fetched_and_goes_back_when_another_takes_its_place() {
    use Access::Write;
    let whole = |line: u32| access(1, Write, 64, 64 * line);
    let lists = vec![vec![whole(0), whole(1), whole(2), (0, SEND)], vec![read(1, 128), (0, SEND)]];
    let ran = ran(levels(Some(own_cache(false, false))), lists, &[0, 1_000]);
    // Line 0 is written back to `own`, which does not fetch it for the write either.
    assert_eq!(ran.left(), [(0, 0), (1, 1_005)]);
    let counts = ran.chip.counts();
    assert_eq!((counts.places[3].accesses, counts.places[4].accesses), (1, 0));
}

#[test]
fn a_thread_that_waits_for_a_hit_keeps_the_engine_or_leaves_it() {
    // Packet 0 misses until 350 and then hits twice, until 355 and 360. Packet 1 computes for 3 cycles, from 352 on
    // if it may.
    let two = vec![vec![read(1, 0), read(1, 8), read(1, 16), (0, SEND)], vec![(3, SEND)]];
    let left = |leaves| ran(levels(Some(own_cache(leaves, true))), two.clone(), &[0, 352]).left();
    assert_eq!(left(true), [(1, 355), (0, 360)]);
    assert_eq!(left(false), [(0, 360), (1, 363)]);
}

#[test]
fn a_thread_waits_for_a_hit_when_its_program_uses_the_value_whatever_it_loads_in_between() {
    let load = |cycles, address, used_after| {
        let (role, kind) = (RoleId(1), Access::Read);
        (cycles, Action::Access { role, kind, posted: false, bytes: 8, address, used_after })
    };
    let warm = vec![read(1, 0), read(1, 64), (0, SEND)];
    let after = |first, second| vec![first, second, (10, SEND)];
    let lists = vec![
        warm,
        // The first value is there at 5 and used at 2, after the second load and another cycle.
        after(load(0, 0, 3), load(1, 64, NOT_USED)),
        // The same instruction uses the second value, which is there at 6.
        after(load(0, 0, 3), load(1, 64, 2)),
        // The first value is used at 2, and then, at 6, the second one, which is there.
        after(load(0, 0, 3), load(1, 64, 3)),
        // A miss of 350 between load and use leaves nothing to wait for.
        after(load(0, 0, 3), load(1, 128, 2)),
    ];
    for leaves in [false, true] {
        let took =
            ran(levels(Some(own_cache(leaves, false))), lists.clone(), &[0, 1_000, 2_000, 3_000, 4_000]);
        let took: Vec<u64> = took.left().iter().map(|&(number, at)| at - 1_000 * number).collect();
        assert_eq!(took, [700, 11 + 3, 11 + 4, 11 + 3, 11 + 350], "leaves the engine: {leaves}");
    }
}

/// One thread reads the four packets of a ring of cells, which a port has written to a cache of one set. Returns the
/// time of each read, and the hits.
fn ring(port_ways: u32) -> (Vec<u64>, u64) {
    let mut config = without_wires(small(1, 1));
    let PlaceKind::Cached(levels) = cache("l2", 10, 1, 4, 1).kind else { unreachable!("that is a cache") };
    let kind = PlaceKind::Cached(CacheConfig { port_ways, ..levels });
    config.places = vec![
        PlaceConfig { name: "l2".into(), group: "l2".into(), kind },
        place("far", server(1_000, 100_000)),
    ];
    config.packets = Some(PacketMemoryConfig {
        role: 0,
        placement: PlacementRule::Allocator(linecard_buffers::AllocatorConfig {
            kind: linecard_buffers::AllocatorKind::FineGrain,
            cells: 4,
            page_cells: 1,
            pools: 1,
            order: linecard_buffers::PoolOrder::Fifo,
            queues: 1,
            seed: 1,
        }),
        placed_by_programs: false,
        wide: None,
        received_by_ports: true,
        sent_by_ports: false,
    });
    let cell = Action::Cell { role: RoleId(0), write: false, posted: false, cell: 0, registers: 0 };
    // All four packets arrive before the first is read.
    let lists = (0..4).map(|number| vec![(if number == 0 { 1_000 } else { 0 }, cell), (0, SEND)]).collect();
    let ran = run_with(config, vec![each(lists)], vec![(0, 1, 64); 4], ALL);
    let counts = ran.chip.counts();
    let (hits, misses) = counts.places[0].reads.unwrap();
    assert_eq!(hits + misses, 4);
    let left: Vec<u64> = ran.left().iter().map(|&(_, at)| at).collect();
    let took = std::iter::once(left[0] - 1_010).chain(left.windows(2).map(|two| two[1] - two[0])).collect();
    (took, hits)
}

#[test]
fn what_ports_write_takes_no_more_ways_than_it_may_and_what_threads_read_takes_all() {
    assert_eq!(ring(4), (vec![10, 10, 10, 10], 4));
    // Two ways hold the last two lines. The first two come from the memory behind the cache, and take the ways that
    // ports may not fill.
    assert_eq!(ring(2), (vec![110, 110, 10, 10], 2));
}

/// Three engines with two threads each, of which some are in use; four packets arrive at once and take 100 cycles
/// each.
fn left_with(in_use: Option<Vec<u32>>) -> Vec<u64> {
    let mut config = without_wires(small(3, 2));
    config.clusters[0].in_use = in_use;
    let lists = vec![vec![(100, SEND)]; 4];
    let ran = run_with(config, vec![each(lists)], vec![(0, 1, 64); 4], ALL);
    ran.left().iter().map(|&(_, at)| at).collect()
}

#[test]
fn only_threads_in_use_take_packets() {
    assert_eq!(left_with(None), [100, 100, 100, 200], "six threads, three engines");
    // The thread that is free at 100 takes the fourth packet before its engine runs the other thread.
    assert_eq!(left_with(Some(vec![2, 1, 0])), [100, 100, 200, 300], "two engines, one with two threads");
    assert_eq!(left_with(Some(vec![0, 0, 1])), [100, 200, 300, 400], "one");
}
