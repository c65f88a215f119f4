//! A DRAM channel with its controller and command queues.

use crate::config::DramConfig;
use linecard_dram::Cycle;
use linecard_dram::channel::{Channel, Observer, Outcome, Transaction, Writes};

/// Outcomes of a clock: a request, and the clock in which it completes.
#[derive(Default)]
pub(crate) struct Outcomes(pub Vec<(u32, Cycle)>);

/// Idle time in clocks after which refreshes are no longer simulated one by one.
const LONG_IDLE: Cycle = 1 << 20;

/// Mark of a request whose thread has already been notified.
const TOLD: u64 = 1 << 32;

impl Observer for Outcomes {
    #[inline]
    fn outcome(&mut self, index: u64, outcome: &Outcome) {
        if index & TOLD != 0 {
            return;
        }
        // A write that shares the transfer of another write is complete when it is accepted.
        self.0.push((index as u32, outcome.complete.unwrap_or(outcome.accept)));
    }
}

/// Cycles of a data bus by use; in the remaining time there was no request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BusCycles {
    pub data: u64,
    pub row_miss: u64,
    pub turnaround: u64,
    pub refresh: u64,
    /// Spacing of column commands in an open row and in one direction: commands to one bank group, or one
    /// command per clock.
    pub spacing: u64,
    pub activates: u64,
    pub accesses: u64,
}

impl BusCycles {
    /// Returns the difference to an earlier reading.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            data: self.data - earlier.data,
            row_miss: self.row_miss - earlier.row_miss,
            turnaround: self.turnaround - earlier.turnaround,
            refresh: self.refresh - earlier.refresh,
            spacing: self.spacing - earlier.spacing,
            activates: self.activates - earlier.activates,
            accesses: self.accesses - earlier.accesses,
        }
    }
}

/// The controller of a channel.
pub(crate) struct Driver {
    channel: Channel,
    /// Writes complete when a separate queue has accepted them.
    posts_writes: bool,
}

impl Driver {
    pub fn new(number: u32, config: &DramConfig) -> Self {
        Self {
            channel: Channel::new(number, config.device.clone(), config.policy),
            posts_writes: config.policy.writes != Writes::Unified,
        }
    }

    /// Simulates the channel up to and including `cycle`.
    #[inline]
    pub fn catch_up(&mut self, cycle: Cycle, outcomes: &mut Outcomes) {
        let channel = &mut self.channel;
        while channel.next_tick() <= cycle {
            if cycle - channel.next_tick() > LONG_IDLE {
                channel.skip_refreshes(cycle);
            }
            let due = channel.next_tick();
            channel.tick(due, outcomes);
        }
    }

    /// Returns whether it can accept a request.
    #[inline]
    pub fn has_room(&self, write: bool) -> bool {
        self.channel.has_room(write)
    }

    /// Accepts a request as of the clock after `cycle`. There must be room for it.
    #[inline]
    pub fn accept(&mut self, mut transaction: Transaction, cycle: Cycle, outcomes: &mut Outcomes) {
        if self.posts_writes && transaction.write {
            outcomes.0.push((transaction.index as u32, cycle + 1));
            transaction.index |= TOLD;
        }
        self.channel.accept(&transaction, cycle + 1, outcomes);
    }

    /// Returns the next clock with something to do. Refreshes of a channel without requests are simulated when
    /// the next request arrives.
    #[inline]
    pub fn next(&self) -> Option<Cycle> {
        (!self.channel.is_idle()).then(|| self.channel.next_tick())
    }

    pub fn cycles(&self) -> BusCycles {
        let s = self.channel.statistics();
        BusCycles {
            data: s.data_cycles[0] + s.data_cycles[1],
            row_miss: s.lost.row_miss + s.lost.bank_conflict + s.lost.activate_window,
            turnaround: s.lost.turnaround,
            refresh: s.lost.refresh,
            spacing: s.lost.spacing,
            activates: s.activates(),
            accesses: s.sent().iter().sum(),
        }
    }
}
