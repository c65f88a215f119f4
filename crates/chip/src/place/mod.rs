//! Places: what serves accesses. One file a kind.
//!
//! A server, a bank and a hit of a cache are first come, first served, so that the end of an access is known when it
//! arrives; only DRAM, and what waits for it, answers later. Kinds of the first sort are open ([`Kind`]): whoever describes
//! a chip may bring more.

mod banked;
pub(crate) mod cache;
mod channel;
pub(crate) mod dram;
mod kind;
pub(crate) mod packet_buffer;
pub(crate) mod results;
mod server;
pub(crate) mod slots;

use crate::config::{PlaceConfig, PlaceKind};
use banked::Banks;
pub use banked::{BankBy, Banked};
use cache::Cache;
use dram::Dram;
pub use kind::{Facts, Kind, Served, Serves};
use linecard_program::script::Access;
use linecard_queueing::{Service, Settings};
use linecard_sim::{Ticks, Timebase, stream};
use packet_buffer::PacketBuffer;
use results::Results;
pub use server::{Server, ServerConfig};
use slots::Slots;

/// A place.
pub(crate) enum Place {
    Server(Server),
    Banked(Box<Banks>),
    Of(Box<dyn Serves>),
    Dram(Box<Dram>),
    Cached(Box<Cache>),
    Slots(Box<Slots>),
    PacketBuffer(Box<PacketBuffer>),
    Results(Box<Results>),
    QueueManager(Box<Service>),
}

impl Place {
    /// An idle place.
    ///
    /// # Errors
    /// A sentence on what does not fit.
    pub fn new(
        config: &PlaceConfig,
        timebase: &Timebase,
        threads: u32,
        queues: u32,
        seed: u64,
    ) -> Result<Self, String> {
        Ok(match &config.kind {
            PlaceKind::Server(server) => Place::Server(Server::new(server, timebase)),
            PlaceKind::Banked(banked) => Place::Banked(Box::new(banked.banks(timebase))),
            PlaceKind::Of(kind) => Place::Of(kind.place(timebase)),
            PlaceKind::Dram(dram) => Place::Dram(Box::new(Dram::new(dram, timebase))),
            PlaceKind::Cached(cache) => {
                Place::Cached(Box::new(Cache::new(cache, timebase, stream(seed, &config.name))))
            }
            PlaceKind::Slots(slots) => Place::Slots(Box::new(Slots::new(slots, timebase)?)),
            PlaceKind::PacketBuffer(buffer) => {
                Place::PacketBuffer(Box::new(PacketBuffer::new(buffer, timebase)))
            }
            PlaceKind::Results(results) => Place::Results(Box::new(Results::new(results, timebase)?)),
            PlaceKind::QueueManager(manager) => {
                let settings = Settings { threads, queues, ..manager.settings.clone() };
                let service = Service::new(manager.kind, &settings, *timebase);
                Place::QueueManager(Box::new(service.map_err(|error| error.to_string())?))
            }
        })
    }

    /// Serves an access of a place that knows when it is done; nothing for places that answer later.
    #[inline(always)]
    pub fn serve(&mut self, at: Ticks, kind: Access, address: u64, bytes: u32) -> Option<Ticks> {
        match self {
            Place::Server(server) => Some(server.serve(at, kind, bytes)),
            Place::Banked(banks) => Some(banks.serve(at, kind, address, bytes)),
            Place::Of(place) => Some(serve_of(&mut **place, at, kind, address, bytes)),
            Place::Results(results) => Some(results.port.serve(at, kind, bytes)),
            Place::Dram(_)
            | Place::Cached(_)
            | Place::Slots(_)
            | Place::PacketBuffer(_)
            | Place::QueueManager(_) => None,
        }
    }

    /// Accesses are entered when they are issued, `lead` before they arrive.
    pub fn entered_ahead(&mut self, lead: Ticks) {
        match self {
            Place::Server(server) => server.entered_ahead(lead),
            Place::Banked(banks) => banks.entered_ahead(lead),
            Place::Of(place) => place.entered_ahead(lead),
            Place::Results(results) => results.port.entered_ahead(lead),
            Place::Dram(_)
            | Place::Cached(_)
            | Place::Slots(_)
            | Place::PacketBuffer(_)
            | Place::QueueManager(_) => {}
        }
    }

    /// Forget what was before `now`.
    pub fn restart(&mut self, now: Ticks) {
        match self {
            Place::Server(server) => server.restart(now),
            Place::Banked(banks) => banks.restart(now),
            Place::Of(place) => place.restart(now),
            Place::Dram(dram) => dram.restart(now),
            Place::Slots(slots) => slots.restart(now),
            Place::PacketBuffer(buffer) => buffer.restart(now),
            Place::Results(results) => {
                results.port.restart(now);
                (results.lookups, results.hits) = (0, 0);
            }
            Place::QueueManager(manager) => manager.restart(now),
            Place::Cached(cache) => {
                cache.port.restart(now);
                (cache.hits, cache.misses, cache.residence) = (0, 0, 0);
                (cache.read_hits, cache.read_misses) = (0, 0);
            }
        }
    }
}

/// Apart, so that the loop of events stays small.
#[cold]
#[inline(never)]
fn serve_of(place: &mut dyn Serves, at: Ticks, kind: Access, address: u64, bytes: u32) -> Ticks {
    place.serve(at, kind, address, bytes)
}
