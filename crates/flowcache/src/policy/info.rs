//! The description of a policy.

use crate::geometry::Geometry;

/// The description of a policy.
#[derive(Debug)]
pub struct Info {
    /// Name, without its number.
    pub name: &'static str,
    /// Other names, in capitals without hyphens.
    pub aliases: &'static [&'static str],
    /// The number that may follow its name.
    pub parameter: Option<Parameter>,
    /// Cost in hardware.
    pub cost: Cost,
    /// Fewest sets that it supports.
    pub least_sets: u32,
}

/// The number in a policy's name, such as the 32 of `BIP32`.
#[derive(Debug)]
pub struct Parameter {
    /// Meaning.
    pub meaning: &'static str,
    /// Default value.
    pub default: u32,
    /// The smallest value.
    pub least: u32,
    /// The largest value.
    pub most: u32,
}

/// The cost of a policy in hardware.
#[derive(Debug)]
pub enum Cost {
    /// Bits of state beside tags and results, from a shape and the number in the name.
    Bits(fn(Geometry, u32) -> u64),
    /// None: it knows the future.
    Oracle,
}
