//! Orders bases before everything that extends them, each once: for files and for components.

use crate::place::Place;
use std::collections::BTreeSet;

/// A ring of things that extend each other: the location of the last edge, and its members in order.
pub(crate) type Ring = (Place, Vec<usize>);

/// Returns `start` and everything that it extends, bases first and each once, at its first turn; and the rings
/// found on the way. `bases` returns what a thing extends and where that is written. It does not recurse:
/// chains may have any length.
pub(crate) fn bases_first(
    start: usize,
    mut bases: impl FnMut(usize) -> Vec<(usize, Place)>,
) -> (Vec<usize>, Vec<Ring>) {
    let (mut order, mut rings) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![(start, bases(start).into_iter())];
    while let Some((this, rest)) = open.last_mut() {
        match rest.next() {
            None => {
                order.push(*this);
                open.pop();
            }
            Some((base, place)) => {
                if seen.insert(base) {
                    let next = bases(base).into_iter();
                    open.push((base, next));
                } else if let Some(at) = open.iter().position(|(o, _)| *o == base) {
                    rings.push((place, open[at..].iter().map(|(o, _)| *o).collect()));
                }
            }
        }
    }
    (order, rings)
}

/// `a` extends itself (a -> b -> a).
pub(crate) fn say_ring(names: &[&str]) -> String {
    let first = names.first().copied().unwrap_or("");
    format!("`{first}` extends itself ({} -> {first})", names.join(" -> "))
}

#[cfg(test)]
mod tests {
    use super::{Ring, bases_first};
    use crate::place::Place;

    fn order(edges: &[&[usize]]) -> (Vec<usize>, Vec<Ring>) {
        bases_first(0, |i| edges[i].iter().map(|&b| (b, Place::Set(i))).collect())
    }

    #[test]
    fn the_common_base_of_two_comes_first_and_once() {
        assert_eq!(order(&[&[1, 2], &[3], &[3], &[]]).0, [3, 1, 2, 0]);
    }

    #[test]
    fn a_ring_is_told_and_passed_over() {
        let (order, rings) = order(&[&[1], &[2], &[1]]);
        assert_eq!(order, [2, 1, 0]);
        assert_eq!(rings, [(Place::Set(2), vec![1, 2])]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let (order, _) = bases_first(0, |i| if i < 200_000 { vec![(i + 1, Place::Set(i))] } else { vec![] });
        assert_eq!(order.len(), 200_001);
    }
}
