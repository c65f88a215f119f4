//! RISC-V packet programs: an instruction-set simulator (RV32IMAC, RV64IMAC) and execution traces.
//!
//! A program is an ELF file with a function `app_packet` ([`Machine`]). It is decoded once ([`Code`]) and
//! called for each packet; a [`Hook`] observes the execution, and one that does nothing costs nothing.
//! [`Recorder`] is the hook that records a [`Trace`]: the trace serves every configuration of a core, so that a
//! sweep executes a program once.
//!
//! Marks are custom-0 instructions (`programs/include/linecard.h`): packet begin and end, lock and unlock,
//! time.
#![forbid(unsafe_code)]

mod allocator;
mod atomic;
mod code;
mod compressed;
mod cpu;
mod decode;
mod error;
mod far;
mod hart;
mod image;
mod lines;
mod machine;
mod memory;
mod standalone;
mod trace;
mod word;

pub use code::{Class, Code};
pub use compressed::expand;
pub use cpu::{Cpu, Hook, REGISTERS, STOP, Silent, System};
pub use decode::{Amo, Op, Opcode, SINK, decode};
pub use error::{Fault, IssError, Place};
pub use image::{Image, Segment, Symbol};
pub use lines::{Lines, SourcePlace};
pub use machine::{HEAP_BYTES, INIT_ENTRY, Layout, MOST_PACKET_BYTES, Machine, PACKET_ENTRY};
pub use memory::Memory;
pub use standalone::{run_standalone, run_standalone_until};
pub use trace::{PacketEntry, Recorder, Runs, Step, Trace};
pub use word::{Width, Word};
