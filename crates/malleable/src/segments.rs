//! Distinct segments: the code between two events, compiled once for each path of a program.

use crate::segment::{Kind, MOST_LATENCY_CYCLES, Pipeline, Segment};
use linecard_iss::{Class, Code};
use rustc_hash::FxHashMap;

/// In a path: the rest of the path follows the previous event.
pub(crate) const BEHIND_EVENT: u32 = u32::MAX;
/// In a path: the packet ends.
const PACKET_END: u32 = u32::MAX - 1;

/// Segments by their paths. A path is the executed code: twice the index of each instruction, plus one if a jump
/// followed. It begins with the event before the segment, where a thread resumes if no instruction follows.
#[derive(Debug)]
pub(crate) struct Segments {
    pipeline: Pipeline,
    list: Vec<Segment>,
    numbers: FxHashMap<Vec<u32>, u32>,
}

impl Segments {
    pub fn new(pipeline: Pipeline) -> Self {
        Self { pipeline, list: Vec::new(), numbers: FxHashMap::default() }
    }

    /// Returns the number of the segment of a path that ends with an event.
    pub fn between(&mut self, path: Vec<u32>, code: &Code) -> u32 {
        let kind = match path.last().map(|&step| code.class(step >> 1)) {
            Some(Class::Store) => Kind::Store,
            Some(Class::Atomic) => Kind::Atomic,
            Some(Class::Lock) => Kind::Lock,
            Some(Class::Unlock) => Kind::Unlock,
            _ => Kind::Load,
        };
        self.number(path, kind, code)
    }

    /// Returns the number of the segment of a path with which the packet ends.
    pub fn last(&mut self, mut path: Vec<u32>, code: &Code) -> u32 {
        path.push(PACKET_END);
        self.number(path, Kind::End, code)
    }

    fn number(&mut self, path: Vec<u32>, kind: Kind, code: &Code) -> u32 {
        if let Some(&number) = self.numbers.get(&path) {
            return number;
        }
        let segment = self.segment(path.strip_suffix(&[PACKET_END]).unwrap_or(&path), kind, code);
        let number = self.list.len() as u32;
        self.list.push(segment);
        self.numbers.insert(path, number);
        number
    }

    fn segment(&self, path: &[u32], kind: Kind, code: &Code) -> Segment {
        let behind = path.iter().position(|&step| step == BEHIND_EVENT).map_or(0, |at| at + 1);
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
            early_reads: [0; MOST_LATENCY_CYCLES],
            loads: match path[behind..].last() {
                Some(&step) if kind != Kind::End => load_target(code, step >> 1),
                _ => 0,
            },
            kind,
        };
        for &step in &path[behind..] {
            let (index, taken) = (step >> 1, step & 1 == 1);
            let (reads, writes) = (code.reads(index), code.writes(index));
            if let Some(early) = segment.early_reads.get_mut(segment.cycles as usize) {
                *early |= reads & !segment.writes;
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
        segment
    }

    /// Returns all segments, by number.
    pub fn finish(self) -> Vec<Segment> {
        self.list
    }
}

/// Returns the register that a load or atomic instruction writes, as a bit; 0 for a store or a lock.
fn load_target(code: &Code, index: u32) -> u32 {
    if matches!(code.class(index), Class::Load | Class::Atomic) { code.writes(index) } else { 0 }
}
