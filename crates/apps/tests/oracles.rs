//! Does each application do to packets what it describes: the right port, translation or verdict, and a header that
//! is still valid?
//!
//! The real programs run on a minimal executor whose threads alternate at random; the expected results come from code
//! that shares nothing with them: a search of every route, a map of flows, a search of every template, and a checksum
//! recomputed from the header.

mod kit;

use kit::{Fate, TABLE, io, naive_checksum, packet, run, with_checksum};
use linecard_apps::{
    Firewall, FirewallConfig, L3Forward, Nat, NatConfig, NatRoles, NotIp, Route, RouteTable, Template,
    Verdict,
};
use linecard_program::script::{PacketProgram, RoleId};
use linecard_program::{DropReason, NetworkKind, PacketHead};
use linecard_sim::{Stream, stream};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Returns an application's own counter by name.
#[track_caller]
fn counter(application: &dyn PacketProgram, name: &str) -> f64 {
    let counters = application.counters();
    counters.iter().find(|(n, ..)| *n == name).unwrap_or_else(|| panic!("no counter {name}")).2
}

fn table(routes: &[Route]) -> Rc<RouteTable> {
    Rc::new(RouteTable::new(routes, &[]).unwrap())
}

/// Packets that every application drops before its own work, with the reason.
fn unacceptable() -> [(PacketHead, DropReason); 4] {
    let good = packet(0x0a00_0001, 0x0a00_0002, 1, 2);
    [
        (PacketHead { ttl: 1, ..good }, DropReason::TtlExpired),
        (PacketHead { ttl: 0, ..good }, DropReason::TtlExpired),
        (PacketHead { network: NetworkKind::NotIp, ..good }, DropReason::Punted),
        (PacketHead { network: NetworkKind::Other, ..good }, DropReason::NotIpv4),
    ]
}

/// Expects an IPv6 packet to be dropped as one that a program for IPv4 alone cannot handle.
#[track_caller]
fn knows_no_ipv6(application: &mut dyn PacketProgram) {
    let came = PacketHead { network: NetworkKind::Ipv6, ..packet(1, 2, 3, 4) };
    assert_eq!(run(application, 1, 1, &[came], |_| 0).of[&0], Fate::Dropped(DropReason::NotIpv4));
}

#[track_caller]
fn drops_what_it_cannot_handle(application: &mut dyn PacketProgram) {
    let (packets, reasons): (Vec<_>, Vec<_>) = unacceptable().into_iter().unzip();
    let fates = run(application, 1, 1, &packets, |_| 0);
    for (number, reason) in reasons.into_iter().enumerate() {
        assert_eq!(fates.of[&(number as u32)], Fate::Dropped(reason));
    }
}

// ---- l3fwd16 ----

/// Routes of every length, many of them nested.
fn routes(random: &mut Stream, count: u32) -> Vec<Route> {
    let mut seen = HashSet::new();
    let mut routes = Vec::new();
    while routes.len() < count as usize {
        let length = [0, 8, 12, 16, 17, 20, 22, 23, 24, 25, 28, 31, 32][random.below(13) as usize];
        // There are few networks, so that prefixes nest.
        let prefix =
            (random.below(4) + 10) << 24 | random.below(3) << 16 | random.below(5) << 8 | random.below(256);
        let prefix = if length == 0 { 0 } else { prefix & (u32::MAX << (32 - u32::from(length))) };
        // A default route would leave no address without a route.
        if length > 0 && seen.insert((prefix, length)) {
            routes.push(Route { prefix, length, port: random.below(16) as u16 });
        }
    }
    routes
}

/// Returns the port of the longest prefix that covers an address, by a bitwise comparison with every route.
fn longest_match(routes: &[Route], address: u32) -> Option<u16> {
    let covers = |r: &Route| (0..u32::from(r.length)).all(|bit| (address ^ r.prefix) >> (31 - bit) & 1 == 0);
    (0..=32).rev().find_map(|length| routes.iter().find(|r| r.length == length && covers(r))).map(|r| r.port)
}

