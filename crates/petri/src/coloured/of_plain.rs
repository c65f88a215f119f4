//! Converts a place/transition net to a coloured one.

use super::builder::ColouredBuilder;
use super::colour::Colour;
use super::net::{Choice, ColouredNet};
use super::raw::TimingText;
use crate::PetriError;
use crate::net::{ArcKind, Net, Timing};

impl ColouredNet {
    /// Returns a place/transition net as a coloured net of dots.
    ///
    /// # Errors
    ///
    /// If it has no transitions.
    pub fn of_plain(net: &Net) -> Result<Self, PetriError> {
        let mut builder = ColouredBuilder::new(&net.name);
        for place in &net.places {
            let number = builder.place(&place.name, &Colour::Dot, Choice::Random)?;
            builder.dots(number, place.tokens);
        }
        let text = |value: f64| format!("{value:?}");
        for transition in &net.transitions {
            let timing = match &transition.timing {
                Timing::Untimed => TimingText::Untimed,
                Timing::Immediate { weight, priority } => {
                    TimingText::Immediate { weight: text(*weight), priority: *priority }
                }
                Timing::Exponential { rate } => TimingText::Exponential { rate: text(*rate) },
                Timing::Deterministic { delay } => TimingText::Deterministic { delay: text(*delay) },
                Timing::Uniform { low, high } => TimingText::Uniform { low: text(*low), high: text(*high) },
                Timing::Erlang { stages, rate } => TimingText::Erlang { stages: *stages, rate: text(*rate) },
                Timing::Empirical { values, upto } => {
                    let before = [0.0].into_iter().chain(upto.iter().copied());
                    let weights = upto.iter().zip(before).map(|(upto, before)| upto - before).collect();
                    TimingText::Empirical { values: values.to_vec(), weights }
                }
            };
            builder.transition(&transition.name, timing, transition.servers, "")?;
        }
        for arc in &net.arcs {
            let weight = arc.weight.to_string();
            match arc.kind {
                ArcKind::Input => builder.take(arc.place, arc.transition, "", &weight),
                ArcKind::Output => builder.put(arc.transition, arc.place, "", &weight),
                ArcKind::Inhibitor => builder.inhibit(arc.place, arc.transition, "", &weight),
                ArcKind::Reset => builder.reset(arc.place, arc.transition),
            }
        }
        builder.build()
    }
}
