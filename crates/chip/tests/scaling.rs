//! A chip with every part twice as fast is twice as fast; and chips with thousands of threads run.

use crate::kit;

use kit::dram::dram;
use kit::{Asked, SEND, head, place, server, small};
use linecard_chip::config::*;
use linecard_chip::place::{BankBy, Banked};
use linecard_chip::{Arrival, Chip, ChipConfig, Departure, Outcome, RunLimit};
use linecard_program::PacketHead;
use linecard_program::script::{Access, Action, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_sim::stream;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A server behind a link, banks, a cache in front of DRAM, and DRAM, with all rates multiplied by `speed`.
fn chip(speed: u64) -> ChipConfig {
    let ps = |at_one: u64| at_one / speed;
    let scaled = |access, latency| server(ps(access), ps(latency));
    let mut config = small(2, 4);
    config.clusters[0].clock_hz = 1_000_000_000 * speed;
    config.clusters[0].posted = 2;
    let of = |name: &str, kind| PlaceConfig { name: name.into(), group: name.into(), kind };
    let memory = DramConfig { latency_ps: ps(20_000), ..dram(800_000_000 * speed, 2, true, false) };
    config.places = vec![
        place("sram", scaled(10_000, 80_000)),
        of("banks", PlaceKind::Banked(Banked { bank: scaled(40_000, 60_000), count: 4, by: BankBy::Turn })),
        of("ddr", PlaceKind::Dram(memory)),
        of(
            "cache",
            PlaceKind::Cached(CacheConfig {
                port: scaled(2_000, 4_000),
                line_bytes: 64,
                sets: 4,
                ways: 2,
                replacement: Replacement::LeastRecent,
                port_ways: 2,
                behind: 2,
            }),
        ),
    ];
    config.links = vec![LinkConfig { name: "bus".into(), latency_ps: ps(6_000), byte_fs: 500_000 / speed }];
    config.roles = ["a", "b", "c", "d"].map(String::from).to_vec();
    let to = |place, issue, links: &[usize]| {
        Some(TargetConfig { place, base: 0, issue_ps: ps(issue), back_ps: ps(8_000), links: links.to_vec() })
    };
    config.targets =
        vec![vec![to(0, 4_000, &[0]), to(1, 10_000, &[]), to(2, 2_000, &[]), to(3, 2_000, &[0])]];
    let port = &mut config.ports[0];
    port.overhead_bytes = 20;
    port.receive.as_mut().unwrap().bits_per_second *= speed;
    port.transmit.as_mut().unwrap().bits_per_second *= speed;
    config.order = OrderConfig { kept: OrderKept::Flow, window: 4 };
    config
}

fn program() -> Box<dyn PacketProgram> {
    Box::new(Asked(|_: &mut PacketHead, info: &PacketInfo, steps: &mut Steps| {
        let random = &mut stream(info.number, "steps");
        for _ in 0..1 + random.below(6) {
            let kind = if random.below(3) == 0 { Access::Write } else { Access::Read };
            let action = Action::Access {
                role: RoleId(random.below(4) as u8),
                kind,
                posted: random.below(2) == 0,
                bytes: 4 << random.below(5),
                address: random.below(1 << 14) & !63,
                used_after: 1,
            };
            steps.push(random.below(30), action);
        }
        steps.push(0, Action::Join);
        steps.push(3, SEND);
    }))
}

#[test]
fn twice_as_fast_in_everything_is_twice_as_fast() {
    let run = |speed: u64| {
        let mut number = 0;
        let source = move || {
            number += 1;
            let random = &mut stream(number, "packet");
            let head = head(64 + random.below(400));
            let at_ns = number * 300 / speed;
            (number <= 5_000).then_some(Arrival { at_ns, flow_hash: random.below(50), head })
        };
        let mut chip = Chip::new(chip(speed), vec![program()], Box::new(source)).expect("it fits together");
        let departures: Rc<RefCell<Vec<Departure>>> = Rc::default();
        let sink = Rc::clone(&departures);
        chip.on_departure(Box::new(move |departure| sink.borrow_mut().push(*departure)));
        let limit = RunLimit { warmup_packets: Some(0), packets: 5_000 };
        assert_eq!(chip.run(limit, &mut |_| ControlFlow::Continue(())), Outcome::Completed);
        assert_eq!(chip.timebase().ticks_per_second(), 1_000_000_000_000);
        let list: Vec<_> = departures.borrow().iter().map(|d| (d.at, d.number)).collect();
        (list, chip.counts())
    };
    let (slow, counts) = run(1);
    let (fast, fast_counts) = run(2);
    assert_eq!(slow.len(), 5_000);
    let halved: Vec<_> = slow.iter().map(|&(at, number)| (at / 2, number)).collect();
    assert_eq!(halved, fast);
    assert_eq!(counts.duration, 2 * fast_counts.duration);
    assert_eq!(counts.inside_mean, fast_counts.inside_mean);
    for (slow, fast) in counts.places.iter().zip(&fast_counts.places) {
        assert_eq!((slow.accesses, slow.hit_rate), (fast.accesses, fast.hit_rate));
    }
}

#[test]
fn thousands_of_threads_share_one_server_or_many_engines() {
    for (engines, threads) in [(64, 64), (1, 4096)] {
        let mut config = kit::without_wires(small(engines, threads));
        config.saturated = true;
        config.places = vec![place("sram", server(1_000, 6_000_000))];
        let mut random = stream(1, "work");
        let program = Asked(move |_: &mut PacketHead, _: &PacketInfo, steps: &mut Steps| {
            steps.compute(random.below(3));
            steps.push(0, kit::read(4));
            steps.push(0, SEND);
        });
        let source = Box::new(|| Some(Arrival { at_ns: 0, flow_hash: 1, head: head(64) }));
        let mut chip = Chip::new(config, vec![Box::new(program)], source).expect("it fits together");
        let limit = RunLimit { warmup_packets: Some(20_000), packets: 40_960 };
        assert_eq!(chip.run(limit, &mut |_| ControlFlow::Continue(())), Outcome::Completed);
        let counts = chip.counts();
        // The throughput is one packet per thread for each latency of 6 microseconds.
        let rate = counts.packets_out as f64 / chip.timebase().nanoseconds(counts.duration);
        assert!((rate / (4096.0 / 6_000.0) - 1.0).abs() < 0.02, "{engines} engines: {rate}");
        // Each thread has a packet, and a few packets are on the wire.
        assert!((4096..4200).contains(&counts.inside_most), "{}", counts.inside_most);
    }
}
