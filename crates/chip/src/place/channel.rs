//! A channel of DRAM with its controller: one with command queues, or the packet-buffer controller of Hasan 2003.

use crate::config::{DramConfig, DramPolicy};
use linecard_dram::channel::{Channel, Observer, Outcome, RefreshMode, Transaction, Writes};
use linecard_dram::packet_buffer::{Controller, Policy, Request, Silent};
use linecard_dram::{Cycle, Device, Location};

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
pub(crate) enum Driver {
    /// With transaction and command queues.
    Queued {
        channel: Box<Channel>,
        /// Writes are done when a queue apart has taken them.
        posts_writes: bool,
    },
    /// With one access after another by the rules of Hasan 2003.
    PacketBuffer { controller: Box<Controller<Silent>>, under_way: u32, window: u32 },
}

impl Driver {
    pub fn new(number: u32, config: &DramConfig) -> Self {
        match config.policy {
            DramPolicy::Queued(policy) => Driver::Queued {
                channel: Box::new(Channel::new(number, config.device.clone(), policy)),
                posts_writes: policy.writes != Writes::Unified,
            },
            DramPolicy::PacketBuffer { rules, refresh, window } => {
                Self::packet_buffer(&config.device, rules, refresh, window)
            }
        }
    }

    fn packet_buffer(device: &Device, rules: Policy, refresh: RefreshMode, window: u32) -> Self {
        let controller = Controller::new(device.clone(), rules, Silent).with_refresh(refresh);
        Driver::PacketBuffer { controller: Box::new(controller), under_way: 0, window }
    }

    /// Does what the channel has been left to do up to `cycle`, and in it.
    #[inline]
    pub fn catch_up(&mut self, cycle: Cycle, outcomes: &mut Outcomes) {
        match self {
            Driver::Queued { channel, .. } => {
                while channel.next_tick() <= cycle {
                    if cycle - channel.next_tick() > LONG_IDLE {
                        channel.skip_refreshes(cycle);
                    }
                    let due = channel.next_tick();
                    channel.tick(due, outcomes);
                }
            }
            Driver::PacketBuffer { controller, under_way, .. } => {
                while let Some(at) = controller.next_wake().filter(|&at| at <= cycle) {
                    if let Some(done) = controller.wake(at) {
                        *under_way -= 1;
                        outcomes.0.push((done.tag, at));
                    }
                }
            }
        }
    }

    /// Whether it can take a request.
    #[inline]
    pub fn has_room(&self, write: bool) -> bool {
        match self {
            Driver::Queued { channel, .. } => channel.has_room(write),
            Driver::PacketBuffer { under_way, window, .. } => under_way < window,
        }
    }

    /// Takes a request, which there is room for, as of the clock after `cycle`.
    #[inline]
    pub fn accept(&mut self, mut transaction: Transaction, cycle: Cycle, outcomes: &mut Outcomes) {
        match self {
            Driver::Queued { channel, posts_writes } => {
                if *posts_writes && transaction.write {
                    outcomes.0.push((transaction.index as u32, cycle + 1));
                    transaction.index |= TOLD;
                }
                channel.accept(transaction, cycle + 1, outcomes);
            }
            Driver::PacketBuffer { controller, under_way, .. } => {
                *under_way += 1;
                let Transaction { index, bank, row, bytes, write, .. } = transaction;
                let location = Location { bank, row };
                controller
                    .submit(cycle + 1, Request { location, bytes, write, more: false, tag: index as u32 });
            }
        }
    }

    /// When there is something to do next. Refreshes of a channel without requests are caught up with when one comes.
    #[inline]
    pub fn next(&self) -> Option<Cycle> {
        match self {
            Driver::Queued { channel, .. } => (!channel.is_idle()).then(|| channel.next_tick()),
            Driver::PacketBuffer { controller, .. } => controller.next_wake(),
        }
    }

    pub fn cycles(&self) -> BusCycles {
        match self {
            Driver::Queued { channel, .. } => {
                let s = channel.statistics();
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
            Driver::PacketBuffer { controller, .. } => {
                let s = controller.statistics();
                BusCycles {
                    data: s.data_cycles[0] + s.data_cycles[1],
                    row_miss: s.row_wait_cycles,
                    turnaround: s.turnaround_cycles,
                    refresh: 0,
                    spacing: 0,
                    activates: s.activates,
                    accesses: s.accesses[0] + s.accesses[1],
                }
            }
        }
    }
}
