//! What every replacement policy offers, and how a trace runs through it.

use crate::geometry::Index;

/// One packet's look into the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Position of the packet in the trace; oracles look ahead from here.
    pub at: u32,
    /// The set the digest belongs to.
    pub set: u32,
    /// The digest; its whole width is the tag.
    pub digest: u32,
}

/// A cache under one replacement policy.
pub(crate) trait Cache: Send {
    /// Whether the digest is there. A hit updates the policy's state.
    fn lookup(&mut self, access: Access) -> bool;

    /// Brings in a digest that [`Cache::lookup`] has just missed, and evicts another if the set is full.
    fn insert(&mut self, access: Access);

    /// Both together. Policies override it where one pass over the set is cheaper than two.
    #[inline(always)]
    fn access(&mut self, access: Access) -> bool {
        let hit = self.lookup(access);
        if !hit {
            self.insert(access);
        }
        hit
    }

    /// What would leave a set next, where that is known without moving or drawing anything.
    fn next_victim(&self, _set: u32) -> NextVictim {
        NextVictim::Unknown
    }
}

/// A policy that looks for a digest once, for hit and miss alike: what it remembers of evicted digests is found with it.
pub(crate) trait SearchesOnce: Send {
    /// What the search finds.
    type Found: Copy;

    /// Looks for the digest.
    fn find(&self, access: Access) -> Self::Found;

    /// Whether what was found is in the cache, and not only remembered. A hit updates the policy's state.
    fn hit(&mut self, access: Access, found: Self::Found) -> bool;

    /// Brings the digest in after a miss.
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

/// What would leave a set if a digest came in now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextVictim {
    /// Nothing: there is an empty way.
    Vacant,
    /// This digest.
    Known(u32),
    /// The policy finds out when it evicts.
    Unknown,
}

/// A cache of any policy, called once per block of packets: the loop inside knows the policy.
pub(crate) trait Replay: Send {
    /// Runs `digests`, the first of which stands at position `first`, and notes for each whether it hit.
    fn replay(&mut self, first: u32, digests: &[u32], hits: &mut [bool]);
}

/// A cache and the way from digest to set.
pub(crate) struct Indexed<C> {
    pub cache: C,
    pub index: Index,
}

impl<C: Cache> Replay for Indexed<C> {
    fn replay(&mut self, first: u32, digests: &[u32], hits: &mut [bool]) {
        // The choice stands outside of the loop: inside, it would be made for each packet.
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
