//! Numbered ways that keep their entry in place, for policies with a value per way rather than an order.

use crate::cache::Access;
use crate::geometry::Geometry;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Sets wider than this are searched by an index.
const MOST_SEARCHED: u32 = 32;

/// The tags of all ways; ways of a set are filled lowest number first.
#[derive(Clone, Debug)]
pub(crate) struct Ways {
    tags: Vec<u32>,
    filled: Vec<u32>,
    ways: u32,
    index: Option<FxHashMap<u32, u32>>,
}

impl Ways {
    /// Returns empty sets.
    pub fn new(geometry: Geometry) -> Self {
        let wide = geometry.ways() > MOST_SEARCHED;
        Self {
            tags: vec![0; geometry.entries() as usize],
            filled: vec![0; geometry.sets() as usize],
            ways: geometry.ways(),
            index: wide.then(|| {
                FxHashMap::with_capacity_and_hasher(geometry.entries() as usize, Default::default())
            }),
        }
    }

    /// Returns the way that holds the digest, counted over all sets.
    #[inline]
    pub fn find(&self, access: Access) -> Option<usize> {
        if let Some(index) = &self.index {
            return index.get(&access.digest).map(|&way| way as usize);
        }
        // The common widths without a branch for each way.
        match self.ways {
            4 => self.find_among::<4>(access),
            8 => self.find_among::<8>(access),
            16 => self.find_among::<16>(access),
            _ => {
                let filled = self.filled(access.set);
                let first = filled.start;
                self.tags[filled].iter().position(|&tag| tag == access.digest).map(|way| first + way)
            }
        }
    }

    /// Returns the way that holds the digest, in sets of `W` ways.
    #[inline]
    fn find_among<const W: usize>(&self, access: Access) -> Option<usize> {
        let row = &self.tags.as_chunks::<W>().0[access.set as usize];
        let equal = |(way, &tag): (usize, &u32)| if tag == access.digest { 1 << way } else { 0 };
        let equal = row.iter().enumerate().map(equal).sum::<u32>();
        let found = equal & ((1 << self.filled[access.set as usize]) - 1);
        (found != 0).then(|| access.set as usize * W + found.trailing_zeros() as usize)
    }

    /// Returns the ways of a set that hold an entry.
    #[inline]
    pub fn filled(&self, set: u32) -> Range<usize> {
        let first = (set * self.ways) as usize;
        first..first + self.filled[set as usize] as usize
    }

    /// Returns the next empty way of a set.
    #[inline]
    pub fn vacancy(&self, set: u32) -> Option<usize> {
        let filled = self.filled(set);
        (filled.len() < self.ways as usize).then_some(filled.end)
    }

    /// Writes a digest to the next empty way or, replacing its digest, to another.
    #[inline]
    pub fn put(&mut self, way: usize, access: Access) {
        let new = way == self.filled(access.set).end;
        if let Some(index) = &mut self.index {
            if !new {
                index.remove(&self.tags[way]);
            }
            index.insert(access.digest, way as u32);
        }
        self.filled[access.set as usize] += u32::from(new);
        self.tags[way] = access.digest;
    }

    /// Returns the digest in a way.
    #[inline]
    pub fn digest(&self, way: usize) -> u32 {
        self.tags[way]
    }
}
