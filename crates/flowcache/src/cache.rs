//! The interface of a replacement policy, and the loop over a trace.

use crate::geometry::Index;

/// One access to the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Position of the packet in the trace, for oracles.
    pub at: u32,
    /// The set the digest belongs to.
    pub set: u32,
    /// The digest; all of its bits are the tag.
    pub digest: u32,
}

/// A cache under one replacement policy.
pub(crate) trait Cache: Send {
    /// Returns whether the digest is in the cache. A hit updates the policy's state.
    fn lookup(&mut self, access: Access) -> bool;

    /// Inserts a digest that [`Cache::lookup`] has just missed, and evicts another if the set is full.
    fn insert(&mut self, access: Access);

    /// Both in one call. Policies override it if one pass over the set is cheaper than two.
    #[inline(always)]
    fn access(&mut self, access: Access) -> bool {
        let hit = self.lookup(access);
        if !hit {
            self.insert(access);
        }
        hit
    }

    /// Returns the next victim of a set, if it is known without a state change or a random draw.
    fn next_victim(&self, _set: u32) -> NextVictim {
        NextVictim::Unknown
    }
}

/// A policy with one search for hit and miss: the search also finds its records of evicted digests.
pub(crate) trait SearchesOnce: Send {
    /// The result of the search.
    type Found: Copy;

    /// Looks for the digest.
    fn find(&self, access: Access) -> Self::Found;

    /// Returns whether the digest found is in the cache, and not only recorded. A hit updates the policy's
    /// state.
    fn hit(&mut self, access: Access, found: Self::Found) -> bool;

    /// Inserts the digest after a miss.
    fn miss(&mut self, access: Access, found: Self::Found);
}

impl<P: SearchesOnce> Cache for P {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        self.hit(access, self.find(access))
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        self.miss(access, self.find(access));
    }

    #[inline(always)]
    fn access(&mut self, access: Access) -> bool {
        let found = self.find(access);
        let hit = self.hit(access, found);
        if !hit {
            self.miss(access, found);
        }
        hit
    }
}

/// The victim of a set if a digest were inserted now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextVictim {
    /// None: there is an empty way.
    Vacant,
    /// This digest.
    Known(u32),
    /// The policy decides when it evicts.
    Unknown,
}

/// A cache of any policy, called once per block of packets: the loop inside is compiled for the policy.
pub(crate) trait Replay: Send {
    /// Runs `digests`, the first of which is at position `first`, and stores whether each hit.
    fn replay(&mut self, first: u32, digests: &[u32], hits: &mut [bool]);
}

/// A cache with the map from digest to set.
pub(crate) struct Indexed<C> {
    pub cache: C,
    pub index: Index,
}

impl<C: Cache> Replay for Indexed<C> {
    fn replay(&mut self, first: u32, digests: &[u32], hits: &mut [bool]) {
        // The choice is outside of the loop; inside, it would be repeated for each packet.
        match self.index {
            Index::Mask(mask) => run(&mut self.cache, first, digests, hits, |digest| digest & mask),
            Index::Remainder(sets) => run(&mut self.cache, first, digests, hits, |digest| digest % sets),
        }
    }
}

#[inline]
fn run<C: Cache>(cache: &mut C, first: u32, digests: &[u32], hits: &mut [bool], set_of: impl Fn(u32) -> u32) {
    for ((at, &digest), hit) in (first..).zip(digests).zip(hits) {
        *hit = cache.access(Access { at, set: set_of(digest), digest });
    }
}
