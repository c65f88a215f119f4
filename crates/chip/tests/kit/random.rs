//! Chips of every shape, drawn from a seed, on which the laws are checked.
//!
//! A chip is well-formed: a cluster has a route to every place that its program accesses, programs release the locks
//! that they take and hold one at a time, and a packet memory can hold the largest packet.

use super::nested::nest;
use super::{dram, server};
use linecard_buffers::{AllocatorConfig, AllocatorKind, PoolOrder};
use linecard_chip::config::*;
use linecard_chip::place::{BankBy, Banked};
use linecard_chip::{Arrival, ChipConfig, DispatchRule, SchedulerRule};
use linecard_program::script::{Access, Action, Block, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_program::{DropReason, PacketHead};
use linecard_sim::{Stream, stream};
use std::sync::Arc;

/// A chip, the programs of its clusters, and the packets that arrive.
#[derive(Clone)]
pub struct RandomChip {
    pub config: ChipConfig,
    programs: Vec<Random>,
    pub packets: Vec<Arrival>,
    /// Whether the output port and class depend on the flow; otherwise they depend on the input port.
    pub output_by_flow: bool,
}

impl RandomChip {
    /// Returns whether several threads may work on a packet at once: they lend packets, or move their blocks.
    pub fn shares_packets(&self) -> bool {
        let lends = self.programs.iter().any(|program| program.lends && program.put.is_some());
        lends || self.config.clusters.iter().any(|cluster| cluster.block_cells.is_some())
    }

    pub fn programs(&self) -> Vec<Box<dyn PacketProgram>> {
        self.programs.iter().map(|program| Box::new(program.clone()) as Box<dyn PacketProgram>).collect()
    }
}

const CELL: u32 = 64;
const ROLES: usize = 4;
const LOCKS: u32 = 3;
const CLOCKS_HZ: [u64; 7] =
    [1_000_000_000, 1_400_000_000, 800_000_000, 177_000_000, 399_999_959, 400_000_009, 1_233_333_333];

fn one_of<T: Copy>(random: &mut Stream, list: &[T]) -> T {
    list[random.below(list.len() as u32) as usize]
}

fn chance(random: &mut Stream, percent: u32) -> bool {
    random.below(100) < percent
}

/// How a program moves the cells of its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moves {
    Nothing,
    Into,
    OutOf,
    Both,
}

/// Random steps, then a hand-over: the same ones whenever a packet's steps are requested.
#[derive(Clone, Debug)]
struct Random {
    seed: u64,
    roles: u32,
    moves: Moves,
    memory: RoleId,
    put: Option<u8>,
    /// Whether a packet that finds the ring full leaves at once, and whether its thread goes on beside the next.
    offers: bool,
    lends: bool,
    ports: u32,
    classes: u32,
    by_flow: bool,
    drop_percent: u32,
    lock_percent: u32,
    most_cycles: u32,
    /// Whether packets are stored and sent block by block.
    blocks: bool,
}

impl Random {
    fn work(&self, random: &mut Stream, steps: &mut Steps) {
        for _ in 0..random.below(6) {
            let cycles = if chance(random, 25) { 0 } else { random.below(self.most_cycles) };
            let action = match random.below(8) {
                0 => Action::Nothing,
                1 => Action::Join,
                _ => Action::Access {
                    role: RoleId(random.below(self.roles) as u8),
                    kind: one_of(random, &Access::ALL),
                    posted: chance(random, 40),
                    bytes: one_of(random, &[0, 1, 4, 8, 64, 65, 200]),
                    address: if chance(random, 50) { random.below(512) } else { random.below(1 << 20) },
                    used_after: one_of(random, &[1, 2, 5, u8::MAX]),
                },
            };
            steps.push(cycles, action);
            if self.names_operations() && chance(random, 80) {
                steps.comes_from(random.below(4));
            }
        }
    }

