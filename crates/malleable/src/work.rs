//! The work of a core, from execution traces: packets as runs of instructions between events.
//!
//! An event is an access to data, a lock acquired or released, or the end of a packet. Between two events
//! nothing depends on the configuration, so that the code between them, a *segment*, takes a fixed number of
//! cycles. There are few distinct segments: each is stored once.

use crate::event_paths::{Ends, EventPaths, NONE, START};
use crate::segment::{Kind, Pipeline, Segment};
use crate::segments::Segments;
use linecard_iss::{Code, Layout, Trace};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Bytes of a line of the data cache, and of a fill (Mudigonda 2007, Figure 1).
pub const LINE_BYTES: u32 = 16;
const LINE_SHIFT: u32 = LINE_BYTES.trailing_zeros();
/// Packets are consecutive in a ring of this number of lines: 64 MiB, more than any cache holds.
const RING_LINES: u32 = 1 << 22;
/// First line of packets; those of tables and heap are below.
const RING_FIRST_LINE: u32 = 1 << 28;

/// One event of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The segment before it.
    pub segment: u32,
    /// Line of the access, or number of the lock.
    pub operand: u32,
}

/// One packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketWork {
    /// First event.
    pub first: u32,
    /// One past its last event.
    pub end: u32,
    /// Arrival, in microseconds of the capture.
    pub time_us: u32,
}

/// The work of one program on one capture; every configuration reads it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Work {
    /// Distinct segments.
    pub segments: Vec<Segment>,
    /// Events of all packets.
    pub events: Vec<Event>,
    /// Packets, in order of arrival.
    pub packets: Vec<PacketWork>,
    /// Total locks.
    pub locks: u32,
    /// Total instructions.
    pub instructions: u64,
}

impl Work {
    /// Returns whether all references are valid. A [`WorkBuilder`] always makes valid work; work read from
    /// outside may be invalid.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let mut last = 0;
        for packet in &self.packets {
            let whole = packet.first == last && packet.first < packet.end;
            let Some(events) = self.events.get(packet.first as usize..packet.end as usize) else {
                return false;
            };
            last = packet.end;
            for (number, event) in events.iter().enumerate() {
                let Some(segment) = self.segments.get(event.segment as usize) else { return false };
                let ends = number + 1 == events.len();
                let locks = matches!(segment.kind, Kind::Lock | Kind::Unlock);
                if ends != (segment.kind == Kind::End) || (locks && event.operand >= self.locks) {
                    return false;
                }
            }
            if !whole {
                return false;
            }
        }
        last as usize == self.events.len()
    }
}

/// Compiles traces into work.
#[derive(Debug)]
pub struct WorkBuilder {
    work: Work,
    segments: Segments,
    paths: EventPaths,
    packet_low: u32,
    packet_accesses: u64,
    locks: FxHashMap<u32, u32>,
    ring: u32,
}

impl WorkBuilder {
    /// Returns an empty builder for a program with this layout.
    #[must_use]
    pub fn new(layout: &Layout, pipeline: Pipeline) -> Self {
        Self {
            work: Work::default(),
            segments: Segments::new(pipeline),
            paths: EventPaths::new(),
            packet_low: layout.packet_low,
            packet_accesses: 0,
            locks: FxHashMap::default(),
            ring: 0,
        }
    }

    /// Adds every packet of a batch.
    pub fn add(&mut self, trace: &Trace, code: &Code) {
        let Self { work, segments, paths, packet_low, packet_accesses, locks, ring } = self;
        for (number, entry) in trace.packets().iter().enumerate() {
            let first = work.events.len() as u32;
            let packet_line = RING_FIRST_LINE + *ring;
            let mut runs = trace.runs(number);
            let mut place = START;
            while let Some((mut from, last)) = runs.next_run() {
                while from != NONE {
                    let way = paths.follow((place, from, last, runs.data()), code, segments);
                    runs.pass(way.accesses);
                    (place, from) = (way.to, way.on);
                    let operand = match way.ends {
                        Ends::Nothing => continue,
                        Ends::Access => {
                            let address = runs.address();
                            let of_packet = address >= *packet_low;
                            *packet_accesses += u64::from(of_packet);
                            if of_packet {
                                packet_line + ((address - *packet_low) >> LINE_SHIFT)
                            } else {
                                address >> LINE_SHIFT
                            }
                        }
                        Ends::Lock => {
                            let next = locks.len() as u32;
                            *locks.entry(runs.address()).or_insert(next)
                        }
                    };
                    work.events.push(Event { segment: way.segment, operand });
                }
            }
            let segment = paths.end(place, code, segments);
            work.events.push(Event { segment, operand: 0 });
            let end = work.events.len() as u32;
            work.packets.push(PacketWork { first, end, time_us: entry.time_us });
            work.instructions += u64::from(entry.instructions);
            *ring = (*ring + entry.bytes.div_ceil(LINE_BYTES) + 1) % RING_LINES;
        }
    }

    /// Returns the executions of each instruction.
    #[must_use]
    pub fn executed(&self, code: &Code) -> Vec<u64> {
        self.paths.executed(code)
    }

    /// Returns the loads and stores of packets.
    #[must_use]
    pub fn packet_accesses(&self) -> u64 {
        self.packet_accesses
    }

    /// Returns the work.
    #[must_use]
    pub fn finish(mut self) -> Work {
        self.work.segments = self.segments.finish();
        self.work.locks = self.locks.len() as u32;
        self.work
    }
}
