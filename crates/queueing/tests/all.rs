//! All tests of this crate: one binary is linked once.

mod interleavings;
mod kit;
mod latency;
mod service;