    fn store(&self, cells: u32, info: &PacketInfo, random: &mut Stream, steps: &mut Steps) {
        if chance(random, self.drop_percent) {
            return steps.push(random.below(4), dropped(info));
        }
        let key = if self.by_flow { info.flow_hash } else { u32::from(info.input_port) };
        steps.push(0, Action::Admit { port: (key % self.ports) as u16 });
        steps.push(random.below(4), Action::Allocate);
        for cell in 0..cells as u16 {
            let registers = if cell == 0 { 32 } else { 0 };
            let write = Action::Cell { role: self.memory, write: true, posted: true, cell, registers };
            steps.push(random.below(3), write);
            steps.push(0, Action::Room);
        }
        steps.push(0, Action::Join);
        self.work(random, steps);
        steps.push(random.below(4), Action::Enqueue);
    }

    fn cells(&self, cells: u32, write: bool, random: &mut Stream, steps: &mut Steps) {
        let posted = chance(random, 50);
        for cell in 0..cells as u16 {
            steps
                .push(random.below(3), Action::Cell { role: self.memory, write, posted, cell, registers: 0 });
        }
        if chance(random, 70) {
            steps.push(0, Action::Join);
        }
    }
}

/// Drops a packet; the reasons alternate.
fn dropped(info: &PacketInfo) -> Action {
    Action::Drop(DropReason::ALL[info.number as usize % DropReason::ALL.len()])
}

impl PacketProgram for Random {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        let random = &mut stream(self.seed ^ info.number << 8, "steps");
        if matches!(self.moves, Moves::Into | Moves::Both) {
            self.cells(head.cells(), true, random, steps);
        }
        self.work(random, steps);
        if chance(random, self.lock_percent) {
            let lock = random.below(LOCKS);
            steps.push(random.below(5), Action::Lock(lock));
            self.work(random, steps);
            steps.push(random.below(5), Action::Unlock(lock));
        }
        self.work(random, steps);
        if info.inbox > 0 && chance(random, 50) {
            steps.push(random.below(4), Action::Alone);
        }
        if self.blocks {
            return self.store(head.cells(), info, random, steps);
        }
        if matches!(self.moves, Moves::OutOf | Moves::Both) {
            self.cells(head.cells(), false, random, steps);
        }
        if let Some(inbox) = self.put.filter(|_| self.lends && chance(random, 50)) {
            steps.push(random.below(4), Action::Lend { inbox });
            return self.work(random, steps);
        }
        if let Some(inbox) = self.put.filter(|_| self.offers) {
            steps.push(random.below(4), Action::Offer { inbox });
        }
        let last = match self.put.filter(|_| !self.offers) {
            _ if chance(random, self.drop_percent) => dropped(info),
            Some(inbox) => {
                if chance(random, 30) {
                    steps.push(random.below(4), Action::Reserve { inbox, else_skips: 0 });
                    self.work(random, steps);
                }
                Action::Put { inbox }
            }
            None => {
                let key = if self.by_flow { info.flow_hash } else { u32::from(info.input_port) };
                Action::Send { port: (key % self.ports) as u16, class: (key / 7 % self.classes) as u8 }
            }
        };
        steps.push(random.below(4), last);
    }

    fn block(&mut self, block: &Block, steps: &mut Steps) {
        let random = &mut stream(self.seed ^ u64::from(block.first_cell) << 8, "block");
        self.work(random, steps);
        steps.push(random.below(4), Action::ReadBlock { role: self.memory });
        steps.push(random.below(4), Action::Transmit);
        self.work(random, steps);
    }

    fn sends_blocks(&self) -> bool {
        self.blocks
    }

    fn locks(&self) -> u32 {
        LOCKS
    }

    /// Programs of half the chips do.
    fn names_operations(&self) -> bool {
        self.seed & 2 != 0
    }
}

fn a_server(random: &mut Stream) -> ServerConfig {
    let concurrency = one_of(random, &[0, 1, 1, 3]);
    ServerConfig {
        access_ps: std::array::from_fn(|_| u64::from(random.below(30_000))),
        latency_ps: u64::from(random.below(100_000)),
        word_ps: one_of(random, &[0, 0, 1_000]),
        byte_fs: one_of(random, &[0, 0, 15_625]),
        concurrency,
        ..server(0, 0)
    }
}

