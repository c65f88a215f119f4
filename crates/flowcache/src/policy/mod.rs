//! The policies: one file and one line in the list below for each.
//!
//! A file states what it models and its source, describes ([`Info`]) and builds its cache, and replays a trace worked
//! out by hand. The tests over all policies (an oracle for each, the golden files) find it through the list.

#[cfg(test)]
pub(crate) mod hand;

mod build;
mod duel;
mod foresight;
pub(crate) mod info;
mod make;
mod named;
mod rrip;

pub(crate) use build::Future;
pub use info::{Cost, Info, Parameter};
pub(crate) use make::make;
pub use named::Policy;

use crate::cache::Replay;
use build::Build;

macro_rules! policies {
    ($($kind:ident in $file:ident;)+) => {
        $(mod $file;)+

        /// The policies by kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PolicyKind { $(#[doc = concat!("See `policy/", stringify!($file), ".rs`.")] $kind,)+ }

        impl PolicyKind {
            /// All policies.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// Returns its description.
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
