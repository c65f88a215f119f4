//! Does each part of sending block by block take exactly the time of its description?
//!
//! Worked out by hand, in nanoseconds. Engines run at 1 GHz. The DRAM moves 16 bytes per nanosecond, and every access
//! finds its row open: the data of a write begin 4 after the request, those of a read 6 after it, in sequence; the
//! thread is notified 20 after the data. A transmit slot is handed over in 100 and drains a cell in 30. The input
//! program computes for 10, stores the packet and computes for 5; the output program computes for 7 per block.

use crate::kit;
#[path = "../../queueing/tests/kit/mod.rs"]
mod queues;

use kit::{ALL, Ran, dram, run_with, small, without_wires};
use linecard_buffers::{AllocatorConfig, AllocatorKind, PoolOrder};
use linecard_chip::config::*;
use linecard_chip::{ChipConfig, Outcome};
use linecard_flowcache::{Configuration, Digester, Geometry, Hash, Key, Policy};
use linecard_program::PacketHead;
use linecard_program::script::{Action, Block, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_queueing::{Kind, Settings};

const PACKETS: RoleId = RoleId(1);
const SPECIAL: RoleId = RoleId(2);

/// Stores every packet and sends it.
#[derive(Clone, Default)]
struct Store {
    registers: u8,
    /// Actions before the packet is stored.
    first: Vec<Action>,
}

impl Store {
    fn rest(&self, head: &PacketHead, steps: &mut Steps) {
        steps.push(10, Action::Admit { port: 0 });
        steps.push(0, Action::Allocate);
        for cell in 0..head.cells() as u16 {
            let registers = if cell == 0 { self.registers } else { 0 };
            steps.push(0, Action::Cell { role: PACKETS, write: true, posted: true, cell, registers });
            steps.push(0, Action::Room);
        }
        steps.push(0, Action::Join);
        steps.push(5, Action::Enqueue);
    }
}

impl PacketProgram for Store {
    fn packet(&mut self, head: &mut PacketHead, _: &PacketInfo, steps: &mut Steps) {
        self.first.iter().for_each(|&action| steps.push(0, action));
        if self.first.is_empty() {
            self.rest(head, steps);
        }
    }

    fn more(&mut self, _: u8, known: u32, head: &mut PacketHead, steps: &mut Steps) {
        // Work whose result the cache does not know takes 1,000 cycles.
        steps.compute(if known == 0 { 1_000 } else { 0 });
        self.rest(head, steps);
    }

    fn block(&mut self, _: &Block, steps: &mut Steps) {
        steps.push(7, Action::ReadBlock { role: PACKETS });
        steps.push(0, Action::Transmit);
    }

    fn sends_blocks(&self) -> bool {
        true
    }
}

/// One input engine with this number of threads, one output engine with one thread, one port with one slot.
fn chip(threads: u32, block_cells: u16) -> ChipConfig {
    let mut config = without_wires(small(1, threads));
    let rules = linecard_dram::packet_buffer::Policy { ideal: true, ..dram::IN_TURN };
    let kind = PlaceKind::PacketBuffer(dram::packet_buffer(1_000_000_000, 1, rules));
    config.places.push(PlaceConfig { name: "dram".into(), group: "dram".into(), kind });
    config.roles = ["table", "packets"].map(String::from).into();
    let row = vec![kit::target(0, 0, 0), kit::target(1, 0, 0)];
    config.targets = vec![row.clone(), row];
    let sender = ClusterConfig {
        name: "out".into(),
        group: "out".into(),
        threads: 1,
        takes: vec![],
        block_cells: Some(block_cells),
        ..config.clusters[0].clone()
    };
    config.clusters.push(sender);
    config.packets = Some(PacketMemoryConfig {
        role: 1,
        placement: PlacementRule::Allocator(AllocatorConfig {
            kind: AllocatorKind::Linear,
            cells: 64,
            page_cells: 16,
            pools: 1,
            order: PoolOrder::Lifo,
            queues: 1,
            seed: 1,
        }),
        placed_by_programs: true,
        wide: None,
        received_by_ports: false,
        sent_by_ports: false,
    });
    config.ports[0].receive.as_mut().expect("packets come by it").bits_per_second = 0;
    let transmit = transmit(&mut config);
    (transmit.bits_per_second, transmit.when_full) = (0, WhenFull::Wait);
    transmit.slots = Some(TransmitSlotsConfig { slots: 1, handshake_ps: 100_000, drain_cell_ps: 30_000 });
    config
}

fn transmit(config: &mut ChipConfig) -> &mut TransmitConfig {
    config.ports[0].transmit.as_mut().expect("it sends")
}

fn slots(config: &mut ChipConfig) -> &mut TransmitSlotsConfig {
    transmit(config).slots.as_mut().expect("it has slots")
}

fn allocator(config: &mut ChipConfig) -> &mut AllocatorConfig {
    match &mut config.packets.as_mut().expect("it keeps packets").placement {
        PlacementRule::Allocator(allocator) => allocator,
        PlacementRule::RandomBank => unreachable!(),
    }
}

fn run(config: ChipConfig, program: Store, sizes: &[u32]) -> Ran {
    let packets = sizes.iter().map(|&bytes| (0, 0, bytes)).collect();
    let ran = run_with(config, vec![Box::new(program)], packets, ALL);
    assert_eq!(ran.outcome, Outcome::TrafficEnded);
    assert!(ran.chip.leftovers().is_empty(), "{:?}", ran.chip.leftovers());
    ran
}

#[test]
fn a_packet_of_one_cell_is_stored_and_sent() {
    // Times in ns: the cell is written from 14 to 18, acknowledged at 38 and queued at 43. It is read from 56 to 60,
    // is in its slot at 80, and leaves at 210.
    let ran = run(chip(1, 1), Store::default(), &[64]);
    assert_eq!(ran.left(), [(0, 210)]);
    // The output engine polls for work until 43 and from 80 on.
    let counts = ran.chip.counts();
    assert!(
        (counts.clusters[1].polling - (43.0 + 130.0) / 210.0).abs() < 1e-9,
        "{}",
        counts.clusters[1].polling
    );
    assert!((counts.ports[0].slots.expect("it has slots") - (210.0 - 43.0) / 210.0).abs() < 1e-9);
    // The cell occupies memory from 10, when it was allocated, to 80.
    assert!((counts.cells_in_use.expect("programs place packets") - 70.0 / 210.0).abs() < 1e-9);
}

#[test]
fn blocks_of_a_packet_wait_for_the_slot_of_the_one_before() {
    // Three cells are written from 14 to 26 and queued at 51. Two are read from 64 to 72, and their slot is free at
    // 92 + 100 + 60 = 252. The third is offered at 259, read from 265 to 269, in the slot at 289, and leaves at 419.
    assert_eq!(run(chip(1, 2), Store::default(), &[192]).left(), [(0, 419)]);
}

#[test]
fn a_second_slot_takes_the_next_block_meanwhile() {
    // The thread is free at 92: the third cell is read from 105 to 109 and is in the slot at 129, which is free at
    // 259.
    let mut config = chip(1, 2);
    slots(&mut config).slots = 2;
    assert_eq!(run(config, Store::default(), &[192]).left(), [(0, 259)]);
}

#[test]
fn slots_of_a_port_share_its_wire() {
    // The third cell is a single byte: it is written by 23 and queued at 48; two cells are in their slot at 89. A
    // byte takes a nanosecond, and preamble and gap take 20 once per frame: 89 + 20 + 128, and the last byte.
    let mut config = chip(1, 2);
    *slots(&mut config) = TransmitSlotsConfig { slots: 2, handshake_ps: 0, drain_cell_ps: 0 };
    transmit(&mut config).bits_per_second = 8_000_000_000;
    config.ports[0].overhead_bytes = 20;
    assert_eq!(run(config, Store::default(), &[129]).left(), [(0, 238)]);
}

#[test]
fn a_queue_takes_so_many_packets_until_they_have_left() {
    // The second packet is admitted at 210, written from 214 to 218, queued at 243, read from 256 to 260, and leaves
    // at 410.
    let mut config = chip(2, 1);
    transmit(&mut config).queue_packets = 1;
    let ran = run(config, Store::default(), &[64, 64]);
    assert_eq!(ran.left(), [(0, 210), (1, 410)]);
    assert_eq!(ran.spent("wait queue room"), 190.0);
}

#[test]
fn a_full_queue_drops_packets_that_are_complete_in_memory() {
    // The first packet goes to the output thread as soon as it is queued, at 43. The second is queued at 53 and waits
    // for the slot until 210. The third is stored at 58, and at 63 it finds the second in the queue. The second is
    // read from 223 to 227 and leaves at 377.
    let mut config = chip(3, 1);
    (transmit(&mut config).queue_packets, transmit(&mut config).when_full) = (1, WhenFull::Drop);
    let ran = run(config, Store::default(), &[64; 3]);
    assert_eq!(ran.left(), [(0, 210), (1, 377)]);
    let counts = ran.chip.counts();
    assert_eq!((counts.drops.last(), counts.drops.iter().sum::<u64>()), (Some(&1), 1));
    assert_eq!(ran.spent("wait queue room"), 0.0);
}

#[test]
fn a_packet_waits_for_room_until_all_of_another_has_been_read() {
    // Memory has room for the second packet at 80: it is written from 84 to 88 and queued at 113. The slot is free at
    // 210; the cell is read from 223 to 227, and the slot is free again at 247 + 130.
    let mut config = chip(2, 1);
    let allocator = allocator(&mut config);
    (allocator.kind, allocator.cells, allocator.page_cells) = (AllocatorKind::Fixed, 1, 1);
    let ran = run(config, Store::default(), &[64, 64]);
    assert_eq!(ran.left(), [(0, 210), (1, 377)]);
    assert_eq!(ran.spent("wait buffer space"), 60.0);
}

#[test]
fn a_packet_that_fits_nowhere_is_dropped_where_it_asks() {
    let mut config = chip(1, 1);
    allocator(&mut config).kind = AllocatorKind::Fixed;
    let ran = run(config, Store::default(), &[64 * 17, 64]);
    assert_eq!(ran.left().len(), 1);
    assert_eq!(ran.chip.counts().drops.iter().sum::<u64>(), 1);
}

#[test]
fn a_thread_waits_after_each_write_or_after_as_many_as_it_may_have_under_way() {
    // Each write is acknowledged 28 after its issue: three writes, one after another, end at 94.
    let mut config = chip(1, 3);
    config.clusters[0].posted = 1;
    assert_eq!(run(config, Store::default(), &[192]).left(), [(0, 94 + 5 + 7 + 6 + 12 + 20 + 100 + 90)]);
    // With two at a time, the first two are issued at 10 and acknowledged at 38 and 42. The third is issued at 38 and
    // acknowledged at 66.
    let mut config = chip(1, 3);
    config.clusters[0].posted = 2;
    assert_eq!(run(config, Store::default(), &[192]).left(), [(0, 66 + 5 + 7 + 6 + 12 + 20 + 100 + 90)]);
}

#[test]
fn a_cell_from_registers_is_two_transfers() {
    let ran = run(chip(1, 1), Store { registers: 32, ..Store::default() }, &[64]);
    let counts = ran.chip.counts();
    let buffer = counts.places[1].packet_buffer.as_ref().expect("it is one");
    assert_eq!(buffer.channels[0].accesses, [1, 2]);
    assert_eq!(ran.left(), [(0, 210)]);
}

#[test]
fn threads_and_ports_are_assigned_in_turn() {
    // Four packets go to four ports; each of the two sending threads serves two ports, one after the other.
    let mut config = chip(4, 1);
    config.clusters[1].threads = 2;
    let port = PortConfig { receive: None, ..config.ports[0].clone() };
    config.ports.extend([port.clone(), port.clone(), port]);
    #[derive(Clone)]
    struct ByPort(Store);
    impl PacketProgram for ByPort {
        fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
            steps.push(0, Action::Admit { port: info.number as u16 });
            let mut rest = Steps::default();
            self.0.rest(head, &mut rest);
            rest.list().iter().skip(1).for_each(|step| steps.push(step.cycles, step.action));
        }
        fn block(&mut self, block: &Block, steps: &mut Steps) {
            self.0.block(block, steps);
        }
        fn sends_blocks(&self) -> bool {
            true
        }
    }
    let packets = vec![(0, 0, 64); 4];
    let ran = run_with(config, vec![Box::new(ByPort(Store::default()))], packets, ALL);
    assert_eq!(ran.outcome, Outcome::TrafficEnded);
    let ports: Vec<u16> = ran.departures.iter().map(|d| d.output_port).collect();
    assert_eq!(ports, [0, 1, 2, 3]);
}

