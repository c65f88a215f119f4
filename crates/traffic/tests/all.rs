//! All tests of this crate: one binary is linked once.

mod common;
mod formats;
mod generators;
mod links;
mod reference;
mod remapping;
mod robustness;
mod shot_noise;
mod statistics;
mod writing;
