//! All tests of this crate: one binary is linked once.

mod instructions;
mod lines;
mod programs;
mod trace;
