//! Quantities that no firing changes (P-semiflows) and firings that reproduce a marking (T-semiflows).
//!
//! Farkas' algorithm over the incidence matrix: rows of the matrix, extended by the unit matrix, are added
//! until every column is 0; the extension is then a semiflow. Only those of minimal support are kept.

use crate::PetriError;
use crate::net::{ArcKind, Net};
use std::ops::ControlFlow;

/// Rows compared between two looks at whether to stop.
const COMPARED_PER_LOOK: usize = 1 << 14;

/// Called periodically with the number of rows.
type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Semiflows of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Semiflows {
    /// The places or transitions of each with their weights; all above 0, without a common divisor.
    pub flows: Vec<Vec<(u32, u64)>>,
    /// Whether these are all of minimal support; otherwise the search stopped at its limit and returns none.
    pub complete: bool,
}

/// Both kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariants {
    /// Weights of places under which no firing changes the sum of tokens.
    pub places: Semiflows,
    /// Numbers of firings that together reproduce a marking, if they are possible in sequence.
    pub transitions: Semiflows,
}

/// Finds both, each with at most `most_rows` rows at a time. Inhibitor arcs have no effect; a place that is
/// reset is in no P-semiflow, and a transition that resets is in no T-semiflow. `progress` is called with the
/// number of rows and may end it.
///
/// # Errors
///
/// If `progress` ended it.
pub fn invariants(net: &Net, most_rows: usize, progress: Progress<'_>) -> Result<Invariants, PetriError> {
    let (places, transitions) = (net.places.len(), net.transitions.len());
    let mut by_place = vec![vec![0i128; transitions]; places];
    let (mut reset_places, mut reset_transitions) = (vec![false; places], vec![false; transitions]);
    for arc in &net.arcs {
        let (place, transition) = (arc.place as usize, arc.transition as usize);
        match arc.kind {
            ArcKind::Input => by_place[place][transition] -= i128::from(arc.weight),
            ArcKind::Output => by_place[place][transition] += i128::from(arc.weight),
            ArcKind::Inhibitor => (),
            ArcKind::Reset => (reset_places[place], reset_transitions[transition]) = (true, true),
        }
    }
    let by_transition: Vec<Vec<i128>> =
        (0..transitions).map(|t| by_place.iter().map(|row| row[t]).collect()).collect();
    Ok(Invariants {
        places: semiflows(&by_place, &reset_places, most_rows, progress)?,
        transitions: semiflows(&by_transition, &reset_transitions, most_rows, progress)?,
    })
}

/// A row of the matrix, and the sum of unit rows that made it.
#[derive(Clone)]
struct Row {
    matrix: Vec<i128>,
    weights: Vec<i128>,
}

impl Row {
    fn is_within(&self, other: &Self) -> bool {
        self.weights.iter().zip(&other.weights).all(|(own, other)| *own == 0 || *other != 0)
    }
}

fn semiflows(
    matrix: &[Vec<i128>],
    left_out: &[bool],
    most_rows: usize,
    progress: Progress<'_>,
) -> Result<Semiflows, PetriError> {
    let mut compared = 0;
    let count = matrix.len();
    let unit = |row: usize| (0..count).map(|at| i128::from(at == row)).collect();
    let mut rows: Vec<Row> = (0..count)
        .filter(|&row| !left_out[row])
        .map(|row| Row { matrix: matrix[row].clone(), weights: unit(row) })
        .collect();
    let mut columns: Vec<usize> = (0..matrix.first().map_or(0, Vec::len)).collect();
    while !columns.is_empty() {
        // The column that makes the fewest new rows goes first.
        let cost = |&column: &usize| {
            let above = rows.iter().filter(|row| row.matrix[column] > 0).count();
            let below = rows.iter().filter(|row| row.matrix[column] < 0).count();
            above * below
        };
        let Some(next) = (0..columns.len()).min_by_key(|&at| cost(&columns[at])) else { break };
        let column = columns.swap_remove(next);
        let (mut kept, others): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.matrix[column] == 0);
        for above in others.iter().filter(|row| row.matrix[column] > 0) {
            for below in others.iter().filter(|row| row.matrix[column] < 0) {
                compared += kept.len() + 1;
                if compared >= COMPARED_PER_LOOK {
                    compared = 0;
                    if progress(kept.len() as u64).is_break() {
                        return Err(PetriError::Interrupted);
                    }
                }
                let Some(row) = combined(above, below, column) else { return Ok(Semiflows::default()) };
                if kept.iter().any(|other| other.is_within(&row)) {
                    continue;
                }
                kept.retain(|other| !row.is_within(other));
                kept.push(row);
                if kept.len() > most_rows {
                    return Ok(Semiflows::default());
                }
            }
        }
        rows = kept;
    }
    let flow = |row: &Row| {
        let weights = row.weights.iter().zip(0u32..).filter(|(weight, _)| **weight != 0);
        weights.map(|(weight, at)| (at, u64::try_from(*weight).unwrap_or(u64::MAX))).collect()
    };
    let mut flows: Vec<Vec<(u32, u64)>> = rows.iter().map(flow).collect();
    flows.sort();
    Ok(Semiflows { flows, complete: true })
}

