//! The result of a search, for any form of rows.

use crate::PetriError;
use crate::net::Net;
use schemars::JsonSchema;
use serde::Serialize;

/// The results of an exploration.
#[derive(Clone, Debug, Default, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Explored {
    /// Number of reachable markings, including the initial one.
    pub reachable_markings: u64,
    /// Number of edges in the reachability graph: pairs of a marking and a transition that is enabled in this
    /// marking.
    pub edges: u64,
    /// Number of dead markings, in which no transition is enabled.
    pub dead_markings: u64,
    /// Maximum number of tokens in one place.
    pub max_tokens_in_place: u64,
    /// Maximum number of tokens in one marking.
    pub max_tokens_in_marking: u64,
    /// Number of transitions that are not enabled in any marking that the search found.
    pub never_enabled_transitions: u64,
    /// Most tokens of each place.
    #[serde(skip_serializing)]
    pub bounds: Vec<u64>,
    /// Whether the search found all markings; if not, the search stopped at the limit, and the results cover only
    /// the markings found.
    pub complete: bool,
    /// Places that are proven unbounded, if the search stopped at its limit.
    #[serde(skip_serializing)]
    pub unbounded: Vec<u32>,
}

/// Statistics of the visited markings.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub edges: u64,
    pub dead: u64,
    /// Most tokens of a marking.
    pub fullest: u64,
    /// Most tokens of each place.
    pub bounds: Vec<u64>,
    /// A bit for each transition that was enabled.
    pub enabled: Vec<u64>,
}

impl Tally {
    /// Returns the counts of no marking.
    pub fn new(net: &Net) -> Self {
        let enabled = vec![0; net.transitions.len().div_ceil(64)];
        Self { edges: 0, dead: 0, fullest: 0, bounds: vec![0; net.places.len()], enabled }
    }

    /// Adds the counts of another worker.
    pub fn add(&mut self, other: &Self) {
        self.edges += other.edges;
        self.dead += other.dead;
        self.fullest = self.fullest.max(other.fullest);
        for (bound, other) in self.bounds.iter_mut().zip(&other.bounds) {
            *bound = (*bound).max(*other);
        }
        for (enabled, other) in self.enabled.iter_mut().zip(&other.enabled) {
            *enabled |= other;
        }
    }

    /// Clears all counts.
    pub fn clear(&mut self) {
        (self.edges, self.dead, self.fullest) = (0, 0, 0);
        self.bounds.fill(0);
        self.enabled.fill(0);
    }

    /// Returns the result with this number of markings; `unbounded` applies if the search stopped at its limit.
    pub fn explored(self, net: &Net, markings: usize, unbounded: Option<Vec<u32>>) -> Explored {
        let enabled = self.enabled.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        Explored {
            reachable_markings: markings as u64,
            edges: self.edges,
            dead_markings: self.dead,
            max_tokens_in_place: self.bounds.iter().copied().max().unwrap_or(0),
            max_tokens_in_marking: self.fullest,
            never_enabled_transitions: net.transitions.len() as u64 - enabled,
            bounds: self.bounds,
            complete: unbounded.is_none(),
            unbounded: unbounded.unwrap_or_default(),
        }
    }
}

pub(super) fn too_many_tokens(net: &Net) -> PetriError {
    let place = net.places.first().map_or("", |place| place.name.as_str());
    PetriError::part("place", place, "more than 4294967295 tokens in a place", "fewer")
}
