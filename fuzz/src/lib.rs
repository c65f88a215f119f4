//! Targets of a coverage-guided fuzzer: one for every reader of what comes from outside.
//!
//! A target takes any bytes, gives them to a reader as a user's file would reach it, goes on with what was read for a
//! little while, and asserts what holds of every result. It must return: a panic, an abort, ten seconds without an end or
//! a gibibyte of memory is a finding. `cargo test` replays the corpus through all of them; `make fuzz` looks for more.
#![forbid(unsafe_code)]

mod random;
mod result;
mod scratch;
mod targets;

pub use random::{Case, Cases, Chips};
pub use result::tally;
pub use targets::{TARGETS, Target};
