//! All tests of this crate: one binary is linked once.

mod closed_forms;
mod work;
