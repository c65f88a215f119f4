//! The machine: executor of the programs, and the loop over its events.

use crate::config::{BufferPath, MachineConfig, ReceiveMode};
use crate::engine::{Activity, Engine};
use crate::lock::Lock;
use crate::memory::{Memory, Tag, cell_bytes};
use crate::output::TransmitPort;
use crate::packet::{Packet, Packets};
use crate::receive::{Lane, OutputQueue};
use crate::report::{Counts, PartTime};
use crate::thread::{Role, State, Thread, Transfer};
use crate::unit::Unit;
use crate::watch::Watch;
use crate::wide::{WideCaches, Written};
use linecard_buffers::{Allocator, AllocatorKind, Placement};
use linecard_dram::packet_buffer::{Request, Silent};
use linecard_program::{Application, Block, Ctx, DropReason, Mailbox, Op, PacketHead, PacketId};
use linecard_sim::{Agenda, Histogram, MOST_SOURCES, Ticks, Timebase, TimebaseError};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::task::{Context, Waker};

/// A packet on its way to an input port.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When, in nanoseconds from the start of the run (paced mode; not before the arrival before it).
    pub at_ns: u64,
    /// Any number that keeps the packets of a flow on one port.
    pub flow_hash: u32,
    /// The packet.
    pub head: PacketHead,
}

/// A packet that has left.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// When, in ticks.
    pub at: Ticks,
    /// Number in the order of arrival.
    pub number: u64,
    /// Thread that took it in.
    pub input_thread: u16,
    /// Port it left by.
    pub output_port: u16,
    /// The header as the program left it.
    pub head: PacketHead,
}

/// Called once, when statistics start.
pub type MeasureHook = Box<dyn FnMut()>;

/// Called for every packet that leaves.
pub type DepartureSink = Box<dyn FnMut(&Departure)>;

/// Gives the packets of a run, in order of arrival; `None` ends the traffic.
pub type TrafficSource = Box<dyn FnMut() -> Option<Arrival>>;

/// When a run ends and how often it reports.
#[derive(Clone, Copy, Debug)]
pub struct RunLimit {
    /// Packets that leave or are dropped before statistics start.
    pub warmup_packets: u64,
    /// Packets that then leave or are dropped before the run ends.
    pub packets: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As many packets as asked for have left.
    Completed,
    /// The traffic ended, and every packet has left.
    TrafficEnded,
    /// Packets are inside and nothing will ever happen again; what each thread waits for, with counts.
    Deadlock {
        /// Packets inside.
        packets_inside: usize,
        /// What threads wait for.
        waiting: Vec<(String, usize)>,
    },
    /// The caller asked to stop.
    Interrupted,
}

// Sources of events, in the order in which they are served at one instant: results first, engines after them, so
// that an engine sees every thread that becomes ready at an instant; the DRAM controller last, so that it sees every
// request submitted at an instant.
const UNITS: usize = 3;
const MEMORY_RETURN: usize = 3;
const CACHE_RETURN: usize = 4;
const ARRIVAL: usize = 5;
const TRANSMIT: usize = 6;
const ENGINES: usize = 7;

/// A network processor with its programs and its traffic.
pub struct Machine<O: Watch = Silent> {
    agenda: Agenda,
    dram_source: usize,
    timebase: Timebase,
    engine_period: Ticks,
    switch: Ticks,
    posted: u32,
    memory_latency: Ticks,
    cache_cell: Ticks,
    path: BufferPath,
    paced_cells: Option<u32>,
    block_cells: u16,
    queue_packets: u32,

    engines: Vec<Engine>,
    threads: Vec<Thread>,
    units: [Unit; 3],
    memory: Memory<O>,
    wide: Option<WideCaches>,
    /// Transfers whose data have moved, on their way back to the thread.
    memory_line: VecDeque<(Ticks, u32)>,
    cache_line: VecDeque<(Ticks, u32)>,
    locks: Vec<Lock>,
    /// What waits for each input thread.
    lanes: Vec<Lane>,
    /// Cells in the receive buffer of each input port.
    port_cells: Vec<u32>,
    queues: Vec<OutputQueue>,
    transmit: Vec<TransmitPort>,
    /// When the next slot of each port is free, as far as that is known.
    transmit_free: Vec<Ticks>,
    /// Output threads that wait for a block, a bit each, and those of each port; counted from the first.
    pollers: u64,
    port_pollers: Vec<u64>,
    first_output_thread: u32,
    /// Ports with a block to send and a free slot.
    sendable: u64,
    buffer_waiters: VecDeque<u32>,
    retry: Vec<u32>,
    packets: Packets,
    cells_in_use: u64,
    traffic: TrafficSource,
    next_arrival: Option<Arrival>,
    traffic_ended: bool,
    departures: Option<DepartureSink>,

    arrived: u64,
    gone: u64,
    measuring_since: Ticks,
    /// Packets inside and in receive buffers when statistics started.
    inside_at_start: u64,
    measuring: Option<MeasureHook>,
    counts: Running,
}

/// Counters since statistics started.
struct Running {
    packets_in: u64,
    bytes_in: u64,
    packets_out: u64,
    bytes_out: u64,
    drops: [u64; DropReason::ALL.len()],
    latency: Histogram,
    /// Time in the receive buffer, in output queues, and from the first block to the departure.
    in_receive_buffer: u128,
    /// Time that input threads spent on packets that were then dropped, by state.
    on_dropped: [u128; State::COUNT],
    queued: u128,
    sending: u128,
    levels_since: Ticks,
    /// Time integrals of packets inside and cells in use.
    packets: u128,
    cells: u128,
}

impl Running {
    fn new(now: Ticks) -> Self {
        Self {
            packets_in: 0,
            bytes_in: 0,
            packets_out: 0,
            bytes_out: 0,
            drops: Default::default(),
            latency: Histogram::default(),
            in_receive_buffer: 0,
            on_dropped: [0; State::COUNT],
            queued: 0,
            sending: 0,
            levels_since: now,
            packets: 0,
            cells: 0,
        }
    }
}

