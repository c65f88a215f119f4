//! The name that was probably meant.

/// The distance takes the product of the lengths; what is much longer than a name is near to none.
const LONGEST: usize = 200;

/// The nearest of some names, or nothing if none is near: letters to insert, delete, replace or swap are at most half of those
/// of the longer one. Of several that are as near, the first.
#[must_use]
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let names = names.into_iter().filter(|known| known.len() <= LONGEST);
    let (far, best) =
        names.map(|known| (strsim::damerau_levenshtein(name, known), known)).min_by_key(|(far, _)| *far)?;
    (far <= name.len().max(best.len()) / 2).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_found_and_what_is_far_is_not() {
        let names = ["engines", "threads", "thread_count"];
        assert_eq!(nearest("thread", names), Some("threads"));
        assert_eq!(nearest("egnines", names), Some("engines"), "two letters swapped are one step");
        assert_eq!(nearest("xyz", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("a", []), None);
        assert_eq!(nearest(&"e".repeat(10_000), names), None);
    }
}
