//! Finding what a name means, or the name that was probably meant.

use crate::FlowCacheError;

/// The position of `found` in `known`, whatever the case of its letters.
pub(crate) fn position(what: &'static str, found: &str, known: &[&str]) -> Result<usize, FlowCacheError> {
    known.iter().position(|name| name.eq_ignore_ascii_case(found)).ok_or_else(|| unknown(what, found, known))
}

/// The error for a name that is not in `known`.
pub(crate) fn unknown(what: &'static str, found: &str, known: &[&str]) -> FlowCacheError {
    let wanted = found.to_ascii_uppercase();
    let nearest = known.iter().min_by_key(|name| {
        // Without its number or with it, whichever is nearer: `SRRP` means `SRRIP2`.
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        [name, letters].map(|name| distance(&wanted, &name.to_ascii_uppercase())).into_iter().min()
    });
    FlowCacheError::UnknownName {
        what,
        found: found.to_owned(),
        nearest: nearest.map_or_else(String::new, |name| (*name).to_owned()),
        known: known.join(", "),
    }
}

/// Letters to insert, delete or replace to make one word of the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case_and_misspellings_are_answered() {
        assert_eq!(position("policy", "lru", &["FIFO", "LRU"]), Ok(1));
        let error = position("policy", "SRIP", &["LRU", "SRRIP", "SHIP"]).unwrap_err().to_string();
        assert!(error.contains("SRRIP?"), "{error}");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
