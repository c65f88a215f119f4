//! Does a chip whose programs fill a transmit buffer, in front of a DRAM with slots, take the times worked out by
//! hand for each packet's path? Is every packet sent or dropped exactly once, in the order of its flow, by one port?

use crate::kit;

use kit::server;
use linecard_chip::config::*;
use linecard_chip::place::{BankBy, Banked};
use linecard_chip::{Arrival, Chip, ChipConfig, Counts, Departure, DispatchRule, Outcome, RunLimit};
use linecard_dram::SlotConfig;
use linecard_program::script::{Access, Action, NEVER_KEPT, PacketInfo, PacketProgram, RoleId, Steps, Way};
use linecard_program::{DropReason, NetworkKind, PacketHead};
use linecard_sim::{Stream, stream};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

const PACKETS: RoleId = RoleId(0);
const HASH: RoleId = RoleId(1);
const TABLE: RoleId = RoleId(2);
const DIRECT: RoleId = RoleId(3);

fn words(word_ps: u64, latency_ps: u64) -> ServerConfig {
    ServerConfig { word_ps, ..server(0, latency_ps) }
}

/// Engines run at 1 GHz: a cycle is a nanosecond. The DRAM is that of Girish 2008, with a cycle of 10 ns. `out` has
/// the output ports with their rate, and the transmit buffer; `None` for a chip at which a packet always waits and
/// whose ports are never busy.
fn chip(
    engines: u32,
    threads: u32,
    out: Option<(u32, TransmitBufferConfig)>,
    release: Release,
) -> ChipConfig {
    let mut config = kit::small(engines, threads);
    let place = |name: &str, kind| PlaceConfig { name: name.into(), group: name.into(), kind };
    config.places = vec![
        place(
            "dram",
            PlaceKind::Slots(SlotsConfig {
                clock_hz: 100_000_000,
                slots: SlotConfig {
                    banks: 4,
                    slots: 16,
                    bytes_per_cycle: 16,
                    activate: 3,
                    column: 3,
                    precharge: 3,
                    turnaround: 1,
                    refresh_every: 0,
                    refresh: 0,
                    tandem: None,
                },
                interleaving: Interleaving::HighOrder,
                bank_bytes: 1 << 20,
                back_pressure: None,
            }),
        ),
        place("hash", PlaceKind::Server(server(148_000, 0))),
        place("sram", PlaceKind::Banked(Banked { bank: words(5_000, 150_000), count: 2, by: BankBy::Turn })),
        place("direct", PlaceKind::Server(words(1_000, 0))),
    ];
    config.roles = ["packets", "hash", "table", "direct"].map(String::from).into();
    config.targets = vec![(0..4).map(|number| kit::target(number, 0, 0)).collect()];
    config.packets = Some(PacketMemoryConfig {
        role: 0,
        placement: PlacementRule::RandomBank,
        placed_by_programs: false,
        wide: None,
        received_by_ports: false,
        sent_by_ports: false,
    });
    config.pools[0].release = release;
    config.saturated = out.is_none();
    config.transmit = out.map(|(_, buffer)| buffer);
    let port = config.ports[0].clone();
    let inward = PortConfig { transmit: None, ..port.clone() };
    let mut outward = PortConfig { receive: None, ..port };
    if let Some(transmit) = &mut outward.transmit {
        transmit.bits_per_second = if out.is_some() { 1_000_000_000 } else { 0 };
    }
    config.ports = vec![inward];
    config.ports.extend((0..out.map_or(1, |(ports, _)| ports)).map(|_| outward.clone()));
    if out.is_some() {
        config.order.kept = OrderKept::Flow;
    }
    kit_inward(&mut config, 1 << 20);
    config
}

/// Frames arrive without taking time, into a receive buffer of this number of cells.
fn kit_inward(config: &mut ChipConfig, cells: u32) {
    if let Some(receive) = &mut config.ports[0].receive {
        receive.bits_per_second = 0;
    }
    config.pools[0].cells = cells;
}

fn head(flow: u32, bytes: u32, number: u32) -> PacketHead {
    PacketHead { source: number, destination: flow, network: NetworkKind::Ipv4, ..kit::head(bytes) }
}

