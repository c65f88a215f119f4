//! All tests of this crate: one binary is linked once.

mod coloured;
mod golden;
