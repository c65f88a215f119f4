//! A DRAM device: banks with open rows, and a table of the least distances between commands.
//!
//! A standard is data: a list of [`Constraint`]s. In compiled form, each command postpones the earliest legal
//! cycle of the commands that it constrains, at the level (whole device, bank group, bank) of the constraint.
//! The device is passive: [`Device::earliest`] probes without side effects, [`Device::issue`] is strict.

use crate::Cycle;

/// A DRAM command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Command {
    /// Open a row.
    Activate,
    /// Close the open row of a bank.
    Precharge,
    /// Read from the open row.
    Read,
    /// Write to the open row.
    Write,
    /// Refresh all banks of a rank.
    Refresh,
    /// Refresh one bank.
    RefreshBank,
    /// Read, then close the row as soon as the table allows a precharge.
    ReadAuto,
    /// Write, then close the row as soon as the table allows a precharge.
    WriteAuto,
}

const COMMANDS: usize = 8;

/// Commands with rows of their own in a table: a column command with auto-precharge obeys those of the plain
/// one, and its precharge those of a precharge.
pub(crate) const CLASSES: usize = 6;

impl Command {
    /// All commands, in order of number.
    pub const ALL: [Command; COMMANDS] = [
        Command::Activate,
        Command::Precharge,
        Command::Read,
        Command::Write,
        Command::Refresh,
        Command::RefreshBank,
        Command::ReadAuto,
        Command::WriteAuto,
    ];

    /// Commands that a table may name.
    pub const IN_TABLES: [Command; CLASSES] = [
        Command::Activate,
        Command::Precharge,
        Command::Read,
        Command::Write,
        Command::Refresh,
        Command::RefreshBank,
    ];

    /// Returns the datasheets' abbreviation.
    pub fn name(self) -> &'static str {
        ["ACT", "PRE", "RD", "WR", "REF", "REFB", "RDA", "WRA"][self as usize]
    }

    /// Returns the command whose rows of the table apply to this one.
    #[inline]
    pub fn class(self) -> Command {
        // From a table, in fewer instructions than by comparisons.
        const CLASS: [Command; COMMANDS] = {
            let mut class = Command::ALL;
            class[Command::ReadAuto as usize] = Command::Read;
            class[Command::WriteAuto as usize] = Command::Write;
            class
        };
        CLASS[self as usize]
    }

    /// Returns whether it closes the row after the access.
    #[inline]
    pub fn is_auto(self) -> bool {
        matches!(self, Command::ReadAuto | Command::WriteAuto)
    }

    /// Returns whether it moves data.
    #[inline]
    pub fn is_column(self) -> bool {
        matches!(self, Command::Read | Command::Write | Command::ReadAuto | Command::WriteAuto)
    }
}

/// The part of a device within which a constraint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Between any two banks of one rank.
    Rank,
    /// Between banks of one bank group.
    Group,
    /// Within one bank.
    Bank,
    /// Between banks of different ranks, which share only the buses.
    OtherRanks,
}

/// The moment of the earlier command from which a constraint counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The cycle in which it was issued.
    Issue,
    /// The cycle after its last data beat (reads and writes).
    DataEnd,
    /// The cycle after its last column access: issue plus the beats' cycles (reads and writes). The data follow
    /// after the latency.
    ColumnEnd,
}

/// `after` must not issue earlier than `cycles` after the `window`-th last `before` within the same `level`. A
/// window counts all commands of `before` together, and always from their issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Name in the standard, such as `tRCD`.
    pub name: String,
    /// The part of the device in which it applies.
    pub level: Level,
    /// Earlier commands.
    pub before: Vec<Command>,
    /// Later commands.
    pub after: Vec<Command>,
    /// Distance.
    pub cycles: Cycle,
    /// The moment of the earlier command.
    pub from: Edge,
    /// 1 for the last earlier command; 4 for the activate window tFAW.
    pub window: usize,
}

/// The organization of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Organization {
    /// Ranks that share the buses.
    pub ranks: u32,
    /// Bank groups of all ranks; if there are none, the number of ranks.
    pub groups: u32,
    /// Banks of all ranks.
    pub banks: u32,
    /// Bytes in a row of one bank.
    pub row_bytes: u32,
    /// Rows in a bank.
    pub rows: u32,
    /// Bytes that the bus moves per beat.
    pub beat_bytes: u32,
    /// Beats per clock cycle: 1, 2 for double data rate, 8 for GDDR6.
    pub beats_per_cycle: u32,
}

