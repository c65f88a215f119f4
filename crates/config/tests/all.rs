//! All tests of this crate: one binary is linked once.

mod common;
mod components;
mod declarations;
mod declared;
mod files;
mod never_panics;
mod reads;
mod under;