fn part(role: RoleId, way: Way, cell: u16, bytes: u32, last: bool) -> Action {
    Action::Move { role, way, cell, bytes: bytes as u8, last }
}

fn cell_bytes(bytes: u32, cell: u16) -> u32 {
    (bytes - u32::from(cell) * 64).min(64)
}

/// All cells to DRAM, header, hash, table, header back, all cells out; or dynamic buffering: the lookup first, then
/// from buffer to buffer or through DRAM.
#[derive(Clone, Copy)]
enum Forward {
    Base,
    Dynamic,
    /// As `Dynamic`, but the thread keeps the packet while it is in DRAM.
    Detour,
}

const NO_ROUTE: Action = Action::Drop(DropReason::NoRoute);

impl Forward {
    fn base(head: &PacketHead, steps: &mut Steps) {
        let cells = head.cells() as u16;
        for cell in 0..cells {
            steps.push(15, part(PACKETS, Way::Receive, cell, cell_bytes(head.bytes, cell), true));
        }
        steps.push(0, part(PACKETS, Way::Read, 0, 24, false));
        steps.compute(30);
        steps.access(HASH, Access::Ask, 4, 0);
        steps.access(TABLE, Access::Read, 16, 0);
        if head.destination.is_multiple_of(13) {
            return steps.push(0, NO_ROUTE);
        }
        steps.push(0, part(PACKETS, Way::Write, 0, 24, false));
        steps.push(0, Action::Place { port: head.destination as u16, kept: NEVER_KEPT, stays: false });
        for cell in 0..cells {
            steps.push(14, part(PACKETS, Way::Transmit, cell, cell_bytes(head.bytes, cell), true));
        }
        steps.push(0, Action::Depart);
    }

    fn dynamic(head: &PacketHead, stays: bool, steps: &mut Steps) {
        steps.compute(20);
        steps.access(HASH, Access::Ask, 4, 0);
        if head.destination.is_multiple_of(13) {
            return steps.push(0, NO_ROUTE);
        }
        steps.push(0, Action::Place { port: head.destination as u16, kept: 0, stays });
        let all = |role, way, steps: &mut Steps| {
            for cell in 0..head.cells() as u16 {
                steps.push(10, part(role, way, cell, cell_bytes(head.bytes, cell), true));
            }
        };
        all(DIRECT, Way::Across, steps);
        steps.push(0, Action::Depart);
        steps.when_kept_from_here();
        all(PACKETS, Way::Receive, steps);
        if !stays {
            return steps.push(0, Action::Store);
        }
        all(PACKETS, Way::Transmit, steps);
        steps.push(0, Action::Depart);
    }
}

impl PacketProgram for Forward {
    fn packet(&mut self, head: &mut PacketHead, _: &PacketInfo, steps: &mut Steps) {
        match self {
            Forward::Base => Self::base(head, steps),
            Forward::Dynamic => Self::dynamic(head, false, steps),
            Forward::Detour => Self::dynamic(head, true, steps),
        }
    }

    fn resume(&mut self, head: &PacketHead, steps: &mut Steps) {
        for cell in 0..head.cells() as u16 {
            steps.push(10, part(PACKETS, Way::Transmit, cell, cell_bytes(head.bytes, cell), true));
        }
        steps.push(0, Action::Depart);
    }

    fn fills_transmit_buffer(&self) -> bool {
        true
    }
}

struct Ended {
    outcome: Outcome,
    counts: Counts,
    departures: Vec<Departure>,
    leftovers: Vec<String>,
    ns: f64,
}

impl Ended {
    fn slots(&self) -> linecard_chip::SlotShares {
        self.counts.places[0].slots.expect("the first place has slots")
    }
}

