//! Builds a chip: checks the parts against each other, assigns numbers, starts threads.

use super::check::{check, check_blocks, check_transmit};
use super::transmit::FLOW_CLASSES;
use super::{ARRIVAL, BlockThread, Chip, Cluster, FIXED, Pool, Sources, TrafficSource, TransmitBuffer};
use crate::account::{Account, Level};
use crate::block_queue::BlockQueue;
use crate::config::{ChipConfig, ClusterConfig};
use crate::data_cache::DataCache;
use crate::dispatch::Lists;
use crate::due::Due;
use crate::engine::Engine;
use crate::group::Group;
use crate::inbox::Inbox;
use crate::link::Link;
use crate::misfit::Misfit;
use crate::order::Order;
use crate::packet::Packets;
use crate::packet_memory::PacketMemory;
use crate::place::{Memory, Place};
use crate::port::{Receiver, Sender};
use crate::request::Requests;
use crate::tally::Tallies;
use crate::target::{Target, targets};
use crate::thread::Thread;
use crate::turns::Turns;
use linecard_program::script::PacketProgram;
use linecard_sim::{Agenda, Branches, Ring, Ticks, Timebase};
use std::collections::{HashMap, VecDeque};

/// A frame is lost if it would wait for its wire longer than this number of frames of 1,518 bytes with preamble
/// and gap, and longer than the constant below: the offered load exceeds the rate of the port.
const LINE_PATIENCE_FRAMES: u64 = 100;
const LINE_PATIENCE_NS: u64 = 100_000;
/// Longest time from the last event to the end of a run; in femtoseconds, minutes.
const LONGEST_AFTER: Ticks = 1 << 58;

/// Length of the first time slices, before slices are merged.
const FIRST_SLICE_NS: u64 = 1_000;

