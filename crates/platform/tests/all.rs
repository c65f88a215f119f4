//! All tests of this crate: one binary is linked once.

mod chips;
mod hierarchy;
mod ixp2400;
mod listed;
mod messages;
mod one_core;
mod parts_of_a_machine;
mod presets;
mod queue_manager;
mod queueing;
mod refused;
mod result_cache;
mod stages;
