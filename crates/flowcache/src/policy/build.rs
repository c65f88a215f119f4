//! The parameters of policies, and the cost of their state.

use crate::admission::{Admission, Filtered};
use crate::cache::{Cache, Indexed, Replay};
use crate::chain::Chain;
use crate::geometry::Geometry;
use crate::order::{Ordered, Rule};
use crate::rows::Rows;

/// The parameters of a policy's cache.
pub(crate) struct Build {
    pub geometry: Geometry,
    /// The number in the name.
    pub parameter: u32,
    pub admission: Option<Admission>,
    pub seed: u64,
    /// The future of the trace, for oracles.
    pub future: Option<Future>,
}

/// The future packets, for oracles.
#[derive(Clone)]
pub(crate) struct Future {
    /// For each packet the next one with its digest.
    pub next: std::sync::Arc<[u32]>,
    /// The window of `PRED`.
    pub window: u32,
}

impl Build {
    /// Returns the future; only oracles may call it.
    pub(super) fn future(&self) -> Future {
        self.future.clone().expect("checked before any policy is built")
    }

    /// A cache of any form, behind its filter.
    pub(super) fn boxed<C: Cache + 'static>(&self, cache: C) -> Box<dyn Replay> {
        let index = self.geometry.index();
        match self.admission {
            None => Box::new(Indexed { cache, index }),
            Some(filter) => {
                let gate = filter.gate(self.geometry, self.seed);
                Box::new(Indexed { cache: Filtered { cache, gate }, index })
            }
        }
    }

    /// Returns a cache that keeps its entries in order, in the fastest form for its shape.
    pub(super) fn ordered<R: Rule + 'static>(&self, rule: R) -> Box<dyn Replay> {
        let sets = self.geometry.sets();
        match self.geometry.ways() {
            2 if sets > 1 => self.boxed(Ordered { order: Rows::<2>::new(sets), rule }),
            4 if sets > 1 => self.boxed(Ordered { order: Rows::<4>::new(sets), rule }),
            8 if sets > 1 => self.boxed(Ordered { order: Rows::<8>::new(sets), rule }),
            16 if sets > 1 => self.boxed(Ordered { order: Rows::<16>::new(sets), rule }),
            _ => self.boxed(Ordered { order: Chain::new(self.geometry, R::BLANKS), rule }),
        }
    }
}

/// A cache of a policy that moves digests between lists, in the fastest form for the number of digests per set.
macro_rules! with_lists {
    ($build:expr, $policy:ident, $digests:expr) => {
        match $digests {
            ..=8 => $build.boxed($policy::<$crate::packed_lists::PackedLists<8>>::new($build.geometry)),
            ..=16 => $build.boxed($policy::<$crate::packed_lists::PackedLists<16>>::new($build.geometry)),
            _ => $build.boxed($policy::<$crate::pooled_lists::PooledLists>::new($build.geometry)),
        }
    };
}
pub(super) use with_lists;

/// Returns the bits that distinguish `choices` values.
pub(super) fn log2_ceil(choices: u32) -> u64 {
    u64::from(choices.next_power_of_two().ilog2())
}

/// Returns the bits of a rank in its set for each entry: the cost of an order.
pub(super) fn ordered_bits(geometry: Geometry) -> u64 {
    u64::from(geometry.entries()) * log2_ceil(geometry.ways())
}

/// Returns the bits of recorded digests: `share` of `of` times the number of entries, each as wide as a digest.
pub(super) fn ghost_bits(geometry: Geometry, share: u64, of: u64) -> u64 {
    u64::from(geometry.entries()) * 32 * share / of
}
