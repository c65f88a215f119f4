//! Banks, each a server of its own: accesses to one bank wait for each other only.

use super::facts::Facts;
use super::kind::{Kind, Served, Serves};
use super::memory::{Memory, Numbers};
use super::server::Server;
use crate::config::ServerConfig;
use crate::counts::PlaceCounts;
use linecard_program::script::Access;
use linecard_sim::{Ticks, Timebase};
use std::sync::Arc;

/// Numbers of a memory with banks.
#[derive(Clone, Debug)]
pub struct Banked {
    /// One bank.
    pub bank: ServerConfig,
    /// Number of banks.
    pub count: u32,
    /// How the bank of an access is selected.
    pub by: BankBy,
}

/// How the bank of an access is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankBy {
    /// By the address, in blocks of this number of bytes.
    Address {
        /// Bytes of a block, a power of two.
        interleave_bytes: u32,
    },
    /// In turn.
    Turn,
}

impl Banked {
    /// Returns idle banks.
    pub(crate) fn banks(&self, timebase: &Timebase) -> Banks {
        let banks = (0..self.count).map(|_| Server::new(&self.bank, timebase)).collect();
        let by = match self.by {
            BankBy::Address { interleave_bytes } => Next::Address { block_bits: interleave_bytes.ilog2() },
            BankBy::Turn => Next::Turn { last: 0 },
        };
        Banks { banks, by }
    }
}

impl Kind for Banked {
    fn wrong(&self) -> Option<String> {
        let interleaved = match self.by {
            BankBy::Address { interleave_bytes } => interleave_bytes.is_power_of_two(),
            BankBy::Turn => true,
        };
        let fits = self.count > 0 && interleaved;
        (!fits).then(|| "needs at least one bank and an interleaving granularity of 2^n bytes".to_owned())
    }

    fn place(&self, timebase: &Timebase) -> Box<dyn Serves> {
        Box::new(self.banks(timebase))
    }

    fn facts(&self) -> Facts {
        self.bank.facts_of(f64::from(self.count), "banks / service")
    }

    fn faster(&self) -> Arc<dyn Kind> {
        let mut faster = self.clone();
        faster.bank.faster();
        Arc::new(faster)
    }
}

pub(crate) struct Banks {
    banks: Vec<Server>,
    by: Next,
}

/// How the bank of the next access is found.
enum Next {
    /// By the number of its block: the address without this many of its lowest bits.
    Address { block_bits: u32 },
    /// In turn, after the bank of the last access.
    Turn { last: usize },
}

impl Serves for Banks {
    #[inline(always)]
    fn serve(&mut self, at: Ticks, kind: Access, address: u64, bytes: u32) -> Ticks {
        let bank = match &mut self.by {
            Next::Address { block_bits } => {
                let (block, count) = ((address >> *block_bits) as usize, self.banks.len());
                if count.is_power_of_two() { block & (count - 1) } else { block % count }
            }
            Next::Turn { last } => {
                *last = if *last + 1 == self.banks.len() { 0 } else { *last + 1 };
                *last
            }
        };
        self.banks[bank].serve(at, kind, bytes)
    }

    fn entered_ahead(&mut self, lead: Ticks) {
        self.banks.iter_mut().for_each(|bank| bank.entered_ahead(lead));
    }

    fn restart(&mut self, now: Ticks) {
        self.banks.iter_mut().for_each(|bank| bank.restart(now));
    }

    fn served(&self, now: Ticks) -> Served {
        let busy = |bank: &Server| bank.busy(now).checked_div(u64::from(bank.concurrency()));
        Served {
            busy: self.banks.iter().filter_map(busy).collect(),
            accesses: self.banks.iter().map(|bank| bank.accesses).sum(),
            bytes: self.banks.iter().map(|bank| bank.moved_bytes).sum(),
            residence: self.banks.iter().map(|bank| bank.residence).sum(),
        }
    }
}

impl Numbers for Banked {
    fn facts(&self) -> Facts {
        Kind::facts(self)
    }

    fn faster(&mut self) {
        self.bank.faster();
    }

    fn wrong(&self) -> Option<String> {
        Kind::wrong(self)
    }

    fn answers_at_once(&self) -> bool {
        true
    }
}

impl Memory for Banks {
    #[inline(always)]
    fn serve(&mut self, at: Ticks, kind: Access, address: u64, bytes: u32) -> Option<Ticks> {
        Some(Serves::serve(self, at, kind, address, bytes))
    }

    fn entered_ahead(&mut self, lead: Ticks) {
        Serves::entered_ahead(self, lead);
    }

    fn restart(&mut self, now: Ticks) {
        Serves::restart(self, now);
    }

    fn counts(&self, now: Ticks, since: Ticks) -> PlaceCounts {
        self.served(now).counts(now, since)
    }
}
