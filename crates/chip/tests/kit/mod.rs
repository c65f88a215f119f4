//! Small chips for tests: one cluster, one server, one port, to be modified as a test needs.

pub mod dram;
pub mod nested;
pub mod random;

use linecard_chip::config::*;
use linecard_chip::{Arrival, Chip, ChipConfig, Departure, DispatchRule, Outcome, RunLimit, SchedulerRule};
use linecard_program::script::{Access, Action, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_program::{NetworkKind, PacketHead};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// The number of the table's role.
pub const TABLE: RoleId = RoleId(0);

/// A packet of this number of bytes.
pub fn head(bytes: u32) -> PacketHead {
    PacketHead { bytes, ttl: 64, network: NetworkKind::Ipv4, ..PacketHead::default() }
}

/// A server with this service time and this latency in picoseconds, which serves one access at a time.
pub fn server(access_ps: u64, latency_ps: u64) -> ServerConfig {
    ServerConfig {
        latency_ps,
        access_ps: [access_ps; Access::ALL.len()],
        word_ps: 0,
        word_bytes: 4,
        byte_fs: 0,
        concurrency: 1,
    }
}

/// A place with a server.
pub fn place(name: &str, server: ServerConfig) -> PlaceConfig {
    PlaceConfig { name: name.into(), group: name.into(), kind: PlaceKind::Server(server) }
}

/// A route to a place without links.
pub fn target(place: usize, issue_ps: u64, back_ps: u64) -> Option<TargetConfig> {
    Some(TargetConfig { place, base: 0, issue_ps, back_ps, links: vec![] })
}

/// One cluster at 1 GHz, one server as `table`, one port of 10 Gbit/s whose wire adds no bytes.
pub fn small(engines: u32, threads: u32) -> ChipConfig {
    ChipConfig {
        clusters: vec![ClusterConfig {
            name: "me".into(),
            group: "me".into(),
            clock_hz: 1_000_000_000,
            engines,
            threads,
            in_use: None,
            switch_cycles: 0,
            issue_cycles: 0,
            post_cycles: 0,
            branch_share: 0.0,
            branch_lost_cycles: 0,
            posted: 8,
            takes: vec![0],
            block_cells: None,
            program: 0,
            next_thread: NextThread::RoundRobin,
            data_cache: None,
        }],
        places: vec![place("sram", server(10_000, 100_000))],
        links: vec![],
        roles: vec!["table".into()],
        targets: vec![vec![target(0, 0, 0)]],
        inboxes: vec![InboxConfig {
            name: "rx".into(),
            rule: DispatchRule::FreeList,
            capacity: None,
            window: None,
        }],
        pools: vec![PoolConfig { name: "rx".into(), cells: 4096, release: Release::Packet }],
        ports: vec![PortConfig {
            name: "eth".into(),
            group: "eth".into(),
            overhead_bytes: 0,
            receive: Some(ReceiveConfig {
                bits_per_second: 10_000_000_000,
                from_first_bit: false,
                pool: 0,
                inbox: 0,
                bus: None,
            }),
            transmit: Some(TransmitConfig {
                bits_per_second: 10_000_000_000,
                queue_packets: 100_000,
                when_full: WhenFull::Drop,
                scheduler: SchedulerConfig::flat(SchedulerRule::RoundRobin, &[1]),
                buffer_cells: 64,
                slots: None,
                bus: None,
            }),
        }],
        order: OrderConfig { kept: OrderKept::Nothing, window: 64 },
        packets: None,
        transmit: None,
        saturated: false,
        seed: 1,
    }
}

/// A program with the same steps for every packet.
pub struct Fixed(pub Vec<(u32, Action)>);

impl PacketProgram for Fixed {
    fn packet(&mut self, _: &mut PacketHead, _: &PacketInfo, steps: &mut Steps) {
        for &(cycles, action) in &self.0 {
            steps.push(cycles, action);
        }
    }

    fn locks(&self) -> u32 {
        4
    }
}

/// Reads the table.
pub fn read(bytes: u16) -> Action {
    Action::Access { role: TABLE, kind: Access::Read, posted: false, bytes, address: 0, used_after: 1 }
}

/// Hands the packet over to the first port.
pub const SEND: Action = Action::Send { port: 0, class: 0 };

/// A rate at which a frame takes almost no time.
pub const INSTANT: u64 = 1_000_000_000_000_000;

/// Frames arrive and leave in almost no time, and every frame is accepted.
pub fn without_wires(mut config: ChipConfig) -> ChipConfig {
    for port in &mut config.ports {
        if let Some(receive) = &mut port.receive {
            receive.bits_per_second = INSTANT;
        }
        if let Some(transmit) = &mut port.transmit {
            transmit.bits_per_second = INSTANT;
        }
    }
    for pool in &mut config.pools {
        pool.cells = 1 << 30;
    }
    config
}

/// A program that calls a function.
pub struct Asked<F>(pub F);

impl<F: FnMut(&mut PacketHead, &PacketInfo, &mut Steps)> PacketProgram for Asked<F> {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        (self.0)(head, info, steps);
    }
}