#[test]
fn l3fwd16_sends_each_packet_to_the_port_of_its_longest_prefix_with_one_hop_less() {
    for seed in 0..4 {
        let mut random = stream(seed, "l3fwd16");
        let routes = routes(&mut random, 120);
        let packets: Vec<PacketHead> = (0..3000)
            .map(|n| {
                let near = routes[random.below(routes.len() as u32) as usize].prefix;
                let destination = near ^ (random.bits() as u32) >> random.below(32);
                let head = packet(random.bits() as u32, destination, n as u16, 80);
                with_checksum(PacketHead {
                    ttl: 2 + random.below(254) as u8,
                    protocol: random.below(256) as u8,
                    bytes: 40 + random.below(1460),
                    ..head
                })
            })
            .collect();
        let mut application = L3Forward::new(io(NotIp::Punt), table(&routes), TABLE, None);
        let fates = run(&mut application, 4, seed, &packets, |h| h.source);
        let mut without_route = 0;
        for (number, came) in packets.iter().enumerate() {
            match longest_match(&routes, came.destination) {
                Some(port) => {
                    let (queue, left) = fates.sent(number as u32);
                    assert_eq!(queue, port, "to {:08x}", came.destination);
                    assert_eq!(left.ttl, came.ttl - 1);
                    assert_eq!(left.checksum, naive_checksum(&left), "{came:?}");
                    assert_eq!(PacketHead { ttl: came.ttl, checksum: came.checksum, ..left }, *came);
                }
                None => {
                    assert_eq!(fates.of[&(number as u32)], Fate::Dropped(DropReason::NoRoute));
                    without_route += 1;
                }
            }
        }
        assert!((1..2900).contains(&without_route), "{without_route} without a route say nothing");
        assert_eq!(counter(&application, "lookups"), 3000.0);
        let reads = counter(&application, "reads_per_lookup");
        assert!((1.0..=3.0).contains(&reads), "{reads}");
    }
}

#[test]
fn l3fwd16_neither_repairs_nor_breaks_an_invalid_checksum() {
    let route = Route { prefix: 0, length: 0, port: 3 };
    let mut application = L3Forward::new(io(NotIp::Punt), table(&[route]), TABLE, None);
    // The difference in ones' complement arithmetic.
    let off = |a: u16, b: u16| (u32::from(a) + 0xffff - u32::from(b)) % 0xffff;
    for error in [1u16, 0x00ff, 0x8000] {
        let good = packet(1, 2, 3, 4);
        let came = PacketHead { checksum: off(good.checksum, error) as u16, ..good };
        let fates = run(&mut application, 1, 1, &[came, good], |_| 0);
        let (bad, good) = (fates.sent(0).1.checksum, fates.sent(1).1.checksum);
        assert_eq!(off(good, bad), u32::from(error), "by the same amount");
    }
}

#[test]
fn l3fwd16_sends_ipv6_by_its_own_routes_with_one_hop_less_and_no_checksum() {
    let net = 0x2001_0db8 << 96;
    let routes =
        [Route { prefix: net, length: 32, port: 4 }, Route { prefix: net | 7, length: 128, port: 5 }];
    let all_of_v4 = Route { prefix: 0, length: 0, port: 3 };
    let table = Rc::new(RouteTable::new(&[all_of_v4], &routes).unwrap());
    let mut application = L3Forward::new(io(NotIp::Punt), table, TABLE, None);
    let to = |above, low| PacketHead {
        network: NetworkKind::Ipv6,
        destination_above: above,
        checksum: 0,
        ..packet(1, low, 2, 3)
    };
    let packets = [
        to([0x2001_0db8, 0, 0], 8),
        to([0x2001_0db8, 0, 0], 7),
        to([0x2a00_0db8, 0, 0], 7),
        packet(1, 7, 2, 3),
    ];
    let fates = run(&mut application, 1, 1, &packets, |_| 0);
    for (number, port) in [(0, 4), (1, 5)] {
        let (queue, left) = fates.sent(number);
        assert_eq!((queue, left), (port, PacketHead { ttl: packets[0].ttl - 1, ..packets[number as usize] }));
    }
    assert_eq!(fates.of[&2], Fate::Dropped(DropReason::NoRoute));
    assert_eq!(fates.sent(3).0, 3);
    // An address that begins like the host route takes 15 levels, every other address takes one.
    assert_eq!(counter(&application, "reads_per_lookup"), (15.0 + 15.0 + 1.0 + 1.0) / 4.0);
}