impl Chip {
    /// Build a chip that runs `programs` on `traffic`; clusters name programs by number.
    ///
    /// # Errors
    /// What does not fit together.
    pub fn new(
        config: ChipConfig,
        programs: Vec<Box<dyn PacketProgram>>,
        traffic: TrafficSource,
    ) -> Result<Self, Misfit> {
        check(&config, programs.len())?;
        let timebase = timebase(&config)?;
        let groups = groups_of_places(&config);
        let threads: u32 = config.clusters.iter().map(ClusterConfig::all_threads).sum();
        let rooms = config.inboxes.iter().filter_map(|inbox| inbox.capacity).map(u64::from);
        let turns = Turns::new(u64::from(threads), rooms.sum());
        let queues = config.ports.iter().filter(|port| port.transmit.is_some()).count() as u32;
        let ports = || config.ports.iter().zip(0..);
        let receivers: Vec<Receiver> =
            ports().filter_map(|(port, number)| Receiver::new(number, port, &timebase)).collect();
        let senders: Vec<Sender> =
            ports().filter_map(|(port, number)| Sender::new(number, port, &timebase)).collect();
        let places: Result<Vec<Place>, String> = config
            .places
            .iter()
            .map(|place| Place::new(place, &timebase, threads, queues, config.seed))
            .collect();
        let mut places = places?;
        check_transmit(&config, &programs)?;
        check_blocks(&config, &programs)?;
        let shape = Threads::new(&config);
        let inboxes = config.inboxes.iter().zip(0..);
        let windowed =
            inboxes.filter(|(inbox, _)| inbox.window.is_some()).map(|(_, number)| number).collect();
        let sources = Sources::new(&config, &places, receivers.len(), senders.len());
        let seed = config.seed;
        let clusters = config.clusters.iter().enumerate().map(|(number, c)| {
            let clock = timebase.clock(c.clock_hz);
            Cluster {
                clock,
                program: c.program,
                branches: Branches::new(c.branch_share, c.branch_lost_cycles, seed ^ (number as u64) << 32),
                takes: c.takes.iter().map(|&inbox| inbox as u16).collect(),
                block_cells: c.block_cells,
            }
        });
        let clusters: Vec<Cluster> = clusters.collect();
        let (roles, states) = (config.roles.len(), Account::states(places.len()));
        let mut engines = Vec::new();
        let mut threads = Vec::new();
        for (number, c) in config.clusters.iter().enumerate() {
            for own in 0..c.engines {
                let engine = engines.len() as u32;
                let in_use = c.threads_of(own);
                let cache = c.data_cache.as_ref().map(|cache| DataCache::new(cache, engine, in_use, seed));
                let Cluster { clock, branches, .. } = &clusters[number];
                let first = threads.len() as u32;
                let engine_of = Engine::new(number as u16, *clock, first, in_use);
                let switch = clock.ticks(u64::from(c.switch_cycles)).min(LONGEST_AFTER);
                engines.push(engine_of.of_cluster(c, switch, branches.is_some(), cache));
                let numbers = threads.len() as u32..threads.len() as u32 + in_use;
                let thread = |n| Thread::new(n, engine, number as u16, roles, states, c.posted);
                threads.extend(numbers.map(thread));
            }
        }
        let targets = targets(&config, &places, &groups, &timebase);
        let mut links: Vec<Link> = config.links.iter().map(|link| Link::new(link, &timebase)).collect();
        for target in &targets {
            if target.direct {
                places[usize::from(target.place)].entered_ahead(target.issue);
            }
            if target.first_link_direct {
                links[usize::from(target.links[0])].entered_ahead(target.issue);
            }
        }
        let locks = programs.iter().map(|p| p.locks()).max().unwrap_or(0);
        let mut chip = Self {
            agenda: Agenda::new(sources.first_channel + sources.channels.len()),
            timebase,
            clusters,
            engines,
            threads,
            programs,
            groups: shape.groups,
            groups_at: shape.groups_at,
            group_of_place: groups,
            targets,
            links,
            lines: (0..config.links.len() + places.len()).map(|_| Due::default()).collect(),
            passing: Ring::new(16),
            feeding: Ring::new(16),
            requests: Requests::default(),
            channels_at: Ticks::MAX,
            finished: Vec::new(),
            windowed,
            inboxes: shape.inboxes,
            pools: config.pools.iter().map(|p| Pool { cells: p.cells, level: Level::default() }).collect(),
            shares: shares(&config, &receivers),
            order: Order::new(config.order, receivers.len()),
            receivers,
            senders,
            memory: PacketMemory::new(&config, &places, &timebase)?,
            block_queues: block_queues(&config, &timebase),
            block_threads: Vec::new(),
            block_number: Vec::new(),
            transmit: config.transmit.map(|transmit| TransmitBuffer {
                config: transmit,
                used: 0,
                waiters: VecDeque::new(),
                kept_flows: vec![0; FLOW_CLASSES],
                bytes: Level::default(),
            }),
            locks: (0..locks).map(|_| super::Lock::default()).collect(),
            packets: Packets::default(),
            timers: Due::default(),
            traffic,
            next_arrival: None,
            traffic_ended: false,
            line_patience: timebase.ticks_from_ns(line_patience_ns(&config)).min(LONGEST_AFTER),
            departures: None,
            lost_bytes: None,
            losses: None,
            recording: None,
            window: None,
            numbered: 0,
            gone: 0,
            warm: true,
            turns,
            fault: None,
            tallies: Tallies::new(&config),
            account: Account::new(
                config.clusters.len(),
                places.len(),
                timebase.ticks_from_ns(FIRST_SLICE_NS),
            ),
            places,
            sources,
            config,
        };
        chip.assign_ports();
        chip.plan_buffer();
        chip.start_threads();
        if !chip.config.saturated
            && let Some(at) = chip.fetch_arrival()
        {
            chip.agenda.schedule(ARRIVAL, at);
        }
        Ok(chip)
    }
}

impl Chip {
    /// Starts the threads. Threads that find no packet at the start are free from then on, one thread of each engine
    /// in turn: packets go to the thread that has been free longest, and a row of threads of one engine would keep
    /// this engine busy while others idle, for as long as the threads return in this order.
    fn start_threads(&mut self) {
        let (busy, mut free): (Vec<u32>, Vec<u32>) =
            (0..self.threads.len() as u32).partition(|&thread| self.looks_for_work(thread));
        for thread in busy {
            self.start(thread);
        }
        free.sort_by_key(|&thread| {
            (thread - self.engines[self.threads[thread as usize].engine as usize].first_thread, thread)
        });
        for thread in free {
            self.join_free(thread);
        }
    }

