//! The bindings of a transition whose guard holds, without testing all combinations.
//!
//! Variables are bound one after another. A guard that is false for all values of the other variables ends the
//! branch. If the bound variables leave only a few colours for another one (it must equal a known value, or one
//! in each of several cases), only those are tried, before variables with all colours. Results are in the order
//! of all bindings by name, the last variable varying fastest.

use super::elements::{PARTS_PER_LOOK, Watch, wrong};
use super::sorts::{Sort, Sorts};
use super::terms::{Condition, Variables};
use crate::PetriError;
use roxmltree::Node;

/// Colours tried for a variable, all branches together.
const MOST_TRIED: u64 = 5_000_000;

/// The number of a variable, and the colours that are left for it if those are few.
type Chosen = (usize, Option<Vec<u64>>);

/// The search for the bindings of one transition.
pub(super) struct Bindings<'s, 'a, 'i> {
    sorts: &'s Sorts,
    guard: Option<&'s Condition>,
    node: Node<'a, 'i>,
    variables: &'s [(String, Sort)],
    bound: Variables,
    colours: Vec<Option<u32>>,
    tried: u64,
    found: Vec<Vec<u32>>,
}

impl<'s, 'a, 'i> Bindings<'s, 'a, 'i> {
    pub fn new(
        sorts: &'s Sorts,
        guard: Option<&'s Condition>,
        node: Node<'a, 'i>,
        variables: &'s [(String, Sort)],
    ) -> Self {
        let colours = vec![None; variables.len()];
        Self {
            sorts,
            guard,
            node,
            variables,
            bound: Variables::default(),
            colours,
            tried: 0,
            found: Vec::new(),
        }
    }

    /// Returns for each binding the colours of its variables, in order.
    pub fn into_found(mut self) -> Vec<Vec<u32>> {
        self.found.sort_unstable();
        self.found
    }

    /// Finds all bindings.
    ///
    /// # Errors
    /// When too many must be tried, the guard compares terms that cannot be compared, or `watch` ends it.
    pub fn find(&mut self, watch: Watch<'_>) -> Result<(), PetriError> {
        let holds = match self.guard {
            Some(guard) => guard.decide(self.sorts, &self.bound, self.node)?,
            None => Some(true),
        };
        if holds == Some(false) {
            return Ok(());
        }
        let Some((variable, few)) = self.next()? else {
            // With all variables bound a guard is decided.
            self.found.push(self.colours.iter().flatten().copied().collect());
            return Ok(());
        };
        let (name, sort) = &self.variables[variable];
        let colours: Box<dyn Iterator<Item = u64>> = match few {
            Some(few) => Box::new(few.into_iter()),
            None => Box::new(0..sort.size(self.sorts)),
        };
        for colour in colours {
            self.tried += 1;
            if self.tried > MOST_TRIED {
                let found = format!("more than {MOST_TRIED} bindings that this transition's guard permits");
                return Err(wrong(self.node, found, "fewer"));
            }
            if self.tried.is_multiple_of(PARTS_PER_LOOK) && watch().is_break() {
                return Err(PetriError::Interrupted);
            }
            // The number is below the number of colours tried, which fits 32 bits.
            let colour = colour as u32;
            self.colours[variable] = Some(colour);
            self.bound.set(name, sort.parts(colour, self.sorts));
            self.find(watch)?;
        }
        self.colours[variable] = None;
        self.bound.clear(name);
        Ok(())
    }

    /// Returns the variable to bind next: the one with the fewest colours left, with these colours, or else the first
    /// by name; `None` if all are bound.
    fn next(&self) -> Result<Option<Chosen>, PetriError> {
        let mut best: Option<Chosen> = None;
        for (variable, (name, sort)) in self.variables.iter().enumerate() {
            if self.colours[variable].is_some() {
                continue;
            }
            let left = match self.guard {
                Some(guard) => guard.left_for(name, self.sorts, &self.bound, self.node)?,
                None => None,
            };
            // Colours of another sort cannot be values of this variable.
            let left: Option<Vec<u64>> = left.map(|colours| {
                colours.iter().filter_map(|parts| sort.number(parts, self.sorts).map(u64::from)).collect()
            });
            let fewer = match (&best, &left) {
                (None, _) => true,
                (Some((_, Some(least))), Some(left)) => left.len() < least.len(),
                (Some((_, None)), Some(_)) => true,
                (Some(_), None) => false,
            };
            if fewer {
                best = Some((variable, left));
            }
        }
        Ok(best)
    }
}
