//! Building a chip: what fits together is checked, numbers are given out, threads are started.

use super::transmit::FLOW_CLASSES;
use super::{
    BlockThread, Chip, Cluster, FIXED, PacketMemory, Pool, Room, Sources, Target, TrafficSource,
    TransmitBuffer, Wide,
};
use crate::account::{Account, Level};
use crate::block_queue::BlockQueue;
use crate::config::{
    ChipConfig, ClusterConfig, OrderKept, PlaceConfig, PlaceKind, PlacementRule, TargetConfig, WideConfig,
};
use crate::data_cache::DataCache;
use crate::dispatch::Lists;
use crate::due::Due;
use crate::engine::Engine;
use crate::group::Group;
use crate::inbox::Inbox;
use crate::link::Link;
use crate::order::Order;
use crate::packet::Packets;
use crate::place::{BankLayout, Kind, Memory, Place};
use crate::port::Port;
use crate::queue_caches::QueueCaches;
use crate::request::Requests;
use crate::tally::Tallies;
use crate::thread::{State, Thread};
use crate::turns::Turns;
use linecard_buffers::{Allocator, AllocatorKind};
use linecard_dram::RowMap;
use linecard_program::CELL_BYTES;
use linecard_program::script::PacketProgram;
use linecard_sim::{Agenda, Branches, Ticks, Timebase, stream};
use std::collections::{HashMap, VecDeque};

/// A frame that would wait for its wire for so many frames of 1,518 bytes with preamble and gap, and longer than this, is
/// lost: more comes than the port carries.
const LINE_PATIENCE_FRAMES: u64 = 100;
const LINE_PATIENCE_NS: u64 = 100_000;
/// As long as may follow the last event: in femtoseconds it is minutes.
const LONGEST_AFTER: Ticks = 1 << 58;

/// Cells of a memory with slots are numbered in 32 bits.
const MOST_SLOTS_BYTES: u128 = 1 << 37;

/// Length of the first slices of time, before they are joined.
const FIRST_SLICE_NS: u64 = 1_000;

