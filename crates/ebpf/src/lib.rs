//! eBPF objects of XDP programs: reads the output of clang, executes it, and traces it.
//!
//! An [`Object`] is read once; a [`Machine`] is one of its programs with its maps, called for each packet. A [`Hook`]
//! observes the execution; one that does nothing costs nothing: [`Silent`], [`Profile`] (counters), [`Recorder`]
//! (keeps a [`Trace`] that a chip can execute later). There is one executor for all of them.
//!
//! Sources: the instruction set is RFC 9669; programs, maps and helpers follow the documentation and the headers of
//! the Linux kernel (`Documentation/bpf`, `include/uapi/linux/bpf.h`). Violations that the kernel's verifier refuses
//! before a program runs are detected here when they happen, and end the run with the instruction and its source line.
//! Programs execute one packet after another: their results do not depend on concurrency.
//!
//! ```
//! use linecard_ebpf::{Arrival, Event, Machine, Object, Options, Recorder, Verdict};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs/xdp/prebuilt/parse_count.o");
//! let object = Object::read("parse_count.o", &std::fs::read(file)?)?;
//! let mut machine = Machine::load(&object, Some("parse_count"), Options::default())?;
//! let mut recorder = Recorder::default();
//! let frame = [0u8; 60];
//! let outcome = machine.packet(&frame, Arrival::default(), &mut recorder)?;
//! recorder.finish(&outcome, frame.len(), machine.packet_left().len());
//! assert_eq!(outcome.verdict, Verdict::Drop);
//!
//! // The steps of a chip: a number of instructions, then an access to a byte of a region, or a helper.
//! for step in recorder.trace().steps(0) {
//!     match step.event {
//!         Event::Access(access) => {
//!             println!("{:4} {:?} {}", step.instructions, access.kind, machine.region(access.region));
//!         }
//!         Event::Helper(number) => println!("{:4} {}", step.instructions, linecard_ebpf::helper_name(number)),
//!     }
//! }
//! // The counts of the program: frames of no IP protocol are at 255.
//! let counts = machine.entries(machine.map("counts")?)?;
//! assert_eq!(counts[0].key, 255u32.to_le_bytes());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod check;
mod code;
mod decode;
mod error;
mod executor;
mod helpers;
mod hook;
mod insn;
mod liveness;
mod machine;
mod maps;
mod memory;
mod object;
mod profile;
mod routes;
#[cfg(feature = "rows")]
mod rows;
mod sparse;
mod trace;
mod world;

/// Most lanes of a row.
pub const MOST_LANES: u32 = 8;

pub use code::{Code, Kind, Op};
pub use error::{EbpfError, Fault};
pub use helpers::{MAP_LOOKUP, helper_name};
pub use hook::{Access, AccessKind, At, Hook, Silent};
pub use insn::{CALL, LDDW, SLOT_BYTES, Slot};
pub use liveness::{upper_wanted_after, wanted_after};
pub use machine::{Machine, Options, Outcome, Verdict};
pub use maps::Entry;
pub use memory::{
    CONTEXT, HEADROOM_BYTES, Memory, PACKET, RegionId, STACK, STACK_BYTES, Traced, handled, index,
    map_handle, values,
};
pub use object::{MapDefinition, MapKind, Named, Object, Program, READ_ONLY_FLAG, SourceLine};
pub use profile::{Count, Counters, Profile};
pub use routes::{Fib, Route};
#[cfg(feature = "rows")]
pub use rows::{BlockRows, Charge, ExitAction, Rows, Rules};
pub use trace::{Event, PacketEntry, Recorder, Step, Trace};
pub use world::{Arrival, MOST_PACKET_BYTES, Target};
