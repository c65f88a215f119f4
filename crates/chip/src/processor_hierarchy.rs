//! The processor hierarchy: engines, a core on the same memory, and a host across a link.
//!
//! Source: Spalink 2000, sections 4.1 to 4.4. Some packets need more than the engines give them. The core is told of one
//! (it polls, or is interrupted) and has the message pushed over the link, which fetches it meanwhile from the DRAM that
//! the engines use as well; the host works on the message and pushes it back; the core writes its pieces to DRAM as they
//! come (section 4.3: it reads each 64 bytes from the link and stores them). DRAM, link, core and host each serve one thing
//! at a time, in order of arrival. A packet that finds no room to wait takes the engines' path alone: the share that is sent
//! up is the *reach*.
//!
//! It is no [chip](crate::Chip) of three clusters: a packet of a chip is in the hands of one thread, and a message on its way back
//! is on the link, with the core and in DRAM at the same time, piece by piece.
//!
//! The engines are a stream of DRAM accesses here, as many as forwarding needs. The pieces of a packet come one after
//! another (section 2.1: the ports break it into 64 bytes), evenly until the next packet. What the engines' program does at
//! an access is the affair of a [chip](crate::Chip). Times are integers of picoseconds.

use linecard_sim::{Stream, stream};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

const PIECE_BYTES: u32 = 64;
const PS_PER_NS: f64 = 1e3;

/// How the core learns of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// It looks at a memory location now and then.
    Polling {
        /// Picoseconds from one look to the next.
        every_ps: u64,
    },
    /// It is interrupted.
    Interrupt {
        /// Picoseconds until it runs the handler.
        latency_ps: u64,
    },
}

/// Times of a transfer over the link by its size: straight lines between points, and beyond the last.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkTimes {
    points: Vec<(f64, f64)>,
}

impl LinkTimes {
    /// Times in nanoseconds at sizes in bytes, sizes rising.
    ///
    /// # Errors
    /// A sentence when there are fewer than two points, or they do not rise.
    pub fn new(points: &[(f64, f64)]) -> Result<Self, String> {
        let rising = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        if points.len() < 2 || !rising || points.iter().any(|&(bytes, ns)| bytes < 0.0 || ns < 0.0) {
            return Err(
                "expected two points or more, such as `64:931.6, 1500:22579`, sizes and times rising".into(),
            );
        }
        Ok(Self { points: points.to_vec() })
    }

    /// Picoseconds that so many bytes take.
    fn ps(&self, bytes: u32) -> u64 {
        let bytes = f64::from(bytes);
        let above = self.points.partition_point(|&(at, _)| at < bytes).clamp(1, self.points.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.points[above - 1], self.points[above]);
        ((y0 + (y1 - y0) * (bytes - x0) / (x1 - x0)).max(0.0) * PS_PER_NS) as u64
    }
}

/// Everything the model depends on.
#[derive(Clone, Debug)]
pub struct HierarchyConfig {
    /// Picoseconds between packets, on average: gaps are spread evenly over a half to one and a half of it, a choice
    /// that no source states. At fixed distances packets fall into step with what they wait for, and then say nothing of the
    /// rates around.
    pub packet_ps: u64,
    /// Seed of the arrivals.
    pub seed: u64,
    /// Bytes of a packet.
    pub packet_bytes: u32,
    /// Bytes of it that are sent up and come back.
    pub message_bytes: u32,
    /// Of so many packets one asks to be sent up; 1 for all.
    pub one_in: u64,
    /// Picoseconds of DRAM that the engines take for a piece of 64 bytes.
    pub engine_piece_ps: u64,
    /// Picoseconds of DRAM for an access of 32 bytes, and from its issue to its result beside that.
    pub dram_access_ps: u64,
    /// See `dram_access_ps`.
    pub dram_transit_ps: u64,
    /// How the core learns of a packet.
    pub signal: Signal,
    /// Picoseconds of a memory access that hands a packet over.
    pub signal_ps: u64,
    /// Picoseconds of instructions of the core for each message, each way.
    pub core_message_ps: u64,
    /// From the card to the host.
    pub up: LinkTimes,
    /// From the host to the card; the host is busy meanwhile.
    pub down: LinkTimes,
    /// Picoseconds of the host for each message, without the work that it is sent for.
    pub host_message_ps: u64,
    /// The same for each byte of it.
    pub host_byte_ps: u64,
    /// Messages under way at the same time, at most.
    pub window: u32,
    /// Packets that may wait to be sent up.
    pub waiting: u32,
}

