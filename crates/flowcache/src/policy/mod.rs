//! The policies: one file each, one line each in the list below.
//!
//! A file says what it models and where that comes from ([`Info`]), builds its cache, and replays a trace worked
//! by hand. The tests over all policies (an oracle for each, the golden files) find it through the list.

#[cfg(test)]
pub(crate) mod hand;

mod duel;
mod foresight;
mod rrip;

use crate::FlowCacheError;
use crate::admission::{Admission, AdmissionInfo, AdmissionKind, Filtered};
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
    Zsp in zsp;
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

/// A policy with its number, behind an admission filter or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    kind: PolicyKind,
    parameter: u32,
    admission: Option<Admission>,
}

impl Policy {
    /// A policy with the number it has by default and no filter.
    #[must_use]
    pub fn new(kind: PolicyKind) -> Self {
        let parameter = kind.info().parameter.as_ref().map_or(0, |parameter| parameter.default);
        Self { kind, parameter, admission: None }
    }

    /// A policy by name: `lru`, `BIP32`, `opt_bypass`, or behind a filter: `SECOND+SP`. Case, hyphens and
    /// underscores do not matter.
    ///
    /// # Errors
    /// When no policy or filter has that name, or its number is out of range.
    pub fn parse(name: &str) -> Result<Self, FlowCacheError> {
        let (filter, policy) = match name.split_once('+') {
            Some((filter, policy)) => (Some(filter), policy),
            None => (None, name),
        };
        let policies: Vec<_> = PolicyKind::ALL.iter().map(|&kind| Numbered::of_policy(kind)).collect();
        let (kind, parameter) = numbered("policy", policy, &policies)?;
        let filters: Vec<_> = AdmissionKind::ALL.iter().map(|&kind| Numbered::of_admission(kind)).collect();
        let admission = filter.map(|filter| numbered("admission filter", filter, &filters)).transpose()?;
        Ok(Self {
            kind: PolicyKind::ALL[kind],
            parameter,
            admission: admission
                .map(|(kind, parameter)| Admission { kind: AdmissionKind::ALL[kind], parameter }),
        })
    }

    /// Which policy.
    #[must_use]
    pub const fn kind(self) -> PolicyKind {
        self.kind
    }

    /// The filter in front of it.
    #[must_use]
    pub const fn admission(self) -> Option<Admission> {
        self.admission
    }

    /// Whether it looks into the future, so that no hardware can be built for it.
    #[must_use]
    pub const fn is_oracle(self) -> bool {
        matches!(self.kind.info().cost, Cost::Oracle)
    }

    /// Bits of state beside tags and results, those of the filter included; `None` of an oracle.
    #[must_use]
    pub fn state_bits(self, geometry: Geometry) -> Option<u64> {
        let of_filter = |filter: Admission| (filter.kind.info().cost_bits)(geometry, filter.parameter);
        match self.kind.info().cost {
            Cost::Bits(of) => Some(of(geometry, self.parameter) + self.admission.map_or(0, of_filter)),
            Cost::Oracle => None,
        }
    }
}

impl fmt::Display for Policy {
    /// The name with its number, which is left out where it is 1 or there is none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(filter) = self.admission {
            write!(f, "{}+", with_number(filter.kind.info().name, filter.parameter))?;
        }
        f.write_str(&with_number(self.kind.info().name, self.parameter))
    }
}

fn with_number(name: &str, number: u32) -> String {
    if number <= 1 { name.to_owned() } else { format!("{name}{number}") }
}

/// A name on a list, with the number that may follow it.
struct Numbered {
    name: &'static str,
    aliases: &'static [&'static str],
    parameter: Option<&'static Parameter>,
}

impl Numbered {
    fn of_policy(kind: PolicyKind) -> Self {
        let Info { name, aliases, parameter, .. } = kind.info();
        Self { name, aliases, parameter: parameter.as_ref() }
    }