impl Organization {
    /// Returns the rank of a bank.
    pub fn rank(&self, bank: u32) -> u32 {
        bank / (self.banks / self.ranks)
    }

    /// Returns the bank group of a bank, counted over all ranks.
    pub fn group(&self, bank: u32) -> u32 {
        bank / (self.banks / self.groups)
    }

    /// Returns the bytes in the device.
    pub fn capacity_bytes(&self) -> u64 {
        u64::from(self.banks) * u64::from(self.rows) * u64::from(self.row_bytes)
    }

    /// Returns the bus cycles of `bytes` bytes, in whole beats.
    #[inline]
    pub fn data_cycles(&self, bytes: u32) -> Cycle {
        Cycle::from(bytes.div_ceil(self.beat_bytes).div_ceil(self.beats_per_cycle))
    }
}

/// The timing of a device: latencies and constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From a read command to its first beat.
    pub read_latency: Cycle,
    /// From a write command to its first beat.
    pub write_latency: Cycle,
    /// The table.
    pub constraints: Vec<Constraint>,
}

/// When the row of a column command with auto-precharge counts as closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoPrecharge {
    /// As soon as the table would have permitted a precharge.
    Standard,
    /// As in DRAMsim3: for an activate, a read keeps the bank busy one burst longer than the table requires;
    /// for a refresh, the column command's own distance counts and tRAS does not.
    DramSim3,
}

/// One compiled effect of a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Push {
    pub after: u8,
    /// Whether the distance counts from the end of the column accesses instead of the issue.
    pub from_column_end: bool,
    pub distance: u32,
}

impl Push {
    /// Returns until when a command at `at`, with a number of column cycles, delays the later one.
    #[inline(always)]
    pub fn until(&self, at: Cycle, columns: Cycle) -> Cycle {
        at + columns * Cycle::from(self.from_column_end) + Cycle::from(self.distance)
    }
}

/// The effects of a command. Without groups, a group's constraints apply to the rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pushes {
    pub in_rank: Vec<Push>,
    pub in_group: Vec<Push>,
    pub in_bank: Vec<Push>,
}

/// One compiled window: `after` waits for the `window`-th most recent command of `before`.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    level: u8,
    /// Bit set of commands.
    pub before: u8,
    pub after: Vec<u8>,
    pub cycles: Cycle,
    /// For each node of the level, a ring of the last issue times.
    pub issues: Vec<Vec<Cycle>>,
    next: Vec<usize>,
}

/// A device with its state.
#[derive(Clone, Debug)]
pub struct Device {
    organization: Organization,
    timing: Timing,
    /// The effects of each command.
    pub(crate) pushes: [Pushes; CLASSES],
    /// The effects of each command on other ranks.
    pub(crate) pushes_elsewhere: [Vec<Push>; CLASSES],
    pub(crate) windows: Vec<Window>,
    banks: Vec<Bank>,
    /// Earliest legal cycle by rank, then group, and by command.
    shared: Vec<[Cycle; COMMANDS]>,
    /// log2 of the bytes that the bus moves per cycle, if that is a power of two.
    cycle_shift: Option<u32>,
    /// From a read to the precharge of its bank, if a table states it from the issue.
    pub(crate) read_to_precharge: Cycle,
    pub(crate) auto_precharge: AutoPrecharge,
}

/// A bank with its state.
#[derive(Clone, Debug)]
struct Bank {
    /// Earliest legal cycle by command, for the bank alone.
    earliest: [Cycle; COMMANDS],
    open_row: u32,
    /// Numbers of its rank and of its group in [`Device::shared`]; without groups, the group's is the rank's.
    rank: u32,
    group: u32,
}

const CLOSED: u32 = u32::MAX;

