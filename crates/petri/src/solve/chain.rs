//! A Markov chain: its rates, and its recurrent states.

use super::wide::Wide;
use std::ops::ControlFlow;

/// For each state, the states it leads to with their rates: above 0, one for each, and none to itself.
pub(super) type Rates = Vec<Vec<(u32, Wide)>>;
/// As in [`solve_until`](super::solve_until).
pub(super) type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Returns the recurrent states if they are one class, which every state can reach; `None` if there are several
/// classes.
pub(super) fn recurrent(rates: &Rates) -> Option<Vec<u32>> {
    let count = rates.len();
    let mut back = vec![Vec::new(); count];
    for (from, row) in rates.iter().enumerate() {
        for &(to, _) in row {
            back[to as usize].push(from as u32);
        }
    }
    // Searches go backwards, each from the first marking that no search has found. If every marking leads to one class, the
    // last search starts in it: a search that finds a member of the class finds it from the class, and finds every marking.
    let mut seen = vec![false; count];
    let mut candidate = 0;
    for start in 0..count as u32 {
        if !seen[start as usize] {
            reach(&back, start, &mut seen);
            candidate = start;
        }
    }
    let all_reach_it = reach(&back, candidate, &mut vec![false; count]).len() == count;
    all_reach_it.then(|| {
        let forward: Vec<Vec<u32>> =
            rates.iter().map(|row| row.iter().map(|&(to, _)| to).collect()).collect();
        let mut members = reach(&forward, candidate, &mut vec![false; count]);
        members.sort_unstable();
        members
    })
}

/// Marks all states that `start` leads to and that are not marked yet. Returns them, `start` included.
fn reach(edges: &[Vec<u32>], start: u32, seen: &mut [bool]) -> Vec<u32> {
    seen[start as usize] = true;
    let mut reached = vec![start];
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        next += 1;
        for &to in &edges[at as usize] {
            if !std::mem::replace(&mut seen[to as usize], true) {
                reached.push(to);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recurrent_markings_are_those_that_every_marking_can_reach() {
        // All graphs of four markings.
        for edges in 0u32..1 << 12 {
            let pairs =
                (0..4u32).flat_map(|from| (0..4).filter(move |&to| to != from).map(move |to| (from, to)));
            let mut rates = vec![Vec::new(); 4];
            let mut reaches: [[bool; 4]; 4] =
                std::array::from_fn(|from| std::array::from_fn(|to| from == to));
            for (_, (from, to)) in (0..).zip(pairs).filter(|(bit, _)| edges >> bit & 1 == 1) {
                rates[from as usize].push((to, Wide::ONE));
                reaches[from as usize][to as usize] = true;
            }
            for through in 0..4 {
                for from in 0..4 {
                    for to in 0..4 {
                        reaches[from][to] |= reaches[from][through] && reaches[through][to];
                    }
                }
            }
            let members: Vec<u32> = (0..4).filter(|&to| reaches.iter().all(|row| row[to as usize])).collect();
            assert_eq!(recurrent(&rates), Some(members).filter(|members| !members.is_empty()), "{rates:?}");
        }
    }
}