fn a_place(random: &mut Stream, clock_hz: u64, places: usize) -> PlaceKind {
    // A memory behind a cache precedes the cache in the list.
    match random.below(if places > 0 { 7 } else { 6 }) {
        0 | 1 => PlaceKind::Server(a_server(random)),
        2 => {
            let by = one_of(random, &[BankBy::Turn, BankBy::Address { interleave_bytes: 64 }]);
            let banked = Banked { bank: a_server(random), count: 1 + random.below(4), by };
            // The kind is a variant of its own, or one of the general variant.
            if chance(random, 50) { PlaceKind::Banked(banked) } else { PlaceKind::Of(Arc::new(banked)) }
        }
        3 | 4 => {
            let (refreshed, split) = (chance(random, 70), chance(random, 40));
            PlaceKind::Dram(dram::dram(clock_hz, 1 + random.below(3), refreshed, split))
        }
        5 => {
            let rules = linecard_dram::packet_buffer::Policy {
                batch: 1 + random.below(4),
                prefetch: chance(random, 50),
                ..dram::IN_TURN
            };
            PlaceKind::PacketBuffer(dram::packet_buffer(clock_hz, 1 + random.below(3), rules))
        }
        _ => PlaceKind::Cached(CacheConfig {
            port: ServerConfig { concurrency: 1, ..a_server(random) },
            line_bytes: one_of(random, &[32, 64, 128]),
            sets: one_of(random, &[1, 2, 3, 16]),
            ways: 1 + random.below(3),
            port_ways: 1,
            replacement: one_of(random, &[Replacement::LeastRecent, Replacement::Random]),
            behind: random.below(places as u32) as usize,
        }),
    }
}

fn an_allocator(random: &mut Stream) -> AllocatorConfig {
    use AllocatorKind::{FineGrain, Fixed, Linear, Piecewise};
    let kind = one_of(random, &[FineGrain, Fixed, Linear, Piecewise]);
    AllocatorConfig {
        kind,
        cells: one_of(random, &[96, 192, 768]),
        page_cells: 24,
        pools: 1 + random.below(2),
        order: one_of(random, &[PoolOrder::Lifo, PoolOrder::Fifo]),
        queues: 1,
        seed: 3,
    }
}

