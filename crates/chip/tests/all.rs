//! All tests of this crate: one binary is linked once.

mod blocks;
mod caches;
mod closed_forms;
mod hand_worked;
mod handing_over;
mod kit;
mod laws;
mod output;
mod queueing_theory;
mod scaling;
mod schedulers;
mod transmit;
mod waits;
