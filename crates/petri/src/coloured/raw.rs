//! Parts of a coloured net before they are compiled: numbers are expressions still.

use crate::net::{ArcKind, Servers};

/// A time, with its numbers as expressions of the binding.
#[derive(Clone, Debug, PartialEq)]
pub enum TimingText {
    /// No time: the net can be explored, not simulated.
    Untimed,
    /// None; among the enabled ones of the highest priority, one is drawn by weight.
    Immediate {
        /// Weight among competing transitions.
        weight: String,
        /// Higher goes first.
        priority: u32,
    },
    /// Exponential.
    Exponential {
        /// Firings in a unit of time, for each server.
        rate: String,
    },
    /// A constant time.
    Deterministic {
        /// Units of time; the word `time` in it is the time of its start.
        delay: String,
    },
    /// Uniformly distributed between two times.
    Uniform {
        /// The shortest.
        low: String,
        /// The longest.
        high: String,
    },
    /// The sum of exponential stages.
    Erlang {
        /// Number of stages, from 1.
        stages: u32,
        /// Rate of each.
        rate: String,
    },
    /// One of these times.
    Empirical {
        /// Times from 0.
        values: Vec<f64>,
        /// Weight of each.
        weights: Vec<f64>,
    },
}

impl TimingText {
    /// Returns a short description.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Untimed => String::new(),
            Self::Immediate { weight, priority } => match (weight.as_str(), priority) {
                ("1" | "1.0", 0) => "imm".to_owned(),
                (_, 0) => format!("imm {weight}"),
                _ => format!("imm {weight} priority {priority}"),
            },
            Self::Exponential { rate } => format!("exp {rate}"),
            Self::Deterministic { delay } => format!("det {delay}"),
            Self::Uniform { low, high } => format!("uniform {low}..{high}"),
            Self::Erlang { stages, rate } => format!("erlang {stages} x {rate}"),
            Self::Empirical { values, .. } => format!("empirical, {} values", values.len()),
        }
    }
}

/// An arc before it is compiled.
#[derive(Clone, Debug)]
pub(crate) struct RawArc {
    pub place: u32,
    pub kind: ArcKind,
    /// Empty for dots, and where the colour does not matter.
    pub tokens: String,
    pub weight: String,
    /// One of the two halves of a read arc, which leaves its tokens in their place.
    pub read: bool,
}

/// A transition before it is compiled.
#[derive(Clone, Debug)]
pub(crate) struct RawTransition {
    pub name: String,
    pub timing: TimingText,
    pub servers: Servers,
    pub guard: String,
    pub reward: String,
    pub arcs: Vec<RawArc>,
    pub scope: usize,
}