#[test]
fn frames_that_are_not_ip_leave_by_their_flow_or_are_dropped_by_choice() {
    let arp = PacketHead { network: NetworkKind::NotIp, ttl: 0, ..packet(0, 0, 0, 0) };
    let with = |not_ip| {
        let mut application = L3Forward::new(io(not_ip), table(&[]), TABLE, None);
        let fates = run(&mut application, 1, 1, &[arp], |_| 0);
        assert_eq!(counter(&application, "lookups"), 0.0);
        fates.of[&0]
    };
    assert_eq!(with(NotIp::Forward), Fate::Sent { queue: 0, head: arp });
    assert_eq!(with(NotIp::Drop), Fate::Dropped(DropReason::NotIp));
}

#[test]
fn l3fwd16_drops_what_it_cannot_forward() {
    drops_what_it_cannot_handle(&mut L3Forward::new(io(NotIp::Punt), table(&[]), TABLE, None));
}

// ---- nat ----

const NAT: NatConfig = NatConfig {
    buckets: 8, // few, so that chains are long and locks contended
    entries: 4096,
    ports: 2,
    translate_cycles: 0,
    update_cycles: 30,
    address: 0xc612_0000,
};

const NAT_ROLES: NatRoles = NatRoles { table: TABLE, hash: RoleId(4) };

type Flow = (u32, u32, u16, u16, u8);

fn flow(head: &PacketHead) -> Flow {
    (head.source, head.destination, head.source_port, head.destination_port, head.protocol)
}

fn flagged(head: PacketHead, tcp_flags: u8) -> PacketHead {
    PacketHead { tcp_flags, ..head }
}

/// The header of flow number `n`.
fn of_flow(n: u32) -> PacketHead {
    packet(0x0a00_0000 + n / 3, 0xc0a8_0000 + n % 5, 1000 + (n % 3) as u16, 443)
}

/// Expects a header to equal the original except for its source; returns that source.
#[track_caller]
fn translated(came: &PacketHead, left: &PacketHead) -> (u32, u16) {
    assert_eq!(left.checksum, naive_checksum(left), "{came:?} to {left:?}");
    let source = PacketHead { source: came.source, source_port: came.source_port, ..*left };
    assert_eq!(PacketHead { checksum: came.checksum, ..source }, *came, "nothing else changes");
    (left.source, left.source_port)
}

#[test]
fn nat_gives_each_live_flow_a_source_of_its_own_and_keeps_it() {
    let mut random = stream(5, "nat");
    let (data, syn, fin, rst) = (0, PacketHead::SYN, PacketHead::FIN, PacketHead::RST);
    let kinds = [data, data, data, data, syn, fin, rst];
    let packets: Vec<PacketHead> =
        (0..6000).map(|_| flagged(of_flow(random.below(60)), kinds[random.below(7) as usize])).collect();
    let mut application = Nat::new(io(NotIp::Punt), NAT, NAT_ROLES);
    let fates = run(&mut application, 1, 1, &packets, |_| 0);
    // A single thread translates packets in order, so a map of the live flows determines each translation.
    let mut live: HashMap<Flow, (u32, u16)> = HashMap::new();
    let mut queues: HashMap<Flow, u16> = HashMap::new();
    let (mut inserted, mut removed) = (0, 0);
    for (number, came) in packets.iter().enumerate() {
        let (queue, left) = fates.sent(number as u32);
        let source = translated(came, &left);
        assert!(source.1 >= 1024 && source.0 >> 16 == NAT.address >> 16);
        match live.get(&flow(came)) {
            Some(&before) => assert_eq!(source, before, "packet {number} of a flow that is known"),
            None => {
                assert!(
                    !live.values().any(|&s| s == source),
                    "packet {number}: {source:?} is another flow's"
                );
                live.insert(flow(came), source);
                inserted += 1;
            }
        }
        if came.tcp_flags & (fin | rst) != 0 {
            live.remove(&flow(came));
            removed += 1;
        }
        assert_eq!(*queues.entry(flow(came)).or_insert(queue), queue, "a flow keeps its side");
        assert!(queue < 2);
    }
    assert_eq!(counter(&application, "entries_inserted"), f64::from(inserted));
    assert_eq!(counter(&application, "entries_removed"), f64::from(removed));
    assert_eq!(counter(&application, "entries_in_use"), live.len() as f64);
    assert!(inserted > 300 && removed > 300, "flows come and go");
}

