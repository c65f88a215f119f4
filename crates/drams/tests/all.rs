//! All tests of this crate: one binary is linked once.

mod checker;
mod closed_forms;
mod golden;
mod kit;
mod limits;
