//! The shape of a cache: entries, ways, sets, and the set of a digest.

use crate::FlowCacheError;
use linecard_words::Mismatch;

/// Most entries of one cache; enough for 16 MiB of tags.
pub const MOST_ENTRIES: u32 = 1 << 24;

/// Entries of a cache, in sets of equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    entries: u32,
    ways: u32,
}

impl Geometry {
    /// Returns a cache of `entries` entries in sets of `ways`.
    ///
    /// The number of sets is arbitrary. The set of a digest is its remainder by the number of sets: for a power
    /// of two these are the low bits, as in the thesis (section 5.2.1).
    ///
    /// # Errors
    ///
    /// If either number is 0 or too large, or the entries do not fill whole sets.
    pub fn new(entries: u32, ways: u32) -> Result<Self, FlowCacheError> {
        in_range("entries", entries, MOST_ENTRIES)?;
        in_range("ways", ways, MOST_ENTRIES)?;
        if !entries.is_multiple_of(ways) {
            let below = (entries / ways).max(1) * ways;
            let above = u64::from(entries / ways + 1) * u64::from(ways);
            return Err(FlowCacheError::NotWholeSets { entries, ways, below, above });
        }
        Ok(Self { entries, ways })
    }

    /// Returns the entries.
    #[must_use]
    pub const fn entries(self) -> u32 {
        self.entries
    }

    /// Returns the entries in a set.
    #[must_use]
    pub const fn ways(self) -> u32 {
        self.ways
    }

    /// Returns the sets.
    #[must_use]
    pub const fn sets(self) -> u32 {
        self.entries / self.ways
    }

    /// Returns the map from digests to sets.
    pub(crate) const fn index(self) -> Index {
        if self.sets().is_power_of_two() {
            Index::Mask(self.sets() - 1)
        } else {
            Index::Remainder(self.sets())
        }
    }
}

fn in_range(what: &'static str, found: u32, most: u32) -> Result<(), FlowCacheError> {
    if (1..=most).contains(&found) {
        return Ok(());
    }
    Err(Mismatch::new(what, found, format!("1 to {most}")).into())
}

/// The map from digest to set; two cases because a division costs more than a whole access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    Mask(u32),
    Remainder(u32),
}

impl Index {
    #[inline]
    pub fn set_of(self, digest: u32) -> u32 {
        match self {
            Self::Mask(mask) => digest & mask,
            Self::Remainder(sets) => digest % sets,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_is_the_remainder_whatever_the_number_of_sets() {
        for sets in [1, 2, 3, 4, 7, 128, 129] {
            let index = Geometry::new(4 * sets, 4).unwrap().index();
            for digest in [0, 1, 127, 128, 0xdead_beef, u32::MAX] {
                assert_eq!(index.set_of(digest), digest % sets);
            }
        }
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused_with_what_would() {
        let fewer_than_ways = Geometry::new(3, 5).unwrap_err().to_string();
        assert!(fewer_than_ways.contains("use 5 entries, or"), "{fewer_than_ways}");
        let error = Geometry::new(1022, 4).unwrap_err().to_string();
        assert!(error.contains("use 1020 or 1024 entries"), "{error}");
        let error = Geometry::new(0, 4).unwrap_err().to_string();
        assert!(error.contains("entries: found 0, expected 1 to"), "{error}");
        assert!(Geometry::new(4, 0).is_err());
        assert!(Geometry::new(2, 4).is_err());
    }
}
