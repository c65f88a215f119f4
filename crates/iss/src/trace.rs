//! Execution traces: what each packet executed, in less than two bytes per instruction.
//!
//! A trace holds what cannot be derived from the code: which runs of instructions were executed, which loads and
//! stores accessed data (packets, heap, control data, marked state; not stack and globals), and their addresses.
//! Registers are taken from the code.
//!
//! | part | size | content |
//! |---|---|---|
//! | run | 4 bytes (8 if the run is long) | first halfword of the run: 20 bits; distance to its last instruction in halfwords: 12 bits, 4095 = the next word is the last halfword |
//! | repeat | 4 bytes | 20 bits set, and the number of further executions of the previous run (loops) |
//! | class | 1 bit per load or store | set if it accessed data; an atomic instruction is one access |
//! | address | 4 bytes | one for each access to data, and for each lock taken or released |
//! | packet | 28 bytes | the ends of its parts, its size, time, result and instructions |

use crate::code::{Class, Code};
use crate::machine::Machine;
use crate::{IssError, cpu};
use std::ops::ControlFlow;

const DISTANCE_BITS: u32 = 12;
const LONG: u32 = (1 << DISTANCE_BITS) - 1;
/// Words from here on repeat the previous run; no code reaches this halfword.
const REPEAT: u32 = !LONG;
/// No run of code.
const NO_RUN: u32 = u32::MAX;

/// The ends of the parts of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    runs: u32,
    classes: u32,
    addresses: u32,
}

/// One packet of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketEntry {
    ends: Ends,
    /// Instructions executed between the marks, or in the whole call without marks.
    pub instructions: u32,
    /// Size of the IP packet.
    pub bytes: u32,
    /// The result of the program.
    pub result: u32,
    /// Arrival.
    pub time_us: u32,
}

/// A batch of packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    runs: Vec<u32>,
    classes: Vec<u64>,
    class_count: u32,
    addresses: Vec<u32>,
    packets: Vec<PacketEntry>,
}

/// One executed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Index in the code.
    pub index: u32,
    /// Address of a load or store of data, or of a lock.
    pub address: Option<u32>,
    /// Whether a jump was taken after it.
    pub taken: bool,
}

impl Trace {
    /// Removes all packets and keeps the allocated memory, so that a long capture streams through one batch.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.classes.clear();
        self.class_count = 0;
        self.addresses.clear();
        self.packets.clear();
    }

    /// Returns its packets.
    #[must_use]
    pub fn packets(&self) -> &[PacketEntry] {
        &self.packets
    }

    /// Returns its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * (self.runs.len() + self.addresses.len())
            + (self.class_count as usize).div_ceil(8)
            + size_of::<PacketEntry>() * self.packets.len()
    }

    /// Returns the runs executed.
    #[must_use]
    pub fn run_count(&self) -> u64 {
        let (mut count, mut words) = (0, self.runs.iter());
        while let Some(&word) = words.next() {
            if word >= REPEAT {
                count += u64::from(word & LONG);
            } else {
                count += 1;
                if word & LONG == LONG {
                    words.next();
                }
            }
        }
        count
    }

    /// Returns a packet as runs.
    #[must_use]
    pub fn runs(&self, packet: usize) -> Runs<'_> {
        let entry = self.packets[packet];
        let before = packet.checked_sub(1).map_or_else(Ends::default, |index| self.packets[index].ends);
        Runs {
            words: self.runs[before.runs as usize..entry.ends.runs as usize].iter(),
            run: (0, 0),
            again: 0,
            classes: Classes::new(&self.classes, before.classes),
            addresses: &self.addresses[before.addresses as usize..entry.ends.addresses as usize],
        }
    }

    /// Calls a function with every instruction of a packet, in order.
    ///
    /// # Panics
    ///
    /// If the trace was not made from this code.
    #[inline]
    pub fn walk(&self, packet: usize, code: &Code, mut visit: impl FnMut(Step)) {
        let mut runs = self.runs(packet);
        while let Some((first, last)) = runs.next_run() {
            let mut index = first;
            while index <= last {
                let kind = code.class(index);
                let data = match kind {
                    Class::Load | Class::Store | Class::Atomic => {
                        let bit = runs.data() & 1;
                        runs.pass(1);
                        bit == 1
                    }
                    Class::Lock | Class::Unlock => true,
                    _ => false,
                };
                let address = data.then(|| runs.address());
                let jump = matches!(kind, Class::Branch | Class::Jump);
                if kind != Class::Mark {
                    visit(Step { index, address, taken: jump && index == last });
                }
                index += code.ops[index as usize].halfwords();
            }
        }
        debug_assert!(runs.addresses.is_empty());
    }

    /// Returns the instructions of a packet.
    fn instructions(&self, packet: usize, code: &Code) -> u32 {
        let (mut runs, mut count) = (self.runs(packet), 0);
        while let Some((first, last)) = runs.next_run() {
            let own = u32::from(code.class(last) != Class::Mark);
            count += code.rest()[first as usize] - code.rest()[last as usize] + own;
        }
        count
    }
}

