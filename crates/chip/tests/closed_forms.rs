//! Latencies without load and rates under full load equal those of closed formulas.

use crate::kit;

use kit::dram::{ACTIVATE_TO_READ, BURST, READ_LATENCY, REFRESH, REFRESH_INTERVAL, dram};
use kit::{
    Asked, Fixed, SEND, TABLE, head, place, read, run, run_with, server, small, target, without_wires,
};
use linecard_chip::config::*;
use linecard_chip::place::{BankBy, Banked};
use linecard_chip::{Arrival, Chip, ChipConfig, DispatchRule, Outcome, RunLimit};
use linecard_program::script::{Access, Action, PacketProgram};
use std::ops::ControlFlow;

const ACCESS: u16 = 10;

fn place_of(kind: PlaceKind) -> PlaceConfig {
    PlaceConfig { name: "place".into(), group: "place".into(), kind }
}

/// 10 ns, 1 ns per word of 4 bytes and half a nanosecond per byte: 18 ns for 10 bytes.
fn by_size() -> ServerConfig {
    ServerConfig { word_ps: 1_000, byte_fs: 500_000, ..server(10_000, 4_000) }
}

fn cached(behind: usize) -> PlaceKind {
    let replacement = Replacement::LeastRecent;
    let port = server(2_000, 3_000);
    PlaceKind::Cached(CacheConfig {
        port,
        line_bytes: 64,
        sets: 16,
        ways: 2,
        replacement,
        port_ways: 2,
        behind,
    })
}

/// A chip whose table is the first place, over two links.
fn routed(places: Vec<PlaceConfig>) -> ChipConfig {
    let mut config = without_wires(small(1, 1));
    config.places = places;
    let link = |name: &str, latency_ps| LinkConfig { name: name.into(), latency_ps, byte_fs: 1_000_000 };
    config.links = vec![link("to", 7_000), link("fro", 2_000)];
    let way = TargetConfig { place: 0, base: 0, issue_ps: 3_000, back_ps: 5_000, links: vec![0, 1] };
    config.targets = vec![vec![Some(way)]];
    config
}

const ROUTE_NS: f64 = 3.0 + (10.0 + 7.0) + (10.0 + 2.0) + 5.0;

#[test]
fn an_access_without_load_takes_its_route_and_its_service() {
    let banked = |by| PlaceKind::Banked(Banked { bank: server(10_000, 100_000), count: 4, by });
    // One clock of 1 ns takes the access into the queue of the controller, and one passes until the first command.
    let closed_row = (2 + ACTIVATE_TO_READ + READ_LATENCY + BURST) as f64;
    for (name, places, expected) in [
        ("latency", vec![place_of(PlaceKind::Server(server(10_000, 100_000)))], 100.0),
        ("service", vec![place_of(PlaceKind::Server(by_size()))], 18.0),
        ("several", vec![place_of(PlaceKind::Server(ServerConfig { concurrency: 3, ..by_size() }))], 18.0),
        ("endless", vec![place_of(PlaceKind::Server(ServerConfig { concurrency: 0, ..by_size() }))], 18.0),
        ("in turn", vec![place_of(banked(BankBy::Turn))], 100.0),
        ("by address", vec![place_of(banked(BankBy::Address { interleave_bytes: 64 }))], 100.0),
        ("dram", vec![place_of(PlaceKind::Dram(dram(1_000_000_000, 1, false, false)))], 20.0 + closed_row),
        ("miss", vec![place_of(cached(1)), place("sram", server(10_000, 100_000))], 3.0 + 100.0),
    ] {
        let ran = run(routed(places), vec![(0, read(ACCESS)), (0, SEND)], &[(1_000, 1, 64)]);
        let found = ran.ns(ran.chip.counts().latency.max()) - ROUTE_NS;
        assert!((found - expected).abs() < 0.01, "{name}: {found} instead of {expected}");
    }
}

#[test]
fn a_way_without_links_takes_its_latencies_even_where_accesses_arrive_in_order() {
    let mut config = without_wires(small(1, 1));
    config.targets = vec![vec![target(0, 30_000, 50_000)]];
    let ran = run(config, vec![(0, read(4)), (0, SEND)], &[(1_000, 1, 64)]);
    assert!((ran.ns(ran.chip.counts().latency.max()) - (30.0 + 100.0 + 50.0)).abs() < 0.01);
}

