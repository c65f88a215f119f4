//! Caches one behind another, and caches of threads. Worked out by hand.

use crate::kit;

use kit::{ALL, Ran, SEND, each, place, run_with, server, small, target, without_wires};
use linecard_chip::config::*;
use linecard_program::script::{Access, Action, RoleId};

fn access(role: u8, kind: Access, bytes: u16, address: u32) -> (u32, Action) {
    (0, Action::Access { role: RoleId(role), kind, posted: false, bytes, address, used_after: 1 })
}

fn read(role: u8, address: u32) -> (u32, Action) {
    access(role, Access::Read, 8, address)
}

/// A cache whose pipe takes so many nanoseconds, and serves the next access after one.
fn cache(name: &str, ns: u64, sets: u32, ways: u32, behind: usize) -> PlaceConfig {
    let kind = PlaceKind::Cached(CacheConfig {
        port: server(1_000, ns * 1_000),
        line_bytes: 64,
        sets,
        ways,
        replacement: Replacement::LeastRecent,
        behind,
    });
    PlaceConfig { name: name.into(), group: name.into(), kind }
}

/// Of a memory `far` behind three levels, and of one `near` behind the last of them alone.
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
    // Lines 0 and 2 share a set of l2 (of 2 sets, one way) and none of l3 (of 3): the third finds line 0 in l3 alone.
    let lists = vec![one(read(0, 0)), one(read(0, 128)), one(read(0, 0)), one(read(0, 8)), one(read(1, 0))];
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
    // Lines 0, 3 and 6 share a set of two ways: 6 takes the place of 0. Line 1 is elsewhere.
    let lines = [0, 1, 3, 0, 1, 6, 1, 0, 3];
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
    // A hit holds the packet's next step up for 5 cycles.
    assert_eq!(fetched(false), (vec![(0, 350), (1, 1_005)], 1));
    assert_eq!(fetched(true), (vec![(0, 350), (1, 1_150)], 2));
}

#[test]
fn a_thread_that_waits_for_a_hit_keeps_the_engine_or_leaves_it() {
    // Packet 0 misses until 350 and hits twice: until 355 and 360. Packet 1 computes for 3 cycles, from 352 on if it may.
    let two = vec![vec![read(1, 0), read(1, 8), read(1, 16), (0, SEND)], vec![(3, SEND)]];
    let left = |leaves| ran(levels(Some(own_cache(leaves, true))), two.clone(), &[0, 352]).left();
    assert_eq!(left(true), [(1, 355), (0, 360)]);
    assert_eq!(left(false), [(0, 360), (1, 363)]);
}
