//! Admission filters: what stands in front of a policy and decides whether a missing digest comes in at all.
//!
//! One file each, one line each in the list below. A filter is named in front of the policy: `SECOND+SP`.

mod chance;
mod second;
pub(crate) mod sketch;
mod tiny_lfu;

use crate::cache::{Access, Cache, NextVictim};
use crate::geometry::Geometry;
use crate::policy::info::Parameter;

macro_rules! admissions {
    ($($kind:ident in $file:ident;)+) => {
        /// The admission filters by kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AdmissionKind { $(#[doc = concat!("See `admission/", stringify!($file), ".rs`.")] $kind,)+ }

        impl AdmissionKind {
            /// Every filter.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// What there is to know about it.
            #[must_use]
            pub const fn info(self) -> &'static AdmissionInfo {
                match self { $(Self::$kind => &$file::INFO,)+ }
            }
        }

        /// A filter at work. An enum: it is asked at every miss.
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

/// What there is to know about a filter.
#[derive(Debug)]
pub struct AdmissionInfo {
    /// Its name, without its number.
    pub name: &'static str,
    /// The number that follows its name.
    pub parameter: Parameter,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Bits of its state, of a shape and the number in the name.
    pub cost_bits: fn(Geometry, u32) -> u64,
}

/// What each filter does.
trait Admit {
    /// Made from the number in its name.
    fn new(parameter: u32, geometry: Geometry, seed: u64) -> Self;
    /// Sees every packet, hit or miss.
    fn see(&mut self, digest: u32);
    /// Whether a digest that missed comes in.
    fn admits(&mut self, digest: u32, victim: NextVictim) -> bool;
}

/// A filter with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Admission {
    pub(crate) kind: AdmissionKind,
    pub(crate) parameter: u32,
}

impl Admission {
    /// Which filter.
    #[must_use]
    pub const fn kind(self) -> AdmissionKind {
        self.kind
    }

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