/// Returns the chip of a seed; its traffic is `saturated` or has arrival times.
pub fn chip(seed: u64) -> RandomChip {
    let random = &mut stream(seed, "chip");
    let saturated = chance(random, 35);
    let two_stages = chance(random, 35);
    let clock = |random: &mut Stream| {
        // Most clocks have a tick in common.
        let known = if chance(random, 30) { CLOCKS_HZ.len() } else { 3 };
        one_of(random, &CLOCKS_HZ[..known])
    };
    let dram_clock = clock(random);
    let mut places: Vec<PlaceConfig> = Vec::new();
    for number in 0..1 + random.below(5) as usize {
        let kind = a_place(random, dram_clock, number);
        let name = format!("place.{number}");
        places.push(PlaceConfig { group: format!("group.{}", number % 3), name, kind });
    }
    let links: Vec<LinkConfig> = (0..random.below(3))
        .map(|number| LinkConfig {
            name: format!("link.{number}"),
            latency_ps: u64::from(random.below(20_000)),
            byte_fs: one_of(random, &[0, 31_250, 1_000_000]),
        })
        .collect();
    let memory = chance(random, 45).then(|| PacketMemoryConfig {
        role: 0,
        placement: PlacementRule::Allocator(an_allocator(random)),
        placed_by_programs: false,
        wide: None,
        received_by_ports: chance(random, 50),
        sent_by_ports: chance(random, 50),
    });

    let inbox = |name: &str, rule, capacity| InboxConfig { name: name.into(), rule, capacity, window: None };
    let rule = one_of(random, DispatchRule::ALL);
    let mut inboxes = vec![inbox("rx", rule, None)];
    if two_stages {
        inboxes.push(inbox("ring", one_of(random, DispatchRule::ALL), Some(1 + random.below(4))));
    }
    let most_cycles = one_of(random, &[3, 40, 300]);
    let count = if two_stages { 2 + random.below(3) } else { 1 + random.below(4) } as usize;
    let (ports, classes) = (1 + random.below(3), 1 + random.below(4));
    let output_by_flow = chance(random, 60);
    let drop_percent = one_of(random, &[0, 0, 10]);
    // These are drawn from a separate stream, so that chips without a ring do not change. A chip that moves packets to
    // memory, or keeps them in order behind a window, needs every packet in every stage.
    let apart = &mut stream(seed, "handing over");
    let offers = memory.is_none() && chance(apart, 40);
    let lends = chance(apart, 40);
    let schedulers = &mut stream(seed, "schedulers");
    let mut clusters = Vec::new();
    let mut programs = Vec::new();
    for number in 0..count {
        let wide = chance(random, 5);
        // The last stage may also take packets from ports, before or after packets of the ring.
        let second = two_stages && number > 0;
        programs.push(Random {
            seed: seed ^ number as u64,
            roles: ROLES as u32,
            moves: match &memory {
                Some(m) if !second && !m.received_by_ports && !two_stages && !m.sent_by_ports => Moves::Both,
                Some(m) if !second && !m.received_by_ports => Moves::Into,
                Some(m) if (second || !two_stages) && !m.sent_by_ports => Moves::OutOf,
                _ => Moves::Nothing,
            },
            memory: RoleId(0),
            put: (two_stages && number == 0).then_some(1),
            offers,
            lends,
            ports,
            classes,
            by_flow: output_by_flow,
            drop_percent,
            lock_percent: one_of(random, &[0, 20]),
            most_cycles,
            blocks: false,
        });
        clusters.push(ClusterConfig {
            name: format!("cluster.{number}"),
            group: "cluster".into(),
            clock_hz: clock(random),
            engines: if wide { 1 } else { 1 + random.below(4) },
            threads: if wide { 200 } else { 1 + random.below(8) },
            in_use: chance(random, 20).then(|| [vec![1], (0..3).map(|_| random.below(9)).collect()].concat()),
            switch_cycles: random.below(3),
            issue_cycles: random.below(3),
            post_cycles: random.below(3),
            branch_share: one_of(random, &[0.0, 0.15]),
            branch_lost_cycles: 2,
            posted: one_of(random, &[1, 1, 2, 8]),
            block_cells: None,
            next_thread: one_of(random, &[NextThread::RoundRobin, NextThread::FirstReady]),
            data_cache: chance(random, 25).then(|| DataCacheConfig {
                per_thread: chance(random, 50),
                of: places.iter().filter(|_| chance(random, 50)).map(|place| place.group.clone()).collect(),
                sets: 1 + random.below(9),
                ways: 1 + random.below(4),
                line_bytes: one_of(random, &[8, 16, 64, 128]),
                replacement: one_of(random, &[Replacement::LeastRecent, Replacement::Random]),
                latency_cycles: random.below(4),
                leaves_engine: chance(random, 50),
            }),
            takes: match (two_stages, number) {
                (true, 0) | (false, _) => vec![0],
                (true, 1) => vec![1],
                (true, _) => one_of(random, &[&[1][..], &[1, 0], &[0, 1]]).to_vec(),
            },
            program: number,
        });
    }
    // The thread that takes a packet from a port also writes it, so a stage that takes from both behaves like the
    // second stage.
    let alike = chance(random, 60);
    let issue = u64::from(random.below(20_000));
    let one_memory = random.below(places.len() as u32) as usize;
    let targets = (0..count).map(|_| {
        let row = (0..ROLES).map(|role| {
            let shared = role == 0 && memory.is_some();
            let links: Vec<usize> = (0..links.len()).filter(|_| chance(random, 25)).collect();
            Some(TargetConfig {
                place: if shared { one_memory } else { random.below(places.len() as u32) as usize },
                base: if shared { 4096 } else { u64::from(random.below(4)) * 4096 },
                issue_ps: if alike { issue } else { u64::from(random.below(20_000)) },
                back_ps: u64::from(random.below(20_000)),
                links: if chance(random, 50) { links } else { vec![] },
            })
        });
        row.collect()
    });
    let targets = targets.collect();

    let when_full = one_of(random, &[WhenFull::Drop, WhenFull::Wait]);
    let rate = |random: &mut Stream| one_of(random, &[10_000_000_000, 40_000_000_000, 100_000_000_000]);
    let pools = 1 + random.below(2) as usize;
    let ports = (0..ports)
        .map(|number| PortConfig {
            name: format!("eth.{number}"),
            group: "eth".into(),
            overhead_bytes: one_of(random, &[0, 20]),
            receive: (number == 0 || chance(random, 70)).then(|| ReceiveConfig {
                bits_per_second: rate(random),
                from_first_bit: false,
                pool: number as usize % pools,
                inbox: 0,
                bus: None,
            }),
            transmit: (number == 0 || chance(random, 70)).then(|| TransmitConfig {
                bits_per_second: rate(random),
                queue_packets: one_of(random, &[1, 2, 16, 1000]),
                when_full,
                scheduler: {
                    let rule = one_of(random, SchedulerRule::ALL);
                    let quanta: Vec<u32> = (0..classes).map(|_| 1 + random.below(2000)).collect();
                    let mut scheduler = SchedulerConfig::flat(rule, &quanta);
                    if chance(schedulers, 40) {
                        nest(&mut scheduler, schedulers);
                    }
                    scheduler
                },
                buffer_cells: one_of(random, &[1, 24, 64]),
                slots: None,
                bus: None,
            }),
        })
        .collect();
    let mut config = ChipConfig {
        clusters,
        places,
        links,
        roles: (0..ROLES).map(|role| format!("role{role}")).collect(),
        targets,
        inboxes,
        pools: (0..pools)
            .map(|n| PoolConfig {
                name: format!("pool.{n}"),
                cells: one_of(random, &[8, 32, 4096]),
                release: Release::Packet,
            })
            .collect(),
        ports,
        order: OrderConfig {
            kept: one_of(random, &[OrderKept::Flow, OrderKept::Port, OrderKept::Nothing]),
            // Packets that overtake each other between stages need room to wait.
            window: if two_stages { 1000 } else { one_of(random, &[0, 1, 3, 64]) },
        },
        packets: memory,
        transmit: None,
        saturated,
        seed,
    };
    if two_stages && config.order.kept == OrderKept::Nothing && chance(apart, 60) {
        config.inboxes[1].window = Some(1 + apart.below(4));
    }
    let packets = packets(random);
    let mut chip = RandomChip { config, programs, packets, output_by_flow };
    if !two_stages && chance(random, 30) {
        chip.send_blocks(random);
    }
    chip
}

