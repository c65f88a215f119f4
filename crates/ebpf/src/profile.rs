//! Counters: executions of each instruction, and accesses of each region.

use crate::code::{Code, Kind};
use crate::hook::{Access, AccessKind, At, Hook};
use crate::memory::RegionId;
use std::collections::BTreeMap;

/// Executions of each instruction, derived from where control enters and leaves.
///
/// A taken jump is counted at one point; its target is known from the code.
#[derive(Clone, Debug)]
pub struct Counters {
    begins: Vec<u64>,
    leaves: Vec<u64>,
}

impl Counters {
    /// Returns counters for a code.
    #[must_use]
    pub fn new(code: &Code) -> Self {
        Self { begins: vec![0; code.ops().len()], leaves: vec![0; code.ops().len()] }
    }

    /// Returns the executions of each operation; the counts of a packet that ended in a fault are incomplete.
    #[must_use]
    pub fn executed(&self, code: &Code) -> Vec<u64> {
        let mut begins = self.begins.clone();
        for (index, leaves) in (0..).zip(&self.leaves) {
            let op = code.original(index);
            if (op.jumps() || matches!(op.kind, Kind::Ja | Kind::Call))
                && let Some(target) = begins.get_mut(op.to as usize)
            {
                *target += leaves;
            }
        }
        // Executions that began and have not left continue with the next operation.
        let mut running: u64 = 0;
        let counts = begins.iter().zip(&self.leaves).map(|(begins, leaves)| {
            running += begins;
            let here = running;
            running = running.saturating_sub(*leaves);
            here
        });
        counts.collect()
    }
}

impl Hook for Counters {
    #[inline(always)]
    fn begins(&mut self, index: u32) {
        if let Some(begins) = self.begins.get_mut(index as usize) {
            *begins += 1;
        }
    }

    #[inline(always)]
    fn leaves(&mut self, index: u32) {
        if let Some(leaves) = self.leaves.get_mut(index as usize) {
            *leaves += 1;
        }
    }
}

/// Accesses of one kind to one region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Count.
    pub accesses: u64,
    /// Bytes.
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
    /// Returns a profile of a code.
    #[must_use]
    pub fn new(code: &Code) -> Self {
        Self { counters: Counters::new(code), regions: Vec::new(), helpers: BTreeMap::new() }
    }

    /// Returns the executions of each operation.
    #[must_use]
    pub fn executed(&self, code: &Code) -> Vec<u64> {
        self.counters.executed(code)
    }

    /// Returns the accesses of a kind to a region.
    #[must_use]
    pub fn accesses(&self, region: RegionId, kind: AccessKind) -> Count {
        self.regions.get(usize::from(region.0)).map_or_else(Count::default, |counts| counts[kind as usize])
    }

    /// Returns the helpers by number, with the calls of each.
    #[must_use]
    pub fn helpers(&self) -> &BTreeMap<u32, u64> {
        &self.helpers
    }
}

impl Hook for Profile {
    const ACCESSES: bool = true;

    #[inline(always)]
    fn begins(&mut self, index: u32) {
        self.counters.begins(index);
    }

    #[inline(always)]
    fn leaves(&mut self, index: u32) {
        self.counters.leaves(index);
    }

    #[inline(always)]
    fn access(&mut self, _at: At, access: Access) {
        let region = usize::from(access.region.0);
        if self.regions.len() <= region {
            self.regions.resize(region + 1, [Count::default(); 3]);
        }
        let count = &mut self.regions[region][access.kind as usize];
        count.accesses += 1;
        count.bytes += u64::from(access.bytes);
    }

    fn helper(&mut self, _at: At, helper: u32) {
        *self.helpers.entry(helper).or_insert(0) += 1;
    }
}