#[test]
fn a_hit_takes_the_pipe_of_the_cache() {
    let places = vec![place_of(cached(1)), place("sram", server(10_000, 100_000))];
    let ran = run(routed(places), vec![(0, read(ACCESS)), (0, SEND)], &[(0, 1, 64), (1_000, 1, 64)]);
    let found = ran.ns(ran.departures[1].at) - 1_000.0 - ROUTE_NS;
    assert!((found - 3.0).abs() < 0.01, "{found}");
    assert_eq!(ran.chip.counts().places[0].hit_rate, Some(0.5));
}

/// Returns the accesses per nanosecond of the first place when a packet always waits and each makes one access of 64
/// bytes.
fn saturated(mut config: ChipConfig, address: fn(u64) -> u32) -> (f64, Chip) {
    config.saturated = true;
    config.clusters[0].threads = 64;
    config.clusters[0].engines = 4;
    let program = Asked(
        move |_: &mut _,
              info: &linecard_program::script::PacketInfo,
              steps: &mut linecard_program::script::Steps| {
            steps.access(TABLE, Access::Read, 64, address(info.number));
            steps.push(0, SEND);
        },
    );
    let source = Box::new(|| Some(Arrival { at_ns: 0, flow_hash: 1, head: head(64) }));
    let mut chip = Chip::new(config, vec![Box::new(program)], source).expect("the chip fits together");
    let limit = RunLimit { warmup_packets: Some(1_000), packets: 20_000 };
    assert_eq!(chip.run(limit, &mut |_| ControlFlow::Continue(())), Outcome::Completed);
    let counts = chip.counts();
    (counts.packets_out as f64 / chip.timebase().nanoseconds(counts.duration), chip)
}

#[track_caller]
fn close(found: f64, expected: f64, within: f64) {
    assert!((found / expected - 1.0).abs() < within, "{found} instead of {expected}");
}

#[test]
fn saturated_places_reach_their_peak_and_are_busy_all_the_time() {
    let banked = |by| PlaceKind::Banked(Banked { bank: server(10_000, 30_000), count: 4, by });
    let by_address = BankBy::Address { interleave_bytes: 64 };
    let one_after_another: fn(u64) -> u32 = |number| (number * 64 % (1 << 18)) as u32;
    let cases = [
        (vec![place_of(PlaceKind::Server(server(10_000, 30_000)))], 0.1),
        (vec![place_of(PlaceKind::Server(ServerConfig { concurrency: 3, ..server(10_000, 30_000) }))], 0.3),
        (vec![place_of(banked(BankBy::Turn))], 0.4),
        (vec![place_of(banked(by_address))], 0.4),
        // 64 bytes at half a nanosecond each, 16 words at 1 ns each, and 10 ns.
        (vec![place_of(PlaceKind::Server(by_size()))], 1.0 / 58.0),
    ];
    for (places, expected) in cases {
        for issue_ps in [0, 25_000] {
            let mut config = without_wires(small(1, 1));
            config.places.clone_from(&places);
            config.targets = vec![vec![target(0, issue_ps, 5_000)]];
            let (rate, chip) = saturated(config, one_after_another);
            close(rate, expected, 1e-3);
            close(chip.counts().places[0].utilization.unwrap(), 1.0, 1e-3);
        }
    }
}

#[test]
fn a_saturated_cache_answers_a_hit_for_every_service_of_its_pipe() {
    let mut config = without_wires(small(1, 1));
    config.places = vec![place_of(cached(1)), place("sram", server(10_000, 100_000))];
    let (rate, chip) = saturated(config, |number| (number % 8 * 64) as u32);
    close(rate, 1.0 / 2.0, 1e-3);
    assert_eq!(chip.counts().places[0].hit_rate, Some(1.0));
}

#[test]
fn a_saturated_link_carries_its_bytes() {
    for (byte_fs, expected) in [(1_000_000, 1.0 / 64.0), (333_333, 3.0 / 64.0), (3_333, 300.0 / 64.0)] {
        let mut config = without_wires(small(1, 1));
        config.places = vec![place_of(PlaceKind::Server(ServerConfig { concurrency: 0, ..server(0, 0) }))];
        config.links = vec![LinkConfig { name: "bus".into(), latency_ps: 1_000, byte_fs }];
        config.targets[0][0].as_mut().unwrap().links = vec![0];
        let (rate, chip) = saturated(config, |_| 0);
        close(rate, expected, 2e-4);
        close(chip.counts().links[0].utilization, 1.0, 1e-3);
    }
}

