//! All tests of this crate: one binary is linked once.

mod parts_of_a_machine;
mod presets;
mod refused;
