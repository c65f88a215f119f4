//! Re-reference interval prediction: the common part of SRRIP, BRRIP, DRRIP and SHIP.
//! Source: Jaleel et al., ISCA 2010.
//!
//! Each entry has a predicted interval of a few bits; 0 means "needed soon", the largest "not for long". A hit
//! sets 0 (hit priority). The victim is the lowest-numbered way with the largest value; if there is none, all
//! values of the set increase until there is.

use super::info::{Cost, Info, Parameter};
use crate::cache::{Access, NextVictim};
use crate::geometry::Geometry;
use crate::ways::Ways;

/// The number in the name of a policy of this family.
pub(super) const BITS: Parameter =
    Parameter { meaning: "number of bits of a re-reference interval", default: 2, least: 1, most: 7 };

/// The intervals are the whole state.
pub(super) const COST: Cost = Cost::Bits(|geometry, bits| u64::from(geometry.entries()) * u64::from(bits));

/// The description of SRRIP and BRRIP, except its name.
pub(super) const fn info(name: &'static str) -> Info {
    Info { name, aliases: &[], parameter: Some(BITS), cost: COST, least_sets: 1 }
}

/// Entries with their predicted intervals.
pub(super) struct Rrip {
    pub ways: Ways,
    intervals: Vec<u8>,
    distant: u8,
}

impl Rrip {
    /// Returns sets with intervals of `bits` bits.
    pub fn new(geometry: Geometry, bits: u32) -> Self {
        let distant = (1 << bits) - 1;
        Self { ways: Ways::new(geometry), intervals: vec![0; geometry.entries() as usize], distant }
    }

    /// Returns the way of a digest, and sets its interval to 0.
    #[inline]
    pub fn hit(&mut self, access: Access) -> Option<usize> {
        let found = self.ways.find(access);
        if let Some(way) = found {
            self.intervals[way] = 0;
        }
        found
    }

    /// Returns the way for a new digest: an empty one, otherwise the victim's.
    #[inline]
    pub fn way_for(&mut self, set: u32) -> usize {
        self.ways.vacancy(set).unwrap_or_else(|| self.victim(set))
    }

    #[inline]
    fn victim(&mut self, set: u32) -> usize {
        let filled = self.ways.filled(set);
        let intervals = &mut self.intervals[filled.clone()];
        // The common widths without a branch for each way.
        let way = match filled.len() {
            4 => raise_row::<4>(intervals, self.distant),
            8 => raise_row::<8>(intervals, self.distant),
            16 => raise_row::<16>(intervals, self.distant),
            _ => raise(intervals, self.distant),
        };
        filled.start + way
    }

    /// Writes a digest to a way, expected late, or last of all if `distant`.
    #[inline]
    pub fn put(&mut self, way: usize, access: Access, distant: bool) {
        self.ways.put(way, access);
        self.intervals[way] = self.distant - u8::from(!distant);
    }

    /// Returns the next victim; raising intervals does not change it.
    pub fn next_victim(&self, set: u32) -> NextVictim {
        let first_largest = self.ways.filled(set).rev().max_by_key(|&way| self.intervals[way]);
        match first_largest {
            Some(way) if self.ways.vacancy(set).is_none() => NextVictim::Known(self.ways.digest(way)),
            _ => NextVictim::Vacant,
        }
    }

    /// The entries and intervals of set 0.
    #[cfg(test)]
    pub fn show(&self) -> String {
        let entry = |way| {
            let name = crate::policy::hand::letters([Some(self.ways.digest(way))]);
            format!("{name}{}", self.intervals[way])
        };
        self.ways.filled(0).map(entry).collect()
    }
}

/// Raises the intervals of a full set until one is `distant`. Returns the first that is.
#[inline]
fn raise(intervals: &mut [u8], distant: u8) -> usize {
    let largest = intervals.iter().fold(0, |largest, &interval| largest.max(interval));
    let rise = distant - largest;
    intervals.iter_mut().for_each(|interval| *interval += rise);
    let way = intervals.iter().position(|&interval| interval == distant);
    way.expect("the largest has just risen to it")
}

/// As [`raise`], of `W` ways and without a branch.
#[inline]
fn raise_row<const W: usize>(intervals: &mut [u8], distant: u8) -> usize {
    let row: &mut [u8; W] = intervals.try_into().expect("a set of so many ways");
    let largest = row.iter().fold(0, |largest, &interval| largest.max(interval));
    let equal = |(way, &interval): (usize, &u8)| if interval == largest { 1 << way } else { 0 };
    let equal = row.iter().enumerate().map(equal).sum::<u32>();
    row.iter_mut().for_each(|interval| *interval += distant - largest);
    equal.trailing_zeros() as usize
}
