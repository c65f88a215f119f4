//! What happened in a window of a run, event by event: the material of a timeline.

use crate::loss::Loss;
use linecard_sim::Ticks;

/// A window of the measured time, and how much of it is kept at most.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// From the start of the measurement, nanoseconds.
    pub from_ns: u64,
    /// Length, nanoseconds.
    pub for_ns: u64,
    /// Events kept at most.
    pub most_events: usize,
}

/// A thread was in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSpan {
    /// Thread, counted over the chip.
    pub thread: u32,
    /// Number of the state; see `Recording::states`.
    pub state: u16,
    /// The packet that it held, by number of arrival.
    pub packet: Option<u64>,
    /// From when.
    pub from: Ticks,
    /// To when.
    pub to: Ticks,
}

/// What happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// Its last bit came in by a port.
    Arrived {
        /// The port.
        port: u16,
    },
    /// Its last bit went out by a port.
    Departed {
        /// The port.
        port: u16,
    },
    /// It was lost, or its program ended it by choice.
    Lost(Loss),
}

/// A packet, and what happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at: Ticks,
    /// Number of arrival.
    pub packet: u64,
    /// What.
    pub what: Happened,
}

/// A number that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelChange {
    /// When.
    pub at: Ticks,
    /// Packets inside the chip, or in the output queues of a port.
    pub of: LevelOf,
    /// The number from now on.
    pub level: u32,
}

/// What a level counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelOf {
    /// Packets inside the chip.
    Inside,
    /// Packets in the output queues of a port.
    Queue(u16),
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// States of threads, in the order in which they ended.
    pub spans: Vec<StateSpan>,
    /// What happened to packets.
    pub marks: Vec<Mark>,
    /// Numbers that changed.
    pub levels: Vec<LevelChange>,
    /// Names of the states.
    pub states: Vec<String>,
    /// Cluster, engine within it and thread within that, by thread.
    pub threads: Vec<(String, u32, u32)>,
    /// Names of the ports.
    pub ports: Vec<String>,
    /// Events that found no room.
    pub left_out: u64,
    from: Ticks,
    until: Ticks,
    room: usize,
}

impl Recording {
    pub(crate) fn new(states: Vec<String>, threads: Vec<(String, u32, u32)>, ports: Vec<String>) -> Self {
        // Nothing is kept before the measurement begins.
        Self { states, threads, ports, from: Ticks::MAX, until: 0, ..Self::default() }
    }

    /// Keep what happens from `from` until `until`, at most so many events.
    pub(crate) fn begin(&mut self, from: Ticks, until: Ticks, most_events: usize) {
        (self.from, self.until, self.room) = (from, until, most_events);
    }

    /// When the window begins and ends.
    pub fn window(&self) -> (Ticks, Ticks) {
        (self.from, self.until)
    }

    fn takes(&mut self, at: Ticks) -> bool {
        if at < self.from || at > self.until {
            return false;
        }
        if self.room == 0 {
            self.left_out += 1;
            return false;
        }
        self.room -= 1;
        true
    }

    pub(crate) fn span(&mut self, span: StateSpan) {
        if span.to > span.from && self.takes(span.to) {
            let from = span.from.max(self.from);
            self.spans.push(StateSpan { from, ..span });
        }
    }

    pub(crate) fn mark(&mut self, at: Ticks, packet: u64, what: Happened) {
        if self.takes(at) {
            self.marks.push(Mark { at, packet, what });
        }
    }

    pub(crate) fn level(&mut self, at: Ticks, of: LevelOf, level: u32) {
        if self.takes(at) {
            self.levels.push(LevelChange { at, of, level });
        }
    }
}