#[test]
fn dram_streams_at_its_peak_less_refreshes() {
    for channels in [1, 2] {
        let mut config = without_wires(small(1, 1));
        config.places = vec![place_of(PlaceKind::Dram(dram(1_000_000_000, channels, true, false)))];
        let (rate, chip) = saturated(config, |number| (number * 64 % (1 << 18)) as u32);
        let peak = f64::from(channels) / BURST as f64;
        close(rate, peak * (1.0 - REFRESH as f64 / REFRESH_INTERVAL as f64), 0.03);
        assert!(chip.counts().places[0].hit_rate.unwrap() > 0.9);
    }
}

#[test]
fn a_request_larger_than_an_access_is_done_with_its_last_piece() {
    // From the middle of an access on, 200 bytes touch four accesses, two in each part.
    let at = |bytes, address| {
        let mut config = without_wires(small(1, 1));
        config.places = vec![place_of(PlaceKind::Dram(dram(1_000_000_000, 2, false, false)))];
        let action =
            Action::Access { role: TABLE, kind: Access::Read, posted: false, bytes, address, used_after: 1 };
        let ran = run(config, vec![(0, action), (0, SEND)], &[(100, 1, 64)]);
        ran.ns(ran.chip.counts().latency.max())
    };
    let one = (2 + ACTIVATE_TO_READ + READ_LATENCY + BURST) as f64 + 20.0;
    assert!((at(64, 0) - one).abs() < 0.01);
    assert!((at(200, 32) - (one + BURST as f64)).abs() < 0.01, "{}", at(200, 32));
}

#[test]
fn refreshes_of_a_long_rest_are_caught_up_with() {
    let mut config = without_wires(small(1, 1));
    config.places = vec![place_of(PlaceKind::Dram(dram(1_000_000_000, 1, true, false)))];
    // The second packet comes a second later, midway between two refreshes, and finds the memory as if unused.
    let at = 1_000_000_000 + REFRESH_INTERVAL / 2;
    let ran = run(config, vec![(0, read(64)), (0, SEND)], &[(100, 1, 64), (at, 1, 64)]);
    let latency = ran.ns(ran.departures[1].at) - at as f64;
    let expected = (2 + ACTIVATE_TO_READ + READ_LATENCY + BURST) as f64 + 20.0;
    // The frame ends a tick after a clock edge.
    assert!((expected..expected + 1.01).contains(&latency), "{latency}");
}

#[test]
fn wires_carry_frames_with_their_overhead_at_line_rate() {
    for (bits_per_second, bytes, overhead_bytes, expected_mpps) in [
        (100_000_000_000, 64, 20, 148.809_523_8),
        (10_000_000_000, 64, 20, 14.880_952_38),
        (40_000_000_000, 60, 24, 59.523_809_5),
        (400_000_000_000, 64, 20, 595.238_095),
        (2_488_320_000, 1500, 9, 0.206_123_3),
    ] {
        // Inward, more arrives than the wire carries. Outward, a packet always waits.
        let mut config = without_wires(small(1, 64));
        config.ports[0].overhead_bytes = overhead_bytes;
        config.ports[0].receive.as_mut().unwrap().bits_per_second = bits_per_second;
        let packets: Vec<_> = (0..40_000).map(|n| (n / 2, n as u32, bytes)).collect();
        let ran = run(config, vec![(0, SEND)], &packets);
        let out = &ran.departures;
        let span = ran.ns(out[out.len() - 1].at - out[0].at);
        close((out.len() - 1) as f64 * 1e3 / span, expected_mpps, 1e-4);

        let mut config = without_wires(small(1, 64));
        config.saturated = true;
        config.ports[0].overhead_bytes = overhead_bytes;
        let transmit = config.ports[0].transmit.as_mut().unwrap();
        (transmit.bits_per_second, transmit.when_full) = (bits_per_second, WhenFull::Wait);
        transmit.queue_packets = 32;
        let limit = RunLimit { warmup_packets: Some(100), packets: 20_000 };
        let packets: Vec<_> = (0..40_000).map(|_| (0, 1, bytes)).collect();
        let ran = run_with(config, vec![Box::new(Fixed(vec![(0, SEND)]))], packets, limit);
        let counts = ran.chip.counts();
        close(counts.packets_out as f64 * 1e3 / ran.ns(counts.duration), expected_mpps, 1e-4);
        close(counts.ports[0].transmit.unwrap(), 1.0, 1e-4);
    }
}

