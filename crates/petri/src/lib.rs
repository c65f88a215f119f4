//! Timed Petri nets: build one, explore its markings, solve for its steady state, simulate it.
//!
//! | question | answer |
//! |---|---|
//! | a net by name and number | [`NetBuilder`] |
//! | a net from a PNML file, place/transition or symmetric | [`read_pnml`] |
//! | every marking, bounds, dead markings | [`explore`] |
//! | the exact steady state of exponential and immediate times | [`solve`] |
//! | throughputs, mean tokens, occupancy by simulation | [`simulate`] |
//! | quantities that firings preserve, and firings that reproduce a marking | [`invariants`] |
//! | tokens with values, guards, expressions | [`ColouredBuilder`], [`simulate_coloured`], [`ColouredNet::unfold`] |
//! | PNML again | [`write_pnml`], [`rewrite_pnml`] |
//!
//! Symmetric nets of PNML are unfolded when they are read: a place for each colour and a transition for each binding whose
//! guard holds. Conventions are those of the Model Checking Contest: an edge is a pair of a marking and a transition (or
//! binding) that it enables.
#![forbid(unsafe_code)]

mod coloured;
mod compiled;
mod error;
mod explore;
mod invariants;
mod net;
mod occupancy;
#[cfg(feature = "pnml")]
mod pnml;
mod simulate;
mod solve;

pub use coloured::{
    ArcText, Choice, Colour, ColouredBuilder, ColouredNet, ColouredPlace, Constant, Firing, TimingText,
    Unfolded, simulate_coloured,
};
pub use error::PetriError;
pub use explore::{Explored, explore, explore_until};
pub use invariants::{Invariants, Semiflows, invariants};
pub use net::{Arc, ArcKind, Net, NetBuilder, Place, Servers, Timing, Transition};
#[cfg(feature = "pnml")]
pub use pnml::{read_pnml, read_pnml_until, rewrite_pnml, write_pnml};
pub use simulate::{Run, Simulated, simulate};
pub use solve::{Solved, solve, solve_until};