impl<O: Watch> Machine<O> {
    /// Build a machine that runs `application` on `traffic`.
    ///
    /// # Errors
    /// A sentence on what does not fit together.
    pub fn new(
        config: &MachineConfig,
        application: &dyn Application,
        traffic: TrafficSource,
        observer: O,
    ) -> Result<Self, String> {
        let clocks = [config.engine.clock_hz, config.memory.clock_hz];
        let timebase = Timebase::from_clocks_hz(&clocks).map_err(|e: TimebaseError| e.to_string())?;
        let engine_clock = timebase.clock(config.engine.clock_hz);
        let e = &config.engine;
        let input_threads = e.input_engines * e.threads;
        let output_threads = e.output_engines * e.threads;
        check_shape(config, input_threads, output_threads)?;
        let allocator = Allocator::new(&config.memory.allocator)?;

        let (ports, queues) = (config.output.ports, config.output.ports as usize);
        let engine_count = (e.input_engines + e.output_engines) as usize;
        let thread_count = (input_threads + output_threads) as usize;
        let mut threads = Vec::with_capacity(thread_count);
        let mut port_pollers = vec![0u64; queues];
        for number in 0..input_threads + output_threads {
            let mailbox = Rc::new(Mailbox::default());
            let ctx = Ctx::new(Rc::clone(&mailbox));
            let (program, role) = if number < input_threads {
                (application.input(ctx), Role::Input)
            } else {
                let index = number - input_threads;
                let mine = |port: u32| {
                    if output_threads >= ports {
                        index % ports == port
                    } else {
                        port % output_threads == index
                    }
                };
                let mask = (0..ports).filter(|&p| mine(p)).fold(0u64, |m, p| m | 1 << p);
                for port in (0..ports).filter(|&p| mine(p)) {
                    port_pollers[port as usize] |= 1 << index;
                }
                (application.output(ctx), Role::Output { ports: mask, last_port: 63 })
            };
            threads.push(Thread {
                program,
                mailbox,
                engine: (number / e.threads) as u16,
                role,
                op: Op::Join,
                clock: linecard_sim::StateClock::new(State::WaitThreadSlot as usize),
                at_receive: [0; State::COUNT],
                under_way: 0,
                returning: VecDeque::with_capacity(e.posted_writes as usize),
                transfer: Transfer::None,
                packet: PacketId(0),
            });
        }
        let wide = match config.memory.path {
            BufferPath::Direct => None,
            BufferPath::Wide { block_cells, blocks, .. } => {
                Some(WideCaches::new(ports, config.memory.allocator.cells / ports, block_cells, blocks))
            }
        };
        let unit = |i: usize| {
            let u = config.units[i];
            Unit::new(timebase.ticks_from_ps(u.latency_ps), timebase.ticks_from_ps(u.word_ps), thread_count)
        };
        let slots = config.output.slots as usize;
        let handshake = timebase.ticks_from_ps(config.output.handshake_ps);
        let drain = timebase.ticks_from_ps(config.output.drain_cell_ps);
        let mut machine = Self {
            agenda: Agenda::new(engine_clock.period()),
            dram_source: ENGINES + engine_count,
            timebase,
            engine_period: engine_clock.period(),
            switch: engine_clock.ticks(u64::from(e.switch_cycles)),
            posted: e.posted_writes,
            memory_latency: timebase.ticks_from_ps(config.memory.latency_ps),
            cache_cell: match config.memory.path {
                BufferPath::Direct => 0,
                BufferPath::Wide { cell_ps, .. } => timebase.ticks_from_ps(cell_ps),
            },
            path: config.memory.path,
            paced_cells: match config.receive.mode {
                ReceiveMode::Ready => None,
                ReceiveMode::Paced { buffer_cells } => Some(buffer_cells),
            },
            block_cells: config.output.block_cells as u16,
            queue_packets: config.output.queue_packets,
            engines: (0..engine_count).map(|i| Engine::new(i as u32 * e.threads, e.threads)).collect(),
            threads,
            units: [unit(0), unit(1), unit(2)],
            memory: Memory::new(&config.memory, timebase.clock(config.memory.clock_hz), allocator, observer),
            wide,
            memory_line: VecDeque::with_capacity(1024),
            cache_line: VecDeque::with_capacity(1024),
            locks: (0..application.locks()).map(|_| Lock::default()).collect(),
            lanes: (0..input_threads).map(|_| Lane::default()).collect(),
            port_cells: vec![0; config.receive.ports as usize],
            queues: (0..queues)
                .map(|_| OutputQueue {
                    packets: VecDeque::with_capacity(config.output.queue_packets as usize),
                    in_transit: 0,
                    waiting: VecDeque::with_capacity(thread_count),
                    next_cell: 0,
                })
                .collect(),
            transmit: (0..queues).map(|_| TransmitPort::new(slots, handshake, drain)).collect(),
            transmit_free: vec![Ticks::MAX; queues],
            pollers: 0,
            port_pollers,
            first_output_thread: input_threads,
            sendable: 0,
            buffer_waiters: VecDeque::with_capacity(thread_count),
            retry: Vec::with_capacity(thread_count),
            packets: Packets::default(),
            cells_in_use: 0,
            traffic,
            next_arrival: None,
            traffic_ended: false,
            departures: None,
            arrived: 0,
            gone: 0,
            measuring_since: 0,
            inside_at_start: 0,
            measuring: None,
            counts: Running::new(0),
        };
        let dram_cycle_ps = 1e12 / config.memory.clock_hz as f64;
        machine.memory.controller.observer_mut().dram_cycle_ps(dram_cycle_ps);
        for thread in 0..thread_count as u32 {
            machine.make_ready(thread, 0);
        }
        if machine.paced_cells.is_some() {
            machine.fetch_arrival();
        }
        Ok(machine)
    }

