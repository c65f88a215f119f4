//! The tokens after a firing in the places that it changes.

use crate::compiled::Compiled;

/// Finds the tokens of the places that a firing changes. Returns `None` if they are too many to count.
pub(super) fn touched(
    compiled: &Compiled,
    transition: usize,
    here: &[u32],
    result: &mut Vec<(u32, u32)>,
) -> Option<()> {
    result.clear();
    let resets = compiled.resets.of_transition(transition);
    if resets.is_empty() {
        for &(place, by) in &compiled.changes[transition] {
            result.push((place, u32::try_from(i64::from(here[place as usize]) + by).ok()?));
        }
    } else {
        let (inputs, outputs) =
            (compiled.inputs.of_transition(transition), compiled.outputs.of_transition(transition));
        let places = inputs.iter().chain(resets).chain(outputs).map(|&(place, _)| place);
        for place in places {
            if result.iter().any(|&(other, _)| other == place) {
                continue;
            }
            let of = |arcs: &[(u32, u32)]| {
                arcs.iter().find(|arc| arc.0 == place).map_or(0, |&(_, weight)| i64::from(weight))
            };
            let left = match resets.iter().any(|&(reset, _)| reset == place) {
                true => 0,
                false => i64::from(here[place as usize]) - of(inputs),
            };
            result.push((place, u32::try_from(left + of(outputs)).ok()?));
        }
    }
    Some(())
}
