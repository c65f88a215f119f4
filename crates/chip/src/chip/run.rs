//! The event loop of a chip: until it is steady, then for the requested number of packets.

use super::{Chip, TIMERS};
use crate::features::{Costs, Features, Full, Plain};
use crate::place::Memory;
use crate::turns::Endless;
use linecard_sim::{Ticks, mser};
use std::ops::ControlFlow;

const EVENTS_BETWEEN_REPORTS: u32 = 1 << 16;

/// Packets before the first test for steady state; the number doubles with every test.
const FIRST_LOOK_PACKETS: u64 = 1_000;

/// When statistics start and when the run ends.
#[derive(Clone, Copy, Debug)]
pub struct RunLimit {
    /// Packets that leave or are dropped before statistics start; `None` tests for steady state.
    pub warmup_packets: Option<u64>,
    /// Packets that leave or are dropped in the measurement.
    pub packets: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The requested number of packets left or were dropped.
    Completed,
    /// The traffic ended, and every packet has left.
    TrafficEnded,
    /// Packets are inside and no event remains. Contains what threads wait for, with counts.
    Deadlock {
        /// Packets inside.
        packets_inside: u64,
        /// What threads wait for.
        waiting: Vec<(String, usize)>,
    },
    /// The run would never end with a result.
    Endless(Endless),
    /// A part of the chip or a program violated a rule; the sentence names it.
    Fault(String),
    /// The caller requested the stop.
    Interrupted,
    /// The clock reached its end ([`linecard_sim::END`]).
    TooLate,
}