#[test]
fn nat_keeps_its_table_whole_when_threads_change_it_at_once() {
    for seed in 0..20 {
        let mut random = stream(seed, "nat threads");
        let mut packets = Vec::new();
        for _ in 0..1500 {
            let flags = [0, 0, 0, PacketHead::SYN, PacketHead::FIN][random.below(5) as usize];
            packets.push(flagged(of_flow(random.below(40)), flags));
        }
        // At the end comes one packet of every flow, so that all flows are live.
        packets.extend((0..40).map(of_flow));
        let mut application = Nat::new(io(NotIp::Punt), NAT, NAT_ROLES);
        // A flow stays with its thread, as in the machine; flows of one bucket do not.
        let fates = run(&mut application, 16, seed, &packets, |h| {
            h.source.wrapping_mul(31) ^ h.destination ^ u32::from(h.source_port)
        });
        let mut current: HashMap<Flow, (u32, u16)> = HashMap::new();
        for (number, came) in packets.iter().enumerate() {
            let source = translated(came, &fates.sent(number as u32).1);
            if let Some(&before) = current.get(&flow(came)) {
                assert_eq!(source, before, "seed {seed}, packet {number}: the flow was live");
            }
            match came.tcp_flags & PacketHead::FIN {
                0 => current.insert(flow(came), source),
                _ => current.remove(&flow(came)),
            };
        }
        let sources: HashSet<_> = current.values().collect();
        assert_eq!(sources.len(), 40, "seed {seed}: two live flows share a source");
        assert_eq!(counter(&application, "entries_in_use"), 40.0);
    }
}

#[test]
fn nat_enters_a_flow_once_though_several_threads_meet_it_at_once() {
    for seed in 0..20 {
        let mut random = stream(seed, "nat one flow");
        let packets: Vec<PacketHead> = (0..400)
            .map(|n| PacketHead { bytes: 64 + n, ..of_flow(random.below(10)) })
            .map(with_checksum)
            .collect();
        let mut application = Nat::new(io(NotIp::Punt), NAT, NAT_ROLES);
        // Any thread may get any packet, as when ports always have a packet.
        let fates = run(&mut application, 16, seed, &packets, |h| h.bytes);
        let mut sources: HashMap<Flow, (u32, u16)> = HashMap::new();
        for (number, came) in packets.iter().enumerate() {
            let source = translated(came, &fates.sent(number as u32).1);
            assert_eq!(*sources.entry(flow(came)).or_insert(source), source, "seed {seed}, packet {number}");
        }
        assert_eq!(counter(&application, "entries_inserted"), 10.0);
    }
}

/// FIN and RST remove a flow, and its source is given to the next flow.
#[test]
fn nat_reuses_the_source_of_a_flow_that_has_ended() {
    for end in [PacketHead::FIN, PacketHead::RST] {
        let mut application = Nat::new(io(NotIp::Punt), NatConfig { entries: 2, ..NAT }, NAT_ROLES);
        let packets = [
            flagged(of_flow(0), PacketHead::SYN),
            flagged(of_flow(1), PacketHead::SYN),
            flagged(of_flow(0), end), // still translated as before
            flagged(of_flow(2), PacketHead::SYN),
            of_flow(1),
            flagged(of_flow(3), end), // the table is full: there is nothing to end
        ];
        let fates = run(&mut application, 1, 1, &packets, |_| 0);
        let source = |n: u32| translated(&packets[n as usize], &fates.sent(n).1);
        assert_eq!(source(0), source(2));
        assert_eq!(source(3), source(0));
        assert_eq!(source(4), source(1));
        assert_ne!(source(0), source(1));
        assert_eq!(fates.of[&5], Fate::Dropped(DropReason::NatTableFull));
    }
}