/// A program whose steps for a packet are the list with its number.
pub fn each(lists: Vec<Vec<(u32, Action)>>) -> Box<dyn PacketProgram> {
    Box::new(Asked(move |_: &mut PacketHead, info: &PacketInfo, steps: &mut Steps| {
        for &(cycles, action) in &lists[info.number as usize] {
            steps.push(cycles, action);
        }
    }))
}

/// All packets are measured, and the run ends with the traffic.
pub const ALL: RunLimit = RunLimit { warmup_packets: Some(0), packets: u64::MAX / 2 };

/// The results of a run.
pub struct Ran {
    pub outcome: Outcome,
    pub chip: Chip,
    pub departures: Vec<Departure>,
}

impl Ran {
    /// Converts a time to nanoseconds.
    pub fn ns(&self, ticks: u64) -> f64 {
        self.chip.timebase().nanoseconds(ticks)
    }

    /// Returns the numbers of the packets that left, in order, with the time in whole nanoseconds.
    pub fn left(&self) -> Vec<(u64, u64)> {
        self.departures.iter().map(|d| (d.number, self.ns(d.at).round() as u64)).collect()
    }

    /// Returns the nanoseconds that threads of all clusters spent in a state.
    pub fn spent(&self, state: &str) -> f64 {
        let counts = self.chip.counts();
        let all = counts.clusters.iter().flat_map(|cluster| &cluster.threads);
        all.filter(|spent| spent.part == state).map(|spent| self.ns(spent.ticks as u64)).sum()
    }
}

/// Runs a chip on packets with the given arrivals: (nanoseconds, flow, bytes).
pub fn run(config: ChipConfig, program: Vec<(u32, Action)>, packets: &[(u64, u32, u32)]) -> Ran {
    run_with(config, vec![Box::new(Fixed(program))], packets.to_vec(), ALL)
}

/// The same with other programs and another limit.
pub fn run_with(
    config: ChipConfig,
    programs: Vec<Box<dyn PacketProgram>>,
    packets: Vec<(u64, u32, u32)>,
    limit: RunLimit,
) -> Ran {
    let mut list = packets.into_iter();
    let source =
        move || list.next().map(|(at_ns, flow_hash, bytes)| Arrival { at_ns, flow_hash, head: head(bytes) });
    let mut chip = Chip::new(config, programs, Box::new(source)).expect("the chip fits together");
    let departures = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&departures);
    chip.on_departure(Box::new(move |departure| sink.borrow_mut().push(*departure)));
    let outcome = chip.run(limit, &mut |_| ControlFlow::Continue(()));
    let departures = departures.borrow().clone();
    Ran { outcome, chip, departures }
}
