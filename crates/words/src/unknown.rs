//! A name that is not on a list.

use crate::about::About;
use crate::nearest::nearest;

/// A name that is not on a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", self.about(), self.sentence())]
pub struct UnknownName {
    /// The kind of name: a policy, a setting, a workload.
    pub what: &'static str,
    /// The found name.
    pub found: String,
    /// The known name that was probably meant, if one is near.
    pub meant: Option<String>,
    /// All known names.
    pub known: String,
}

impl About for UnknownName {
    fn about(&self) -> &str {
        self.what
    }

    fn sentence(&self) -> String {
        let Self { found, meant, known, .. } = self;
        match meant {
            Some(meant) => format!("unknown name \"{found}\"; did you mean {meant}? Known: {known}"),
            None => format!("unknown name \"{found}\"; known: {known}"),
        }
    }
}

impl UnknownName {
    /// Returns the error for a name that is not known. Case does not matter, and a name that ends in digits may be
    /// meant by its letters alone: `SRRP` means `SRRIP2`.
    #[must_use]
    pub fn new(what: &'static str, found: &str, known: &[&str]) -> Self {
        let plain = |name: &str| name.to_ascii_uppercase();
        let forms: Vec<(String, &str)> = known
            .iter()
            .flat_map(|&name| {
                let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
                [(plain(name), name), (plain(letters), name)]
            })
            .collect();
        let form = nearest(&plain(found), forms.iter().map(|(form, _)| form.as_str()));
        let meant = form.and_then(|form| forms.iter().find(|(other, _)| other == form));
        Self {
            what,
            found: found.to_owned(),
            meant: meant.map(|(_, name)| (*name).to_owned()),
            known: known.join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_stands_before_those_that_are_known() {
        let text = |found| UnknownName::new("policy", found, &["LRU", "SRRIP2", "BIP32"]).to_string();
        assert_eq!(
            text("srrp"),
            "policy: unknown name \"srrp\"; did you mean SRRIP2? Known: LRU, SRRIP2, BIP32"
        );
        assert!(text("bip3").contains("did you mean BIP32?"));
        assert_eq!(text("quite else"), "policy: unknown name \"quite else\"; known: LRU, SRRIP2, BIP32");
    }
}