    /// Call `sink` for every packet that leaves, in order of time.
    pub fn on_departure(&mut self, sink: DepartureSink) {
        self.departures = Some(sink);
    }

    /// Call `hook` when the warm-up is over and statistics start.
    pub fn on_measuring(&mut self, hook: MeasureHook) {
        self.measuring = Some(hook);
    }

    /// Packets in the machine and in its receive buffers.
    fn packets_present(&self) -> u64 {
        let waiting: usize = self.lanes.iter().map(|l| l.waiting.len()).sum();
        (self.packets.len() + waiting) as u64
    }

    /// The machine's ticks.
    pub fn timebase(&self) -> Timebase {
        self.timebase
    }

    /// The observer, at the end.
    pub fn into_observer(self) -> O {
        self.memory.controller.into_observer()
    }

    /// Packets inside now.
    pub fn packets_inside(&self) -> usize {
        self.packets.len()
    }

    /// Run until `limit`; `progress` is told from time to time how many packets have left or been dropped.
    pub fn run(&mut self, limit: RunLimit, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Outcome {
        const EVENTS_BETWEEN_REPORTS: u32 = 1 << 18;
        let total = limit.warmup_packets + limit.packets;
        let mut warming = limit.warmup_packets > 0;
        let mut mark = if warming { limit.warmup_packets } else { total };
        let mut countdown = EVENTS_BETWEEN_REPORTS;
        loop {
            if self.gone >= mark {
                if !warming {
                    return Outcome::Completed;
                }
                (warming, mark) = (false, total);
                self.start_measuring();
            }
            let Some((now, source)) = self.agenda.take_next() else {
                return self.nothing_left();
            };
            self.handle(source, now);
            countdown -= 1;
            if countdown == 0 {
                countdown = EVENTS_BETWEEN_REPORTS;
                if progress(self.gone).is_break() {
                    return Outcome::Interrupted;
                }
            }
        }
    }

    /// What was counted since the warm-up.
    pub fn counts(&mut self) -> Counts {
        let now = self.agenda.now();
        self.integrate(now);
        let duration = now - self.measuring_since;
        let per_tick = |integral: u128| if duration == 0 { 0.0 } else { integral as f64 / duration as f64 };
        Counts {
            duration,
            packets_in: self.counts.packets_in,
            bytes_in: self.counts.bytes_in,
            packets_out: self.counts.packets_out,
            bytes_out: self.counts.bytes_out,
            drops: self.counts.drops,
            latency: self.counts.latency.clone(),
            packet_time: self.packet_time(now),
            engines: self.engines.iter().map(|e| e.clock.spent(now)).collect(),
            engine_is_input: self.engines.iter().map(|e| e.first_thread < self.first_output_thread).collect(),
            units: std::array::from_fn(|u| (self.units[u].busy, self.units[u].accesses)),
            dram: self.memory.controller.statistics().clone(),
            dram_cycles: duration / self.memory.clock.period(),
            transmit_use: self
                .transmit
                .iter_mut()
                .map(|t| per_tick(t.taken(now)) / t.capacity() as f64)
                .collect(),
            input_thread_use: self.threads[..self.first_output_thread as usize]
                .iter()
                .map(|t| 1.0 - per_tick(u128::from(t.clock.spent(now)[State::Receive as usize])))
                .collect(),
            inside_at_start: self.inside_at_start,
            inside_at_end: self.packets_present(),
            packets_inside: per_tick(self.counts.packets),
            cells_in_use: per_tick(self.counts.cells),
            wide_blocks: self.wide.as_ref().map(|w| (w.bypassed_blocks, w.written_blocks)),
        }
    }

    fn packet_time(&self, now: Ticks) -> Vec<PartTime> {
        let mut input = [0u128; State::COUNT];
        let mut output = [0u128; State::COUNT];
        for t in &self.threads {
            let sum = if t.role == Role::Input { &mut input } else { &mut output };
            for (total, spent) in sum.iter_mut().zip(t.clock.spent(now)) {
                *total += u128::from(spent);
            }
        }
        let mut parts = Vec::new();
        let mut attended = 0;
        for state in 0..State::COUNT {
            if State::attends(state) {
                let part = State::name(state);
                let forwarded = input[state].saturating_sub(self.counts.on_dropped[state]);
                parts.push(PartTime { part, ticks: forwarded + output[state] });
                attended += output[state];
            }
        }
        parts.push(PartTime { part: "in receive buffer", ticks: self.counts.in_receive_buffer });
        parts.push(PartTime { part: "in output queue", ticks: self.counts.queued });
        // What is left of the time from the first block to the departure: no thread attends to the packet.
        let rest = self.counts.sending.saturating_sub(attended);
        parts.push(PartTime { part: "wait transmit slot", ticks: rest });
        parts
    }

    fn start_measuring(&mut self) {
        let now = self.agenda.now();
        self.measuring_since = now;
        self.inside_at_start = self.packets_present();
        self.counts = Running::new(now);
        if let Some(hook) = &mut self.measuring {
            hook();
        }
        for engine in &mut self.engines {
            engine.clock.restart(now);
        }
        for thread in &mut self.threads {
            thread.clock.restart(now);
        }
        for port in &mut self.transmit {
            port.restart(now);
        }
        for unit in &mut self.units {
            (unit.busy, unit.accesses) = (0, 0);
        }
        if let Some(wide) = &mut self.wide {
            (wide.bypassed_blocks, wide.written_blocks) = (0, 0);
        }
        self.memory.controller.restart_statistics();
    }

    fn nothing_left(&self) -> Outcome {
        if self.traffic_ended && self.packets.len() == 0 {
            return Outcome::TrafficEnded;
        }
        let mut waiting: Vec<(String, usize)> = Vec::new();
        for t in &self.threads {
            let state = State::name(t.clock.state()).to_string();
            match waiting.iter_mut().find(|(s, _)| *s == state) {
                Some((_, n)) => *n += 1,
                None => waiting.push((state, 1)),
            }
        }
        Outcome::Deadlock { packets_inside: self.packets.len(), waiting }
    }

    // ---- events ----

    #[inline(always)]
    fn handle(&mut self, source: usize, now: Ticks) {
        match source {
            0..UNITS => self.unit_event(source, now),
            MEMORY_RETURN => self.memory_return(now),
            CACHE_RETURN => self.cache_return(now),
            ARRIVAL => self.arrival_event(now),
            TRANSMIT => self.transmit_event(now),
            s if s < self.dram_source => self.engine_event(s - ENGINES, now),
            _ => self.dram_event(now),
        }
    }

    #[inline(always)]
    fn unit_event(&mut self, unit: usize, now: Ticks) {
        while let Some(thread) = self.units[unit].take_due(now) {
            self.make_ready(thread, now);
        }
        if let Some(at) = self.units[unit].next() {
            self.agenda.schedule(unit, at);
        }
    }

    #[inline(always)]
    fn memory_return(&mut self, now: Ticks) {
        while let Some(&(at, thread)) = self.memory_line.front() {
            if at > now {
                self.agenda.schedule(MEMORY_RETURN, at);
                break;
            }
            self.memory_line.pop_front();
            self.make_ready(thread, now);
        }
    }

    /// Wake a thread when its transfer is back.
    #[inline]
    fn wake_on_return(&mut self, thread: u32, at: Ticks) {
        // Mostly the latest; a posted transfer that was moved before may be back earlier than others.
        let place =
            self.memory_line.iter().rposition(|&(other, _)| other <= at).map_or(0, |before| before + 1);
        self.memory_line.insert(place, (at, thread));
        if place == 0 {
            self.agenda.schedule(MEMORY_RETURN, at);
        }
    }

    /// The data of a thread's transfer have been moved; the thread hears of it a latency later. Only one that waits
    /// for just this needs an event.
    #[inline(always)]
    fn moved(&mut self, thread: u32, now: Ticks) {
        let at = now + self.memory_latency;
        let t = &mut self.threads[thread as usize];
        t.under_way -= 1;
        match t.transfer {
            Transfer::None => t.returning.push_back(at),
            Transfer::All if t.under_way > 0 => {}
            Transfer::Room | Transfer::All => {
                t.transfer = Transfer::None;
                self.wake_on_return(thread, at);
            }
        }
    }

    #[inline]
    fn cache_return(&mut self, now: Ticks) {
        while let Some(&(at, thread)) = self.cache_line.front() {
            if at > now {
                self.agenda.schedule(CACHE_RETURN, at);
                break;
            }
            self.cache_line.pop_front();
            self.transfer_done(thread, now);
        }
    }

    /// One transfer between a thread and a cache is done.
    #[inline]
    fn transfer_done(&mut self, thread: u32, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        t.under_way -= 1;
        let over = match t.transfer {
            Transfer::None => false,
            Transfer::Room => t.under_way < self.posted,
            Transfer::All => t.under_way == 0,
        };
        if over {
            t.transfer = Transfer::None;
            self.make_ready(thread, now);
        }
    }

    #[inline(always)]
    fn dram_event(&mut self, now: Ticks) {
        let cycle = self.memory.cycle(now);
        if let Some(done) = self.memory.controller.wake(cycle) {
            match Tag::decode(done.tag) {
                Tag::Part => {}
                Tag::Thread(thread) => self.moved(thread, now),
                Tag::Queue(queue) => {
                    if let Some(wide) = &mut self.wide {
                        wide.done(queue as u16, done.write);
                    }
                    self.retry_wide(queue as u16, now);
                }
            }
        }
        self.schedule_dram();
    }

    #[inline(always)]
    fn schedule_dram(&mut self) {
        if let Some(cycle) = self.memory.controller.next_wake() {
            self.agenda.schedule(self.dram_source, self.memory.clock.ticks(cycle));
        }
    }

    fn arrival_event(&mut self, now: Ticks) {
        let Some(Arrival { head, flow_hash, .. }) = self.next_arrival.take() else { return };
        self.count_arrival(&head);
        let number = self.arrived - 1;
        let lane = self.lane_of(flow_hash);
        let port = lane % self.port_cells.len();
        let room = self.paced_cells.unwrap_or(0);
        if self.port_cells[port] + head.cells() > room {
            let reason =
                if head.cells() > room { DropReason::TooLarge } else { DropReason::ReceiveBufferFull };
            self.counts.drops[reason as usize] += 1;
            self.gone += 1;
        } else {
            self.port_cells[port] += head.cells();
            self.lanes[lane].waiting.push_back((head, number, now));
            if std::mem::take(&mut self.lanes[lane].thread_waits) {
                self.give_packet(lane);
                self.make_ready(lane as u32, now);
            }
        }
        self.fetch_arrival();
    }

    /// The input thread that serves a flow: its port by one part of the hash, the thread of the port by another.
    fn lane_of(&self, flow_hash: u32) -> usize {
        let (lanes, ports) = (self.lanes.len(), self.port_cells.len());
        let port = flow_hash as usize % ports;
        let threads = (lanes - port).div_ceil(ports);
        port + ports * (flow_hash as usize / ports % threads)
    }

    fn count_arrival(&mut self, head: &PacketHead) {
        self.arrived += 1;
        self.counts.packets_in += 1;
        self.counts.bytes_in += u64::from(head.bytes);
    }

    fn fetch_arrival(&mut self) {
        self.next_arrival = (self.traffic)();
        match &self.next_arrival {
            Some(arrival) => {
                let at = self.timebase.ticks_from_ns(arrival.at_ns).max(self.agenda.now());
                self.agenda.schedule(ARRIVAL, at);
            }
            None => self.traffic_ended = true,
        }
    }

    fn transmit_event(&mut self, now: Ticks) {
        for port in 0..self.transmit.len() {
            if self.transmit_free[port] > now {
                continue;
            }
            while let Some(slot) = self.transmit[port].take_free(now) {
                if slot.last {
                    self.depart(slot.packet, port, now);
                }
            }
            self.transmit_free[port] = self.transmit[port].next().unwrap_or(Ticks::MAX);
            self.offer(port, now);
        }
        if let Some(&first) = self.transmit_free.iter().min().filter(|&&first| first != Ticks::MAX) {
            self.agenda.schedule(TRANSMIT, first);
        }
    }

    #[inline(always)]
    fn engine_event(&mut self, engine: usize, now: Ticks) {
        let mut switch = 0;
        if let Some(bit) = self.engines[engine].running {
            let thread = self.engines[engine].first_thread + u32::from(bit);
            if !self.issue(thread, now) && self.go_on(thread, engine, now) {
                return;
            }
            self.engines[engine].running = None;
            switch = self.switch;
        }
        while let Some(thread) = self.engines[engine].take_ready() {
            self.enter(thread, State::Compute, now);
            if self.engines[engine].clock.state() != Activity::Busy as usize {
                self.engines[engine].clock.enter(Activity::Busy as usize, now);
            }
            if switch > 0 {
                let cycles = self.poll(thread);
                self.agenda
                    .schedule(ENGINES + engine, now + switch + self.engine_period * Ticks::from(cycles));
                return;
            }
            if self.go_on(thread, engine, now) {
                return;
            }
            self.engines[engine].running = None;
            switch = self.switch;
        }
        let resting = self.engines[engine].resting();
        self.engines[engine].clock.enter(resting as usize, now);
    }

    /// Run a thread's program until it computes (the engine is then woken when its next op is due: `true`) or
    /// waits (`false`). Ops without compute before them are issued on the spot.
    #[inline(always)]
    fn go_on(&mut self, thread: u32, engine: usize, now: Ticks) -> bool {
        loop {
            let cycles = self.poll(thread);
            if cycles > 0 {
                self.agenda.schedule(ENGINES + engine, now + self.engine_period * Ticks::from(cycles));
                return true;
            }
            if self.issue(thread, now) {
                return false;
            }
        }
    }

    /// Run a thread's program to its next op; returns the compute cycles before it.
    #[inline(always)]
    fn poll(&mut self, thread: u32) -> u32 {
        let t = &mut self.threads[thread as usize];
        let mut context = Context::from_waker(Waker::noop());
        let finished = t.program.as_mut().poll(&mut context).is_ready();
        assert!(!finished, "a packet program returned; programs loop for ever");
        let (op, cycles) = t.mailbox.take();
        t.op = op;
        cycles
    }

    /// A thread's wait is over.
    #[inline(always)]
    fn make_ready(&mut self, thread: u32, now: Ticks) {
        self.enter(thread, State::WaitThreadSlot, now);
        let engine = self.threads[thread as usize].engine as usize;
        self.engines[engine].set_ready(thread);
        if self.engines[engine].running.is_none() {
            self.agenda.schedule(ENGINES + engine, now);
        }
    }

    #[inline(always)]
    fn wait(&mut self, thread: u32, state: State, now: Ticks) -> bool {
        self.enter(thread, state, now);
        true
    }

    #[inline(always)]
    fn enter(&mut self, thread: u32, state: State, now: Ticks) {
        let clock = &mut self.threads[thread as usize].clock;
        let (before, since) = (clock.state(), clock.since());
        clock.enter(state as usize, now);
        if O::WATCHES_THREADS {
            let ps = |t: Ticks| {
                (u128::from(t) * 1_000_000_000_000 / u128::from(self.timebase.ticks_per_second())) as u64
            };
            let engine = self.threads[thread as usize].engine;
            let observer = self.memory.controller.observer_mut();
            observer.thread(engine, thread, State::name(before), ps(since), ps(now));
        }
    }

    // ---- ops: each answers whether the thread must wait ----

    #[inline(always)]
    fn issue(&mut self, thread: u32, now: Ticks) -> bool {
        match self.threads[thread as usize].op {
            Op::Receive => self.receive(thread, now),
            Op::Access { unit, words } => {
                let u = unit as usize;
                if let Some(at) = self.units[u].access(thread, words, now) {
                    self.agenda.schedule(u, at);
                }
                let state = [State::WaitSram, State::WaitScratch, State::WaitHash][u];
                self.wait(thread, state, now)
            }
            Op::Lock(lock) => {
                !self.locks[lock as usize].take(thread) && self.wait(thread, State::WaitLock, now)
            }
            Op::Unlock(lock) => {
                if let Some(next) = self.locks[lock as usize].give(thread) {
                    self.make_ready(next, now);
                }
                false
            }
            Op::Admit { queue } => self.admit(thread, queue, now),
            Op::Allocate { packet, queue } => {
                // Those who wait come first, or large packets would wait for ever.
                if self.buffer_waiters.is_empty() && self.allocate(thread, packet, queue, now) {
                    return false;
                }
                self.buffer_waiters.push_back(thread);
                self.wait(thread, State::WaitBuffer, now)
            }
            Op::WriteCell { packet, cell, source } => self.write_cell(thread, packet, cell, source, now),
            Op::Join => self.join(thread, now),
            Op::Enqueue { packet, queue } => {
                self.enqueue(thread, packet, queue, now);
                false
            }
            Op::Discard { packet, reason } => {
                self.discard(thread, packet, reason, now);
                false
            }
            Op::NextBlock => self.next_block(thread, now),
            Op::ReadBlock(block) => self.read_block(thread, block, now),
            Op::Transmit(block) => {
                self.transmit(block, now);
                false
            }
        }
    }

    fn receive(&mut self, thread: u32, now: Ticks) -> bool {
        let lane = thread as usize;
        if self.paced_cells.is_some() {
            if !self.lanes[lane].waiting.is_empty() {
                self.give_packet(lane);
                return false;
            }
        } else if let Some(arrival) = (self.traffic)() {
            self.count_arrival(&arrival.head);
            self.hold(lane, arrival.head, self.arrived - 1, now);
            return false;
        } else {
            self.traffic_ended = true;
        }
        self.lanes[lane].thread_waits = true;
        self.wait(thread, State::Receive, now)
    }

    /// Give the first waiting packet of a lane to its thread.
    fn give_packet(&mut self, lane: usize) {
        let Some((head, number, arrived)) = self.lanes[lane].waiting.pop_front() else { return };
        let port = lane % self.port_cells.len();
        self.port_cells[port] -= head.cells();
        self.hold(lane, head, number, arrived);
    }

    fn hold(&mut self, lane: usize, head: PacketHead, number: u64, arrived: Ticks) {
        let now = self.agenda.now();
        self.integrate(now);
        self.counts.in_receive_buffer += u128::from(now - arrived);
        let cells = head.cells() as u16;
        let input_thread = lane as u16;
        let waited = now - arrived;
        let packet = self.packets.insert(Packet {
            head,
            number,
            arrived,
            waited,
            input_thread,
            cells,
            ..Packet::default()
        });
        let t = &mut self.threads[lane];
        t.at_receive = t.clock.spent(now);
        t.packet = packet;
        t.mailbox.answer_packet(packet, head);
    }

    fn admit(&mut self, thread: u32, queue: u16, now: Ticks) -> bool {
        let q = &mut self.queues[queue as usize];
        if q.in_transit >= self.queue_packets {
            q.waiting.push_back(thread);
            return self.wait(thread, State::WaitQueueRoom, now);
        }
        q.in_transit += 1;
        let packet = self.threads[thread as usize].packet;
        self.packets[packet].admitted = true;
        self.packets[packet].queue = queue;
        false
    }

    /// Whether the thread goes on (placed, or told that the packet fits nowhere).
    fn allocate(&mut self, thread: u32, id: PacketId, queue: u16, now: Ticks) -> bool {
        let cells = u32::from(self.packets[id].cells);
        let placement = self.memory.allocator.allocate(cells, queue);
        let reply = match placement {
            Placement::Wait => return false,
            Placement::TooLarge => 1,
            Placement::At(first) => {
                self.integrate(now);
                self.cells_in_use += u64::from(cells);
                let stream = self.wide.as_mut().map_or(0, |w| w.append(queue, cells));
                let packet = &mut self.packets[id];
                packet.allocated = true;
                packet.first_cell = first;
                packet.write_at = (0, first);
                packet.read_at = (0, first);
                packet.stream = stream;
                0
            }
        };
        self.threads[thread as usize].mailbox.answer(reply);
        if reply == 0 && self.wide.is_some() {
            // Space kept apart by queue is used in order, so the place in the queue is given with the space.
            self.queues[queue as usize].packets.push_back(id);
        }
        true
    }

    #[inline(always)]
    fn write_cell(
        &mut self,
        thread: u32,
        id: PacketId,
        cell: u16,
        source: linecard_program::Source,
        now: Ticks,
    ) -> bool {
        match self.path {
            BufferPath::Direct => {
                let asleep = self.memory.controller.next_wake().is_none();
                self.memory.write_cell(&mut self.packets[id], cell, source, thread, now);
                if asleep {
                    self.schedule_dram();
                }
            }
            BufferPath::Wide { .. } => {
                let packet = &mut self.packets[id];
                while packet.write_at.0 < cell {
                    packet.write_at =
                        (packet.write_at.0 + 1, self.memory.allocator.next_cell(packet.write_at.1));
                }
                let (queue, position) = (packet.queue, packet.stream + u64::from(cell));
                let (address, bytes) = (packet.write_at.1, cell_bytes(packet.head.bytes, cell));
                let Some(wide) = &mut self.wide else { unreachable!("the wide path has caches") };
                let written = wide.write(queue, position, address, bytes, thread);
                if written == Written::NoRoom {
                    return self.wait(thread, State::WaitDram, now);
                }
                self.return_from_cache(thread, 1, now);
                match written {
                    Written::HandedOver => self.retry_wide(queue, now),
                    _ => self.ask_wide(queue, now),
                }
            }
        }
        let t = &mut self.threads[thread as usize];
        t.under_way += 1;
        while t.returning.front().is_some_and(|&at| at <= now) {
            t.returning.pop_front();
        }
        if t.under_way + t.returning.len() as u32 >= self.posted {
            match t.returning.pop_front() {
                Some(at) => self.wake_on_return(thread, at),
                None => t.transfer = Transfer::Room,
            }
            return self.wait(thread, State::WaitDram, now);
        }
        false
    }

    #[inline(always)]
    fn join(&mut self, thread: u32, now: Ticks) -> bool {
        let t = &mut self.threads[thread as usize];
        let last = t.returning.back().copied().filter(|&at| at > now);
        t.returning.clear();
        match (t.under_way, last) {
            (0, None) => return false,
            (0, Some(at)) => self.wake_on_return(thread, at),
            _ => t.transfer = Transfer::All,
        }
        self.wait(thread, State::WaitDram, now)
    }

    fn enqueue(&mut self, thread: u32, id: PacketId, queue: u16, now: Ticks) {
        let packet = &mut self.packets[id];
        packet.head = self.threads[thread as usize].mailbox.head();
        packet.enqueued = now;
        packet.complete = true;
        if self.wide.is_none() {
            self.queues[queue as usize].packets.push_back(id);
        }
        self.offer(queue as usize, now);
    }

    fn discard(&mut self, thread: u32, id: PacketId, reason: DropReason, now: Ticks) {
        self.counts.drops[reason as usize] += 1;
        self.gone += 1;
        // What was spent on it is no forwarded packet's time.
        let t = &self.threads[thread as usize];
        for (sum, (spent, before)) in
            self.counts.on_dropped.iter_mut().zip(t.clock.spent(now).into_iter().zip(t.at_receive))
        {
            *sum += u128::from(spent.saturating_sub(before));
        }
        self.counts.in_receive_buffer =
            self.counts.in_receive_buffer.saturating_sub(u128::from(self.packets[id].waited));
        self.remove(id, now);
    }

    /// A waiting thread issues its op again; it goes on unless it must wait once more.
    fn issue_again(&mut self, thread: u32, now: Ticks) {
        if !self.issue(thread, now) {
            self.make_ready(thread, now);
        }
    }

    // ---- output side ----

    fn next_block(&mut self, thread: u32, now: Ticks) -> bool {
        let Role::Output { ports, last_port } = self.threads[thread as usize].role else {
            unreachable!("an input program asked for a block")
        };
        let mine = self.sendable & ports;
        if mine == 0 {
            self.pollers |= 1 << (thread - self.first_output_thread);
            let engine = self.threads[thread as usize].engine as usize;
            self.engines[engine].poll_begins();
            return self.wait(thread, State::Poll, now);
        }
        let after = mine & (u64::MAX << last_port << 1);
        let port = if after != 0 { after } else { mine }.trailing_zeros() as usize;
        self.give_block(thread, port, now);
        false
    }

    /// Give the next block of a port to an output thread.
    #[inline]
    fn give_block(&mut self, thread: u32, port: usize, now: Ticks) {
        let Some(&packet) = self.queues[port].packets.front() else {
            unreachable!("a sendable port has a packet")
        };
        let first_cell = self.queues[port].next_cell;
        let left = self.packets[packet].cells - first_cell;
        let cells = left.min(self.block_cells);
        let last = cells == left;
        if first_cell == 0 {
            self.packets[packet].picked = now;
        }
        let slot = self.transmit[port].reserve(packet, cells, last, now);
        if last {
            self.queues[port].packets.pop_front();
            self.queues[port].next_cell = 0;
        } else {
            self.queues[port].next_cell = first_cell + cells;
        }
        self.update_sendable(port);
        let t = &mut self.threads[thread as usize];
        if let Role::Output { last_port, .. } = &mut t.role {
            *last_port = port as u8;
        }
        t.mailbox.answer_block(Block { packet, port: port as u16, first_cell, cells, last, slot });
    }

    #[inline]
    fn update_sendable(&mut self, port: usize) {
        let head = self.queues[port].packets.front();
        let can = head.is_some_and(|&id| self.packets[id].complete) && self.transmit[port].has_free_slot();
        self.sendable = self.sendable & !(1 << port) | u64::from(can) << port;
    }

    /// Something changed at an output port: give its blocks to the threads that wait for one.
    #[inline]
    fn offer(&mut self, port: usize, now: Ticks) {
        self.update_sendable(port);
        while self.sendable & (1 << port) != 0 {
            let waiting = self.pollers & self.port_pollers[port];
            if waiting == 0 {
                break;
            }
            let bit = waiting.trailing_zeros();
            self.pollers &= !(1 << bit);
            let thread = self.first_output_thread + bit;
            let engine = self.threads[thread as usize].engine as usize;
            self.engines[engine].poll_ends();
            self.give_block(thread, port, now);
            self.make_ready(thread, now);
        }
    }

    #[inline]
    fn read_block(&mut self, thread: u32, block: Block, now: Ticks) -> bool {
        match self.path {
            BufferPath::Direct => {
                let packet = &mut self.packets[block.packet];
                // Several threads may hold blocks of one packet: each finds its own first cell.
                packet.read_at = if packet.read_at.0 <= block.first_cell {
                    packet.read_at
                } else {
                    (0, packet.first_cell)
                };
                let asleep = self.memory.controller.next_wake().is_none();
                self.memory.read_cells(packet, block.first_cell, block.cells, thread, now);
                self.threads[thread as usize].under_way += u32::from(block.cells);
                if asleep {
                    self.schedule_dram();
                }
            }
            BufferPath::Wide { .. } => {
                let packet = &self.packets[block.packet];
                let (queue, position) = (packet.queue, packet.stream + u64::from(block.first_cell));
                let Some(wide) = &mut self.wide else { unreachable!("the wide path has caches") };
                if !wide.read(queue, position, u32::from(block.cells), thread) {
                    self.wait(thread, State::WaitDram, now);
                    self.bypass_wide(queue, now);
                    return true;
                }
                self.threads[thread as usize].under_way += 1;
                self.return_from_cache(thread, block.cells, now);
                self.ask_wide(queue, now);
            }
        }
        self.threads[thread as usize].transfer = Transfer::All;
        self.wait(thread, State::WaitDram, now)
    }

    #[inline]
    fn transmit(&mut self, block: Block, now: Ticks) {
        let port = block.port as usize;
        let (packets, allocator) = (&mut self.packets, &mut self.memory.allocator);
        let mut freed = 0;
        let wake = self.transmit[port].filled(block.slot, now, |slot| {
            if slot.last {
                // Every cell has been read: its buffer goes back.
                let packet = &mut packets[slot.packet];
                packet.allocated = false;
                allocator.release(packet.first_cell, u32::from(packet.cells));
                freed += u64::from(packet.cells);
            }
        });
        if let Some(at) = wake {
            self.transmit_free[port] = at;
            if self.agenda.pending(TRANSMIT).is_none_or(|first| at < first) {
                self.agenda.schedule(TRANSMIT, at);
            }
        }
        if freed > 0 {
            self.buffer_freed(freed, now);
        }
    }

    fn buffer_freed(&mut self, cells: u64, now: Ticks) {
        self.integrate(now);
        self.cells_in_use -= cells;
        while let Some(&thread) = self.buffer_waiters.front() {
            let Op::Allocate { packet, queue } = self.threads[thread as usize].op else {
                unreachable!("only allocations wait for buffers")
            };
            if !self.allocate(thread, packet, queue, now) {
                break;
            }
            self.buffer_waiters.pop_front();
            self.make_ready(thread, now);
        }
    }

    fn depart(&mut self, id: PacketId, port: usize, now: Ticks) {
        let packet = self.packets[id];
        self.gone += 1;
        self.counts.packets_out += 1;
        self.counts.bytes_out += u64::from(packet.head.bytes);
        self.counts.latency.record(now - packet.arrived);
        self.counts.queued += u128::from(packet.picked - packet.enqueued);
        self.counts.sending += u128::from(now - packet.picked);
        if let Some(sink) = &mut self.departures {
            let (input_thread, output_port) = (packet.input_thread, port as u16);
            sink(&Departure { at: now, number: packet.number, input_thread, output_port, head: packet.head });
        }
        self.remove(id, now);
    }

    /// Take a packet out of the machine with all that it holds.
    fn remove(&mut self, id: PacketId, now: Ticks) {
        self.integrate(now);
        let packet = self.packets.remove(id);
        if packet.allocated {
            self.memory.allocator.release(packet.first_cell, u32::from(packet.cells));
            self.buffer_freed(u64::from(packet.cells), now);
        }
        if packet.admitted {
            self.queues[packet.queue as usize].in_transit -= 1;
            if let Some(thread) = self.queues[packet.queue as usize].waiting.pop_front() {
                self.issue_again(thread, now);
            }
        }
    }

    // ---- the wide path ----

    #[inline]
    fn return_from_cache(&mut self, thread: u32, cells: u16, now: Ticks) {
        let at = now + self.cache_cell * Ticks::from(cells);
        let at = self.cache_line.back().map_or(at, |&(last, _)| at.max(last));
        if self.cache_line.is_empty() {
            self.agenda.schedule(CACHE_RETURN, at);
        }
        self.cache_line.push_back((at, thread));
    }

    /// Ask DRAM for whatever the caches of a queue can ask for now.
    fn ask_wide(&mut self, queue: u16, now: Ticks) {
        let Some(wide) = &mut self.wide else { return };
        let cycle = self.memory.cycle(now);
        while let Some(transfer) = wide.next_transfer(queue) {
            let request = Request {
                location: self.memory.locate(transfer.cell, 0),
                bytes: transfer.bytes,
                write: transfer.write,
                more: false,
                tag: Tag::Queue(u32::from(queue)).encode(),
            };
            self.memory.controller.submit(cycle, request);
        }
        self.schedule_dram();
    }

    fn bypass_wide(&mut self, queue: u16, now: Ticks) {
        if self.wide.as_mut().is_some_and(|w| w.bypass(queue)) {
            self.retry_wide(queue, now);
        }
    }

    /// A queue's caches changed: threads that wait for them try again, and DRAM is asked for more.
    fn retry_wide(&mut self, queue: u16, now: Ticks) {
        self.ask_wide(queue, now);
        let mut retry = std::mem::take(&mut self.retry);
        if let Some(wide) = &mut self.wide {
            wide.take_waiting(queue, &mut retry);
        }
        for thread in retry.drain(..) {
            self.issue_again(thread, now);
        }
        self.retry = retry;
    }

    // ---- levels ----

    #[inline]
    fn integrate(&mut self, now: Ticks) {
        let c = &mut self.counts;
        let dt = u128::from(now - c.levels_since);
        if dt > 0 {
            c.packets += dt * self.packets.len() as u128;
            c.cells += dt * u128::from(self.cells_in_use);
            c.levels_since = now;
        }
    }
}

/// What no machine can be built from.
fn check_shape(config: &MachineConfig, input_threads: u32, output_threads: u32) -> Result<(), String> {
    let o = &config.output;
    let refuse = |wrong: bool, message: String| if wrong { Err(message) } else { Ok(()) };
    let t = config.engine.threads;
    let engines = (config.engine.input_engines + config.engine.output_engines) as usize;
    let most = MOST_SOURCES - ENGINES - 1;
    refuse(engines > most, format!("at most {most} engines, not {engines}"))?;
    refuse(!(1..=64).contains(&t), format!("an engine has 1 to 64 threads, not {t}"))?;
    refuse(input_threads == 0 || output_threads == 0, "both sides need at least one engine".into())?;
    refuse(output_threads > 64, format!("at most 64 output threads, not {output_threads}"))?;
    refuse(!(1..=64).contains(&o.ports), format!("1 to 64 output ports, not {}", o.ports))?;
    refuse(config.receive.ports == 0, "at least one input port".into())?;
    refuse(
        config.receive.ports > input_threads,
        format!(
            "{} input ports but only {input_threads} input threads: some ports would never be served",
            config.receive.ports
        ),
    )?;
    refuse(!(1..=128).contains(&o.slots), format!("a port has 1 to 128 transmit slots, not {}", o.slots))?;
    refuse(
        o.block_cells == 0 || o.block_cells > 1024,
        format!("a block has 1 to 1024 cells, not {}", o.block_cells),
    )?;
    refuse(config.engine.posted_writes == 0, "a thread needs room for at least one write under way".into())?;
    refuse(o.queue_packets == 0, "an output queue must take at least one packet".into())?;
    if let BufferPath::Wide { block_cells, blocks, .. } = config.memory.path {
        let ring = config.memory.allocator.cells / o.ports;
        refuse(
            !(1..=32).contains(&block_cells),
            format!("a wide block has 1 to 32 cells, not {block_cells}"),
        )?;
        refuse(blocks == 0, "each cache needs room for at least one block".into())?;
        // A block of output need not begin with a wide block, and is read only when all of it is in the cache.
        let touched = if o.block_cells == 1 { 1 } else { (o.block_cells - 2) / block_cells + 2 };
        refuse(
            touched > blocks,
            format!(
                "an output block of {} cells can lie in {touched} wide blocks of {block_cells} cells, but each cache \
                 has room for {blocks}",
                o.block_cells
            ),
        )?;
        refuse(
            !ring.is_multiple_of(block_cells) || config.memory.allocator.queues != o.ports,
            format!("{ring} cells for each of {} queues do not divide into blocks of {block_cells}", o.ports),
        )?;
    }
    refuse(
        config.memory.path == BufferPath::Direct && config.memory.allocator.kind == AllocatorKind::PerQueue,
        "space kept apart by queue must be given back in the order of the queue, which only the wide path sees to".into(),
    )?;
    Ok(())
}