impl HierarchyConfig {
    /// Picoseconds that a message takes over the link and at the host, there and back.
    #[must_use]
    pub fn up_and_down_ps(&self) -> u64 {
        self.up.ps(self.message_bytes) + self.host_ps() + self.down.ps(self.message_bytes)
    }

    /// Picoseconds of the host for a message, beside its push.
    fn host_ps(&self) -> u64 {
        self.host_message_ps + self.host_byte_ps * u64::from(self.message_bytes)
    }
}

/// What came out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HierarchyCounts {
    /// Picoseconds simulated.
    pub duration_ps: u64,
    /// Packets that came.
    pub packets: u64,
    /// Packets that asked to be sent up.
    pub asked: u64,
    /// Messages that went up and came back.
    pub messages: u64,
    /// Picoseconds for which each was busy.
    pub dram_ps: u64,
    /// See `dram_ps`.
    pub link_ps: u64,
    /// See `dram_ps`.
    pub core_ps: u64,
    /// See `dram_ps`; the work that messages are sent for is not in it.
    pub host_ps: u64,
    /// Picoseconds that accesses of the engines waited for the DRAM, summed.
    pub engine_wait_ps: u64,
    /// Accesses of the engines.
    pub engine_accesses: u64,
}

/// What happens next to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// The core has been told and may take it up.
    Told,
    /// The core has set the transfer up.
    Push,
    /// At the host.
    Arrived,
    /// The first piece is back at the card.
    Back,
    /// The core has seen to it: the pieces go to DRAM as they come.
    Store,
    /// The last piece is there, and those before it are in DRAM.
    StoreLast,
    /// They are there, and the engines are told.
    Stored,
    /// Handed back.
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Packet,
    /// A further piece of the packet that came last.
    Piece,
    Message(Step),
}

/// A server that serves one thing at a time in order of arrival.
#[derive(Clone, Copy, Debug, Default)]
struct Server {
    free: u64,
    busy: u64,
}

impl Server {
    fn serve(&mut self, now: u64, service: u64) -> u64 {
        self.free = self.free.max(now) + service;
        self.busy += service;
        self.free
    }
}

struct Run<'a> {
    config: &'a HierarchyConfig,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    sequence: u64,
    dram: Server,
    link: Server,
    host: Server,
    /// The core works on one message's step at a time; others wait in line.
    core_busy: bool,
    core_since: u64,
    core_line: VecDeque<Step>,
    /// When the last piece of each message on its way back is there, in order.
    back_at: VecDeque<u64>,
    under_way: u32,
    waiting: u32,
    counts: HierarchyCounts,
    arrivals: Stream,
}

/// Runs the model for a number of packets.
#[must_use]
pub fn run(config: &HierarchyConfig, packets: u64) -> HierarchyCounts {
    let mut run = Run {
        config,
        events: BinaryHeap::new(),
        sequence: 0,
        dram: Server::default(),
        link: Server::default(),
        host: Server::default(),
        core_busy: false,
        core_since: 0,
        core_line: VecDeque::new(),
        back_at: VecDeque::new(),
        under_way: 0,
        waiting: 0,
        counts: HierarchyCounts::default(),
        arrivals: stream(config.seed, "hierarchy arrivals"),
    };
    run.arrives(0);
    while let Some(Reverse((now, _, event))) = run.events.pop() {
        match event {
            Event::Packet => {
                if run.counts.packets == packets {
                    run.counts.duration_ps = now;
                    break;
                }
                run.packet(now);
            }
            Event::Piece => run.piece(now),
            Event::Message(step) => run.message(step, now),
        }
    }
    run.counts.dram_ps = run.dram.busy;
    run.counts.link_ps = run.link.busy;
    run.counts.host_ps = run.host.busy;
    run.counts
}