impl Device {
    /// Returns an idle device with all banks closed.
    pub fn new(organization: Organization, timing: Timing) -> Self {
        let Organization { ranks, groups, banks, .. } = organization;
        let counts = [ranks as usize, groups as usize, banks as usize];
        let has_groups = groups > ranks;
        let level_of =
            |level: Level| if level == Level::Group && !has_groups { Level::Rank } else { level } as usize;
        let mut pushes: [Pushes; CLASSES] = Default::default();
        let mut pushes_elsewhere: [Vec<Push>; CLASSES] = Default::default();
        // In every standard a precharge follows its activate; a table without tRAS does not say so.
        pushes[Command::Activate as usize].in_bank.push(Push {
            after: Command::Precharge as u8,
            from_column_end: false,
            distance: 1,
        });
        let mut windows = Vec::new();
        for c in &timing.constraints {
            let level = level_of(c.level);
            if c.window > 1 {
                windows.push(Window {
                    level: level as u8,
                    before: c.before.iter().fold(0, |bits, &b| bits | 1 << b.class() as u8),
                    after: c.after.iter().map(|&a| a.class() as u8).collect(),
                    cycles: c.cycles,
                    issues: vec![vec![Cycle::MAX; c.window]; counts[level]],
                    next: vec![0; counts[level]],
                });
                continue;
            }
            for &before in &c.before {
                let data_latency = match (c.from, before) {
                    (Edge::DataEnd, Command::Write) => timing.write_latency,
                    (Edge::DataEnd, _) => timing.read_latency,
                    _ => 0,
                };
                let class = before.class() as usize;
                let list = match c.level {
                    Level::OtherRanks => &mut pushes_elsewhere[class],
                    Level::Bank => &mut pushes[class].in_bank,
                    Level::Group if has_groups => &mut pushes[class].in_group,
                    Level::Group | Level::Rank => &mut pushes[class].in_rank,
                };
                for &after in &c.after {
                    add(
                        list,
                        Push {
                            after: after.class() as u8,
                            from_column_end: c.from != Edge::Issue,
                            distance: (c.cycles + data_latency) as u32,
                        },
                    );
                }
            }
        }
        let of_bank = |bank: u32| {
            let rank = organization.rank(bank);
            let group = if has_groups { ranks + organization.group(bank) } else { rank };
            Bank { earliest: [0; COMMANDS], open_row: CLOSED, rank, group }
        };
        let is_read_to_precharge = |p: &&Push| p.after == Command::Precharge as u8 && !p.from_column_end;
        let cycle_bytes = organization.beat_bytes * organization.beats_per_cycle;
        Self {
            read_to_precharge: pushes[Command::Read as usize]
                .in_bank
                .iter()
                .find(is_read_to_precharge)
                .map_or(0, |p| Cycle::from(p.distance)),
            auto_precharge: AutoPrecharge::Standard,
            pushes,
            pushes_elsewhere,
            cycle_shift: cycle_bytes.is_power_of_two().then(|| cycle_bytes.ilog2()),
            windows,
            banks: (0..banks).map(of_bank).collect(),
            shared: vec![[0; COMMANDS]; counts[0] + counts[1]],
            organization,
            timing,
        }
    }

    /// Returns the same device with other rules of auto-precharge.
    #[must_use]
    pub fn with_auto_precharge(self, auto_precharge: AutoPrecharge) -> Self {
        Self { auto_precharge, ..self }
    }

    /// Returns the organization.
    pub fn organization(&self) -> &Organization {
        &self.organization
    }

    /// Returns latencies and constraints.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// Returns the cycles from the activate of a row to a read of it.
    pub fn open_cycles(&self) -> Cycle {
        let opens =
            |c: &&Constraint| c.before.contains(&Command::Activate) && c.after.contains(&Command::Read);
        self.timing.constraints.iter().filter(opens).map(|c| c.cycles).max().unwrap_or(0)
    }

    /// Returns the least mean time between two activates of a rank, in cycles, if they are spread evenly over its
    /// banks: that of its windows, of the distance between two activates, and of the row cycle of a bank.
    pub fn activate_cycles(&self) -> f64 {
        let spread = |c: &Constraint| match c.level {
            Level::Rank => Some(c.window.max(1) as f64),
            Level::Bank => Some(f64::from(self.organization.banks)),
            Level::Group | Level::OtherRanks => None,
        };
        let both =
            |c: &&Constraint| c.before.contains(&Command::Activate) && c.after.contains(&Command::Activate);
        let limits = self.timing.constraints.iter().filter(both);
        limits.filter_map(|c| Some(c.cycles as f64 / spread(c)?)).fold(0.0, f64::max)
    }

