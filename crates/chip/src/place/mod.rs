//! Memories and units: everything that serves accesses. One file per kind.
//!
//! A server, a bank and a cache hit are first come, first served: the completion time of an access is known at
//! its arrival. DRAM, and caches in front of it, answer later. The chip uses all of them through [`Numbers`]
//! and [`Memory`] alone. A new kind is a file that implements both, its numbers in `config.rs`, and its lines
//! in this file. Authors of chips can add kinds that answer at once ([`Kind`]).

mod banked;
mod cache;
mod channel;
mod dram;
mod facts;
mod kind;
pub(crate) mod memory;
mod open;
mod packet_buffer;
mod queue_manager;
mod results;
mod server;
mod slots;

use crate::config::{PlaceConfig, PlaceKind};
use crate::counts::PlaceCounts;
use crate::request::Requests;
use banked::Banks;
pub use banked::{BankBy, Banked};
use cache::Cache;
use dram::Dram;
use enum_dispatch::enum_dispatch;
pub use facts::Facts;
pub use kind::{Kind, Served, Serves};
use linecard_program::PacketHead;
use linecard_program::script::Access;
use linecard_queueing::{Operation, Service};
use linecard_sim::{Ticks, Timebase, stream};
pub use memory::Numbers;
pub(crate) use memory::{BankLayout, Cells, Found, Memory, Passage, Submitted};
use open::Open;
use packet_buffer::PacketBuffer;
use results::Results;
pub use server::{Server, ServerConfig};
use slots::Slots;

/// A memory or a unit.
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

impl Place {
    /// Returns an idle memory.
    ///
    /// # Errors
    ///
    /// Returns a sentence on what does not fit.
    pub fn new(
        config: &PlaceConfig,
        timebase: &Timebase,
        threads: u32,
        queues: u32,
        seed: u64,
    ) -> Result<Self, String> {
        Ok(match &config.kind {
            PlaceKind::Server(server) => Server::new(server, timebase).into(),
            PlaceKind::Banked(banked) => banked.banks(timebase).into(),
            PlaceKind::Of(kind) => Open(kind.place(timebase)).into(),
            PlaceKind::Dram(dram) => Dram::new(dram, timebase).into(),
            PlaceKind::Cached(cache) => Cache::new(cache, timebase, stream(seed, &config.name)).into(),
            PlaceKind::Slots(slots) => Slots::new(slots, timebase)?.into(),
            PlaceKind::PacketBuffer(buffer) => PacketBuffer::new(buffer, timebase).into(),
            PlaceKind::Results(results) => Results::new(results, timebase)?.into(),
            PlaceKind::QueueManager(manager) => {
                queue_manager::build(manager, timebase, threads, queues)?.into()
            }
        })
    }

    /// As [`Memory::serve`]; a server, which is asked most, is served without a call.
    #[inline(always)]
    pub fn serve_at(&mut self, at: Ticks, kind: Access, address: u64, bytes: u32) -> Option<Ticks> {
        match self {
            Place::Server(server) => Some(server.serve(at, kind, bytes)),
            other => other.serve(at, kind, address, bytes),
        }
    }
}

/// The numbers of each kind, borrowed or mutable.
macro_rules! numbers {
    ($kind:expr) => {
        match $kind {
            PlaceKind::Server(server) => server,
            PlaceKind::Banked(banked) => banked,
            PlaceKind::Of(kind) => kind,
            PlaceKind::Dram(dram) => dram,
            PlaceKind::Cached(cache) => cache,
            PlaceKind::Slots(slots) => slots,
            PlaceKind::PacketBuffer(buffer) => buffer,
            PlaceKind::Results(results) => results,
            PlaceKind::QueueManager(manager) => manager,
        }
    };
}

impl PlaceKind {
    /// Returns its numbers.
    pub fn numbers(&self) -> &dyn Numbers {
        numbers!(self)
    }

    /// Returns its numbers, mutable.
    pub fn numbers_mut(&mut self) -> &mut dyn Numbers {
        numbers!(self)
    }
}