impl Run<'_> {
    fn at(&mut self, time: u64, event: Event) {
        self.sequence += 1;
        self.events.push(Reverse((time, self.sequence, event)));
    }

    fn then(&mut self, time: u64, step: Step) {
        self.at(time, Event::Message(step));
    }

    fn packet(&mut self, now: u64) {
        self.piece(now);
        if self.counts.packets.is_multiple_of(self.config.one_in) {
            self.counts.asked += 1;
            if self.under_way < self.config.window {
                self.begin(now);
            } else if self.waiting < self.config.waiting {
                self.waiting += 1;
            }
        }
        self.counts.packets += 1;
        let next = self.arrives(now);
        let pieces = u64::from(self.config.packet_bytes.div_ceil(PIECE_BYTES));
        for piece in 1..pieces {
            self.at(now + (next - now) * piece / pieces, Event::Piece);
        }
    }

    /// A piece comes, and the engines forward it.
    fn piece(&mut self, now: u64) {
        self.counts.engine_wait_ps += self.dram.free.saturating_sub(now);
        self.dram.serve(now, self.config.engine_piece_ps);
        self.counts.engine_accesses += 1;
    }

    /// The next packet comes; when.
    fn arrives(&mut self, now: u64) -> u64 {
        let gap = self.config.packet_ps as f64 * (0.5 + self.arrivals.unit());
        let next = now.saturating_add(gap as u64);
        self.at(next, Event::Packet);
        next
    }

    /// The engines tell the core of a packet.
    fn begin(&mut self, now: u64) {
        self.under_way += 1;
        let told = now + self.config.signal_ps;
        let told = match self.config.signal {
            Signal::Polling { every_ps } => told.next_multiple_of(every_ps.max(1)),
            Signal::Interrupt { latency_ps } => told + latency_ps,
        };
        self.then(told, Step::Told);
    }

    fn message(&mut self, step: Step, now: u64) {
        let config = self.config;
        match step {
            Step::Told | Step::Back => {
                if self.core_busy {
                    self.core_line.push_back(step);
                } else {
                    self.take_up(step, now);
                }
            }
            Step::Push => {
                self.release(now);
                let fetched = self.core_accesses(now, config.message_bytes);
                let moved = self.link.serve(now, config.up.ps(config.message_bytes));
                self.then(moved.max(fetched), Step::Arrived);
            }
            Step::Arrived => {
                let ready = self.host.serve(now, config.host_ps());
                // The host pushes the message itself: it is busy for as long as the link is.
                let push = config.down.ps(config.message_bytes);
                let moved = self.link.serve(ready, push);
                self.host.serve(moved - push, push);
                self.back_at.push_back(moved);
                let first = config.down.ps(config.message_bytes.min(PIECE_BYTES));
                self.then(moved - push + first, Step::Back);
            }
            Step::Store => {
                let moved = self.back_at.pop_front().unwrap_or(now);
                let before_last = config.message_bytes.saturating_sub(PIECE_BYTES);
                let next =
                    if before_last > 0 { self.core_accesses(now, before_last).max(moved) } else { now };
                self.then(next, Step::StoreLast);
            }
            Step::StoreLast => {
                let stored = self.core_accesses(now, config.message_bytes.min(PIECE_BYTES));
                self.then(stored, Step::Stored);
            }
            Step::Stored => {
                self.release(now);
                self.then(now + config.signal_ps, Step::Done);
            }
            Step::Done => {
                self.under_way -= 1;
                self.counts.messages += 1;
                if self.waiting > 0 {
                    self.waiting -= 1;
                    self.begin(now);
                }
            }
        }
    }

    /// The core begins with a message that came, or came back.
    fn take_up(&mut self, step: Step, now: u64) {
        (self.core_busy, self.core_since) = (true, now);
        let next = if step == Step::Told { Step::Push } else { Step::Store };
        self.then(now + self.config.core_message_ps, next);
    }

    /// The accesses of the pieces of so many bytes, two for each, one behind the other.
    fn core_accesses(&mut self, now: u64, bytes: u32) -> u64 {
        let accesses = 2 * u64::from(bytes.div_ceil(PIECE_BYTES));
        self.dram.serve(now, accesses * self.config.dram_access_ps) + self.config.dram_transit_ps
    }

    fn release(&mut self, now: u64) {
        self.counts.core_ps += now - self.core_since;
        self.core_busy = false;
        if let Some(step) = self.core_line.pop_front() {
            self.take_up(step, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The link of Spalink 2000, Table 2, and nothing else that takes time.
    fn table_2() -> HierarchyConfig {
        HierarchyConfig {
            packet_ps: 100_000,
            seed: 1,
            packet_bytes: 64,
            message_bytes: 64,
            one_in: 1,
            engine_piece_ps: 0,
            dram_access_ps: 0,
            dram_transit_ps: 0,
            signal: Signal::Interrupt { latency_ps: 0 },
            signal_ps: 0,
            core_message_ps: 0,
            up: LinkTimes::new(&[(64.0, 1871.96), (1500.0, 56_915.0)]).unwrap(),
            down: LinkTimes::new(&[(64.0, 931.62), (1500.0, 22_578.0)]).unwrap(),
            host_message_ps: 0,
            host_byte_ps: 0,
            window: 1,
            waiting: 1,
        }
    }

    fn kpps(counts: &HierarchyCounts) -> f64 {
        counts.messages as f64 / (counts.duration_ps as f64 * 1e-12) / 1e3
    }

    /// Table 3: half the harmonic mean of both rates, and the host idle while the card pushes.
    #[test]
    fn without_overheads_the_rates_of_table_3_come_out() {
        let mut config = table_2();
        // A packet every nanosecond: there always is one that waits.
        config.packet_ps = 1_000;
        let counts = run(&config, 3_000_000);
        assert!((kpps(&counts) / 356.6 - 1.0).abs() < 0.002, "{}", kpps(&counts));
        let idle = (counts.duration_ps - counts.host_ps) as f64 / counts.messages as f64 * 733e-6;
        assert!((idle / 1372.0 - 1.0).abs() < 0.005, "{idle} cycles");
        config.message_bytes = 1500;
        let counts = run(&config, 30_000_000);
        assert!((kpps(&counts) / 12.6 - 1.0).abs() < 0.005, "{}", kpps(&counts));
    }

    /// By hand: one message alone, with every part of its way.
    #[test]
    fn a_message_takes_the_sum_of_its_parts() {
        let config = HierarchyConfig {
            packet_ps: 1_000_000_000,
            message_bytes: 128,
            dram_access_ps: 10_000,
            dram_transit_ps: 5_000,
            signal: Signal::Polling { every_ps: 50_000 },
            signal_ps: 20_000,
            core_message_ps: 7_000,
            up: LinkTimes::new(&[(0.0, 100.0), (100.0, 200.0)]).unwrap(),
            down: LinkTimes::new(&[(0.0, 0.0), (128.0, 256.0)]).unwrap(),
            host_message_ps: 40_000,
            host_byte_ps: 3_000,
            ..table_2()
        };
        let counts = run(&config, 1);
        assert_eq!((counts.packets, counts.asked, counts.messages), (1, 1, 1));
        // The core: 7 ns; then from the first piece of the way back, of two, until the second is stored.
        assert_eq!(counts.core_ps, 7_000 + 128_000 + 2 * 10_000 + 5_000);
        assert_eq!(counts.link_ps, 228_000 + 256_000);
        assert_eq!(counts.host_ps, 40_000 + 128 * 3_000 + 256_000);
        assert_eq!(counts.dram_ps, 8 * 10_000);
    }

    #[test]
    fn the_core_and_the_engines_slow_each_other_down() {
        let mut config = table_2();
        (config.engine_piece_ps, config.dram_access_ps, config.packet_ps) = (80_000, 60_000, 100_000);
        (config.window, config.waiting) = (0, 0);
        let alone = run(&config, 100_000);
        (config.window, config.waiting) = (4, 4);
        let shared = run(&config, 100_000);
        // Kingman's bound: gaps of 100 ns with a variance of 100²/12 before a service of 80 ns.
        let wait_ns = alone.engine_wait_ps as f64 / alone.engine_accesses as f64 / 1e3;
        assert!(alone.messages == 0 && wait_ns > 0.0 && wait_ns < 100.0 / 12.0 / (2.0 * 0.2), "{wait_ns} ns");
        assert!(shared.messages > 0 && shared.engine_wait_ps > alone.engine_wait_ps);
        config.engine_piece_ps = 0;
        assert!(run(&config, 100_000).messages >= shared.messages);
    }

    /// With arrivals at fixed distances the reach was exactly a half or a quarter over wide ranges of rates, and more packets
    /// brought fewer messages.
    #[test]
    fn more_packets_bring_no_fewer_messages() {
        let rates = |seed: u64| {
            let messages = |packet_ps: u64| run(&HierarchyConfig { packet_ps, seed, ..table_2() }, 40_000);
            (20..=100).rev().step_by(2).map(|step| kpps(&messages(step * 100_000))).collect::<Vec<_>>()
        };
        let found = rates(1);
        assert!(found.windows(2).all(|pair| pair[1] > 0.99 * pair[0]), "{found:?}");
        assert!(found[0] > 90.0 && *found.last().unwrap() > 300.0, "{found:?}");
        assert_ne!(found, rates(2));
        let apart = found.iter().zip(rates(2)).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
        assert!(apart < 0.03, "{apart}");
    }

    #[test]
    fn points_must_rise() {
        for points in [&[][..], &[(64.0, 1.0)], &[(64.0, 2.0), (32.0, 3.0)], &[(0.0, 3.0), (1.0, 2.0)]] {
            assert!(LinkTimes::new(points).is_err());
        }
        let line = LinkTimes::new(&[(64.0, 100.0), (128.0, 200.0)]).unwrap();
        assert_eq!([32, 64, 96, 256].map(|bytes| line.ps(bytes)), [50_000, 100_000, 150_000, 400_000]);
    }
}