    /// Returns the open row of a bank.
    #[inline]
    pub fn open_row(&self, bank: u32) -> Option<u32> {
        Some(self.banks[bank as usize].open_row).filter(|&row| row != CLOSED)
    }

    /// Returns whether `row` is open in `bank`.
    #[inline]
    pub fn is_open(&self, bank: u32, row: u32) -> bool {
        self.banks[bank as usize].open_row == row
    }

    /// Returns the latency from a column command to its first beat.
    #[inline]
    pub fn latency(&self, command: Command) -> Cycle {
        match command {
            Command::Write | Command::WriteAuto => self.timing.write_latency,
            _ => self.timing.read_latency,
        }
    }

    /// Returns the first cycle in which the table permits `command` to `bank`, without side effects.
    #[inline(always)]
    pub fn earliest(&self, command: Command, bank: u32) -> Cycle {
        let c = command.class() as usize;
        let bank = &self.banks[bank as usize];
        let earliest = bank.earliest[c].max(self.shared[bank.rank as usize][c]);
        if bank.group == bank.rank { earliest } else { earliest.max(self.shared[bank.group as usize][c]) }
    }

    /// Returns the first cycle in which the bank alone would permit `command`, whatever the state of its rank
    /// and group.
    #[inline]
    pub fn earliest_of_bank(&self, command: Command, bank: u32) -> Cycle {
        self.banks[bank as usize].earliest[command.class() as usize]
    }

    /// Returns the banks that share more than a rank: those of a group, or of a rank without groups.
    pub(crate) fn banks_per_node(&self) -> u32 {
        let Organization { ranks, groups, banks, .. } = self.organization;
        banks / groups.max(ranks)
    }

    /// Returns the bus cycles of `bytes` bytes.
    #[inline]
    pub fn data_cycles(&self, bytes: u32) -> Cycle {
        match self.cycle_shift {
            Some(shift) => Cycle::from((bytes + (1 << shift) - 1) >> shift),
            None => self.organization.data_cycles(bytes),
        }
    }

    /// Issues `command` to `bank` at `at`; `row` is for an activate, `bytes` for a read or write. A refresh of
    /// a rank names any of its banks. Returns the bus cycles of its data.
    ///
    /// # Panics
    ///
    /// In debug builds, if the table or the bank's state forbids it: an error of the controller, not of its
    /// input.
    #[inline(always)]
    pub fn issue(&mut self, command: Command, bank: u32, row: u32, bytes: u32, at: Cycle) -> Cycle {
        debug_assert!(
            at >= self.earliest(command, bank),
            "{} to bank {bank} at {at}, legal from {}",
            command.name(),
            self.earliest(command, bank)
        );
        let open = &mut self.banks[bank as usize].open_row;
        match command {
            Command::Activate => {
                debug_assert!(*open == CLOSED, "activate of an open bank");
                *open = row;
            }
            Command::Precharge => *open = CLOSED,
            Command::Read | Command::Write => {
                debug_assert!(*open != CLOSED, "column access to a closed bank")
            }
            Command::ReadAuto | Command::WriteAuto => {
                debug_assert!(*open != CLOSED, "column access to a closed bank");
                *open = CLOSED;
            }
            Command::Refresh => debug_assert!(
                (0..self.organization.banks)
                    .filter(|&other| self.organization.rank(other) == self.organization.rank(bank))
                    .all(|other| self.open_row(other).is_none()),
                "refresh of a rank with open rows"
            ),
            Command::RefreshBank => debug_assert!(*open == CLOSED, "refresh of an open bank"),
        }
        let columns = if command.is_column() { self.data_cycles(bytes) } else { 0 };
        let class = command.class();
        let state = &mut self.banks[bank as usize];
        let Pushes { in_rank, in_group, in_bank } = &self.pushes[class as usize];
        push_forward(&mut state.earliest, in_bank, at, columns);
        push_forward(&mut self.shared[state.rank as usize], in_rank, at, columns);
        if state.group != state.rank {
            push_forward(&mut self.shared[state.group as usize], in_group, at, columns);
        }
        if self.organization.ranks > 1 {
            self.issue_elsewhere(class, bank, at, columns);
        }
        if !self.windows.is_empty() {
            self.issue_windows(class, bank, at);
        }
        if command.is_auto() {
            self.precharge_by_itself(command, bank, at, columns);
        }
        columns
    }