#[test]
fn nat_drops_packets_of_new_flows_when_its_table_is_full_and_counts_them() {
    let mut application = Nat::new(io(NotIp::Punt), NatConfig { entries: 10, ..NAT }, NAT_ROLES);
    let packets: Vec<PacketHead> = (0..3).flat_map(|_| (0..25).map(of_flow)).collect();
    let fates = run(&mut application, 1, 1, &packets, |_| 0);
    for (number, _) in packets.iter().enumerate() {
        let known = number % 25 < 10;
        let dropped = fates.of[&(number as u32)] == Fate::Dropped(DropReason::NatTableFull);
        assert_eq!(dropped, !known, "packet {number}");
    }
    assert_eq!(fates.dropped(DropReason::NatTableFull), 3 * 15);
    assert_eq!(counter(&application, "entries_in_use"), 10.0);
}

/// More entries than one address has ports: 64,512.
#[test]
fn nat_goes_on_with_the_next_address_when_the_ports_of_one_are_used_up() {
    let mut application =
        Nat::new(io(NotIp::Punt), NatConfig { entries: 70_000, buckets: 1 << 16, ..NAT }, NAT_ROLES);
    let packets: Vec<PacketHead> = (0..66_000).map(|n| packet(0x0a00_0000 + n, 1, 2, 3)).collect();
    let fates = run(&mut application, 1, 1, &packets, |_| 0);
    let sources: HashSet<(u32, u16)> =
        packets.iter().enumerate().map(|(n, came)| translated(came, &fates.sent(n as u32).1)).collect();
    assert_eq!(sources.len(), 66_000);
    let addresses: HashSet<u32> = sources.iter().map(|&(address, _)| address).collect();
    assert_eq!(addresses, HashSet::from([NAT.address, NAT.address + 1]));
    assert!(sources.iter().all(|&(_, port)| port >= 1024));
}

#[test]
fn nat_drops_what_it_cannot_translate() {
    drops_what_it_cannot_handle(&mut Nat::new(io(NotIp::Punt), NAT, NAT_ROLES));
    knows_no_ipv6(&mut Nat::new(io(NotIp::Punt), NAT, NAT_ROLES));
}

// ---- firewall ----

/// A list in which many templates overlap.
fn templates(random: &mut Stream, count: u32) -> Vec<Template> {
    let mut network = |base: u32| {
        let length = [0, 1, 14, 16, 22, 24, 31, 32][random.below(8) as usize];
        let other_half = u32::from(random.below(4) == 0) << 31;
        (other_half ^ base | random.below(4) << 16 | random.below(4) << 8 | random.below(4), length)
    };
    let mut list: Vec<Template> = (0..count)
        .map(|_| Template {
            source: network(0x0a00_0000),
            destination: network(0xc0a8_0000),
            source_ports: 0..=u16::MAX,
            destination_ports: 0..=u16::MAX,
            protocol: None,
            verdict: Verdict::Forward,
        })
        .collect();
    for template in &mut list {
        let mut ports = || match random.below(3) {
            0 => 0..=u16::MAX,
            1 => 80..=80,
            _ => 50..=(50 + random.below(100) as u16),
        };
        (template.source_ports, template.destination_ports) = (ports(), ports());
        template.protocol = [None, Some(6), Some(17)][random.below(3) as usize];
        template.verdict = [Verdict::Forward, Verdict::Drop][random.below(2) as usize];
    }
    list
}

/// Returns the verdict of the first template that matches, field by field and bit by bit, and the number of templates
/// searched.
fn first_match(list: &[Template], head: &PacketHead) -> (Verdict, usize) {
    let bits = |a: u32, (b, length): (u32, u8)| (0..u32::from(length)).all(|n| (a ^ b) >> (31 - n) & 1 == 0);
    let within = |port: u16, (low, high): (u16, u16)| low <= port && port <= high;
    for (number, t) in list.iter().enumerate() {
        let ports = |range: &std::ops::RangeInclusive<u16>| (*range.start(), *range.end());
        let matches = bits(head.source, t.source)
            && bits(head.destination, t.destination)
            && within(head.source_port, ports(&t.source_ports))
            && within(head.destination_port, ports(&t.destination_ports))
            && (t.protocol.is_none() || t.protocol == Some(head.protocol));
        if matches {
            return (t.verdict, number + 1);
        }
    }
    (Verdict::Forward, list.len())
}

