//! When refreshes are due, and of which banks.

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
    /// Bit set of its banks.
    pub fn mask(self) -> u64 {
        (u64::MAX >> (64 - self.banks)) << self.first_bank
    }
}

/// Rounds of refreshes before a point in time that are carried out even after a long idle time: what they leave behind is all
/// that a table of constraints reaches back to.
const KEPT_ROUNDS: u64 = 8;

/// The clock of refreshes: ranks, or banks, in turn and evenly spread over the interval.
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

    /// The refresh that goes first.
    #[inline]
    pub fn front(&self) -> Option<Target> {
        self.waiting.front().copied()
    }

    /// Time has come to `due`.
    pub fn fall_due(&mut self) {
        self.due += self.step;
        let first_bank = self.next * self.banks_per_part;
        self.waiting.push_back(Target { command: self.command, first_bank, banks: self.banks_per_part });
        self.next = if self.next + 1 == self.parts { 0 } else { self.next + 1 };
    }

    /// Leaves out whole rounds, each a refresh of every part, but for the last ones before `until`; how many.
    pub fn skip_rounds(&mut self, until: Cycle) -> u64 {
        let round = self.step * Cycle::from(self.parts);
        if round == 0 {
            return 0;
        }
        let skipped = (until.saturating_sub(self.due) / round).saturating_sub(KEPT_ROUNDS);
        self.due += skipped * round;
        skipped
    }

    /// Ranks, or banks, that are refreshed in turn.
    pub fn parts(&self) -> u32 {
        self.parts
    }

    /// What refreshes them.
    pub fn command(&self) -> Command {
        self.command
    }

    /// The first has been issued.
    pub fn done(&mut self) {
        self.waiting.pop_front();
    }
}