    fn of_admission(kind: AdmissionKind) -> Self {
        let AdmissionInfo { name, parameter, .. } = kind.info();
        Self { name, aliases: &[], parameter: Some(parameter) }
    }

    fn default_number(&self) -> u32 {
        self.parameter.map_or(0, |parameter| parameter.default)
    }
}

/// The position on the list of what `found` names, and its number.
fn numbered(what: &'static str, found: &str, list: &[Numbered]) -> Result<(usize, u32), FlowCacheError> {
    let wanted = plain(found);
    let by_name =
        |wanted: &str| list.iter().position(|n| plain(n.name) == wanted || n.aliases.contains(&wanted));
    if let Some(position) = by_name(&wanted) {
        return Ok((position, list[position].default_number()));
    }
    let stem = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
    let Some((position, parameter)) = by_name(stem).and_then(|at| Some((at, list[at].parameter?))) else {
        let known: Vec<String> = list.iter().map(|n| with_number(n.name, n.default_number())).collect();
        return Err(names::unknown(what, found, &known.iter().map(String::as_str).collect::<Vec<_>>()));
    };
    let Parameter { meaning, least, most, .. } = parameter;
    match wanted[stem.len()..].parse() {
        Ok(number) if (*least..=*most).contains(&number) => Ok((position, number)),
        _ => Err(FlowCacheError::BadParameter {
            what,
            found: found.to_owned(),
            expected: format!("{} with a number from {least} to {most} ({meaning})", list[position].name),
        }),
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_uppercase()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_golden_files_and_the_literature_are_known_in_any_case() {
        let golden = "LRU FIFO SP LIP BIP32 SRRIP2 LFU PRED PRED2 OPT OPT_BYPASS ARC S3FIFO SIEVE WTINYLFU TWOQ SLRU CLOCK LIRS";
        for name in golden.split(' ') {
            assert_eq!(Policy::parse(name).unwrap().to_string(), name);
            assert_eq!(Policy::parse(&name.to_lowercase()), Policy::parse(name));
        }
        for (name, shown) in
            [("2q", "TWOQ"), ("S3-FIFO", "S3FIFO"), ("belady", "OPT"), ("bip", "BIP32"), ("sp2", "SP2")]
        {
            assert_eq!(Policy::parse(name).unwrap().to_string(), shown);
        }
        assert_eq!(Policy::parse("tinylfu32+sp").unwrap().to_string(), "TINYLFU32+SP");
    }

    #[test]
    fn unknown_names_and_numbers_are_answered() {
        let error = |name| Policy::parse(name).unwrap_err().to_string();
        assert!(error("SRRP").contains("did you mean SRRIP2"), "{}", error("SRRP"));
        assert!(error("LRU2").contains("unknown name"), "{}", error("LRU2"));
        assert!(
            error("SECND+LRU").contains("admission filter: unknown name \"SECND\"; did you mean SECOND16")
        );
        assert!(error("BIP0").contains("BIP with a number from 1 to"), "{}", error("BIP0"));
        assert!(error("SP3").contains("1 to 2 (reading of part-full sets)"), "{}", error("SP3"));
        assert!(error("PRED99999999999").contains("PRED with a number"));
    }

    #[test]
    fn every_policy_and_filter_tells_its_cost() {
        let geometry = Geometry::new(1024, 4).unwrap();
        for &kind in PolicyKind::ALL {
            let policy = Policy::new(kind);
            assert_eq!(policy.state_bits(geometry).is_none(), policy.is_oracle(), "{policy}");
        }
        let bits = |name| Policy::parse(name).unwrap().state_bits(geometry).unwrap();
        assert_eq!((bits("LRU"), bits("SP"), bits("FIFO"), bits("SRRIP2")), (2048, 2048, 512, 2048));
        assert_eq!(bits("SECOND16+SP"), 2048 + 16 * 1024);
    }
}
