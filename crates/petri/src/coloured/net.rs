//! A checked and compiled coloured net: the input of its engines and its unfolding.

use super::code::Code;
use super::colour::Colour;
use crate::net::Servers;

/// The tokens that a place offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// All tokens, as a multiset.
    #[default]
    Random,
    /// The first fitting token, as in a queue.
    Fifo,
}

/// A place of a coloured net.
#[derive(Clone, Debug, PartialEq)]
pub struct ColouredPlace {
    /// Name.
    pub name: String,
    /// The colour of its tokens.
    pub colour: Colour,
    /// The tokens that it offers.
    pub choice: Choice,
    /// Initial tokens in order: the words of each, and its number.
    pub tokens: Vec<(Vec<i64>, u32)>,
}

impl ColouredPlace {
    /// Returns the number of initial tokens.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.tokens.iter().map(|(_, count)| u64::from(*count)).sum()
    }
}

/// An arc as text; for pictures and files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArcText {
    /// Number of the place.
    pub place: u32,
    /// Number of the transition.
    pub transition: u32,
    /// The kind of the arc.
    pub kind: crate::net::ArcKind,
    /// The tokens taken or put, with their number if that is not one.
    pub text: String,
}

/// A time whose numbers may depend on the binding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TimingCode {
    Untimed,
    Immediate { weight: Code, priority: u32 },
    Exponential { rate: Code },
    Deterministic { delay: Code },
    Uniform { low: Code, high: Code },
    Erlang { stages: u32, rate: Code },
    Empirical { values: Vec<f64>, upto: Vec<f64> },
}

/// Coloured tokens that are taken: a slot of the binding for each word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Take {
    pub place: u32,
    pub slots: Vec<u16>,
    pub weight: u32,
    /// They stay where they are.
    pub read: bool,
}

/// Dots that are taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Need {
    pub place: u32,
    pub weight: Code,
}

/// Tokens that are put; a dot has no parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Put {
    pub place: u32,
    pub parts: Vec<Code>,
    pub weight: Code,
}

/// Tokens that must not be there: of any colour, or of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inhibitor {
    pub place: u32,
    pub colour: Option<Vec<Code>>,
    pub weight: Code,
}

/// A transition of a coloured net.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColouredTransition {
    pub name: String,
    pub timing: TimingCode,
    pub servers: Servers,
    /// Words of a binding.
    pub slots: usize,
    /// The word of the current time, if the delay uses it.
    pub time_slot: Option<u16>,
    pub takes: Vec<Take>,
    pub needs: Vec<Need>,
    pub puts: Vec<Put>,
    pub inhibitors: Vec<Inhibitor>,
    pub resets: Vec<u32>,
    /// Conditions that must all hold.
    pub guard: Vec<Code>,
    /// The slots of each variable, to print a binding.
    pub variables: Vec<(String, Colour, Vec<u16>)>,
    /// The reward of a firing.
    pub reward: Option<Code>,
    /// The guard as it was written.
    pub guard_text: String,
    /// The time as it was written.
    pub timing_text: String,
}

impl ColouredTransition {
    /// A binding in words.
    pub fn words(&self, frame: &[i64]) -> String {
        let all: Vec<String> = self
            .variables
            .iter()
            .map(|(name, colour, slots)| {
                let words: Vec<i64> = slots.iter().map(|&slot| frame[slot as usize]).collect();
                format!("{name} = {}", colour.text(&words))
            })
            .collect();
        if all.is_empty() { "no variables".to_owned() } else { all.join(", ") }
    }
}

/// A checked coloured net.
#[derive(Clone, Debug, PartialEq)]
pub struct ColouredNet {
    /// Name.
    pub name: String,
    /// Places, in the order of their definition.
    pub places: Vec<ColouredPlace>,
    pub(crate) transitions: Vec<ColouredTransition>,
    /// Arcs as they were written.
    pub arcs: Vec<ArcText>,
}

impl ColouredNet {
    /// Returns the names of the transitions, in the order of their definition.
    pub fn transition_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.transitions.iter().map(|transition| transition.name.as_str())
    }

    /// Returns guard and time of a transition, as text.
    #[must_use]
    pub fn transition_texts(&self, number: usize) -> (&str, &str) {
        let transition = &self.transitions[number];
        (&transition.guard_text, &transition.timing_text)
    }

    /// Returns whether it is a place/transition net: without colours, and without expressions that depend on a
    /// binding.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let random = |code: &Code| code.is_random();
        self.places.iter().all(|place| place.colour == Colour::Dot)
            && self.transitions.iter().all(|transition| {
                transition.guard.is_empty()
                    && transition.time_slot.is_none()
                    && transition.reward.is_none()
                    && !transition.needs.iter().any(|need| random(&need.weight))
                    && !transition.puts.iter().any(|put| random(&put.weight))
            })
    }

    /// Returns whether a transition fires without time passing.
    #[must_use]
    pub fn is_immediate(&self, number: usize) -> bool {
        matches!(self.transitions[number].timing, TimingCode::Immediate { .. })
    }
}