    /// Returns whether a thread may find work at the start: it sends blocks, or its packets are always there.
    fn looks_for_work(&self, thread: u32) -> bool {
        let cluster = &self.clusters[usize::from(self.threads[thread as usize].cluster)];
        let receives = |inbox: &u16| !self.inboxes[usize::from(*inbox)].receivers.is_empty();
        cluster.block_cells.is_some() || self.config.saturated && cluster.takes.iter().any(receives)
    }

    /// Lets the packet buffer begin accesses ahead of time, if only threads use it and the chip has no other
    /// channel: nothing else then happens in an instant in which its channel acts.
    fn plan_buffer(&mut self) {
        let others =
            |memory: &PacketMemory| memory.wide.is_some() || memory.received_by_ports || memory.sent_by_ports;
        let cached = self.config.places.iter().any(|place| place.kind.numbers().behind().is_some());
        if !cached && self.sources.channels.len() == 1 && !self.memory.as_ref().is_some_and(others) {
            for (number, place) in self.places.iter_mut().enumerate() {
                if place.begin_ahead() {
                    plan_targets(&mut self.targets, number as u16);
                }
            }
        }
    }

    /// Assigns the sending ports to the threads that move blocks, in turn: several ports to a thread, or
    /// several threads to a port.
    fn assign_ports(&mut self) {
        let mine = |t: &Thread| self.clusters[usize::from(t.cluster)].block_cells.is_some();
        let threads: Vec<u32> =
            (0..self.threads.len() as u32).filter(|&t| mine(&self.threads[t as usize])).collect();
        let (count, ports) = (threads.len(), self.senders.len());
        let serves = |index: usize, port: usize| {
            if count >= ports { index % ports == port } else { port % count == index }
        };
        self.block_number = vec![0; self.threads.len()];
        for (index, &thread) in threads.iter().enumerate() {
            self.block_number[thread as usize] = index as u32;
            let ports: Box<[u16]> = (0..ports).filter(|&p| serves(index, p)).map(|p| p as u16).collect();
            // The thread begins with the first of its ports.
            let last = ports.len() - 1;
            self.block_threads.push(BlockThread { ports, last, polls: false });
        }
        for number in 0..if count > 0 { ports } else { 0 } {
            let served = threads.iter().enumerate().filter(|(index, _)| serves(*index, number));
            self.block_queues[number].servers = served.map(|(_, &thread)| thread).collect();
        }
    }
}

/// Accesses to a memory that begins them ahead of time need no request if they reach it in the instant of their
/// issue and their results come back at once.
fn plan_targets(targets: &mut [Target], place: u16) {
    for target in targets.iter_mut().filter(|target| target.place == place) {
        target.planned = target.submits && target.back == 0;
    }
}

/// Returns the queues of the ports that threads serve block by block, by number among the sending ports.
fn block_queues(config: &ChipConfig, timebase: &Timebase) -> Vec<BlockQueue> {
    config.ports.iter().filter_map(|port| BlockQueue::new(port, timebase)).collect()
}

/// Returns the receiver of each share of the flows; the number of shares of a port is proportional to its rate.
fn shares(config: &ChipConfig, receivers: &[Receiver]) -> Vec<u16> {
    const MOST_SHARES: u64 = 1000;
    let rate = |receiver: &Receiver| {
        config.ports[usize::from(receiver.port)].receive.as_ref().map_or(0, |receive| receive.bits_per_second)
    };
    let slowest = receivers.iter().map(rate).min().unwrap_or(0).max(1);
    let of = |(number, receiver): (usize, &Receiver)| {
        let count = (rate(receiver) / slowest).clamp(1, MOST_SHARES) as usize;
        std::iter::repeat_n(number as u16, count)
    };
    receivers.iter().enumerate().flat_map(of).collect()
}

/// Returns how long a frame may wait for the slowest wire that it may arrive on.
fn line_patience_ns(config: &ChipConfig) -> u64 {
    let rates = config.ports.iter().filter_map(|port| port.receive.as_ref()).map(|r| r.bits_per_second);
    let slowest = rates.filter(|&rate| rate > 0).min().unwrap_or(u64::MAX);
    (LINE_PATIENCE_FRAMES * 1538 * 8 * 1_000_000_000 / slowest).max(LINE_PATIENCE_NS)
}