impl RandomChip {
    /// Makes packets be stored and sent block by block by threads of their own.
    fn send_blocks(&mut self, random: &mut Stream) {
        let Self { config, programs, .. } = self;
        for program in programs.iter_mut() {
            (program.blocks, program.put, program.moves) = (true, None, Moves::Nothing);
        }
        let mut cluster = config.clusters[0].clone();
        (cluster.name, cluster.takes) = ("sender".into(), vec![]);
        cluster.block_cells = Some(1 + random.below(6) as u16);
        config.clusters.push(cluster);
        config.targets.push(config.targets[0].clone());
        let memory = config.targets[0][0].clone();
        config.targets.iter_mut().for_each(|row| row[0] = memory.clone());
        config.packets = Some(PacketMemoryConfig {
            role: 0,
            placement: PlacementRule::Allocator(an_allocator(random)),
            placed_by_programs: true,
            wide: None,
            received_by_ports: false,
            sent_by_ports: false,
        });
        config.order.kept = OrderKept::Nothing;
        for transmit in config.ports.iter_mut().filter_map(|port| port.transmit.as_mut()) {
            transmit.slots = Some(TransmitSlotsConfig {
                slots: 1 + random.below(4),
                handshake_ps: u64::from(random.below(200_000)),
                drain_cell_ps: u64::from(random.below(50_000)),
            });
        }
    }
}

/// Sizes of every kind, few flows or many, gaps from overload to idleness.
fn packets(random: &mut Stream) -> Vec<Arrival> {
    let flows = one_of(random, &[1, 4, 1000]);
    let gap_ns = one_of(random, &[0.0, 5.0, 60.0, 800.0, 30_000.0]);
    let sizes =
        one_of(random, &[&[64][..], &[64, 65, 600, 1500], &[1500, 1], &[64, 24 * CELL, 24 * CELL + 1]]);
    let mut at = 0.0;
    let count = 20 + random.below(280);
    (0..count)
        .map(|_| {
            at += gap_ns * random.exponential();
            let flow_hash = stream(u64::from(random.below(flows)), "flow").bits() as u32;
            Arrival { at_ns: at as u64, flow_hash, head: super::head(one_of(random, sizes)) }
        })
        .collect()
}