#[test]
fn a_server_starts_the_earliest_arrival_and_never_idles_while_one_waits() {
    let issue_ns = [3, 170, 41];
    let mut config = without_wires(small(1, 200));
    config.inboxes[0].rule = DispatchRule::Hash;
    config.places = vec![place("sram", ServerConfig { word_ps: 7_000, ..server(20_000, 0) })];
    config.clusters = (0..3)
        .map(|program| ClusterConfig { program, name: format!("me.{program}"), ..config.clusters[0].clone() })
        .collect();
    config.targets = issue_ns.iter().map(|ns| vec![target(0, ns * 1_000, 0)]).collect();
    let words = |number: u64| 1 + number * 7 % 9;
    // The program of a cluster signs its packets.
    let programs = (0..3u8).map(|cluster| {
        let program = Asked(
            move |head: &mut linecard_program::PacketHead,
                  info: &linecard_program::script::PacketInfo,
                  steps: &mut linecard_program::script::Steps| {
                head.ttl = cluster;
                steps.access(TABLE, Access::Read, words(info.number) as u16 * 4, 0);
                steps.push(0, SEND);
            },
        );
        Box::new(program) as Box<dyn PacketProgram>
    });
    // Bursts of up to a dozen packets alternate with pauses; no two packets arrive at the same time.
    let at = |n: u64| n * 37 + n / 11 * 900;
    let packets: Vec<_> = (0..3_000).map(|n| (at(n), n as u32, 64)).collect();
    let limit = RunLimit { warmup_packets: Some(0), packets: u64::MAX / 2 };
    let ran = run_with(config, programs.collect(), packets, limit);
    assert_eq!(ran.outcome, Outcome::TrafficEnded);

    let mut naive: Vec<(u64, u64)> =
        ran.departures.iter().map(|d| (at(d.number) + issue_ns[usize::from(d.head.ttl)], d.number)).collect();
    naive.sort_unstable();
    let (mut free, mut done) = (0, vec![0; naive.len()]);
    for (arrives, number) in naive {
        free = free.max(arrives) + 20 + 7 * words(number);
        done[number as usize] = free;
    }
    let seen: std::collections::BTreeSet<u8> = ran.departures.iter().map(|d| d.head.ttl).collect();
    assert_eq!(seen.len(), 3, "every cluster had some");
    for departure in &ran.departures {
        let (found, expected) = (ran.ns(departure.at), done[departure.number as usize] as f64);
        assert!((found - expected).abs() < 0.02, "{}: {found}, {expected}", departure.number);
    }
    let busy: u64 = (0..3_000).map(|n| 20 + 7 * words(n)).sum();
    let counts = ran.chip.counts();
    let found = counts.places[0].utilization.unwrap() * ran.ns(counts.duration);
    assert!((found - busy as f64).abs() < 1.0, "{found} instead of {busy}");
}

#[test]
fn work_that_has_been_issued_but_not_begun_is_no_work_yet() {
    // An access every 100 ns keeps the server busy for 10 ns, from 50 ns after its issue.
    let mut config = without_wires(small(1, 1));
    config.saturated = true;
    config.places = vec![place("sram", server(10_000, 0))];
    config.targets = vec![vec![target(0, 50_000, 40_000)]];
    for (warmup, packets) in [(0, 10), (7, 1), (3, 40)] {
        let limit = RunLimit { warmup_packets: Some(warmup), packets };
        let program = Box::new(Fixed(vec![(0, read(4)), (0, SEND)]));
        let ran = run_with(config.clone(), vec![program], vec![(0, 1, 64); 100], limit);
        close(ran.chip.counts().places[0].utilization.unwrap(), 0.1, 1e-3);
    }
}
