//! eBPF objects of XDP programs: loaded as clang makes them, executed, and traced.
//!
//! An [`Object`] is read once; a [`Machine`] is one of its programs with its maps, called for each packet. A [`Hook`]
//! listens and costs nothing where it does nothing: [`Silent`], [`Profile`] (counters), [`Recorder`] (which keeps a
//! [`Trace`] that a chip can carry out later). There is one executor for all of them.
//!
//! Sources: the instruction set is RFC 9669; programs, maps and helpers are as the documentation and the headers of the
//! Linux kernel have them (`Documentation/bpf`, `include/uapi/linux/bpf.h`). What the kernel's verifier refuses before a
//! program runs is here found when it happens, and ends the run with the instruction and its source line. Programs are
//! executed one packet after another: nothing of concurrency is in what they compute.
#![forbid(unsafe_code)]

mod check;
mod code;
mod decode;
mod error;
mod executor;
mod helpers;
mod hook;
mod insn;
mod machine;
mod maps;
mod memory;
mod object;
mod profile;
mod trace;
mod world;

pub use code::{Code, Kind, Op};
pub use error::{EbpfError, Fault};
pub use helpers::{Fib, Route, helper_name};
pub use hook::{Access, AccessKind, Hook, Silent};
pub use insn::{CALL, LDDW, SLOT_BYTES, Slot};
pub use machine::{Machine, Options, Outcome, Verdict};
pub use maps::Entry;
pub use memory::{
    CONTEXT, HEADROOM_BYTES, Memory, PACKET, RegionId, STACK, STACK_BYTES, index, map_handle, values,
};
pub use object::{MapDefinition, MapKind, Named, Object, Program, READ_ONLY_FLAG, SourceLine};
pub use profile::{Count, Counters, Profile};
pub use trace::{Event, PacketEntry, Recorder, Step, Trace};
pub use world::{Arrival, MOST_PACKET_BYTES, Target};
