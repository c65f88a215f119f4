//! What a policy says of itself.

use crate::geometry::Geometry;

/// What there is to know about a policy.
#[derive(Debug)]
pub struct Info {
    /// Its name, without its number.
    pub name: &'static str,
    /// Other names, in capitals without hyphens.
    pub aliases: &'static [&'static str],
    /// The number that may follow its name.
    pub parameter: Option<Parameter>,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it costs in hardware.
    pub cost: Cost,
    /// Fewest sets it works with.
    pub least_sets: u32,
}

/// The number in a policy's name, such as the 32 of `BIP32`.
#[derive(Debug)]
pub struct Parameter {
    /// What it says.
    pub meaning: &'static str,
    /// Its value where the name has none.
    pub default: u32,
    /// The smallest value.
    pub least: u32,
    /// The largest value.
    pub most: u32,
}

/// What a policy costs in hardware.
#[derive(Debug)]
pub enum Cost {
    /// Bits of state beside tags and results, of a shape and the number in the name.
    Bits(fn(Geometry, u32) -> u64),
    /// It looks into the future.
    Oracle,
}