/// A packet of a trace, read run by run. The code determines the accesses of a run; the reader skips them.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    words: std::slice::Iter<'a, u32>,
    run: (u32, u32),
    /// Remaining repetitions of the run.
    again: u32,
    classes: Classes<'a>,
    addresses: &'a [u32],
}

/// The classes of a trace from a position on.
#[derive(Clone, Debug)]
struct Classes<'a> {
    words: &'a [u64],
    /// The next classes, the first in the lowest bit, and their number: never less than [`Runs::AHEAD`].
    ahead: u64,
    left: u32,
    /// Half of the word that follows.
    behind: usize,
}

impl<'a> Classes<'a> {
    fn new(words: &'a [u64], at: u32) -> Self {
        let mut classes = Self { words, ahead: 0, left: 0, behind: at as usize / 32 };
        classes.fill();
        classes.ahead >>= at % 32;
        classes.left -= at % 32;
        classes.fill();
        classes
    }

    #[inline(always)]
    fn fill(&mut self) {
        let word = self.words.get(self.behind / 2).copied().unwrap_or(0);
        self.ahead |= (word >> (self.behind % 2 * 32) & u64::from(u32::MAX)) << self.left;
        self.left += 32;
        self.behind += 1;
    }
}

impl Runs<'_> {
    /// Returns the indices of the first and last instruction of the next run.
    ///
    /// # Panics
    ///
    /// Never on a trace of a [`Recorder`].
    #[inline(always)]
    pub fn next_run(&mut self) -> Option<(u32, u32)> {
        if self.again > 0 {
            self.again -= 1;
            return Some(self.run);
        }
        let &word = self.words.next()?;
        if word >= REPEAT {
            self.again = (word & LONG) - 1;
            return Some(self.run);
        }
        let first = word >> DISTANCE_BITS;
        let last = match word & LONG {
            LONG => *self.words.next().expect("a long run has two words"),
            distance => first + distance,
        };
        self.run = (first, last);
        Some(self.run)
    }

    /// Loads and stores that can be read ahead.
    pub const AHEAD: u32 = 32;

    /// Returns which of the next [`Runs::AHEAD`] loads and stores went to data, the next one in the lowest bit.
    #[inline(always)]
    #[must_use]
    pub fn data(&self) -> u64 {
        self.classes.ahead
    }

    /// Skips a number of loads and stores, at most [`Runs::AHEAD`].
    #[inline(always)]
    pub fn pass(&mut self, accesses: u32) {
        self.classes.ahead >>= accesses;
        self.classes.left -= accesses;
        if self.classes.left < Self::AHEAD {
            self.classes.fill();
        }
    }

    /// Returns the address of the next access to data, or of the next lock.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[inline(always)]
    pub fn address(&mut self) -> u32 {
        let (&address, rest) = self.addresses.split_first().expect("an address for each access to data");
        self.addresses = rest;
        address
    }
}

