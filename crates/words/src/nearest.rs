//! The name that was probably meant.

/// The distance takes time proportional to the product of the lengths; a much longer text is near to no name.
const LONGEST: usize = 200;

/// Returns the nearest of some names, or `None` if none is near: insertions, deletions, replacements and swaps of
/// letters must be at most half of the letters of the longer name. Of equally near names, the first is returned.
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
