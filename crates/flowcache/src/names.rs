//! Looks names up.

use linecard_words::UnknownName;

/// Returns the position of `found` in `known`, in any case.
pub(crate) fn position(what: &'static str, found: &str, known: &[&str]) -> Result<usize, UnknownName> {
    let same = |name: &&str| name.eq_ignore_ascii_case(found);
    known.iter().position(same).ok_or_else(|| UnknownName::new(what, found, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_misspellings_are_answered() {
        assert_eq!(position("policy", "lru", &["FIFO", "LRU"]), Ok(1));
        let error = position("policy", "SRIP", &["LRU", "SRRIP", "SHIP"]).unwrap_err().to_string();
        assert!(error.contains("SRRIP?"), "{error}");
    }
}
