//! The vocabulary between packet programs and chips.
//!
//! A packet program ([`script::PacketProgram`]) is asked for each packet: it does its work for real and writes down what
//! that costs, as steps of cycles and actions on places that it names by role. A program never names a chip, and a chip
//! never names a program.
#![forbid(unsafe_code)]

mod drops;
mod packet;
pub mod script;

pub use drops::DropReason;
pub use packet::{CELL_BYTES, NetworkKind, PacketHead, PacketId, cells_of};
