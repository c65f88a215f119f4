//! When refreshes are due, and for which banks.

use super::policy::RefreshMode;
use crate::{Command, Cycle, Organization};
use std::collections::VecDeque;

/// Banks that are refreshed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub command: Command,
    pub first_bank: u32,
    pub banks: u32,
}

impl Target {
    /// Returns the bit set of its banks.
    pub fn mask(self) -> u64 {
        (u64::MAX >> (64 - self.banks)) << self.first_bank
    }
}

/// Rounds of refreshes before a point in time that are simulated even after a long idle time. Their effect
/// covers the whole reach of a table of constraints.
const KEPT_ROUNDS: u64 = 8;

/// Times of refreshes: ranks, or banks, in turn and evenly spread over the interval.
#[derive(Clone, Debug)]
pub(crate) struct RefreshClock {
    command: Command,
    step: Cycle,
    /// When the next is due; never, without refresh.
    pub due: Cycle,
    next: u32,
    parts: u32,
    banks_per_part: u32,
    waiting: VecDeque<Target>,
}

impl RefreshClock {
    pub fn new(mode: RefreshMode, organization: &Organization) -> Self {
        let (command, parts, interval) = match mode {
            RefreshMode::None => (Command::Refresh, 1, 0),
            RefreshMode::AllBank { interval } => (Command::Refresh, organization.ranks, interval),
            RefreshMode::PerBank { interval } => (Command::RefreshBank, organization.banks, interval),
        };
        let step = interval / Cycle::from(parts);
        Self {
            command,
            step,
            due: if step == 0 { Cycle::MAX } else { step },
            next: 0,
            parts,
            banks_per_part: organization.banks / parts,
            waiting: VecDeque::new(),
        }
    }

    /// Returns the first pending refresh.
    #[inline]
    pub fn front(&self) -> Option<Target> {
        self.waiting.front().copied()
    }

    /// The time `due` has come.
    pub fn fall_due(&mut self) {
        self.due += self.step;
        let first_bank = self.next * self.banks_per_part;
        self.waiting.push_back(Target { command: self.command, first_bank, banks: self.banks_per_part });
        self.next = if self.next + 1 == self.parts { 0 } else { self.next + 1 };
    }

    /// Skips whole rounds, each a refresh of every part, except the last ones before `until`. Returns how many.
    pub fn skip_rounds(&mut self, until: Cycle) -> u64 {
        let round = self.step * Cycle::from(self.parts);
        if round == 0 {
            return 0;
        }
        let skipped = (until.saturating_sub(self.due) / round).saturating_sub(KEPT_ROUNDS);
        self.due += skipped * round;
        skipped
    }

    /// Returns the number of ranks, or banks, that are refreshed in turn.
    pub fn parts(&self) -> u32 {
        self.parts
    }

    /// Returns the command that refreshes them.
    pub fn command(&self) -> Command {
        self.command
    }

    /// The first pending refresh has been issued.
    pub fn done(&mut self) {
        self.waiting.pop_front();
    }
}