impl Chip {
    /// Build a chip that runs `programs` on `traffic`; clusters name programs by number.
    ///
    /// # Errors
    /// A sentence on what does not fit together.
    pub fn new(
        config: ChipConfig,
        programs: Vec<Box<dyn PacketProgram>>,
        traffic: TrafficSource,
    ) -> Result<Self, String> {
        check(&config, programs.len())?;
        let timebase = timebase(&config)?;
        let ticks = |ps| timebase.ticks_from_ps(ps);
        let groups = groups_of_places(&config);
        let threads: u32 = config.clusters.iter().map(ClusterConfig::all_threads).sum();
        let rooms = config.inboxes.iter().filter_map(|inbox| inbox.capacity).map(u64::from);
        let turns = Turns::new(u64::from(threads), rooms.sum());
        let queues = config.ports.iter().filter(|port| port.transmit.is_some()).count() as u32;
        let receiving = numbers(&config, |port| port.receive.is_some());
        let sending = numbers(&config, |port| port.transmit.is_some());
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
        let sources = Sources::new(&config, &places, receiving.len(), sending.len());
        let seed = config.seed;
        let clusters = config.clusters.iter().enumerate().map(|(number, c)| {
            let clock = timebase.clock(c.clock_hz);
            Cluster {
                clock,
                switch: clock.ticks(u64::from(c.switch_cycles)).min(LONGEST_AFTER),
                issue_cycles: c.issue_cycles,
                post_cycles: c.post_cycles,
                issues_take_cycles: c.issue_cycles > 0 || c.post_cycles > 0,
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
                let plain = c.issue_cycles == 0 && clusters[number].branches.is_none();
                let cache = c.data_cache.as_ref().map(|cache| DataCache::new(cache, engine, in_use, seed));
                let first = threads.len() as u32;
                let engine_of = Engine::new(number as u16, clusters[number].clock, first, in_use, plain);
                engines.push(engine_of.with(c.next_thread, cache, clusters[number].branches.is_some()));
                let numbers = threads.len() as u32..threads.len() as u32 + in_use;
                let thread = |n| Thread::new(n, engine, number as u16, roles, states, c.posted);
                threads.extend(numbers.map(thread));
            }
        }
        let targets = targets(&config, &places, &groups, &ticks);
        let mut links: Vec<Link> = config.links.iter().map(|link| Link::new(link, &timebase)).collect();
        for target in targets.iter().flatten() {
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
            passing: VecDeque::new(),
            feeding: VecDeque::new(),
            requests: Requests::default(),
            channels_at: Ticks::MAX,
            finished: Vec::new(),
            windowed,
            inboxes: shape.inboxes,
            pools: config.pools.iter().map(|p| Pool { cells: p.cells, level: Level::default() }).collect(),
            ports: config.ports.iter().map(|port| Port::new(port, &timebase)).collect(),
            shares: shares(&config, &receiving),
            receivers: receiving,
            senders: sending,
            order: Order::new(config.order, config.ports.len()),
            memory: packet_memory(&config, &places, &timebase)?,
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
        for (number, &port) in chip.senders.iter().enumerate() {
            if let Some(sender) = &mut chip.ports[usize::from(port)].sender {
                sender.source = chip.sources.first_sender + number;
            }
        }
        chip.assign_ports();
        chip.plan_buffer();
        for thread in 0..chip.threads.len() as u32 {
            chip.make_ready(thread, 0);
        }
        if !chip.config.saturated {
            chip.fetch_arrival();
        }
        Ok(chip)
    }
}

impl Chip {
    /// Let the packet buffer begin accesses ahead where nothing but threads uses it, and no other channel is there: nothing
    /// then happens in an instant in which its channel has done something.
    fn plan_buffer(&mut self) {
        let others = |memory: &super::PacketMemory| {
            memory.wide.is_some() || memory.received_by_ports || memory.sent_by_ports
        };
        let cached = self.places.iter_mut().any(|place| place.as_cache().is_some());
        if !cached && self.sources.channels.len() == 1 && !self.memory.as_ref().is_some_and(others) {
            self.places.iter_mut().for_each(Memory::begin_ahead);
        }
    }

    /// Gives the ports that send to the threads that move blocks, in turn: several ports to a thread, or several threads to
    /// a port.
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
            // The first of its ports is the next.
            let last = ports.len() - 1;
            self.block_threads.push(BlockThread { ports, last, polls: false });
        }
        for number in 0..if count > 0 { ports } else { 0 } {
            let served = threads.iter().enumerate().filter(|(index, _)| serves(*index, number));
            self.block_queues[number].servers = served.map(|(_, &thread)| thread).collect();
        }
    }
}

fn numbers(config: &ChipConfig, wanted: impl Fn(&crate::config::PortConfig) -> bool) -> Vec<u16> {
    (0..config.ports.len()).filter(|&port| wanted(&config.ports[port])).map(|port| port as u16).collect()
}

/// The queues of the ports that threads send through block by block, by number among those that send.
fn block_queues(config: &ChipConfig, timebase: &Timebase) -> Vec<BlockQueue> {
    let ports = config.ports.iter().enumerate();
    ports.filter_map(|(number, port)| BlockQueue::new(number as u16, port, timebase)).collect()
}

/// Number among the receivers for each share of the flows: as many for each port as it is faster than the slowest.
fn shares(config: &ChipConfig, receivers: &[u16]) -> Vec<u16> {
    const MOST_SHARES: u64 = 1000;
    let rate = |&port: &u16| {
        config.ports[usize::from(port)].receive.as_ref().map_or(0, |receive| receive.bits_per_second)
    };
    let slowest = receivers.iter().map(rate).min().unwrap_or(0).max(1);
    let of = |(number, port): (usize, &u16)| {
        let count = (rate(port) / slowest).clamp(1, MOST_SHARES) as usize;
        std::iter::repeat_n(number as u16, count)
    };
    receivers.iter().enumerate().flat_map(of).collect()
}

