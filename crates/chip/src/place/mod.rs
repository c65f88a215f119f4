//! Memories, and what else serves accesses. One file a kind.
//!
//! A server, a bank and a hit of a cache are first come, first served, so that the end of an access is known when it
//! arrives; DRAM, and what waits for it, answers later. The chip knows all of them by [`Numbers`] and [`Memory`] alone: a new
//! kind is a file that implements both, its numbers and a line in `config.rs`, and a line in the list below. Kinds that answer at once are open to
//! whoever describes a chip, too ([`Kind`]).

mod banked;
pub(crate) mod cache;
mod channel;
mod dram;
mod kind;
pub(crate) mod memory;
mod open;
mod packet_buffer;
mod queue_manager;
mod results;
mod server;
mod slots;

use crate::counts::PlaceCounts;
use crate::request::Requests;
use banked::Banks;
pub use banked::{BankBy, Banked};
use cache::Cache;
use dram::Dram;
use enum_dispatch::enum_dispatch;
pub use kind::{Facts, Kind, Served, Serves};
use linecard_program::PacketHead;
use linecard_program::script::Access;
use linecard_queueing::Service;
use linecard_sim::Ticks;
pub(crate) use memory::{BankLayout, Cells, Memory, Numbers, Site, Submitted};
use open::Open;
use packet_buffer::PacketBuffer;
use results::Results;
pub use server::{Server, ServerConfig};
use slots::Slots;

/// A memory, or what else serves accesses.
#[enum_dispatch(Memory)]
#[allow(clippy::large_enum_variant, reason = "there are few, and what is asked most is the smallest")]
pub(crate) enum Place {
    Server,
    Banks,
    Open,
    Dram,
    Cache,
    Slots,
    PacketBuffer,
    Results,
    Service,
}