#[test]
fn what_a_result_cache_knows_need_not_be_found_out() {
    // An access takes 30: the first packet misses and spends 1,000, the second finds its flow.
    let mut config = chip(1, 1);
    let kind = PlaceKind::Results(ResultCacheConfig {
        port: kit::server(0, 30_000),
        configuration: Configuration::new(Geometry::new(16, 4).unwrap(), Policy::parse("lru").unwrap()),
        key: Key::parse("5-tuple").unwrap(),
        digester: Digester::new(Hash::Crc32c, 32, 1).unwrap(),
        seed: 1,
    });
    special(&mut config, kind);
    let first = vec![Action::Recall { role: SPECIAL }, Action::More { part: 0 }];
    let ran = run(config, Store { first, ..Store::default() }, &[64, 64]);
    // A thread takes the second packet at 30 + 1,000 + 43 = 1,073; the packet then takes its own 30 and 43.
    assert_eq!(ran.left(), [(0, 1_240), (1, 1_240 + 7 + 6 + 4 + 20 + 130)]);
    assert_eq!(ran.chip.counts().places[2].hit_rate, Some(0.5));
}

fn special(config: &mut ChipConfig, kind: PlaceKind) {
    config.places.push(PlaceConfig { name: "special".into(), group: "special".into(), kind });
    config.roles.push("special".into());
    config.targets.iter_mut().for_each(|row| row.push(kit::target(2, 0, 0)));
}

