//! A channel of DRAM with its controller and command queues.

use crate::config::DramConfig;
use linecard_dram::Cycle;
use linecard_dram::channel::{Channel, Observer, Outcome, Transaction, Writes};

/// What became known in a clock: a request, and the clock in which it is done.
#[derive(Default)]
pub(crate) struct Outcomes(pub Vec<(u32, Cycle)>);

/// Clocks behind which refreshes are no longer carried out one by one.
const LONG_IDLE: Cycle = 1 << 20;

/// Mark of a request whose thread has been told already.
const TOLD: u64 = 1 << 32;

impl Observer for Outcomes {
    #[inline]
    fn outcome(&mut self, index: u64, outcome: &Outcome) {
        if index & TOLD != 0 {
            return;
        }
        // A write that shares another's transfer has been taken: it is done with.
        self.0.push((index as u32, outcome.complete.unwrap_or(outcome.accept)));
    }
}

/// Where the cycles of a data bus went; what is left of the time had no request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BusCycles {
    pub data: u64,
    pub row_miss: u64,
    pub turnaround: u64,
    pub refresh: u64,
    /// Row open and direction kept: columns of a bank group apart, one command a clock.
    pub spacing: u64,
    pub activates: u64,
    pub accesses: u64,
}

impl BusCycles {
    /// What has come since an earlier reading.
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

/// A channel's controller.
pub(crate) struct Driver {
    channel: Channel,
    /// Writes are done when a queue apart has taken them.
    posts_writes: bool,
}

impl Driver {
    pub fn new(number: u32, config: &DramConfig) -> Self {
        Self {
            channel: Channel::new(number, config.device.clone(), config.policy),
            posts_writes: config.policy.writes != Writes::Unified,
        }
    }

    /// Does what the channel has been left to do up to `cycle`, and in it.
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

    /// Whether it can take a request.
    #[inline]
    pub fn has_room(&self, write: bool) -> bool {
        self.channel.has_room(write)
    }

    /// Takes a request, which there is room for, as of the clock after `cycle`.
    #[inline]
    pub fn accept(&mut self, mut transaction: Transaction, cycle: Cycle, outcomes: &mut Outcomes) {
        if self.posts_writes && transaction.write {
            outcomes.0.push((transaction.index as u32, cycle + 1));
            transaction.index |= TOLD;
        }
        self.channel.accept(&transaction, cycle + 1, outcomes);
    }

    /// When there is something to do next. Refreshes of a channel without requests are caught up with when one comes.
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
            accesses: s.sent[0] + s.sent[1],
        }
    }
}
