//! The interface between packet programs and chips.
//!
//! A chip calls a packet program ([`script::PacketProgram`]) for each packet. The program does real work and
//! writes down its costs as steps: cycles, and actions on memories and units that it names by role. A program
//! never names a chip, and a chip never names a program.
#![forbid(unsafe_code)]

mod drops;
mod packet;
pub mod script;

pub use drops::DropReason;
pub use packet::{CELL_BYTES, LEAST_FRAME_BYTES, NetworkKind, PacketHead, PacketId, cells_of};
