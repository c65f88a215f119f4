//! All tests of this crate: one binary is linked once.

mod coloured;
#[cfg(feature = "pnml")]
mod documents;
#[cfg(feature = "pnml")]
mod golden;
mod steady;