#[test]
fn a_queue_manager_takes_what_it_takes() {
    // A command that misses takes 20 for the request path, 40 for the pointer, 40 for the link and 20 for the
    // response path (Kumar 2006). The second command hits.
    let mut config = chip(1, 1);
    let settings = Settings { instruction_ps: Default::default(), ..queues::table_1() };
    special(&mut config, PlaceKind::QueueManager(QueueManagerConfig { kind: Kind::QueuingCache, settings }));
    let link = Action::Link { role: SPECIAL, queue: 0, enqueue: true };
    let first = vec![link, link, Action::More { part: 0 }];
    let ran = run(config, Store { first, ..Store::default() }, &[64]);
    assert_eq!(ran.left(), [(0, 120 + 80 + 1_000 + 210)]);
    let usage = ran.chip.counts().places[2].queue_manager.expect("it is one");
    assert_eq!((usage.operations, usage.hits, usage.inside), (2, 1, 2));
}

fn with_caches(block_cells: u32) -> ChipConfig {
    let mut config = chip(1, 1);
    allocator(&mut config).kind = AllocatorKind::PerQueue;
    config.packets.as_mut().expect("it keeps packets").wide =
        Some(WideConfig { block_cells, blocks: 2, cell_ps: 50_000 });
    config
}

#[test]
fn a_block_that_is_not_full_is_handed_over_inside() {
    // The cell moves to the cache from 10 to 60 and is queued at 65. The block is not full, and memory holds nothing
    // of the queue: at 72 the block is handed over, it is read by 122 and leaves at 252.
    let ran = run(with_caches(2), Store::default(), &[64]);
    assert_eq!(ran.left(), [(0, 252)]);
    assert_eq!(ran.chip.counts().wide_blocks, Some((1, 0)));
}

