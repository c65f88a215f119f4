//! What a core has to do, from execution traces: packets as runs of instructions between events.
//!
//! An event is an access to data, a lock taken or released, or the end of a packet. Between two events nothing can go
//! wrong, so what lies there, a *segment*, is one number of cycles whatever the configuration. Few segments are
//! different: each is kept once.

use linecard_iss::{Class, Code, Layout, Trace};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Bytes of a line of the data cache, and of a fill (Mudigonda 2007, Figure 1).
pub const LINE_BYTES: u32 = 16;
const LINE_SHIFT: u32 = LINE_BYTES.trailing_zeros();
/// Packets are placed one behind the other in a ring of so many lines: 64 MiB, more than any cache holds.
const RING_LINES: u32 = 1 << 22;
/// Lines of packets begin here; those of tables and heap are below.
const RING_FIRST_LINE: u32 = 1 << 28;
/// In a path: behind it is what follows the event before.
const BEHIND_EVENT: u32 = u32::MAX;
/// In a path: the packet ends.
const PACKET_END: u32 = u32::MAX - 1;
/// A use of a loaded register that lies farther away costs nothing at any latency.
pub const FAR: u8 = 8;

/// What ends a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Kind {
    /// A load of data.
    Load,
    /// A store of data.
    Store,
    /// A lock to take.
    Lock,
    /// A lock to release.
    Unlock,
    /// The packet is done.
    End,
    /// An atomic read-modify-write of data: waited for like a load, and the line is written like one of a store.
    Atomic,
}

/// Cycles that the pipeline takes for what is not one cycle long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pipeline {
    /// Cycles lost behind a taken branch or jump.
    pub taken_cycles: u32,
    /// Cycles of a multiplication.
    pub multiply_cycles: u32,
    /// Cycles of a division.
    pub divide_cycles: u32,
}

/// Instructions between two events, the one that is the event among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Instructions.
    pub instructions: u32,
    /// Cycles, where nothing waits for data.
    pub cycles: u32,
    /// Registers read before they are written, a bit each.
    pub reads: u32,
    /// Registers written.
    pub writes: u32,
    /// Where it begins: a thread that was switched out resumes here.
    pub resume: u32,
    /// Cycles from its beginning to the first use of what the load before it loaded; [`FAR`] where there is none.
    pub first_use: u8,
    /// What ends it.
    pub kind: Kind,
}

/// One event of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What is executed before.
    pub segment: u32,
    /// Line of the access, or number of the lock.
    pub operand: u32,
}

/// One packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketWork {
    /// Its first event.
    pub first: u32,
    /// Behind its last one.
    pub end: u32,
    /// Arrival, in microseconds of the capture.
    pub time_us: u32,
}

/// Work of one program on one capture; every configuration reads the same.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Work {
    /// Distinct segments.
    pub segments: Vec<Segment>,
    /// Events of all packets.
    pub events: Vec<Event>,
    /// Packets, in order of arrival.
    pub packets: Vec<PacketWork>,
    /// Locks in all.
    pub locks: u32,
    /// Instructions in all.
    pub instructions: u64,
}

impl Work {
    /// Does everything that it refers to exist? Work that a [`WorkBuilder`] made is sound; what was read need not be.
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
    pipeline: Pipeline,
    packet_low: u32,
    segments: FxHashMap<Vec<u32>, u32>,
    locks: FxHashMap<u32, u32>,
    path: Vec<u32>,
    ring: u32,
}

impl WorkBuilder {
    /// Nothing so far, for a program laid out so.
    #[must_use]
    pub fn new(layout: &Layout, pipeline: Pipeline) -> Self {
        Self {
            work: Work::default(),
            pipeline,
            packet_low: layout.packet_low,
            segments: FxHashMap::default(),
            locks: FxHashMap::default(),
            path: Vec::new(),
            ring: 0,
        }
    }