fn run(config: ChipConfig, program: Forward, arrivals: Vec<Arrival>) -> Ended {
    let mut list = arrivals.into_iter();
    let mut chip = Chip::new(config, vec![Box::new(program)], Box::new(move || list.next())).unwrap();
    let seen: Rc<RefCell<Vec<Departure>>> = Rc::default();
    let sink = Rc::clone(&seen);
    chip.on_departure(Box::new(move |d| sink.borrow_mut().push(*d)));
    let limit = RunLimit { warmup_packets: Some(0), packets: u64::MAX };
    let outcome = chip.run(limit, &mut |_| ControlFlow::Continue(()));
    let departures = seen.borrow().clone();
    let (counts, leftovers) = (chip.counts(), chip.leftovers());
    Ended { outcome, counts, departures, leftovers, ns: chip.timebase().nanoseconds(1) }
}

fn buffer(cells: u32, watermarks: Option<Watermarks>) -> TransmitBufferConfig {
    TransmitBufferConfig { cells, room: TransmitRoom::Cell, watermarks }
}

/// One packet of 64 bytes through an idle chip, in ns:
/// 0: received; 15: write requested, begun in cycle 2 (20), data 80 to 120, bank free at 150;
/// 120: header read requested, begun at 150, data 210 to 230 (24 bytes are two cycles), bank free at 260;
/// 260: hash requested 30 cycles later, received at 408; table read received at 558;
/// 558: header write requested, begun at 560, data 620 to 640, bank free at 670;
/// 654: read requested 14 cycles later, begun at 670, data 730 to 770: the packet leaves.
#[test]
fn one_packet_through_dram_takes_as_long_as_worked_by_hand() {
    let packets = vec![Arrival { at_ns: 0, flow_hash: 0, head: head(1, 64, 0) }];
    let ended = run(chip(1, 1, None, Release::Cell), Forward::Base, packets);
    assert_eq!(ended.outcome, Outcome::TrafficEnded);
    assert_eq!(ended.departures.len(), 1);
    assert!((ended.departures[0].at as f64 * ended.ns - 770.0).abs() < 0.01);
    let d = ended.slots();
    assert_eq!((d.accesses, d.narrow_accesses, d.bytes), (4, 2, 176));
    // 12 of 77 cycles moved data; banks were busy for (9 + 4) x 2 + (9 + 2) x 2 of 4 x 77 cycles.
    assert!((d.data - 12.0 / 77.0).abs() < 1e-9 && (d.banks - 48.0 / 308.0).abs() < 1e-9, "{d:?}");
    assert_eq!(ended.leftovers, Vec::<String>::new());
}

/// The same packet under dynamic buffering with a port of 1 Gbit/s: 20 cycles, 148 ns of the hash unit, 10 cycles,
/// then 16 words of 1 ns: the cell is in the transmit buffer at 194 ns, and sent 512 ns later.
#[test]
fn one_packet_from_buffer_to_buffer_takes_as_long_as_worked_by_hand() {
    let marks = Some(Watermarks { of: Looked::Buffer, high_bytes: 1000, low_bytes: 500 });
    let config = chip(1, 1, Some((1, buffer(128, marks))), Release::Cell);
    let packets = vec![Arrival { at_ns: 1000, flow_hash: 0, head: head(1, 64, 0) }];
    let ended = run(config, Forward::Dynamic, packets);
    assert!((ended.departures[0].at as f64 * ended.ns - (1000.0 + 194.0 + 512.0)).abs() < 0.1);
    assert_eq!(ended.slots().accesses, 0);
    assert_eq!(ended.counts.places[3].accesses, 1);
}