/// Returns a timebase whose tick is at most a picosecond, so that no latency is rounded by more.
fn timebase(config: &ChipConfig) -> Result<Timebase, String> {
    let mut clocks: Vec<u64> = config.clusters.iter().map(|cluster| cluster.clock_hz).collect();
    clocks.extend(config.places.iter().flat_map(|place| place.kind.numbers().clocks_hz()));
    Timebase::fine(&clocks).map_err(|error| error.to_string())
}

/// Returns the first member of each memory's or unit's group: threads that wait for any member of a group are
/// in one state.
fn groups_of_places(config: &ChipConfig) -> Vec<u16> {
    let mut first: HashMap<&str, u16> = HashMap::new();
    let groups = config.places.iter().enumerate();
    groups.map(|(number, place)| *first.entry(&place.group).or_insert(number as u16)).collect()
}

impl Sources {
    fn new(config: &ChipConfig, places: &[Place], receivers: usize, senders: usize) -> Self {
        let first_sender = FIXED + receivers;
        let first_line = first_sender + senders;
        let first_engine = first_line + config.links.len() + places.len();
        let engines: usize = config.clusters.iter().map(|c| c.engines as usize).sum();
        let mut channels = Vec::new();
        let mut channel_of_place = Vec::new();
        for (number, place) in places.iter().enumerate() {
            channel_of_place.push(channels.len());
            channels.extend((0..place.channels()).map(|channel| (number as u16, channel as u16)));
        }
        Self {
            first_receiver: FIXED,
            first_sender,
            first_line,
            first_engine,
            first_channel: first_engine + engines,
            channels,
            channel_of_place,
        }
    }
}

/// Inboxes with their groups, and the groups from which each thread takes packets.
struct Threads {
    inboxes: Vec<Inbox>,
    groups: Vec<u32>,
    groups_at: Vec<u32>,
}

impl Threads {
    fn new(config: &ChipConfig) -> Self {
        let mut receivers: Vec<Vec<u16>> = vec![Vec::new(); config.inboxes.len()];
        for (receive, number) in config.ports.iter().filter_map(|port| port.receive.as_ref()).zip(0..) {
            receivers[receive.inbox].push(number);
        }
        let mut takers: Vec<Vec<usize>> = vec![Vec::new(); config.inboxes.len()];
        let in_use = |(_, cluster): &(usize, &ClusterConfig)| cluster.all_threads() > 0;
        for (number, cluster) in config.clusters.iter().enumerate().filter(in_use) {
            for &inbox in &cluster.takes {
                if takers[inbox].last() != Some(&number) {
                    takers[inbox].push(number);
                }
            }
        }
        let of = |inbox: usize| takers[inbox].iter().map(|&number| (number, &config.clusters[number]));
        let mut inboxes = Vec::new();
        for (number, inbox) in config.inboxes.iter().enumerate() {
            let of_cluster = |cluster: usize, threads: u32| Group::new(cluster as u16, threads);
            let all = ClusterConfig::all_threads;
            let groups = match inbox.rule.lists() {
                Lists::Single => {
                    let first = takers[number].first().copied().unwrap_or(0);
                    vec![of_cluster(first, of(number).map(|(_, cluster)| all(cluster)).sum())]
                }
                Lists::PerCluster => of(number).map(|(c, cluster)| of_cluster(c, all(cluster))).collect(),
                Lists::PerThread => of(number)
                    .flat_map(|(c, cluster)| (0..all(cluster)).map(move |_| of_cluster(c, 1)))
                    .collect(),
            };
            inboxes.push(Inbox::new(inbox, groups, std::mem::take(&mut receivers[number])));
        }
        let (mut groups, mut groups_at) = (Vec::new(), Vec::new());
        let mut lane = vec![0u32; config.inboxes.len()];
        for (number, cluster) in config.clusters.iter().enumerate() {
            for _ in 0..cluster.all_threads() {
                groups_at.push(groups.len() as u32);
                for &inbox in &cluster.takes {
                    groups.push(match config.inboxes[inbox].rule.lists() {
                        Lists::Single => 0,
                        Lists::PerCluster => takers[inbox].binary_search(&number).unwrap_or(0) as u32,
                        Lists::PerThread => {
                            lane[inbox] += 1;
                            lane[inbox] - 1
                        }
                    });
                }
            }
        }
        Self { inboxes, groups, groups_at }
    }
}