#[test]
fn no_packet_is_dropped_in_front_of_the_caches_of_its_queue() {
    // A packet gets its room in the queue before it is stored, and waits for that room.
    let mut config = with_caches(2);
    config.clusters[0].threads = 3;
    (transmit(&mut config).queue_packets, transmit(&mut config).when_full) = (1, WhenFull::Drop);
    let ran = run(config, Store::default(), &[64; 3]);
    assert_eq!(ran.left().len(), 3);
    assert!(ran.spent("wait queue room") > 0.0);
}

#[test]
fn a_full_block_goes_through_the_memory() {
    // Both cells move to the cache from 10 to 60. The block of 128 bytes is full at 10, is written from 14 to 22, and
    // is read back from 28 to 36. The packet is queued at 65; its first cell is offered at 72, read by 122, and
    // leaves at 252.
    let ran = run(with_caches(2), Store::default(), &[128]);
    let counts = ran.chip.counts();
    assert_eq!(counts.wide_blocks, Some((0, 1)));
    let buffer = counts.places[1].packet_buffer.as_ref().expect("it is one");
    assert_eq!((buffer.channels[0].accesses, buffer.channels[0].bytes), ([1, 1], [128, 128]));
    // The second cell is offered when the slot is free: 252 + 7 + 50 + 130.
    assert_eq!(ran.left(), [(0, 439)]);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let wrong = |change: &dyn Fn(&mut ChipConfig), expected: &str| {
        let mut config = chip(1, 1);
        change(&mut config);
        let built = linecard_chip::Chip::new(config, vec![Box::new(Store::default())], Box::new(|| None));
        let message = built.err().map(|misfit| misfit.to_string()).unwrap_or_default();
        assert!(message.contains(expected), "{message}");
    };
    wrong(&|c| transmit(c).slots = None, "sending ports must have transmit slots");
    wrong(&|c| slots(c).slots = 0, "1 to 128 transmit slots");
    wrong(&|c| c.clusters[1].takes = vec![0], "must either take packets");
    wrong(&|c| c.order.kept = OrderKept::Flow, "no other order is possible");
    wrong(&|c| c.packets = None, "the chip has no packet memory");
    wrong(&|c| allocator(c).kind = AllocatorKind::PerQueue, "memory partitioned by queue");
    wrong(
        &|c| {
            allocator(c).kind = AllocatorKind::PerQueue;
            c.clusters[1].block_cells = Some(4);
            c.packets.as_mut().expect("it keeps packets").wide =
                Some(WideConfig { block_cells: 2, blocks: 1, cell_ps: 0 });
        },
        "can span 3 wide blocks",
    );
}
