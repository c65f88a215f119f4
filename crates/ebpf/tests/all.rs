//! All tests of this crate: one binary is linked once.

mod against_rbpf;
mod damaged_btf;
mod faults;
mod features;
mod instructions;
mod kit;
mod maps;
mod programs;
mod real_objects;
