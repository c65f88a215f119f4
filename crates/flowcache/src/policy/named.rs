//! Policies by name: `lru`, `BIP32`, `SECOND+SP`.

use super::{Cost, Info, Parameter, PolicyKind};
use crate::admission::{Admission, AdmissionInfo, AdmissionKind};
use crate::{FlowCacheError, Geometry};
use linecard_words::{Mismatch, UnknownName};
use std::fmt;

/// A policy with its number, behind an admission filter or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    pub(super) kind: PolicyKind,
    pub(super) parameter: u32,
    pub(super) admission: Option<Admission>,
}

impl Policy {
    /// Returns a policy with its default number and no filter.
    #[must_use]
    pub fn new(kind: PolicyKind) -> Self {
        let parameter = kind.info().parameter.as_ref().map_or(0, |parameter| parameter.default);
        Self { kind, parameter, admission: None }
    }

    /// Returns a policy by name: `lru`, `BIP32`, `opt_bypass`, or behind a filter: `SECOND+SP`. Case, hyphens
    /// and underscores do not matter.
    ///
    /// # Errors
    ///
    /// If no policy or filter has that name, or its number is out of range.
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

    /// Returns whether it knows the future, so that no hardware can implement it.
    #[must_use]
    pub const fn is_oracle(self) -> bool {
        matches!(self.kind.info().cost, Cost::Oracle)
    }

    /// Returns the bits of state beside tags and results, those of the filter included; `None` for an oracle.
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
    /// Writes the name with its number, which is omitted if it is 1 or there is none.
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

/// A name in a list, with the number that may follow it.
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

/// Returns the position in the list of the name in `found`, and its number.
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
        return Err(
            UnknownName::new(what, found, &known.iter().map(String::as_str).collect::<Vec<_>>()).into()
        );
    };
    let Parameter { meaning, least, most, .. } = parameter;
    match wanted[stem.len()..].parse() {
        Ok(number) if (*least..=*most).contains(&number) => Ok((position, number)),
        _ => Err(Mismatch::new(
            what,
            found,
            format!("{} with a number from {least} to {most} ({meaning})", list[position].name),
        )
        .into()),
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_uppercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_golden_files_and_the_literature_are_known_in_any_case() {
        let set_associative = "LRU FIFO SP LIP BIP32 SRRIP2 LFU PRED PRED2 OPT OPT_BYPASS";
        let fully_associative = "ARC S3FIFO SIEVE WTINYLFU TWOQ SLRU CLOCK LIRS";
        for name in set_associative.split(' ').chain(fully_associative.split(' ')) {
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
        assert!(
            error("SP3").contains(
                "1 to 2 (rule for sets with empty ways; 1: fill the empty ways first; 2: evict as in a full set)"
            ),
            "{}",
            error("SP3")
        );
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
