//! Counters: how often each instruction was executed, and what each region was asked for.

use crate::code::Code;
use crate::hook::{Access, AccessKind, Hook};
use crate::memory::RegionId;
use std::collections::BTreeMap;

/// How often each instruction was executed, from where runs of code begin and end.
#[derive(Clone, Debug)]
pub struct Counters {
    // Runs that begin and that end at each operation: what began and has not ended passes it.
    begins: Vec<u64>,
    ends: Vec<u64>,
}

impl Counters {
    /// Counters for a code.
    #[must_use]
    pub fn new(code: &Code) -> Self {
        Self { begins: vec![0; code.ops().len()], ends: vec![0; code.ops().len()] }
    }

    /// How often each operation was executed.
    #[must_use]
    pub fn executed(&self) -> Vec<u64> {
        let mut running = 0;
        let counts = self.begins.iter().zip(&self.ends).map(|(begins, ends)| {
            running += begins;
            let here = running;
            running -= ends;
            here
        });
        counts.collect()
    }
}

impl Hook for Counters {
    #[inline(always)]
    fn run(&mut self, first: u32, last: u32) {
        if let Some(begins) = self.begins.get_mut(first as usize) {
            *begins += 1;
        }
        if let Some(ends) = self.ends.get_mut(last as usize) {
            *ends += 1;
        }
    }
}

/// Accesses of one kind to one region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many.
    pub accesses: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Counters of instructions, of accesses by region, and of helpers.
#[derive(Clone, Debug)]
pub struct Profile {
    counters: Counters,
    regions: Vec<[Count; 3]>,
    helpers: BTreeMap<u32, u64>,
}

impl Profile {
    /// A profile of a code.
    #[must_use]
    pub fn new(code: &Code) -> Self {
        Self { counters: Counters::new(code), regions: Vec::new(), helpers: BTreeMap::new() }
    }

    /// How often each operation was executed.
    #[must_use]
    pub fn executed(&self) -> Vec<u64> {
        self.counters.executed()
    }

    /// Accesses of a kind to a region.
    #[must_use]
    pub fn accesses(&self, region: RegionId, kind: AccessKind) -> Count {
        self.regions.get(usize::from(region.0)).map_or_else(Count::default, |counts| counts[kind as usize])
    }

    /// Helpers by number, and how often each was called.
    #[must_use]
    pub fn helpers(&self) -> &BTreeMap<u32, u64> {
        &self.helpers
    }
}

impl Hook for Profile {
    const ACCESSES: bool = true;

    #[inline(always)]
    fn run(&mut self, first: u32, last: u32) {
        self.counters.run(first, last);
    }

    #[inline(always)]
    fn access(&mut self, _executed: u64, access: Access) {
        let region = usize::from(access.region.0);
        if self.regions.len() <= region {
            self.regions.resize(region + 1, [Count::default(); 3]);
        }
        let count = &mut self.regions[region][access.kind as usize];
        count.accesses += 1;
        count.bytes += u64::from(access.bytes);
    }

    fn helper(&mut self, _executed: u64, helper: u32) {
        *self.helpers.entry(helper).or_insert(0) += 1;
    }
}
