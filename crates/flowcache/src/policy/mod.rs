//! The policies: one file each, one line each in the list below.
//!
//! A file says what it models and where that comes from ([`Info`]), builds its cache, and replays a trace worked
//! by hand. The tests over all policies (an oracle for each, the golden files) find it through the list.

#[cfg(test)]
pub(crate) mod hand;

mod duel;
mod foresight;
mod rrip;
mod sketch;

use crate::FlowCacheError;
use crate::cache::{Cache, Indexed, Replay};
use crate::chain::Chain;
use crate::geometry::Geometry;
use crate::names;
use crate::order::{Ordered, Rule};
use crate::rows::Rows;
use std::fmt;

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
    Pred in pred;
    Opt in opt;
    OptBypass in opt_bypass;
}

/// What there is to know about a policy.
#[derive(Debug)]
pub struct Info {
    /// Its name, without its number.
    pub name: &'static str,
    /// Other names, in capitals without hyphens.
    pub aliases: &'static [&'static str],
    /// The number that may follow its name.
    pub parameter: Option<Parameter>,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it costs in hardware.
    pub cost: Cost,
    /// Fewest sets it works with.
    pub least_sets: u32,
}

/// The number in a policy's name, such as the 32 of `BIP32`.
#[derive(Debug)]
pub struct Parameter {
    /// What it says.
    pub meaning: &'static str,
    /// Its value where the name has none.
    pub default: u32,
    /// The smallest value.
    pub least: u32,
    /// The largest value.
    pub most: u32,
}

/// What a policy costs in hardware.
#[derive(Debug)]
pub enum Cost {
    /// Bits of state beside tags and results, of a shape and the number in the name.
    Bits(fn(Geometry, u32) -> u64),
    /// It looks into the future.
    Oracle,
}

/// A policy with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    kind: PolicyKind,
    parameter: u32,
}

impl Policy {
    /// A policy with the number it has by default.
    #[must_use]
    pub fn new(kind: PolicyKind) -> Self {
        Self { kind, parameter: kind.info().parameter.as_ref().map_or(0, |parameter| parameter.default) }
    }

    /// A policy by name: `lru`, `BIP32`, `opt_bypass`. Case, hyphens and underscores do not matter.
    ///
    /// # Errors
    /// When no policy has that name, or its number is out of range.
    pub fn parse(name: &str) -> Result<Self, FlowCacheError> {
        let plain = plain(name);
        if let Some(kind) = by_name(&plain) {
            return Ok(Self::new(kind));
        }
        let stem = plain.trim_end_matches(|c: char| c.is_ascii_digit());
        match by_name(stem) {
            Some(kind) => Self::with_number(kind, name, &plain[stem.len()..]),
            None => Err(unknown(name)),
        }
    }

    fn with_number(kind: PolicyKind, name: &str, digits: &str) -> Result<Self, FlowCacheError> {
        let Some(Parameter { meaning, least, most, .. }) = &kind.info().parameter else {
            return Err(unknown(name));
        };
        match digits.parse() {
            Ok(parameter) if (*least..=*most).contains(&parameter) => Ok(Self { kind, parameter }),
            _ => Err(FlowCacheError::BadParameter {
                what: "policy",
                found: name.to_owned(),
                expected: format!("{} with a number from {least} to {most} ({meaning})", kind.info().name),
            }),
        }
    }

    /// Which policy.
    #[must_use]
    pub const fn kind(self) -> PolicyKind {
        self.kind
    }

    /// Whether it looks into the future, so that no hardware can be built for it.
    #[must_use]
    pub const fn is_oracle(self) -> bool {
        matches!(self.kind.info().cost, Cost::Oracle)
    }

    /// Bits of state beside tags and results; `None` of an oracle.
    #[must_use]
    pub fn state_bits(self, geometry: Geometry) -> Option<u64> {
        match self.kind.info().cost {
            Cost::Bits(of) => Some(of(geometry, self.parameter)),
            Cost::Oracle => None,
        }
    }
}

impl fmt::Display for Policy {
    /// The name with its number, which is left out where it is 1 or there is none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind.info().name, self.parameter) {
            (name, 0 | 1) => f.write_str(name),
            (name, number) => write!(f, "{name}{number}"),
        }
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_uppercase()).collect()
}

fn by_name(wanted: &str) -> Option<PolicyKind> {
    let named = |info: &Info| plain(info.name) == wanted || info.aliases.contains(&wanted);
    PolicyKind::ALL.iter().copied().find(|kind| named(kind.info()))
}

fn unknown(name: &str) -> FlowCacheError {
    let known: Vec<String> = PolicyKind::ALL.iter().map(|&kind| Policy::new(kind).to_string()).collect();
    names::unknown("policy", name, &known.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What a policy's cache is built from.
pub(crate) struct Build {
    pub geometry: Geometry,
    /// The number in the name.
    pub parameter: u32,
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

    /// A cache of any form.
    fn boxed<C: Cache + 'static>(&self, cache: C) -> Box<dyn Replay> {
        Box::new(Indexed { cache, index: self.geometry.index() })
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
    Ok(policy.kind.build(&Build { geometry, parameter: policy.parameter, seed, future }))
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