/// How long a frame may wait for the slowest of the wires that it may come by.
fn line_patience_ns(config: &ChipConfig) -> u64 {
    let rates = config.ports.iter().filter_map(|port| port.receive.as_ref()).map(|r| r.bits_per_second);
    let slowest = rates.filter(|&rate| rate > 0).min().unwrap_or(u64::MAX);
    (LINE_PATIENCE_FRAMES * 1538 * 8 * 1_000_000_000 / slowest).max(LINE_PATIENCE_NS)
}

/// A tick is at most a picosecond, so that no latency is rounded by more.
fn timebase(config: &ChipConfig) -> Result<Timebase, String> {
    let mut clocks: Vec<u64> = config.clusters.iter().map(|cluster| cluster.clock_hz).collect();
    clocks.extend(config.places.iter().filter_map(|place| match &place.kind {
        PlaceKind::Dram(dram) => Some(dram.clock_hz),
        PlaceKind::Slots(slots) => Some(slots.clock_hz),
        PlaceKind::PacketBuffer(buffer) => Some(buffer.clock_hz),
        _ => None,
    }));
    if config.places.iter().any(|place| matches!(place.kind, PlaceKind::QueueManager(_))) {
        clocks.extend(linecard_queueing::CLOCKS_HZ);
    }
    Timebase::fine(&clocks).map_err(|error| error.to_string())
}

/// Number of the first place of each place's group: threads that wait for any of a group are in one state.
fn groups_of_places(config: &ChipConfig) -> Vec<u16> {
    let mut first: HashMap<&str, u16> = HashMap::new();
    let groups = config.places.iter().enumerate();
    groups.map(|(number, place)| *first.entry(&place.group).or_insert(number as u16)).collect()
}

/// Ways to places; those on which accesses arrive in the order of their issue are marked.
fn targets(
    config: &ChipConfig,
    places: &[Place],
    groups: &[u16],
    ticks: &impl Fn(u64) -> u64,
) -> Vec<Option<Target>> {
    let all = || config.targets.iter().flatten().flatten();
    let by_ports = |place: usize| {
        config.packets.as_ref().is_some_and(|packets| {
            let moved = packets.received_by_ports || packets.sent_by_ports;
            let keeps = config.targets.iter().filter_map(|row| row[packets.role].as_ref());
            moved && keeps.into_iter().any(|target| target.place == place)
        })
    };
    let behind_cache = |place: usize| {
        config.places.iter().any(|p| matches!(&p.kind, PlaceKind::Cached(cache) if cache.behind == place))
    };
    let answers = |place: usize| {
        let kind = &config.places[place].kind;
        matches!(kind, PlaceKind::Server(_) | PlaceKind::Banked(_) | PlaceKind::Of(_) | PlaceKind::Results(_))
    };
    let direct = |place: usize| {
        let mut ways = all().filter(|target| target.place == place).map(|t| (t.issue_ps, t.links.is_empty()));
        let first = ways.next();
        let alike = first.is_some_and(|(issue, no_links)| no_links && ways.all(|way| way == (issue, true)));
        // A place that serves as many accesses as come has no order to keep.
        let endless = matches!(&config.places[place].kind, PlaceKind::Server(s) if s.concurrency == 0);
        let no_links = all().filter(|target| target.place == place).all(|t| t.links.is_empty());
        answers(place) && (alike || endless && no_links) && !by_ports(place) && !behind_cache(place)
    };
    let direct: Vec<bool> = (0..config.places.len()).map(direct).collect();
    // What reaches a link straight from threads, all of it as long after its issue, reaches it in the order of its issue.
    let first_link_direct = |link: usize| {
        let mut ways = all().filter(|target| target.links.contains(&link));
        let first = ways.next().map(|t| t.issue_ps);
        all()
            .filter(|t| t.links.contains(&link))
            .all(|t| t.links[0] == link && !t.links[1..].contains(&link) && Some(t.issue_ps) == first)
    };
    let at_once = |target: &TargetConfig| target.issue_ps == 0 && target.links.is_empty();
    let cached = |cluster: usize, place: usize| {
        let cache = config.clusters[cluster].data_cache.as_ref();
        cache.is_some_and(|cache| cache.of.contains(&config.places[place].group))
    };
    let target = |(cluster, target): (usize, &Option<TargetConfig>)| {
        target.as_ref().map(|t| {
            // What arrives in the moment of its issue comes behind all that has arrived before.
            let direct = direct[t.place] || answers(t.place) && at_once(t);
            let cached = cached(cluster, t.place);
            Target {
                place: t.place as u16,
                base: t.base,
                issue: ticks(t.issue_ps),
                back: ticks(t.back_ps),
                links: t.links.iter().map(|&link| link as u16).collect(),
                state: State(State::PLACES + groups[t.place]),
                direct,
                answers_thread: direct && !cached,
                submits: at_once(t) && places[t.place].channels() > 0,
                first_link_direct: t.links.first().is_some_and(|&link| first_link_direct(link)),
                cached,
            }
        })
    };
    let rows = config.targets.iter().enumerate();
    rows.flat_map(|(cluster, row)| row.iter().map(move |each| (cluster, each))).map(target).collect()
}

