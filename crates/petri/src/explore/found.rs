//! What a search finds, whatever its rows are, and how it is told on the way.

use crate::PetriError;
use crate::net::Net;
use serde::Serialize;
use std::ops::ControlFlow;

/// What exploration found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explored {
    /// Markings, the first one included.
    pub reachable_markings: u64,
    /// Pairs of a marking and a transition that it enables.
    pub edges: u64,
    /// Markings that enable nothing.
    pub dead_markings: u64,
    /// Most tokens in a place.
    pub max_tokens_in_place: u64,
    /// Most tokens in a marking.
    pub max_tokens_in_marking: u64,
    /// Transitions that no marking enables.
    pub never_enabled_transitions: u64,
    /// Most tokens of each place; a report gives them by name.
    #[serde(skip_serializing)]
    pub bounds: Vec<u64>,
    /// Whether everything was found; otherwise the search stopped at its limit, and the numbers are of what was found.
    pub complete: bool,
    /// Places that can get any number of tokens, where the search stopped at its limit and that could be shown.
    #[serde(skip_serializing)]
    pub unbounded: Vec<u32>,
}

/// Places and transitions looked at between two looks at whether to stop: a wide net has few markings meanwhile.
pub(super) const PARTS_PER_LOOK: usize = 1 << 22;
/// Told now and then how many markings there are.
pub(super) type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

pub(super) fn too_many_tokens(net: &Net) -> PetriError {
    let place = net.places.first().map_or("", |place| place.name.as_str());
    PetriError::part("place", place, "more than 4294967295 tokens in a place", "fewer")
}