/// A packet of 200 bytes whose port is congested is kept in DRAM, and resumed when the queue has fallen to the low
/// watermark. With a high watermark of 0, one cell in the buffer suffices for congestion.
#[test]
fn a_packet_of_a_congested_port_is_kept_in_dram_and_sent_later() {
    let marks = Some(Watermarks { of: Looked::Buffer, high_bytes: 0, low_bytes: 0 });
    let config = chip(1, 2, Some((1, buffer(128, marks))), Release::Packet);
    let packets = vec![
        Arrival { at_ns: 0, flow_hash: 1, head: head(1, 64, 0) },
        Arrival { at_ns: 100, flow_hash: 2, head: head(2, 200, 1) },
    ];
    let ended = run(config, Forward::Dynamic, packets);
    assert_eq!(ended.outcome, Outcome::TrafficEnded);
    assert_eq!((ended.counts.kept_packets, ended.counts.kept_bytes), (1, 200));
    // Four cells are written and four are read.
    assert_eq!((ended.slots().accesses, ended.slots().bytes), (8, 400));
    assert_eq!(ended.departures.iter().map(|d| d.number).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(ended.leftovers, Vec::<String>::new());
}

/// The port sends 640 bytes until 194 + 5120 ns. The next packet finds the port congested and is in DRAM by 790.
/// - If its thread keeps it, it has its place in the queue, is in the buffer in time, and leaves 1600 ns after the
///   first.
/// - If it waits in memory, a thread resumes it when the queue is empty, requests the first cell 10 cycles later, and
///   has it at 5430.
#[test]
fn a_thread_that_keeps_its_packet_is_back_before_its_turn() {
    let second = |program| {
        let marks = Some(Watermarks { of: Looked::Buffer, high_bytes: 0, low_bytes: 0 });
        let packets = vec![
            Arrival { at_ns: 0, flow_hash: 1, head: head(1, 640, 0) },
            Arrival { at_ns: 100, flow_hash: 2, head: head(2, 200, 1) },
        ];
        let ended = run(chip(1, 2, Some((1, buffer(128, marks))), Release::Packet), program, packets);
        assert_eq!((ended.counts.kept_packets, ended.counts.kept_bytes), (1, 200));
        assert_eq!((ended.slots().accesses, ended.slots().bytes), (8, 400));
        assert_eq!(ended.leftovers, Vec::<String>::new());
        let at: Vec<f64> = ended.departures.iter().map(|d| (d.at as f64 * ended.ns).round()).collect();
        assert_eq!((at.len(), at[0]), (2, 5314.0));
        at[1]
    };
    assert_eq!(second(Forward::Detour), 5314.0 + 1600.0);
    assert_eq!(second(Forward::Dynamic), 5430.0 + 1600.0);
}

/// Two packets of two cells for two ports of 1 Gbit/s, and a buffer of three cells. The cells of the first are in the
/// buffer at 194 and 220, and sent by 706 and 1218. The second knows its port at 40 + 276 and requests room at 326,
/// when one cell is free:
/// - cell by cell, its first is moved by 342 and its second when there is room, at 706: sent by 854 and 1366;
/// - with room for all of it, the moves begin at 706: moved at 722 and 748, sent by 1234 and 1746.
#[test]
fn a_packet_takes_cells_one_by_one_or_all_at_once() {
    let second = |room| {
        let out = TransmitBufferConfig { room, ..buffer(3, None) };
        let packets = vec![
            Arrival { at_ns: 0, flow_hash: 1, head: head(1, 128, 0) },
            Arrival { at_ns: 0, flow_hash: 2, head: head(2, 128, 1) },
        ];
        let ended = run(chip(1, 2, Some((2, out)), Release::Packet), Forward::Dynamic, packets);
        assert_eq!(ended.leftovers, Vec::<String>::new());
        let at: Vec<f64> = ended.departures.iter().map(|d| (d.at as f64 * ended.ns).round()).collect();
        assert_eq!((at.len(), at[0]), (2, 1218.0));
        at[1]
    };
    assert_eq!(second(TransmitRoom::Cell), 1366.0);
    assert_eq!(second(TransmitRoom::Packet), 1746.0);
}

#[test]
fn a_packet_larger_than_the_buffer_that_is_to_take_it_whole_is_dropped() {
    let out = TransmitBufferConfig { room: TransmitRoom::Packet, ..buffer(3, None) };
    let packets = (0..2).map(|n| Arrival { at_ns: 0, flow_hash: n, head: head(1, 192 + n, n) }).collect();
    let ended = run(chip(1, 1, Some((1, out)), Release::Packet), Forward::Dynamic, packets);
    assert_eq!(ended.departures.iter().map(|d| d.number).collect::<Vec<_>>(), [0]);
    assert_eq!(ended.counts.drops[DropReason::TooLarge as usize], 1);
}

#[test]
fn many_threads_are_bound_by_the_hash_unit() {
    let mut config = chip(4, 8, None, Release::Cell);
    if let PlaceKind::Slots(slots) = &mut config.places[0].kind {
        (slots.slots.banks, slots.slots.bytes_per_cycle) = (16, 64);
    }
    let packets = (0..20_000).map(|n| Arrival { at_ns: 0, flow_hash: n, head: head(1, 64, n) }).collect();
    let ended = run(config, Forward::Base, packets);
    let each_ns = ended.counts.duration as f64 * ended.ns / 20_000.0;
    assert!((148.0..148.5).contains(&each_ns), "{each_ns} ns a packet");
}

/// With a threshold, an engine stalls instead of doing other work: the run is never faster, and has the same packets.
#[test]
fn back_pressure_slows_down_and_loses_nothing() {
    let packets = || (0..5000).map(|n| Arrival { at_ns: 0, flow_hash: n, head: head(1, 64, n) }).collect();
    let time = |threshold: Option<u32>| {
        let mut config = chip(4, 8, None, Release::Cell);
        if let PlaceKind::Slots(slots) = &mut config.places[0].kind {
            slots.back_pressure = threshold.map(|requests| BackPressure { requests, request_bytes: 64 });
        }
        let ended = run(config, Forward::Base, packets());
        assert_eq!((ended.outcome, ended.departures.len()), (Outcome::TrafficEnded, 5000));
        ended.counts.duration
    };
    let (free, threshold_10, threshold_2) = (time(None), time(Some(10)), time(Some(2)));
    assert!(free < threshold_10 && threshold_10 < threshold_2, "{free} {threshold_10} {threshold_2}");
    assert_eq!(free, time(Some(1000)), "a threshold that is never reached changes nothing");
}

fn random_packets(random: &mut Stream, count: u32, gap_ns: u32, flows: u32) -> Vec<Arrival> {
    let mut at_ns = 0;
    let mut packet = |number| {
        at_ns += u64::from(random.below(2 * gap_ns + 1));
        let flow = random.below(flows);
        let bytes = [40, 64, 65, 128, 576, 1500][random.below(6) as usize];
        Arrival { at_ns, flow_hash: flow, head: head(flow, bytes, number) }
    };
    (0..count).map(&mut packet).collect()
}

/// Every packet leaves, is dropped, or is still inside, and none is duplicated; a flow keeps its order and uses one
/// port; all buffers are empty at the end. Checked over chips of random shape, buffers of few cells, watermarks from
/// 0 on, slots from 1 on.
#[test]
fn nothing_is_lost_or_doubled_and_flows_keep_their_order() {
    let mut random = stream(5, "machines");
    let (mut kept, mut overflowed) = (0, 0);
    for case in 0..120 {
        let ports = 1 + random.below(4);
        let cells = 24 + random.below(105);
        let dynamic = case % 2 == 0;
        let marks = dynamic.then(|| {
            let high_bytes = random.below(4000);
            let of = if random.below(2) == 0 { Looked::Buffer } else { Looked::Queue };
            Watermarks { of, high_bytes, low_bytes: random.below(high_bytes + 1) }
        });
        let mut out = buffer(ports + 1 + random.below(100), marks);
        if random.below(2) == 0 {
            out.room = TransmitRoom::Packet;
        }
        let release = if random.below(2) == 0 { Release::Cell } else { Release::Packet };
        let mut config = chip(1 + random.below(4), 1 + random.below(8), Some((ports, out)), release);
        kit_inward(&mut config, cells);
        if let PlaceKind::Slots(slots) = &mut config.places[0].kind {
            slots.slots.slots = 1 + random.below(16);
            slots.slots.refresh_every = u64::from(random.below(2)) * 300;
            slots.slots.refresh = 15;
            slots.back_pressure = (random.below(3) == 0).then(|| BackPressure {
                requests: 1 + random.below(12),
                request_bytes: 1 + random.below(64),
            });
            if random.below(2) == 0 {
                slots.interleaving = Interleaving::MiddleOrder;
            }
        }
        let gap_ns = [100, 700, 3000][random.below(3) as usize];
        let packets = random_packets(&mut random, 1500, gap_ns, 30);
        let sent: HashMap<u64, PacketHead> =
            packets.iter().map(|a| (u64::from(a.head.source), a.head)).collect();
        let ended = run(config, if dynamic { Forward::Dynamic } else { Forward::Base }, packets);
        let c = &ended.counts;
        assert_eq!(ended.outcome, Outcome::TrafficEnded, "case {case}");
        assert_eq!(ended.leftovers, Vec::<String>::new(), "case {case}");
        assert_eq!(c.packets_in, 1500, "case {case}");
        assert_eq!(c.packets_out + c.drops.iter().sum::<u64>(), 1500, "case {case}");
        assert_eq!((c.inside_at_end, c.bytes_in), (0, c.bytes_out + c.bytes_dropped), "case {case}");
        let mut last_of_flow: HashMap<u32, (u64, u16)> = HashMap::new();
        let mut numbers: Vec<u64> = Vec::new();
        for d in &ended.departures {
            assert_eq!(sent[&d.number].bytes, d.head.bytes);
            assert_eq!(u64::from(d.head.source), d.number, "case {case}");
            let flow = d.head.destination;
            if let Some((number, port)) = last_of_flow.insert(flow, (d.number, d.output_port)) {
                assert!(number < d.number, "case {case}: flow {flow} out of order");
                assert_eq!(port, d.output_port, "case {case}");
            }
            numbers.push(d.number);
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len() as u64, c.packets_out, "case {case}");
        kept += c.kept_packets;
        overflowed += c.drops[DropReason::ReceiveBufferFull as usize];
    }
    assert!(kept > 1000 && overflowed > 1000, "neither congestion nor overload: {kept} {overflowed}");
}

/// Little's law over the buffers: the mean bytes inside equal the bytes per second multiplied by the time that a byte
/// stays.
#[test]
fn bytes_inside_follow_littles_law() {
    let config = chip(2, 4, Some((2, buffer(128, None))), Release::Cell);
    let mut random = stream(9, "littles law");
    let packets: Vec<Arrival> = random_packets(&mut random, 3000, 3000, 30);
    let bytes: HashMap<u64, u64> =
        packets.iter().map(|a| (u64::from(a.head.source), a.head.bytes.into())).collect();
    let came: HashMap<u64, u64> = packets.iter().map(|a| (u64::from(a.head.source), a.at_ns)).collect();
    let ended = run(config, Forward::Base, packets);
    assert_eq!(ended.counts.drops[DropReason::ReceiveBufferFull as usize], 0);
    let stays = |d: &Departure| (d.at as f64 * ended.ns - came[&d.number] as f64) * bytes[&d.number] as f64;
    let left: f64 = ended.departures.iter().map(stays).sum();
    let all = ended.counts.bytes_inside.mean * ended.counts.duration as f64 * ended.ns;
    // Packets without a route stay in the chip, too, until they are dropped.
    assert!(left <= all && all < left * 1.12, "{left} {all}");
}

#[test]
fn what_no_chip_can_be_built_from_is_said() {
    let refused = |config: ChipConfig, program: Forward| {
        Chip::new(config, vec![Box::new(program)], Box::new(|| None)).err().expect("refused").to_string()
    };
    let with = |cells, marks| chip(1, 1, Some((2, buffer(cells, marks))), Release::Cell);
    assert!(refused(with(2, None), Forward::Base).contains("more cells than ports"));
    let upside_down = Some(Watermarks { of: Looked::Buffer, high_bytes: 1, low_bytes: 2 });
    assert!(refused(with(8, upside_down), Forward::Base).contains("watermark"));
    let mut lanes = with(8, Some(Watermarks { of: Looked::Buffer, high_bytes: 2, low_bytes: 1 }));
    lanes.inboxes[0].rule = DispatchRule::Lanes;
    assert!(refused(lanes, Forward::Base).contains("one inbox with one list of free threads"));
    let mut no_slots = with(8, None);
    no_slots.places[0].kind = PlaceKind::Server(server(1000, 0));
    assert!(refused(no_slots, Forward::Base).contains("is not a memory with slots"));
}