fn packet_memory(
    config: &ChipConfig,
    places: &[Place],
    timebase: &Timebase,
) -> Result<Option<PacketMemory>, String> {
    let Some(packets) = &config.packets else { return Ok(None) };
    let mut rooms: Vec<Option<Room>> = config.places.iter().map(|_| None).collect();
    let mut base_of_place = vec![0; config.places.len()];
    let mut of_cluster = Vec::new();
    for (row, cluster) in config.targets.iter().zip(&config.clusters) {
        let Some(target) = &row[packets.role] else {
            return Err(format!("{} reaches no memory that keeps packets", cluster.name));
        };
        if rooms[target.place].is_none() {
            rooms[target.place] = Some(match (&packets.placement, places[target.place].bank_layout()) {
                (PlacementRule::Allocator(allocator), _) => Room::Allocated(Allocator::new(allocator)?),
                (PlacementRule::RandomBank, Some(BankLayout { banks, step_bytes })) => Room::RandomBank {
                    stream: stream(config.seed, "placement of packets in banks"),
                    banks,
                    step_cells: (step_bytes / u64::from(CELL_BYTES)) as u32,
                },
                (PlacementRule::RandomBank, None) => {
                    let name = &config.places[target.place].name;
                    return Err(format!("{name} has no slots: packets are placed in it by an allocator"));
                }
            });
            base_of_place[target.place] = target.base;
        }
        of_cluster.push((target.place as u16, target.base));
    }
    Ok(Some(PacketMemory {
        rooms,
        of_cluster,
        base_of_place,
        received_by_ports: packets.received_by_ports,
        sent_by_ports: packets.sent_by_ports,
        placed_by_programs: packets.placed_by_programs,
        waiters: VecDeque::new(),
        cells: Level::default(),
        wide: wide(config, timebase),
    }))
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

/// Inboxes with their groups, and which groups each thread takes from.
struct Threads {
    inboxes: Vec<Inbox>,
    groups: Vec<u32>,
    groups_at: Vec<u32>,
}

impl Threads {
    fn new(config: &ChipConfig) -> Self {
        let mut ports: Vec<Vec<u16>> = vec![Vec::new(); config.inboxes.len()];
        for (number, port) in config.ports.iter().enumerate() {
            if let Some(receive) = &port.receive {
                ports[receive.inbox].push(number as u16);
            }
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
            let of_cluster =
                |cluster: usize, threads: u32| Group { cluster: cluster as u16, threads, ..Group::default() };
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
            inboxes.push(Inbox::new(inbox, groups, std::mem::take(&mut ports[number])));
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

/// What no chip can be built from.
fn check(config: &ChipConfig, programs: usize) -> Result<(), String> {
    let refuse = |wrong: bool, message: &str| if wrong { Err(message.to_owned()) } else { Ok(()) };
    refuse(config.clusters.is_empty(), "a chip needs a cluster of engines")?;
    refuse(config.clusters.len() > 60_000, "a chip has at most 60,000 clusters")?;
    refuse(config.inboxes.len() > 60_000, "a chip has at most 60,000 inboxes and rings")?;
    refuse(config.places.len() > 60_000, "a chip has at most 60,000 places")?;
    refuse(config.ports.len() > 60_000, "a chip has at most 60,000 ports")?;
    refuse(config.ports.iter().all(|p| p.receive.is_none()), "a chip needs a port that packets come in by")?;
    refuse(config.ports.iter().all(|p| p.transmit.is_none()), "a chip needs a port that packets go out by")?;
    for cluster in &config.clusters {
        let name = &cluster.name;
        refuse(cluster.engines == 0 || cluster.threads == 0, &format!("{name} has no engine or no thread"))?;
        refuse(cluster.posted == 0, &format!("threads of {name} need room for one posted operation"))?;
        refuse(
            cluster.takes.is_empty() == cluster.block_cells.is_none(),
            &format!("{name} takes packets from inboxes, or moves blocks to ports: one of the two"),
        )?;
        refuse(cluster.program >= programs, &format!("{name} has no program"))?;
    }
    for (number, inbox) in config.inboxes.iter().enumerate() {
        let taken = config
            .clusters
            .iter()
            .any(|cluster| cluster.takes.contains(&number) && cluster.all_threads() > 0);
        refuse(!taken, &format!("no thread in use takes from the inbox {}", inbox.name))?;
        refuse(inbox.capacity == Some(0), &format!("the inbox {} has no room", inbox.name))?;
        refuse(inbox.window == Some(0), &format!("the window of the inbox {} is shut", inbox.name))?;
    }
    for port in config.ports.iter().filter_map(|port| port.receive.as_ref()) {
        let inbox = &config.inboxes[port.inbox];
        refuse(
            inbox.capacity.is_some() || inbox.window.is_some(),
            &format!(
                "ports bring packets to the inbox {}, which wait in their receive buffer: it has no bound and no window",
                inbox.name
            ),
        )?;
    }
    for place in &config.places {
        check_place(place, &config.places)?;
    }
    let by_ports = config.packets.as_ref().is_some_and(|packets| packets.sent_by_ports);
    for port in &config.ports {
        let Some(t) = &port.transmit else { continue };
        let name = &port.name;
        t.scheduler.check().map_err(|message| format!("the scheduler of {name}: {message}"))?;
        refuse(t.queue_packets == 0, &format!("the output queues of {name} have no room"))?;
        refuse(by_ports && t.buffer_cells == 0, &format!("the buffer of {name} has no cells"))?;
    }
    // A packet gets its cells before a thread has it, so the thread's memory must be known then.
    if let Some(packets) = &config.packets {
        for port in config.ports.iter().filter_map(|port| port.receive.as_ref()) {
            let inbox = &config.inboxes[port.inbox];
            let takers = config.targets.iter().zip(&config.clusters);
            let takers = takers.filter(|(_, cluster)| cluster.takes.contains(&port.inbox));
            let mut places = takers.filter_map(|(row, _)| row[packets.role].as_ref()).map(|t| t.place);
            let first = places.next();
            refuse(
                inbox.rule.lists() == Lists::Single && places.any(|place| Some(place) != first),
                &format!(
                    "the inbox {} gives a packet to whichever thread is free, but each cluster keeps packets in a memory \
                     of its own: dispatch by a rule that chooses a cluster, such as hash",
                    inbox.name
                ),
            )?;
        }
    }
    Ok(())
}

/// What does not fit with ports that send out of a transmit buffer, cell by cell.
fn check_transmit(config: &ChipConfig, programs: &[Box<dyn PacketProgram>]) -> Result<(), String> {
    let refuse = |wrong: bool, message: &str| if wrong { Err(message.to_owned()) } else { Ok(()) };
    let Some(transmit) = config.transmit else { return Ok(()) };
    let ports = config.ports.iter().filter(|port| port.transmit.is_some()).count();
    let cells = transmit.cells;
    let few = format!("a transmit buffer of {cells} cells for {ports} ports: it needs more cells than ports");
    refuse(cells as usize <= ports, &few)?;
    refuse(
        config.clusters.iter().any(|cluster| !programs[cluster.program].fills_transmit_buffer()),
        "ports send out of a transmit buffer, and the program does not fill it: leave [transmit] out, or run a program \
         that moves packets there (ipv4_forward)",
    )?;
    let Some(marks) = transmit.watermarks else { return Ok(()) };
    refuse(marks.low_bytes > marks.high_bytes, "the low watermark lies above the high one")?;
    let one_list = config.inboxes.len() == 1 && config.inboxes[0].rule.lists() == Lists::Single;
    refuse(
        !one_list,
        "packets that are kept for congested ports go to any thread that is free: the chip needs one inbox with \
         dispatch = \"free_list\"",
    )
}

/// What does not fit with threads that move blocks to transmit slots.
fn check_blocks(config: &ChipConfig, programs: &[Box<dyn PacketProgram>]) -> Result<(), String> {
    let refuse = |wrong: bool, message: &str| if wrong { Err(message.to_owned()) } else { Ok(()) };
    let senders = config.ports.iter().filter_map(|port| port.transmit.as_ref().map(|t| (&port.name, t)));
    let threads = config.clusters.iter().filter(|cluster| cluster.block_cells.is_some());
    let (sends, slots) = (threads.clone().count() > 0, senders.clone().any(|(_, t)| t.slots.is_some()));
    refuse(
        sends && config.transmit.is_some(),
        "ports send out of a transmit buffer, or out of slots: not both",
    )?;
    refuse(
        sends && config.order.kept != OrderKept::Nothing,
        "where a cluster moves blocks, packets leave in the order in which they were stored: [order] kept = \"none\"",
    )?;
    for (name, transmit) in senders {
        refuse(
            transmit.slots.is_some() != sends,
            &format!(
                "{name}: where a cluster moves blocks, every port that sends has slots, and nowhere else"
            ),
        )?;
        let wrong = transmit.slots.is_some_and(|slots| !(1..=128).contains(&slots.slots));
        refuse(wrong, &format!("{name} has 1 to 128 transmit slots"))?;
    }
    for cluster in &config.clusters {
        let name = &cluster.name;
        refuse(cluster.block_cells == Some(0), &format!("{name}: a block has at least one cell"))?;
        refuse(
            programs[cluster.program].sends_blocks() != sends,
            &format!(
                "{name}: a program that sends block by block (l3fwd16, nat, firewall, steps with op = \"enqueue\") and a \
                 cluster that moves blocks go together"
            ),
        )?;
    }
    let Some(packets) = &config.packets else {
        return refuse(slots, "threads move blocks out of a packet memory, and there is none");
    };
    refuse(
        packets.placed_by_programs != sends,
        "programs ask for room in the packet memory where a cluster moves blocks, and nowhere else",
    )?;
    let per_queue =
        matches!(&packets.placement, PlacementRule::Allocator(a) if a.kind == AllocatorKind::PerQueue);
    refuse(
        per_queue != packets.wide.is_some(),
        "space kept apart by queue must be given back in the order of the queue, which only the caches of queues see to: \
         allocator = \"per_queue_linear\" and [wide] go together",
    )?;
    let (Some(wide), PlacementRule::Allocator(allocator)) = (packets.wide, &packets.placement) else {
        return Ok(());
    };
    let WideConfig { block_cells, blocks, .. } = wide;
    refuse(!(1..=32).contains(&block_cells), &format!("a wide block has 1 to 32 cells, not {block_cells}"))?;
    refuse(blocks == 0, "each cache of a queue needs room for at least one block")?;
    for cells in threads.filter_map(|cluster| cluster.block_cells) {
        // A block of output need not begin with a wide block, and is read only when all of it is in the cache.
        let touched = if cells == 1 { 1 } else { (u32::from(cells) - 2) / block_cells + 2 };
        refuse(
            touched > blocks,
            &format!(
                "an output block of {cells} cells can lie in {touched} wide blocks of {block_cells} cells, but each cache \
                 has room for {blocks}"
            ),
        )?;
    }
    let ring = allocator.cells / allocator.queues.max(1);
    refuse(
        !ring.is_multiple_of(block_cells),
        &format!(
            "{ring} cells for each of {} queues do not divide into blocks of {block_cells}",
            allocator.queues
        ),
    )
}

/// The caches of output queues.
fn wide(config: &ChipConfig, timebase: &Timebase) -> Option<Wide> {
    let packets = config.packets.as_ref()?;
    let (wide, PlacementRule::Allocator(allocator)) = (packets.wide?, &packets.placement) else {
        return None;
    };
    let ring_cells = allocator.cells / allocator.queues;
    Some(Wide {
        caches: QueueCaches::new(allocator.queues, ring_cells, wide.block_cells, wide.blocks),
        cell: timebase.ticks_from_ps(wide.cell_ps),
        free: 0,
        retry: Vec::new(),
    })
}

fn check_place(place: &PlaceConfig, places: &[PlaceConfig]) -> Result<(), String> {
    let name = &place.name;
    let refuse = |kind: &dyn Kind| match kind.wrong() {
        Some(wrong) => Err(format!("{name} {wrong}")),
        None => Ok(()),
    };
    match &place.kind {
        PlaceKind::Server(_) | PlaceKind::Results(_) | PlaceKind::QueueManager(_) => {}
        PlaceKind::PacketBuffer(buffer) => {
            let banks = buffer.device.organization().banks;
            let row_bytes = buffer.device.organization().row_bytes;
            if buffer.channels == 0 || !banks.is_power_of_two() || !row_bytes.is_power_of_two() {
                return Err(format!(
                    "{name} needs a channel, and a power of two of banks and of bytes of a row"
                ));
            }
            if buffer.rows == RowMap::Halves && banks < 2 {
                return Err(format!("{name} has one bank, which does not divide into odd and even ones"));
            }
        }
        PlaceKind::Slots(slots) => {
            let too_small = slots.bank_bytes < u64::from(CELL_BYTES) || !slots.bank_bytes.is_power_of_two();
            if u128::from(slots.slots.banks) * u128::from(slots.bank_bytes) > MOST_SLOTS_BYTES {
                return Err(format!("{name} holds more than 128 GiB, the most of a memory with slots"));
            }
            let nothing = slots.back_pressure.is_some_and(|b| b.requests == 0 || b.request_bytes == 0);
            if too_small || nothing {
                return Err(format!(
                    "{name} needs banks of a power of two of bytes, and a back pressure that lets accesses through"
                ));
            }
        }
        PlaceKind::Banked(banked) => refuse(banked)?,
        PlaceKind::Of(kind) => refuse(&**kind)?,
        PlaceKind::Dram(dram) => {
            if dram.channels == 0 || dram.access_bytes == 0 {
                return Err(format!("{name} needs a channel, and accesses of a byte or more"));
            }
        }
        PlaceKind::Cached(cache) => {
            if !(1..=1 << 15).contains(&cache.line_bytes)
                || !cache.line_bytes.is_power_of_two()
                || cache.sets == 0
                || !(1..=cache.ways).contains(&cache.port_ways)
            {
                return Err(format!(
                    "{name} needs lines of a power of two of bytes, at most 32,768, a set, a way, and one for ports"
                ));
            }
            // What is behind what comes to an end before every place has been passed.
            let mut behind = cache.behind;
            for _ in places {
                match places.get(behind).map(|place| &place.kind) {
                    Some(PlaceKind::Cached(next)) => behind = next.behind,
                    Some(_) => return Ok(()),
                    None => break,
                }
            }
            return Err(format!("behind {name} there is no memory"));
        }
    }
    Ok(())
}
