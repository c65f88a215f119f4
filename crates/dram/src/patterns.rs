//! Synthetic requests: a stream, random accesses, conflicts in one bank, the cells of packets.

use crate::fields::{FieldMap, Place};
use crate::{Access, Cycle};
use linecard_sim::{Stream, stream};
use std::collections::VecDeque;

/// The kind of pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Consecutive accesses from address 0 on, starting again at the end of the device.
    Stream,
    /// Uniformly distributed addresses.
    Random,
    /// Two rows of one bank in turn.
    BankConflicts,
    /// A packet buffer: 8 input contexts write packets cell by cell, and 8 output contexts read them. Packets
    /// are in 2 KiB buffers from a shuffled list of free ones; sizes are 1, 9 and 24 cells in the ratio 7:4:1.
    PacketCells,
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Pattern; 4] =
        [Pattern::Stream, Pattern::Random, Pattern::BankConflicts, Pattern::PacketCells];

    /// Returns the name in commands.
    pub fn name(self) -> &'static str {
        ["stream", "random", "bank_conflicts", "packet_cells"][self as usize]
    }

    /// Returns the default fraction of reads; packet cells have a fixed one.
    pub fn usual_reads(self) -> Option<f64> {
        match self {
            Pattern::Stream | Pattern::BankConflicts => Some(1.0),
            Pattern::Random => Some(2.0 / 3.0),
            Pattern::PacketCells => None,
        }
    }
}

/// The parameters of a pattern.
#[derive(Clone, Copy, Debug)]
pub struct PatternConfig {
    /// The pattern.
    pub pattern: Pattern,
    /// Requests.
    pub count: u64,
    /// Clocks between arrivals; 0 for the rate at which they are accepted.
    pub spacing: Cycle,
    /// Fraction of reads, 0 to 1.
    pub reads: f64,
    /// Fraction of accesses that move half as many bytes, 0 to 1.
    pub narrow: f64,
    /// Bytes of an access.
    pub access_bytes: u32,
    /// Seed.
    pub seed: u64,
}

const CONTEXTS: usize = 8;
const BUFFER_BYTES: u64 = 2048;
const CELL_BYTES: u64 = 64;
/// Cells of a packet: 7 of 12, 4 of 12, the last.
const PACKET_CELLS: [u64; 3] = [1, 9, 24];
/// Buffers of the packet-cell pattern, at most the capacity of the device.
const BUFFERS: u64 = 4096;

/// Generates the requests of a pattern.
#[derive(Clone, Debug)]
pub struct Generator {
    config: PatternConfig,
    stream: Stream,
    made: u64,
    /// Capacity of the device in accesses.
    accesses: u64,
    map: FieldMap,
    packets: Packets,
}

/// State of the packet-cell pattern.
#[derive(Clone, Debug, Default)]
struct Packets {
    free: VecDeque<u64>,
    /// Written packets that wait for an output context: buffer and cells.
    written: VecDeque<(u64, u64)>,
    /// By context: buffer, cells, cells moved.
    input: [(u64, u64, u64); CONTEXTS],
    output: [(u64, u64, u64); CONTEXTS],
    turn: usize,
    access_bytes: u64,
}

impl Generator {
    /// Returns a generator for the device of a map.
    pub fn new(config: PatternConfig, map: &FieldMap) -> Self {
        let mut stream = stream(config.seed, "dram pattern");
        let capacity = map.capacity_bytes();
        let mut free: Vec<u64> =
            (0..(capacity / BUFFER_BYTES).min(BUFFERS)).map(|n| n * BUFFER_BYTES).collect();
        stream.shuffle(&mut free);
        Self {
            config,
            stream,
            made: 0,
            accesses: capacity / u64::from(config.access_bytes),
            map: map.clone(),
            packets: Packets {
                free: free.into(),
                access_bytes: u64::from(config.access_bytes),
                ..Packets::default()
            },
        }
    }

    /// Returns the next request; `None` after the last.
    #[inline]
    pub fn next_access(&mut self) -> Option<Access> {
        if self.made == self.config.count {
            return None;
        }
        let PatternConfig { pattern, spacing, access_bytes, narrow, reads, .. } = self.config;
        let step = u64::from(access_bytes);
        let (address, write) = match pattern {
            Pattern::Stream => (self.made % self.accesses * step, self.is_write(reads)),
            Pattern::Random => {
                let number = ((u128::from(self.stream.bits()) * u128::from(self.accesses)) >> 64) as u64;
                (number * step, self.is_write(reads))
            }
            Pattern::BankConflicts => {
                // The columns advance; otherwise requests to one address would share their data.
                let column = (self.made / 2 % u64::from(self.map.columns())) as u32;
                let place = Place { channel: 0, bank: 0, row: (self.made & 1) as u32, column };
                (self.map.address(place), self.is_write(reads))
            }
            Pattern::PacketCells => self.packets.next(&mut self.stream),
        };
        let is_narrow = narrow > 0.0 && self.stream.unit() < narrow;
        let bytes = if is_narrow { access_bytes / 2 } else { access_bytes };
        let arrival = self.made * spacing;
        self.made += 1;
        Some(Access { arrival, address, bytes, write })
    }

    #[inline]
    fn is_write(&mut self, reads: f64) -> bool {
        reads < 1.0 && self.stream.unit() >= reads
    }
}

impl Packets {
    /// The contexts take turns: an input context writes its next cell, an output context reads its next one.
    #[inline]
    fn next(&mut self, stream: &mut Stream) -> (u64, bool) {
        loop {
            let turn = self.turn;
            self.turn = (turn + 1) % (2 * CONTEXTS);
            if turn.is_multiple_of(2) {
                if let Some(address) = self.write(turn / 2, stream) {
                    return (address, true);
                }
            } else if let Some(address) = self.read(turn / 2) {
                return (address, false);
            }
        }
    }

    fn write(&mut self, context: usize, stream: &mut Stream) -> Option<u64> {
        let (_, cells, moved) = self.input[context];
        if moved == cells {
            let kind = match stream.below(12) {
                0..7 => 0,
                7..11 => 1,
                _ => 2,
            };
            let accesses = (PACKET_CELLS[kind] * CELL_BYTES).div_ceil(self.access_bytes);
            self.input[context] = (self.free.pop_front()?, accesses, 0);
        }
        let (buffer, cells, moved) = &mut self.input[context];
        let address = *buffer + *moved * self.access_bytes;
        *moved += 1;
        if moved == cells {
            self.written.push_back((*buffer, *cells));
        }
        Some(address)
    }

    fn read(&mut self, context: usize) -> Option<u64> {
        let (_, cells, moved) = self.output[context];
        if moved == cells {
            let (buffer, cells) = self.written.pop_front()?;
            self.output[context] = (buffer, cells, 0);
        }
        let (buffer, cells, moved) = &mut self.output[context];
        let address = *buffer + *moved * self.access_bytes;
        *moved += 1;
        if moved == cells {
            self.free.push_back(*buffer);
        }
        Some(address)
    }
}