#[test]
fn firewall_decides_as_the_first_template_that_matches() {
    let mut dropped = 0;
    for seed in 0..6 {
        let mut random = stream(seed, "firewall");
        let list = templates(&mut random, 12);
        let packets: Vec<PacketHead> = (0..2000)
            .map(|_| {
                let mut near =
                    |base: u32| base | random.below(4) << 16 | random.below(4) << 8 | random.below(4);
                let (source, destination) = (near(0x0a00_0000), near(0xc0a8_0000));
                let mut port = || [80, 100, 1000][random.below(3) as usize];
                let head = packet(source, destination, port(), port());
                with_checksum(PacketHead { protocol: [6, 17, 1][random.below(3) as usize], ..head })
            })
            .collect();
        let config =
            FirewallConfig { templates: list.clone(), ports: 2, extract_cycles: 0, template_cycles: 30 };
        let mut application = Firewall::new(io(NotIp::Punt), config, TABLE, None);
        let fates = run(&mut application, 3, seed, &packets, |h| h.source);
        let (mut drops, mut walked) = (0, 0);
        for (number, came) in packets.iter().enumerate() {
            let (verdict, looked_at) = first_match(&list, came);
            walked += looked_at;
            match verdict {
                Verdict::Forward => {
                    let (queue, left) = fates.sent(number as u32);
                    assert_eq!(left, *came, "a firewall changes nothing");
                    assert!(queue < 2);
                }
                Verdict::Drop => {
                    assert_eq!(fates.of[&(number as u32)], Fate::Dropped(DropReason::FirewallRule));
                    drops += 1;
                }
            }
        }
        assert_eq!(fates.dropped(DropReason::FirewallRule), drops);
        dropped += drops;
        assert_eq!(counter(&application, "packets_matched"), 2000.0);
        assert_eq!(counter(&application, "templates_per_packet"), walked as f64 / 2000.0);
    }
    assert!((500..11_500).contains(&dropped), "{dropped} drops of 12000 say little");
}

#[test]
fn a_template_covers_just_the_bits_of_its_prefixes_and_the_ends_of_its_ports() {
    let base = packet(0xaaaa_aaaa, 0x5555_5555, 80, 90);
    for length in 0..=32u8 {
        let template = Template {
            source: (base.source, length),
            destination: (base.destination, length),
            source_ports: 80..=82,
            destination_ports: 88..=90,
            protocol: Some(6),
            verdict: Verdict::Drop,
        };
        assert!(template.matches(&base));
        for bit in 0..32u8 {
            let other = 1u32 << (31 - bit);
            let source = PacketHead { source: base.source ^ other, ..base };
            let destination = PacketHead { destination: base.destination ^ other, ..base };
            assert_eq!(template.matches(&source), bit >= length, "bit {bit} of /{length}");
            assert_eq!(template.matches(&destination), bit >= length, "bit {bit} of /{length}");
        }
        for (port, matches) in [(79, false), (82, true), (83, false)] {
            assert_eq!(template.matches(&PacketHead { source_port: port, ..base }), matches);
        }
        for (port, matches) in [(87, false), (88, true), (91, false)] {
            assert_eq!(template.matches(&PacketHead { destination_port: port, ..base }), matches);
        }
        assert!(!template.matches(&PacketHead { protocol: 17, ..base }));
    }
}

#[test]
fn firewall_without_templates_forwards_everything() {
    let config = FirewallConfig { templates: vec![], ports: 2, extract_cycles: 0, template_cycles: 30 };
    let mut application = Firewall::new(io(NotIp::Punt), config, TABLE, None);
    let packets: Vec<PacketHead> = (0..100).map(of_flow).collect();
    let fates = run(&mut application, 2, 1, &packets, |h| h.source);
    assert!((0..100).all(|n| fates.sent(n).1 == packets[n as usize]));
    let sides: HashSet<u16> = (0..100).map(|n| fates.sent(n).0).collect();
    assert_eq!(sides, HashSet::from([0, 1]), "flows leave by both sides");
    drops_what_it_cannot_handle(&mut application);
    knows_no_ipv6(&mut application);
}
