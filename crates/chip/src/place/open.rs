//! A kind of memory that the author of a chip defines.

use super::facts::Facts;
use super::kind::{Kind, Serves};
use super::memory::{Memory, Numbers};
use crate::counts::PlaceCounts;
use linecard_program::script::Access;
use linecard_sim::Ticks;
use std::sync::Arc;

pub(crate) struct Open(pub Box<dyn Serves>);

impl Numbers for Arc<dyn Kind> {
    fn facts(&self) -> Facts {
        (**self).facts()
    }

    fn faster(&mut self) {
        *self = (**self).faster();
    }

    fn wrong(&self) -> Option<String> {
        (**self).wrong()
    }

    fn answers_at_once(&self) -> bool {
        true
    }
}

impl Memory for Open {
    /// A separate function, so that the event loop stays small.
    #[cold]
    #[inline(never)]
    fn serve(&mut self, at: Ticks, kind: Access, address: u64, bytes: u32) -> Option<Ticks> {
        Some(self.0.serve(at, kind, address, bytes))
    }

    fn entered_ahead(&mut self, lead: Ticks) {
        self.0.entered_ahead(lead);
    }

    fn restart(&mut self, now: Ticks) {
        self.0.restart(now);
    }

    fn counts(&self, now: Ticks, since: Ticks) -> PlaceCounts {
        self.0.served(now).counts(now, since)
    }
}
