//! Coloured nets: tokens with values, guards, expressions.

mod assemble;
mod builder;
#[cfg(test)]
mod by_chance;
mod code;
mod colour;
mod compile;
mod engine;
mod fault;
mod net;
mod of_plain;
mod parse;
mod raw;
mod unfold;

pub use builder::ColouredBuilder;
pub use colour::Colour;
pub use compile::Constant;
pub use engine::{Firing, simulate_coloured};
pub use net::{ArcText, Choice, ColouredNet, ColouredPlace};
pub use raw::TimingText;
pub use unfold::Unfolded;