    /// Adds every packet of a batch.
    pub fn add(&mut self, trace: &Trace, code: &Code) {
        for (number, entry) in trace.packets().iter().enumerate() {
            let first = self.work.events.len() as u32;
            let packet_line = RING_FIRST_LINE + self.ring;
            let mut path = std::mem::take(&mut self.path);
            path.clear();
            trace.walk(number, code, |step| {
                path.push(step.index << 1 | u32::from(step.taken));
                let Some(address) = step.address else { return };
                let operand = match code.class(step.index) {
                    Class::Lock | Class::Unlock => {
                        let next = self.locks.len() as u32;
                        *self.locks.entry(address).or_insert(next)
                    }
                    _ => match address.checked_sub(self.packet_low) {
                        Some(offset) => packet_line + (offset >> LINE_SHIFT),
                        None => address >> LINE_SHIFT,
                    },
                };
                let segment = self.segment(&path, code);
                self.work.events.push(Event { segment, operand });
                // The next path begins with the event, so that it tells what was loaded.
                path.clear();
                path.push(step.index << 1 | u32::from(step.taken));
                path.push(BEHIND_EVENT);
            });
            path.push(PACKET_END);
            let segment = self.segment(&path, code);
            self.work.events.push(Event { segment, operand: 0 });
            self.path = path;
            let end = self.work.events.len() as u32;
            self.work.packets.push(PacketWork { first, end, time_us: entry.time_us });
            self.work.instructions += u64::from(entry.instructions);
            self.ring = (self.ring + entry.bytes.div_ceil(LINE_BYTES) + 1) % RING_LINES;
        }
    }

    /// The number of a segment: `path` is what was executed, the event before it first.
    fn segment(&mut self, path: &[u32], code: &Code) -> u32 {
        if let Some(&number) = self.segments.get(path) {
            return number;
        }
        let key = path;
        let (path, end) = match path {
            [path @ .., PACKET_END] => (path, true),
            _ => (path, false),
        };
        let behind = path.iter().position(|&step| step == BEHIND_EVENT).map_or(0, |at| at + 1);
        let loaded = if behind == 0 { 0 } else { load_target(code, path[0] >> 1) };
        let resume = match path.get(behind) {
            Some(&step) => step >> 1,
            None => path.first().map_or(0, |&step| step >> 1),
        };
        let mut segment = Segment {
            instructions: (path.len() - behind) as u32,
            cycles: 0,
            reads: 0,
            writes: 0,
            resume,
            first_use: FAR,
            kind: Kind::End,
        };
        for &step in &path[behind..] {
            let (index, taken) = (step >> 1, step & 1 == 1);
            let (reads, writes) = (code.reads(index), code.writes(index));
            if reads & loaded & !segment.writes != 0 && segment.first_use == FAR {
                // The instruction right behind the load is one cycle away from it.
                segment.first_use = (segment.cycles + 1).min(u32::from(FAR)) as u8;
            }
            segment.reads |= reads & !segment.writes;
            segment.writes |= writes;
            segment.cycles += match code.class(index) {
                Class::Multiply => self.pipeline.multiply_cycles,
                Class::Divide => self.pipeline.divide_cycles,
                _ => 1,
            };
            if taken {
                segment.cycles += self.pipeline.taken_cycles;
            }
        }
        if !end {
            segment.kind = match path.last().map(|&step| code.class(step >> 1)) {
                Some(Class::Store) => Kind::Store,
                Some(Class::Atomic) => Kind::Atomic,
                Some(Class::Lock) => Kind::Lock,
                Some(Class::Unlock) => Kind::Unlock,
                _ => Kind::Load,
            };
        }
        let number = self.work.segments.len() as u32;
        self.work.segments.push(segment);
        self.segments.insert(key.to_vec(), number);
        number
    }

    /// The work.
    #[must_use]
    pub fn finish(mut self) -> Work {
        self.work.locks = self.locks.len() as u32;
        self.work
    }
}

/// Register that the load or atomic instruction there writes, as a bit; none for a store or a lock.
fn load_target(code: &Code, index: u32) -> u32 {
    if matches!(code.class(index), Class::Load | Class::Atomic) { code.writes(index) } else { 0 }
}