impl Chip {
    /// Runs until `limit`; calls `progress` periodically with the number of packets that left or were dropped.
    pub fn run(&mut self, limit: RunLimit, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Outcome {
        let names_operations = self.programs.iter().any(|program| program.names_operations());
        let issues_take_cycles = self.engines.iter().any(|engine| engine.issues_take_cycles);
        let outcome = if self.recording.is_some() || !self.engines.iter().all(|engine| engine.plain) {
            self.run_with::<Full>(limit, progress)
        } else if names_operations || issues_take_cycles {
            self.run_with::<Costs>(limit, progress)
        } else {
            self.run_with::<Plain>(limit, progress)
        };
        self.run_expected(self.agenda.now());
        self.fault.take().map_or(outcome, Outcome::Fault)
    }

    fn run_with<F: Features>(
        &mut self,
        limit: RunLimit,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Outcome {
        let (mut warming, mut mark) = match limit.warmup_packets {
            Some(0) => (false, limit.packets),
            Some(packets) => (true, packets),
            None => (true, FIRST_LOOK_PACKETS.min(limit.packets.max(1))),
        };
        self.warm = !warming;
        let longest = limit.packets.saturating_mul(2).max(10 * FIRST_LOOK_PACKETS);
        let mut countdown = EVENTS_BETWEEN_REPORTS;
        if !warming {
            self.start_measuring();
        }
        loop {
            if self.gone >= mark {
                if let Some(endless) = self.endless() {
                    return Outcome::Endless(endless);
                }
                if self.is_stuck() {
                    return self.deadlock();
                }
                if !warming {
                    return Outcome::Completed;
                }
                let given = limit.warmup_packets.is_some();
                if given || self.is_warm() || self.gone >= longest {
                    self.warm = given || self.is_warm();
                    warming = false;
                    mark = self.gone.saturating_add(limit.packets);
                    self.start_measuring();
                } else {
                    mark = (self.gone * 2).min(longest);
                }
            }
            let Some((now, source)) = self.agenda.take_next() else {
                return self.nothing_left();
            };
            self.handle::<F>(source, now);
            countdown -= 1;
            if countdown == 0 {
                countdown = EVENTS_BETWEEN_REPORTS;
                if let Some(endless) = self.endless() {
                    return Outcome::Endless(endless);
                }
                if progress(self.gone).is_break() {
                    return Outcome::Interrupted;
                }
            }
        }
    }

    /// Returns whether latency and the number of packets inside no longer drift.
    fn is_warm(&self) -> bool {
        let slices = self.account.series.slices();
        let inside: Vec<f64> = slices.iter().map(|s| s.inside as f64).collect();
        let left = slices.iter().filter(|s| s.packets_out > 0);
        let latency: Vec<f64> = left.map(|s| s.latency as f64 / s.packets_out as f64).collect();
        mser(&inside).is_some() && (latency.is_empty() || mser(&latency).is_some())
    }

    fn nothing_left(&mut self) -> Outcome {
        if let Some(endless) = self.endless() {
            return Outcome::Endless(endless);
        }
        if self.agenda.is_at_end() {
            return Outcome::TooLate;
        }
        if self.traffic_ended && self.account.inside.now == 0 {
            return Outcome::TrafficEnded;
        }
        self.deadlock()
    }

    /// Returns whether packets are inside and only arrivals remain as events: they would continue for ever, and
    /// be lost.
    fn is_stuck(&self) -> bool {
        let s = &self.sources;
        let none_wakes =
            |mut sources: std::ops::Range<usize>| sources.all(|n| self.agenda.pending(n).is_none());
        // If no request is in the table, the events of DRAM channels are mere refreshes and do not count.
        // Planned accesses are not in the table, so channels count then: without an access, they have no
        // event.
        let unlisted = self.targets.iter().any(|target| target.planned);
        let channels = if unlisted { s.channels.len() } else { 0 };
        self.account.inside.now > 0
            && self.requests.count() == 0
            && none_wakes(TIMERS..TIMERS + 1)
            && none_wakes(s.first_sender..s.first_channel + channels)
            && !self.config.saturated
    }

    /// Returns what threads wait for when no event will end their waits.
    fn deadlock(&self) -> Outcome {
        let mut waiting: Vec<(String, usize)> = Vec::new();
        for thread in &self.threads {
            let state = self.state_name(thread.state);
            match waiting.iter_mut().find(|(name, _)| *name == state) {
                Some((_, count)) => *count += 1,
                None => waiting.push((state, 1)),
            }
        }
        Outcome::Deadlock { packets_inside: self.account.inside.now, waiting }
    }

    #[inline(always)]
    fn handle<F: Features>(&mut self, source: usize, now: Ticks) {
        let s = &self.sources;
        if source >= s.first_engine {
            if source < s.first_channel {
                self.engine_event::<F>(source - s.first_engine, now);
            } else {
                self.channel_event(source - s.first_channel, now);
            }
        } else if source >= s.first_line {
            self.line_event(source - s.first_line, now);
        } else if source >= s.first_sender {
            self.sender_event(source - s.first_sender, now);
        } else if source >= s.first_receiver {
            self.receiver_event(source - s.first_receiver, now);
        } else if source == TIMERS {
            self.timer_event(now);
        } else {
            self.arrival_event(now);
        }
    }

    fn start_measuring(&mut self) {
        let now = self.agenda.now();
        self.run_expected(now);
        for engine in 0..self.engines.len() {
            // Waits that ended in the past are entered before the account is closed.
            self.wake_due(engine, now);
        }
        for number in 0..self.threads.len() {
            self.settle(number as u32, now);
        }
        self.account.restart(now);
        for t in &mut self.threads {
            self.account.restart_ahead(t, now);
        }
        self.tallies.restart();
        if let (Some(recording), Some(window)) = (&mut self.recording, self.window) {
            let from = now + self.timebase.ticks_from_ns(window.from_ns);
            let until = from.saturating_add(self.timebase.ticks_from_ns(window.for_ns));
            recording.begin(from, until, window.most_events);
        }
        self.engines.iter_mut().for_each(|engine| engine.restart(now));
        self.places.iter_mut().for_each(|place| place.restart(now));
        self.links.iter_mut().for_each(|link| link.restart(now));
        self.pools.iter_mut().for_each(|pool| pool.level.restart(now));
        self.locks.iter_mut().for_each(|lock| lock.restart(now));
        self.transmit.iter_mut().for_each(|buffer| buffer.bytes.restart(now));
        if let Some(memory) = &mut self.memory {
            memory.restart(now);
        }
        self.receivers.iter_mut().for_each(|receiver| receiver.restart(now));
        self.senders.iter_mut().for_each(|sender| sender.restart(now));
        self.block_queues.iter_mut().for_each(|blocks| blocks.slots.restart(now));
        for inbox in &mut self.inboxes {
            inbox.most_waiting = inbox.waiting;
            (inbox.offered, inbox.refused) = (0, 0);
        }
        self.order.most_waiting = self.order.waiting;
        self.programs.iter_mut().for_each(|program| program.restart_counters());
    }
}
