//! The description and the interface of a filter.

use crate::cache::NextVictim;
use crate::geometry::Geometry;
use crate::policy::info::Parameter;

/// The description of a filter.
#[derive(Debug)]
pub struct AdmissionInfo {
    /// Name, without its number.
    pub name: &'static str,
    /// The number that follows its name.
    pub parameter: Parameter,
    /// Bits of its state, from a shape and the number in the name.
    pub cost_bits: fn(Geometry, u32) -> u64,
}

/// The interface of a filter.
pub(super) trait Admit {
    /// Returns a filter from the number in its name.
    fn new(parameter: u32, geometry: Geometry, seed: u64) -> Self;
    /// Observes every packet, hit or miss.
    fn see(&mut self, digest: u32);
    /// Returns whether a digest that missed is admitted.
    fn admits(&mut self, digest: u32, victim: NextVictim) -> bool;
}
