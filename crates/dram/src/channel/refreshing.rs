//! Refreshes of a channel: they fall due, close the rows of their banks, and keep queues from issuing.

use super::controller::Channel;
use super::policy::Scheduler;
use super::refresh::Target;
use super::{Issued, Observer};
use crate::{Command, Cycle};

impl Channel {
    /// Counts the refreshes of a long idle time up to `until` without simulating them, except the last rounds;
    /// the behaviour afterwards is the same. Does nothing while there is a request, an open row, or a refresh
    /// under way.
    #[cold]
    pub fn skip_refreshes(&mut self, until: Cycle) {
        if !self.is_idle() || self.refresh.front().is_some() || self.open_banks != 0 {
            return;
        }
        let rounds = self.refresh.skip_rounds(until);
        match self.refresh.command() {
            Command::Refresh => self.statistics.refreshes += rounds * u64::from(self.refresh.parts()),
            _ => self.statistics.banks.iter_mut().for_each(|bank| bank.refreshes += rounds),
        }
        self.next_tick = self.plan.at.min(self.refresh.due);
    }

    #[cold]
    pub(super) fn fall_due(&mut self, now: Cycle) {
        self.refresh.fall_due();
        // Of several pending refreshes, only the first is under way; the cost of the others begins when it
        // ends.
        if let Some(target) = self.refresh.front() {
            self.begin_refresh(target, now);
        }
        self.plan = self.make_plan(now);
    }

    pub(super) fn begin_refresh(&mut self, target: Target, now: Cycle) {
        for bank in bits(target.mask()) {
            let row = &mut self.rows[bank as usize];
            if !row.refreshing {
                row.refreshing = true;
                row.refresh_from = now.max(row.refresh_until);
            }
        }
    }

    /// Returns the command queues that may not issue.
    #[inline]
    pub(super) fn frozen(&self) -> u64 {
        match self.refresh.front() {
            None => 0,
            Some(target) if self.policy.scheduler == Scheduler::Fcfs => {
                target.mask() >> self.queues[0].bank & 1
            }
            Some(target) => target.mask(),
        }
    }

    /// Returns when, from clock `from` on, the pending refresh can issue its next command.
    #[cold]
    pub(super) fn refresh_ready(&self, target: Target, from: Cycle) -> Cycle {
        let mut first = Cycle::MAX;
        for bank in bits(self.open_banks & target.mask()) {
            first = first.min(self.waits.earliest(Command::Precharge, bank));
            // No other bank can be sooner.
            if first <= from {
                return from;
            }
        }
        match first {
            Cycle::MAX => self.waits.earliest(target.command, target.first_bank).max(from),
            first => first,
        }
    }

    #[cold]
    pub(super) fn issue_for_refresh(&mut self, now: Cycle, observer: &mut impl Observer) {
        let Some(target) = self.refresh.front() else { return };
        let ready = |&bank: &u32| self.waits.earliest(Command::Precharge, bank) <= now;
        if let Some(bank) = bits(self.open_banks & target.mask()).find(ready) {
            self.statistics.banks[bank as usize].closed_for_refresh += 1;
            self.close(bank, None, now, observer);
            // If one queue serves all banks, its request may be to another bank.
            let queue = self.queue_of(bank);
            if self.queues[queue].bank == bank {
                self.waits.wish(queue, self.queues[queue].closed());
            }
            return;
        }
        self.send(target.command, target.first_bank, 0, 0, 0, now);
        let (command, bank) = (target.command, target.first_bank);
        observer.command(self.number, &Issued { at: now, command, bank, request: None, bytes: 0 });
        match target.command {
            Command::Refresh => self.statistics.refreshes += 1,
            _ => self.statistics.banks[target.first_bank as usize].refreshes += 1,
        }
        for bank in bits(target.mask()) {
            let end = self.waits.earliest(Command::Activate, bank).max(now);
            let row = &mut self.rows[bank as usize];
            row.refreshed += end - row.refresh_from;
            row.refresh_until = end;
            row.refreshing = false;
            row.prepared_from = None;
        }
        self.refresh.done();
        if let Some(next) = self.refresh.front() {
            self.begin_refresh(next, now);
        }
    }
}

/// Returns the numbers of the bits that are set.
#[inline]
fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros());
        set &= set.wrapping_sub(1);
        bit
    })
}
