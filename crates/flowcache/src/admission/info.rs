//! What every filter says of itself and does.

use crate::cache::NextVictim;
use crate::geometry::Geometry;
use crate::policy::info::Parameter;

/// What there is to know about a filter.
#[derive(Debug)]
pub struct AdmissionInfo {
    /// Its name, without its number.
    pub name: &'static str,
    /// The number that follows its name.
    pub parameter: Parameter,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Bits of its state, of a shape and the number in the name.
    pub cost_bits: fn(Geometry, u32) -> u64,
}

/// What each filter does.
pub(super) trait Admit {
    /// Made from the number in its name.
    fn new(parameter: u32, geometry: Geometry, seed: u64) -> Self;
    /// Sees every packet, hit or miss.
    fn see(&mut self, digest: u32);
    /// Whether a digest that missed comes in.
    fn admits(&mut self, digest: u32, victim: NextVictim) -> bool;
}
