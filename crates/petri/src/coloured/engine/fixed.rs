//! The constants of a transition during its firing.

use super::super::code::Code;
use super::super::net::{Choice, ColouredNet, ColouredTransition, Take, TimingCode};
use crate::net::Servers;

/// An arc that takes a number of dots that depends on the binding.
pub(super) struct VaryingNeed {
    pub place: u32,
    pub weight: Code,
    /// Dots that arcs with constant numbers take from the same place.
    constant: u32,
}

/// Returns the dots that each arc and the arcs parallel to it take together, with their place; `weights` are the numbers
/// of the arcs.
pub(super) fn together<'a>(
    needs: &'a [VaryingNeed],
    weights: &'a [u32],
) -> impl Iterator<Item = (u32, u32)> + 'a {
    needs.iter().map(move |need| {
        let parallel = needs.iter().zip(weights).filter(|(other, _)| other.place == need.place);
        (need.place, parallel.fold(need.constant, |sum, (_, &weight)| sum.saturating_add(weight)))
    })
}

/// The constants of a transition during its firing.
pub(super) struct Fixed {
    /// Dots that are taken, and limits of inhibitor arcs, if their numbers do not depend on the binding.
    pub needs: Vec<(u32, u32)>,
    pub inhibitors: Vec<(u32, u32)>,
    /// The same, if their numbers depend on it.
    pub varying_needs: Vec<VaryingNeed>,
    pub varying_inhibitors: Vec<usize>,
    /// Changes of dots that do not depend on the binding.
    pub changes: Vec<(u32, i64)>,
    pub varying_puts: Vec<(u32, Code)>,
    /// Numbers of the arcs that put coloured tokens.
    pub puts: Vec<usize>,
    /// Most bindings at a time, for a transition that takes from a queue with finitely many servers.
    pub most_bindings: u32,
    pub servers: Servers,
    pub is_immediate: bool,
    pub resets: bool,
}

impl Fixed {
    pub fn new(net: &ColouredNet, transition: &ColouredTransition) -> Self {
        let constant = |code: &Code| code.constant().and_then(|weight| u32::try_from(weight).ok());
        let mut fixed = Self {
            needs: Vec::new(),
            inhibitors: Vec::new(),
            varying_needs: Vec::new(),
            varying_inhibitors: Vec::new(),
            changes: Vec::new(),
            varying_puts: Vec::new(),
            puts: Vec::new(),
            most_bindings: u32::MAX,
            servers: transition.servers,
            is_immediate: matches!(transition.timing, TimingCode::Immediate { .. }),
            resets: !transition.resets.is_empty(),
        };
        let mut needed: Vec<(u32, u32)> = Vec::new();
        for need in &transition.needs {
            match constant(&need.weight) {
                // Parallel arcs count as one arc with the sum of their weights.
                Some(weight) => match needed.iter_mut().find(|(place, _)| *place == need.place) {
                    Some((_, sum)) => *sum = sum.saturating_add(weight),
                    None => needed.push((need.place, weight)),
                },
                None => fixed.varying_needs.push(VaryingNeed {
                    place: need.place,
                    weight: need.weight.clone(),
                    constant: 0,
                }),
            }
        }
        for need in &mut fixed.varying_needs {
            let constant = needed.iter().find(|(place, _)| *place == need.place);
            need.constant = constant.map_or(0, |&(_, weight)| weight);
        }
        let mut changes: Vec<(u32, i64)> =
            needed.iter().map(|&(place, weight)| (place, -i64::from(weight))).collect();
        fixed.needs = needed;
        for (number, put) in transition.puts.iter().enumerate() {
            if !put.parts.is_empty() {
                fixed.puts.push(number);
            } else if let Some(weight) = constant(&put.weight) {
                match changes.iter_mut().find(|(place, _)| *place == put.place) {
                    Some((_, by)) => *by += i64::from(weight),
                    None => changes.push((put.place, i64::from(weight))),
                }
            } else {
                fixed.varying_puts.push((put.place, put.weight.clone()));
            }
        }
        changes.retain(|&(_, by)| by != 0);
        fixed.changes = changes;
        for (number, inhibitor) in transition.inhibitors.iter().enumerate() {
            match (constant(&inhibitor.weight), &inhibitor.colour) {
                (Some(weight), None) => fixed.inhibitors.push((inhibitor.place, weight)),
                _ => fixed.varying_inhibitors.push(number),
            }
        }
        let from_queue = |take: &Take| net.places[take.place as usize].choice == Choice::Fifo;
        if let (true, Servers::Count(count)) = (transition.takes.iter().any(from_queue), transition.servers) {
            fixed.most_bindings = count;
        }
        fixed
    }
}
