//! The policies: one file each, one line each in the list below.
//!
//! A file says what it models and where that comes from ([`Info`]), builds its cache, and replays a trace worked
//! by hand. The tests over all policies (an oracle for each, the golden files) find it through the list.

#[cfg(test)]
pub(crate) mod hand;

mod duel;
mod foresight;
pub(crate) mod info;
mod named;
mod rrip;

pub use info::{Cost, Info, Parameter};
pub use named::Policy;

use crate::FlowCacheError;
use crate::admission::{Admission, Filtered};
use crate::cache::{Cache, Indexed, Replay};
use crate::chain::Chain;
use crate::geometry::Geometry;
use crate::order::{Ordered, Rule};
use crate::rows::Rows;

macro_rules! policies {
    ($($kind:ident in $file:ident;)+) => {
        $(mod $file;)+

        /// The policies by kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PolicyKind { $(#[doc = concat!("See `policy/", stringify!($file), ".rs`.")] $kind,)+ }

        impl PolicyKind {
            /// Every policy.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// What there is to know about it.
            #[must_use]
            pub const fn info(self) -> &'static Info {
                match self { $(Self::$kind => &$file::INFO,)+ }
            }

            fn build(self, build: &Build) -> Box<dyn Replay> {
                match self { $(Self::$kind => $file::build(build),)+ }
            }
        }
    };
}

policies! {
    Lru in lru;
    Fifo in fifo;
    Sp in sp;
    Lip in lip;
    Bip in bip;
    Dip in dip;
    Prob in prob;
    Random in random;
    Lfu in lfu;
    Clock in clock;
    Srrip in srrip;
    Brrip in brrip;
    Drrip in drrip;
    Ship in ship;
    Slru in slru;
    TwoQ in two_q;
    Arc in arc;
    Lirs in lirs;
    Sieve in sieve;
    S3Fifo in s3_fifo;
    WTinyLfu in w_tiny_lfu;
    Zsp in zsp;
    Pred in pred;
    Opt in opt;
    OptBypass in opt_bypass;
}

/// What a policy's cache is built from.
pub(crate) struct Build {
    pub geometry: Geometry,
    /// The number in the name.
    pub parameter: u32,
    pub admission: Option<Admission>,
    pub seed: u64,
    /// What oracles see.
    pub future: Option<Future>,
}

/// The packets to come, as oracles see them.
#[derive(Clone)]
pub(crate) struct Future {
    /// For each packet the next one with its digest.
    pub next: std::sync::Arc<[u32]>,
    /// How far `PRED` looks.
    pub window: u32,
}

impl Build {
    /// What is to come; only oracles ask.
    fn future(&self) -> Future {
        self.future.clone().expect("checked before any policy is built")
    }

    /// A cache of any form, behind its filter.
    fn boxed<C: Cache + 'static>(&self, cache: C) -> Box<dyn Replay> {
        let index = self.geometry.index();
        match self.admission {
            None => Box::new(Indexed { cache, index }),
            Some(filter) => {
                let gate = filter.gate(self.geometry, self.seed);
                Box::new(Indexed { cache: Filtered { cache, gate }, index })
            }
        }
    }

    /// A cache that keeps its entries in order, in the form that is fastest for its shape.
    fn ordered<R: Rule + 'static>(&self, rule: R) -> Box<dyn Replay> {
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

/// A cache of `policy`, or why there is none.
pub(crate) fn build(
    policy: Policy,
    geometry: Geometry,
    seed: u64,
    future: Option<Future>,
) -> Result<Box<dyn Replay>, FlowCacheError> {
    let unfit = |reason| Err(FlowCacheError::Unfit { policy: policy.to_string(), reason });
    let (sets, least_sets) = (geometry.sets(), policy.kind.info().least_sets);
    if sets < least_sets {
        return unfit(format!(
            "found {sets} set, expected at least {least_sets}: sets compete; use fewer ways"
        ));
    }
    if policy.is_oracle() && future.is_none() {
        return unfit(
            "it looks into the future; run it over a whole trace, or choose another policy".to_owned(),
        );
    }
    let Policy { kind, parameter, admission } = policy;
    Ok(kind.build(&Build { geometry, parameter, admission, seed, future }))
}

/// Bits that number `choices` things.
fn log2_ceil(choices: u32) -> u64 {
    u64::from(choices.next_power_of_two().ilog2())
}

/// A rank in its set for each entry: what an order of the entries costs.
fn ordered_bits(geometry: Geometry) -> u64 {
    u64::from(geometry.entries()) * log2_ceil(geometry.ways())
}

/// Remembered digests: `share` of `of` as many as there are entries, each as wide as a digest.
fn ghost_bits(geometry: Geometry, share: u64, of: u64) -> u64 {
    u64::from(geometry.entries()) * 32 * share / of
}
