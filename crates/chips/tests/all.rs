//! All tests of this crate: one binary is linked once.

mod chips;
mod hierarchy;
mod ixp2400;
mod listed;
mod messages;
mod one_core;
mod queue_manager;
mod result_cache;
mod stages;
