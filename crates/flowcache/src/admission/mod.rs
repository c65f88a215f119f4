//! Admission filters: a filter in front of a policy decides whether a missing digest is inserted at all.
//!
//! Each has a file and a line in the list below. The name of a filter precedes that of the policy: `SECOND+SP`.

mod chance;
mod info;
mod second;
pub(crate) mod sketch;
mod tiny_lfu;

pub use info::AdmissionInfo;

use crate::cache::{Access, Cache, NextVictim};
use crate::geometry::Geometry;
use info::Admit;

macro_rules! admissions {
    ($($kind:ident in $file:ident;)+) => {
        /// The admission filters by kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AdmissionKind { $(#[doc = concat!("See `admission/", stringify!($file), ".rs`.")] $kind,)+ }

        impl AdmissionKind {
            /// All filters.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// Returns its description.
            #[must_use]
            pub const fn info(self) -> &'static AdmissionInfo {
                match self { $(Self::$kind => &$file::INFO,)+ }
            }
        }

        /// A filter with its state. It is an enum, because every miss calls it.
        pub(crate) enum Gate { $($kind($file::$kind),)+ }

        impl Gate {
            fn new(kind: AdmissionKind, parameter: u32, geometry: Geometry, seed: u64) -> Self {
                match kind { $(AdmissionKind::$kind => Self::$kind($file::$kind::new(parameter, geometry, seed)),)+ }
            }

            #[inline]
            fn see(&mut self, digest: u32) {
                match self { $(Self::$kind(gate) => gate.see(digest),)+ }
            }

            #[inline]
            fn admits(&mut self, digest: u32, victim: NextVictim) -> bool {
                match self { $(Self::$kind(gate) => gate.admits(digest, victim),)+ }
            }
        }
    };
}

admissions! {
    Chance in chance;
    Second in second;
    TinyLfu in tiny_lfu;
}

/// A filter with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Admission {
    pub(crate) kind: AdmissionKind,
    pub(crate) parameter: u32,
}

impl Admission {
    pub(crate) fn gate(self, geometry: Geometry, seed: u64) -> Gate {
        Gate::new(self.kind, self.parameter, geometry, seed)
    }
}

/// A cache behind a filter.
pub(crate) struct Filtered<C> {
    pub cache: C,
    pub gate: Gate,
}

impl<C: Cache> Cache for Filtered<C> {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        self.gate.see(access.digest);
        self.cache.lookup(access)
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        if self.gate.admits(access.digest, self.cache.next_victim(access.set)) {
            self.cache.insert(access);
        }
    }
}
