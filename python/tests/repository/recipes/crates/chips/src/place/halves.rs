//! A server for reads and one for everything else: neither waits for the other.

use super::table::PlaceTable;
use super::server;
use linecard_chip::config::{PlaceKind, ServerConfig};
use linecard_chip::place::{Facts, Kind, Numbers, Served, Server, Serves};
use linecard_program::script::Access;
use linecard_sim::{Ticks, Timebase};
use std::sync::Arc;

pub(super) const KEYS: &[&str] = &[];
pub(super) const HAS_TIMES: bool = true;

pub(super) fn read(asked: &PlaceTable<'_>) -> PlaceKind {
    PlaceKind::Of(Arc::new(Halves { half: server::one(asked) }))
}

#[derive(Clone, Debug)]
struct Halves {
    half: ServerConfig,
}

impl Kind for Halves {
    fn wrong(&self) -> Option<String> {
        None
    }

    fn place(&self, timebase: &Timebase) -> Box<dyn Serves> {
        Box::new(Pair([(); 2].map(|()| Server::new(&self.half, timebase))))
    }

    fn facts(&self) -> Facts {
        self.half.facts_of(1.0, "1 / service")
    }

    fn faster(&self) -> Arc<dyn Kind> {
        let mut faster = self.clone();
        faster.half.faster();
        Arc::new(faster)
    }
}

struct Pair([Server; 2]);

impl Serves for Pair {
    fn serve(&mut self, at: Ticks, kind: Access, _: u64, bytes: u32) -> Ticks {
        self.0[usize::from(kind == Access::Read)].serve(at, kind, bytes)
    }

    fn entered_ahead(&mut self, lead: Ticks) {
        self.0.iter_mut().for_each(|half| half.entered_ahead(lead));
    }

    fn restart(&mut self, now: Ticks) {
        self.0.iter_mut().for_each(|half| half.restart(now));
    }

    fn served(&self, now: Ticks) -> Served {
        Served {
            busy: self.0.iter().map(|half| half.busy(now)).collect(),
            accesses: self.0.iter().map(|half| half.accesses).sum(),
            bytes: self.0.iter().map(|half| half.moved_bytes).sum(),
            residence: self.0.iter().map(|half| half.residence).sum(),
        }
    }
}
