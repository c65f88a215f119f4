//! All tests of this crate: one binary is linked once.

mod checker;
mod closed_forms;
mod device_timing;
mod idle;
mod kit;
mod naive_channel;
mod planner;
mod slots;
mod traces;