/// Capacity of the address buffer: a power of two, and twice the threshold of the periodic flush.
const WAITING: usize = 1024;
/// An empty word of classes.
const NO_CLASSES: u64 = 1 << 63;

/// Calls a program and records its execution.
///
/// The code for each access has almost no branches of its own: they would displace those of the program in the
/// processor's branch predictor, on which the speed of an interpreter depends.
#[derive(Debug)]
pub struct Recorder {
    trace: Trace,
    data_low: u32,
    data_bytes: u32,
    /// Whether the present packet has marked its begin or end, and its counts after it has marked its end.
    marked: bool,
    marked_end: Option<Ends>,
    last_run: u32,
    /// Classes that do not fill a word of the trace yet: the latest is the highest bit, and the bit below the
    /// first is set.
    classes: u64,
    /// Addresses of the present packet that are not in the trace yet, and their number.
    waiting: Box<[u32; WAITING]>,
    waits: usize,
}

impl Recorder {
    /// Returns a recorder for a program.
    #[must_use]
    pub fn new(machine: &Machine) -> Self {
        let layout = machine.layout();
        Self {
            trace: Trace::default(),
            marked: false,
            data_low: layout.data_low,
            data_bytes: layout.data_high - layout.data_low,
            marked_end: None,
            last_run: NO_RUN,
            classes: NO_CLASSES,
            waiting: Box::new([0; WAITING]),
            waits: 0,
        }
    }

    /// Returns the trace.
    #[must_use]
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the trace, to be cleared.
    pub fn trace_mut(&mut self) -> &mut Trace {
        &mut self.trace
    }

    /// Calls the program with a packet, and returns its result.
    ///
    /// # Errors
    ///
    /// As [`Machine::packet`]; the packet is then not in the trace.
    pub fn packet(&mut self, machine: &mut Machine, packet: &[u8], time_us: u32) -> Result<u32, IssError> {
        self.packet_until(machine, packet, time_us, &mut |_| ControlFlow::Continue(()))
    }