/// Returns the least positive combination of two rows that is 0 in a column; `None` if numbers become too large.
fn combined(above: &Row, below: &Row, column: usize) -> Option<Row> {
    let (a, b) = (above.matrix[column], below.matrix[column].checked_neg()?);
    let divisor = gcd(a, b);
    let (a, b) = (a / divisor, b / divisor);
    let sum = |x: &[i128], y: &[i128]| -> Option<Vec<i128>> {
        x.iter().zip(y).map(|(x, y)| b.checked_mul(*x)?.checked_add(a.checked_mul(*y)?)).collect()
    };
    let mut row =
        Row { matrix: sum(&above.matrix, &below.matrix)?, weights: sum(&above.weights, &below.weights)? };
    let common = row.weights.iter().chain(&row.matrix).fold(0, |common, value| gcd(common, *value));
    if common > 1 {
        row.matrix.iter_mut().chain(&mut row.weights).for_each(|value| *value /= common);
    }
    // This leaves room for the next sums.
    row.weights.iter().all(|weight| *weight < 1 << 60).then_some(row)
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NetBuilder, Servers, Timing};

    /// A producer and a consumer with a buffer of three; goods are packed in pairs.
    #[test]
    fn by_hand() {
        let mut net = NetBuilder::new("pairs");
        let names = ["idle", "making", "free", "full", "waiting", "eating"];
        let tokens = [1, 0, 3, 0, 1, 0];
        let p: Vec<u32> =
            names.iter().zip(tokens).map(|(name, tokens)| net.place(name, tokens).unwrap()).collect();
        let t: Vec<u32> = ["make", "put", "get", "eat"]
            .iter()
            .map(|name| net.transition(name, Timing::Untimed, Servers::Count(1)).unwrap())
            .collect();
        for (from, through, to) in [(0, 0, 1), (1, 1, 0), (4, 2, 5), (5, 3, 4)] {
            net.input(p[from], t[through], 1).unwrap();
            net.output(t[through], p[to], 1).unwrap();
        }
        net.input(p[2], t[1], 1).unwrap();
        net.output(t[1], p[3], 1).unwrap();
        net.input(p[3], t[2], 2).unwrap();
        net.output(t[2], p[2], 2).unwrap();
        let found = invariants(&net.build().unwrap(), 1000, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(found.places.complete && found.transitions.complete);
        assert_eq!(found.places.flows, [vec![(0, 1), (1, 1)], vec![(2, 1), (3, 1)], vec![(4, 1), (5, 1)]]);
        assert_eq!(found.transitions.flows, [vec![(0, 2), (1, 2), (2, 1), (3, 1)]]);
    }

    #[test]
    fn too_many_rows_stop_the_search() {
        // Ten steps with ten alternatives each: 10^10 cycles through the net.
        let mut net = NetBuilder::new("ways");
        let places: Vec<u32> =
            (0..10).map(|p| net.place(&format!("p{p}"), u32::from(p == 0)).unwrap()).collect();
        for step in 0..10 {
            for way in 0..10 {
                let t =
                    net.transition(&format!("t{step}.{way}"), Timing::Untimed, Servers::Count(1)).unwrap();
                net.input(places[step], t, 1).unwrap();
                net.output(t, places[(step + 1) % 10], 1).unwrap();
            }
        }
        let stopped = invariants(&net.clone().build().unwrap(), 5000, &mut |_| ControlFlow::Break(()));
        assert_eq!(stopped, Err(PetriError::Interrupted));
        let found = invariants(&net.build().unwrap(), 5000, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(found.places.flows.len(), 1);
        assert!(!found.transitions.complete && found.transitions.flows.is_empty());
    }
}
