//! The order of the entries of a set as an array of tags: small sets; the fastest form.
//!
//! Position 0 is the best entry, the last one the next victim. An empty way holds a digest that cannot belong
//! to the set, so that neither a flag nor a length is needed; this requires at least two sets.

use crate::cache::Access;
use crate::order::Order;

/// Sets of `W` ways.
#[derive(Clone, Debug)]
pub(crate) struct Rows<const W: usize> {
    rows: Vec<[u32; W]>,
}

impl<const W: usize> Rows<W> {
    /// Returns `sets` empty sets, at least two.
    pub fn new(sets: u32) -> Self {
        assert!(sets >= 2, "no digest is foreign to a single set");
        Self { rows: (0..sets).map(|set| [vacant(set, sets); W]).collect() }
    }

    #[inline]
    fn vacant(&self, set: u32) -> u32 {
        vacant(set, self.rows.len() as u32)
    }
}

/// A digest of the neighbouring set.
#[inline]
fn vacant(set: u32, sets: u32) -> u32 {
    if set + 1 == sets { 0 } else { set + 1 }
}

impl<const W: usize> Order for Rows<W> {
    type Place = usize;

    #[inline]
    fn find(&self, access: Access) -> Option<usize> {
        self.rows[access.set as usize].iter().position(|&tag| tag == access.digest)
    }

    #[inline]
    fn raise_to_front(&mut self, set: u32, place: usize) {
        self.rows[set as usize][..=place].rotate_right(1);
    }

    #[inline]
    fn raise_by_one(&mut self, set: u32, place: usize) {
        self.rows[set as usize].swap(place.saturating_sub(1), place);
    }

    #[inline]
    fn insert_front(&mut self, access: Access) {
        let row = &mut self.rows[access.set as usize];
        row.copy_within(..W - 1, 1);
        row[0] = access.digest;
    }

    #[inline]
    fn insert_end(&mut self, access: Access) {
        let vacant = self.vacant(access.set);
        let row = &mut self.rows[access.set as usize];
        let end = row.iter().position(|&tag| tag == vacant).unwrap_or(W - 1);
        row[end] = access.digest;
    }

    #[inline]
    fn replace_last(&mut self, access: Access) {
        self.rows[access.set as usize][W - 1] = access.digest;
    }

    #[inline]
    fn last(&self, set: u32) -> Option<u32> {
        let last = self.rows[set as usize][W - 1];
        (last != self.vacant(set)).then_some(last)
    }

    /// One pass without a branch: each digest moves back by one, up to the old position of the accessed one.
    #[inline]
    fn front(&mut self, access: Access) -> bool {
        let mut carried = access.digest;
        let mut hit = false;
        for tag in &mut self.rows[access.set as usize] {
            let here = *tag;
            *tag = if hit { here } else { carried };
            hit |= here == access.digest;
            carried = here;
        }
        hit
    }

    /// Without a branch, except for sets that are not yet full.
    #[inline]
    fn step(&mut self, access: Access) -> bool {
        let vacant = self.vacant(access.set);
        let row = &mut self.rows[access.set as usize];
        if row[W - 1] == vacant {
            return self.step_by_parts(access);
        }
        let old = *row;
        let mut hit = old[0] == access.digest;
        for place in 1..W {
            let here = old[place] == access.digest;
            row[place] = if here { old[place - 1] } else { old[place] };
            row[place - 1] = if here { access.digest } else { row[place - 1] };
            hit |= here;
        }
        row[W - 1] = if hit { row[W - 1] } else { access.digest };
        hit
    }

    #[cfg(test)]
    fn row(&self, set: u32) -> Vec<Option<u32>> {
        let vacant = self.vacant(set);
        self.rows[set as usize].iter().map(|&tag| (tag != vacant).then_some(tag)).collect()
    }
}