    /// As `packet`; `progress` is called periodically with the total instructions, and may end it.
    ///
    /// # Errors
    ///
    /// As [`Recorder::packet`], and if `progress` ended it.
    pub fn packet_until(
        &mut self,
        machine: &mut Machine,
        packet: &[u8],
        time_us: u32,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<u32, IssError> {
        self.marked = false;
        self.marked_end = None;
        self.last_run = NO_RUN;
        self.open();
        let before = machine.instructions();
        let result = match machine.packet_until(packet, time_us, self, progress) {
            Ok(result) => result,
            Err(error) => {
                self.rewind();
                self.close();
                return Err(error);
            }
        };
        if let Some(ends) = self.marked_end {
            self.cut(ends);
        }
        let ends = self.ends();
        self.close();
        let mut entry = PacketEntry {
            ends,
            instructions: (machine.instructions() - before) as u32,
            bytes: packet.len() as u32,
            result,
            time_us,
        };
        self.trace.packets.push(entry);
        if self.marked {
            entry.instructions = self.trace.instructions(self.trace.packets.len() - 1, machine.code());
            if let Some(last) = self.trace.packets.last_mut() {
                *last = entry;
            }
        }
        Ok(result)
    }

    /// Discards the records of the present packet.
    fn rewind(&mut self) {
        self.cut(self.trace.packets.last().map_or_else(Ends::default, |packet| packet.ends));
    }

    /// Returns the ends of the trace's parts with the present packet.
    fn ends(&self) -> Ends {
        Ends {
            runs: self.trace.runs.len() as u32,
            classes: 64 * self.trace.classes.len() as u32 + self.open_classes().1,
            addresses: (self.trace.addresses.len() + self.waits) as u32,
        }
    }

    /// Discards everything behind the stated ends.
    fn cut(&mut self, ends: Ends) {
        self.trace.runs.truncate(ends.runs as usize);
        self.flush();
        self.trace.addresses.truncate(ends.addresses as usize);
        let (words, bits) = (ends.classes as usize / 64, ends.classes % 64);
        let word = self.trace.classes.get(words).copied().unwrap_or(self.open_classes().0);
        self.trace.classes.truncate(words);
        self.classes = opened(word, bits);
    }

    /// Returns the classes that do not fill a word yet, the first one lowest, and their number.
    fn open_classes(&self) -> (u64, u32) {
        let count = 63 - self.classes.trailing_zeros();
        (self.classes >> 1 >> (63 - count), count)
    }

    /// Moves buffered records into the trace.
    fn flush(&mut self) {
        self.trace.addresses.extend_from_slice(&self.waiting[..self.waits]);
        self.waits = 0;
    }

    /// Appends a full word of classes to the trace. Between two of them at most 64 addresses are buffered.
    ///
    /// Not inlined, because it would take registers in every load and store.
    #[cold]
    #[inline(never)]
    fn keep(&mut self) {
        self.trace.classes.push(self.classes);
        self.classes = NO_CLASSES;
        self.make_room();
    }

    /// Moves buffered records into the trace if there are many.
    fn make_room(&mut self) {
        if self.waits > WAITING / 2 {
            self.flush();
        }
    }

    /// Records an address, or nothing.
    #[inline(always)]
    fn note(&mut self, address: u32, wanted: bool) {
        self.waiting[self.waits % WAITING] = address;
        self.waits += usize::from(wanted);
    }

    /// Removes the incomplete word of classes from the trace, to be filled further.
    fn open(&mut self) {
        let bits = self.trace.class_count % 64;
        let word = if bits == 0 { None } else { self.trace.classes.pop() };
        self.classes = opened(word.unwrap_or_default(), bits);
    }

    /// Appends it again, and the buffered addresses.
    fn close(&mut self) {
        self.flush();
        self.trace.class_count = self.ends().classes;
        let (word, count) = self.open_classes();
        if count > 0 {
            self.trace.classes.push(word);
        }
    }
}

/// Returns a word with a number of classes, to be filled further.
fn opened(word: u64, count: u32) -> u64 {
    (word << 1 | 1) << (63 - count)
}

impl cpu::Hook for Recorder {
    #[inline(always)]
    fn run(&mut self, first: u32, last: u32) {
        let distance = last.wrapping_sub(first);
        let run = first << DISTANCE_BITS | distance.min(LONG);
        if run == self.last_run {
            match self.trace.runs.last_mut() {
                Some(word) if *word >= REPEAT && *word < REPEAT | LONG => *word += 1,
                _ => self.trace.runs.push(REPEAT | 1),
            }
            return;
        }
        self.trace.runs.push(run);
        self.last_run = run;
        if distance >= LONG {
            self.trace.runs.push(last);
            self.last_run = NO_RUN;
        }
    }

    #[inline(always)]
    fn access(&mut self, address: u32) {
        let data = address.wrapping_sub(self.data_low) < self.data_bytes;
        let full = self.classes & 1 == 1;
        self.classes = self.classes >> 1 | u64::from(data) << 63;
        self.note(address, data);
        if full {
            self.keep();
        }
    }

    #[inline(always)]
    fn lock(&mut self, address: u32) {
        self.note(address, true);
        self.make_room();
    }

    fn mark(&mut self, begins: bool) {
        self.marked = true;
        if begins {
            self.rewind();
        }
        self.marked_end = if begins { None } else { self.marked_end.or(Some(self.ends())) };
        // A run after a mark does not count as a repetition of one before it.
        self.last_run = NO_RUN;
    }
}
