//! Everything that an engine holds between two firings.

use super::super::net::ColouredNet;
use super::agenda::Agenda;
use super::bindings::Bindings;
use super::buffers::Buffers;
use super::fixed::Fixed;
use super::immediates::Immediates;
use super::plan::Plans;
use super::search::Scratch;
use super::store::Store;
use crate::occupancy::Occupancy;
use linecard_sim::Stream;

/// A coloured net at one moment of its run; the files around this one implement its actions.
pub(super) struct Engine<'a> {
    pub net: &'a ColouredNet,
    pub fixed: Vec<Fixed>,
    pub plans: Vec<Plans>,
    /// For each place, the transition and arc that takes its coloured tokens.
    pub takers: Vec<Vec<(u32, u32)>>,
    /// For each place, transitions that depend on its number of tokens, and whether on that of one colour.
    pub counters: Vec<Vec<(u32, bool)>>,
    pub stores: Vec<Option<u32>>,
    pub coloured: Vec<Store>,
    pub tokens: Vec<u32>,
    pub bindings: Vec<Bindings>,
    pub agenda: Agenda,
    pub random: Stream,
    pub now: f64,
    pub scratch: Scratch,
    pub fire: Buffers,
    pub immediate: Immediates,
    pub occupancy: Occupancy,
    /// Servers that work, by transition, summed over its bindings; and their time.
    pub busy: Vec<u32>,
    pub busy_since: Vec<f64>,
    pub busy_time: Vec<f64>,
    pub fired: Vec<u64>,
    /// Rewards of firings, by transition.
    pub rewards: Vec<f64>,
    pub firings: u64,
    pub started: f64,
    pub dead: bool,
}