    /// Issues the precharge of a column command with auto-precharge, as soon as the bank permits it.
    fn precharge_by_itself(&mut self, command: Command, bank: u32, at: Cycle, columns: Cycle) {
        let standard = self.earliest_of_bank(Command::Precharge, bank);
        let (for_activate, for_refresh) = match self.auto_precharge {
            AutoPrecharge::Standard => (standard, standard),
            AutoPrecharge::DramSim3 => {
                let own = self.pushes[command.class() as usize]
                    .in_bank
                    .iter()
                    .filter(|p| p.after == Command::Precharge as u8)
                    .map(|p| p.until(at, columns))
                    .max()
                    .unwrap_or(at);
                let late = at + columns + self.read_to_precharge;
                (if command == Command::ReadAuto { standard.max(late) } else { standard }, own)
            }
        };
        let push_forward = |earliest: &mut [Cycle; COMMANDS], pushes: &[Push]| {
            // This precharge is not on the command bus: it delays no other precharge.
            for push in pushes.iter().filter(|push| push.after != Command::Precharge as u8) {
                let at = if push.after == Command::Activate as u8 { for_activate } else { for_refresh };
                let earliest = &mut earliest[push.after as usize];
                *earliest = (*earliest).max(at + Cycle::from(push.distance));
            }
        };
        let state = &mut self.banks[bank as usize];
        let Pushes { in_rank, in_group, in_bank } = &self.pushes[Command::Precharge as usize];
        push_forward(&mut state.earliest, in_bank);
        push_forward(&mut self.shared[state.rank as usize], in_rank);
        push_forward(&mut self.shared[state.group as usize], in_group);
    }

    #[cold]
    fn issue_elsewhere(&mut self, class: Command, bank: u32, at: Cycle, columns: Cycle) {
        let rank = self.banks[bank as usize].rank;
        for other in (0..self.organization.ranks).filter(|&other| other != rank) {
            push_forward(
                &mut self.shared[other as usize],
                &self.pushes_elsewhere[class as usize],
                at,
                columns,
            );
        }
    }

    fn issue_windows(&mut self, class: Command, bank: u32, at: Cycle) {
        let state = &mut self.banks[bank as usize];
        let (rank, group) = (state.rank as usize, state.group as usize);
        for w in self.windows.iter_mut().filter(|w| w.before & (1 << class as u8) != 0) {
            let (within, row) = match w.level {
                0 => (rank, &mut self.shared[rank]),
                1 => (group - self.organization.ranks as usize, &mut self.shared[group]),
                _ => (bank as usize, &mut state.earliest),
            };
            let (ring, next) = (&mut w.issues[within], &mut w.next[within]);
            ring[*next] = at;
            *next += 1;
            if *next == ring.len() {
                *next = 0;
            }
            let oldest = ring[*next];
            if oldest != Cycle::MAX {
                for &after in &w.after {
                    let earliest = &mut row[after as usize];
                    *earliest = (*earliest).max(oldest + w.cycles);
                }
            }
        }
    }
}

/// Applies the effect of a command at `at`, with a number of column cycles, to a bank, a group or a rank.
#[inline(always)]
fn push_forward(earliest: &mut [Cycle; COMMANDS], pushes: &[Push], at: Cycle, columns: Cycle) {
    for push in pushes {
        // The remainder is the number itself, and avoids a bounds check.
        let earliest = &mut earliest[usize::from(push.after) % COMMANDS];
        *earliest = (*earliest).max(push.until(at, columns));
    }
}

/// Adds an effect; of two that differ only in the distance it keeps the larger.
fn add(list: &mut Vec<Push>, push: Push) {
    let same = |p: &&mut Push| (p.after, p.from_column_end) == (push.after, push.from_column_end);
    match list.iter_mut().find(same) {
        Some(there) => there.distance = there.distance.max(push.distance),
        None => list.push(push),
    }
}
