//! The events of a window of a run: the source of a timeline.

use crate::loss::Loss;
use linecard_sim::Ticks;

/// A window of the measured time, and the most events kept of it.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// From the start of the measurement, nanoseconds.
    pub from_ns: u64,
    /// Length, nanoseconds.
    pub for_ns: u64,
    /// Events kept at most.
    pub most_events: usize,
}

/// A thread was in a state for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSpan {
    /// Thread, counted over the chip.
    pub thread: u32,
    /// Number of the state; see `Recording::states`.
    pub state: u16,
    /// The packet that it held, by number of arrival.
    pub packet: Option<u64>,
    /// Start.
    pub from: Ticks,
    /// End.
    pub to: Ticks,
}

/// An event of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// Its last bit arrived at a port.
    Arrived {
        /// The port.
        port: u16,
    },
    /// Its last bit left from a port.
    Departed {
        /// The port.
        port: u16,
    },
    /// It was lost, or its program ended it by choice.
    Lost(Loss),
}

/// An event of a packet, with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Time, in ticks.
    pub at: Ticks,
    /// Number of arrival.
    pub packet: u64,
    /// The event.
    pub what: Happened,
}

/// A change of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelChange {
    /// Time, in ticks.
    pub at: Ticks,
    /// Packets inside the chip, or in the output queues of a port.
    pub of: LevelOf,
    /// The level from now on.
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

/// A recording.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// States of threads, in the order in which they ended.
    pub spans: Vec<StateSpan>,
    /// Events of packets.
    pub marks: Vec<Mark>,
    /// Changes of levels.
    pub levels: Vec<LevelChange>,
    /// Names of the states.
    pub states: Vec<String>,
    /// Cluster, engine within the cluster, and thread within the engine, by thread.
    pub threads: Vec<(String, u32, u32)>,
    /// Names of the ports.
    pub ports: Vec<String>,
    /// Events that exceeded the limit.
    pub left_out: u64,
    from: Ticks,
    until: Ticks,
    room: usize,
}

impl Recording {
    pub(crate) fn new(states: Vec<String>, threads: Vec<(String, u32, u32)>, ports: Vec<String>) -> Self {
        // Nothing is recorded before the measurement begins.
        Self { states, threads, ports, from: Ticks::MAX, until: 0, ..Self::default() }
    }

    /// Records from `from` to `until`, at most the stated number of events.
    pub(crate) fn begin(&mut self, from: Ticks, until: Ticks, most_events: usize) {
        (self.from, self.until, self.room) = (from, until, most_events);
    }

    /// Returns when the window begins and ends.
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
