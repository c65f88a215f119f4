//! A DRAM device: banks with open rows, and a table that says when which command may follow which.
//!
//! A standard is data: a list of [`Constraint`]s. Compiled once, each command pushes forward the earliest legal
//! cycle of the commands it constrains, at the level (whole device, bank group, bank) at which it does. The device
//! is passive: [`Device::earliest`] probes without side effects, [`Device::issue`] is strict.

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
    /// Refresh all banks.
    Refresh,
}

const COMMANDS: usize = 5;

impl Command {
    /// Every command, in order of its number.
    pub const ALL: [Command; COMMANDS] =
        [Command::Activate, Command::Precharge, Command::Read, Command::Write, Command::Refresh];

    /// The datasheets' abbreviation.
    pub fn name(self) -> &'static str {
        ["ACT", "PRE", "RD", "WR", "REF"][self as usize]
    }
}

/// The part of a device within which a constraint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Between any two banks.
    Rank,
    /// Between banks of one bank group.
    Group,
    /// Within one bank.
    Bank,
}

/// From which moment of the earlier command a constraint counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The cycle in which it was issued.
    Issue,
    /// The cycle after its last data beat (reads and writes).
    DataEnd,
    /// The cycle after its last column access: issue plus the beats' cycles (reads and writes). The data follow a
    /// latency later.
    ColumnEnd,
}

/// `after` may not be issued earlier than `cycles` after the `window`-th last `before` within the same `level`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Name in the standard, such as `tRCD`.
    pub name: String,
    /// Where it holds.
    pub level: Level,
    /// Earlier commands.
    pub before: Vec<Command>,
    /// Later commands.
    pub after: Vec<Command>,
    /// Distance.
    pub cycles: Cycle,
    /// From which moment of the earlier command.
    pub from: Edge,
    /// 1 for the last earlier command; 4 for the activate window tFAW.
    pub window: usize,
}

/// How a device is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Organization {
    /// Bank groups; 1 where there are none.
    pub groups: u32,
    /// Banks in all.
    pub banks: u32,
    /// Bytes in a row of one bank.
    pub row_bytes: u32,
    /// Rows in a bank.
    pub rows: u32,
    /// Bytes that the bus moves in a beat.
    pub beat_bytes: u32,
    /// Beats in a clock cycle: 1, or 2 for double data rate.
    pub beats_per_cycle: u32,
}

impl Organization {
    /// Bytes in the device.
    pub fn capacity_bytes(&self) -> u64 {
        u64::from(self.banks) * u64::from(self.rows) * u64::from(self.row_bytes)
    }

    /// Cycles that the bus needs for `bytes` bytes, whole beats.
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

/// One compiled consequence of a command.
#[derive(Clone, Copy, Debug)]
struct Push {
    level: u8,
    after: u8,
    /// Whether the distance counts from the end of the column accesses instead of the issue.
    from_column_end: bool,
    distance: u32,
}

/// One compiled window: `after` waits for the `window`-th last `before`.
#[derive(Clone, Debug)]
struct Window {
    level: u8,
    before: u8,
    after: Vec<u8>,
    cycles: Cycle,
    /// For each node of the level, a ring of the last issues.
    issues: Vec<Vec<Cycle>>,
    next: Vec<usize>,
}

/// A device with its state.
#[derive(Clone, Debug)]
pub struct Device {
    organization: Organization,
    timing: Timing,
    /// What each command does.
    pushes: [Vec<Push>; COMMANDS],
    windows: Vec<Window>,
    /// Earliest legal cycle by node and command; nodes of all levels in one array.
    earliest: Vec<[Cycle; COMMANDS]>,
    /// First node of each level.
    offsets: [usize; 3],
    banks_per_group: u32,
    /// log2 of the bytes that the bus moves in a cycle, where that is a power of two.
    cycle_shift: Option<u32>,
    open_rows: Vec<u32>,
}

const CLOSED: u32 = u32::MAX;

impl Device {
    /// An idle device, all banks closed.
    pub fn new(organization: Organization, timing: Timing) -> Self {
        let Organization { groups, banks, .. } = organization;
        let nodes = [1, groups as usize, banks as usize];
        let level_of =
            |level: Level| if level == Level::Group && groups == 1 { Level::Rank } else { level } as usize;
        let mut pushes: [Vec<Push>; COMMANDS] = Default::default();
        // In every standard a precharge follows the activate that it undoes; a table without tRAS does not say so.
        pushes[Command::Activate as usize].push(Push {
            level: Level::Bank as u8,
            after: Command::Precharge as u8,
            from_column_end: false,
            distance: 1,
        });
        let mut windows = Vec::new();
        for c in &timing.constraints {
            let level = level_of(c.level);
            for &before in &c.before {
                if c.window > 1 {
                    windows.push(Window {
                        level: level as u8,
                        before: before as u8,
                        after: c.after.iter().map(|&a| a as u8).collect(),
                        cycles: c.cycles,
                        issues: vec![vec![Cycle::MAX; c.window]; nodes[level]],
                        next: vec![0; nodes[level]],
                    });
                } else {
                    let data_latency = match (c.from, before) {
                        (Edge::DataEnd, Command::Write) => timing.write_latency,
                        (Edge::DataEnd, _) => timing.read_latency,
                        _ => 0,
                    };
                    for &after in &c.after {
                        pushes[before as usize].push(Push {
                            level: level as u8,
                            after: after as u8,
                            from_column_end: c.from != Edge::Issue,
                            distance: (c.cycles + data_latency) as u32,
                        });
                    }
                }
            }
        }
        let cycle_bytes = organization.beat_bytes * organization.beats_per_cycle;
        Self {
            pushes,
            cycle_shift: cycle_bytes.is_power_of_two().then(|| cycle_bytes.ilog2()),
            windows,
            earliest: vec![[0; COMMANDS]; nodes.iter().sum()],
            offsets: [0, nodes[0], nodes[0] + nodes[1]],
            banks_per_group: banks / groups,
            open_rows: vec![CLOSED; banks as usize],
            organization,
            timing,
        }
    }

    /// How the device is divided.
    pub fn organization(&self) -> &Organization {
        &self.organization
    }

    /// Latencies and constraints.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The open row of a bank.
    #[inline]
    pub fn open_row(&self, bank: u32) -> Option<u32> {
        Some(self.open_rows[bank as usize]).filter(|&row| row != CLOSED)
    }

    /// Whether `row` is open in `bank`.
    #[inline]
    pub fn is_open(&self, bank: u32, row: u32) -> bool {
        self.open_rows[bank as usize] == row
    }

    /// From a column command to its first beat.
    #[inline]
    pub fn latency(&self, command: Command) -> Cycle {
        if command == Command::Write { self.timing.write_latency } else { self.timing.read_latency }
    }

    /// The first cycle in which the table allows `command` to `bank`. Changes nothing.
    #[inline(always)]
    pub fn earliest(&self, command: Command, bank: u32) -> Cycle {
        let c = command as usize;
        let [rank, group, bank] = self.nodes(bank);
        let earliest = self.earliest[rank][c].max(self.earliest[bank][c]);
        if self.organization.groups == 1 { earliest } else { earliest.max(self.earliest[group][c]) }
    }

    /// Cycles that the bus needs for `bytes` bytes.
    #[inline]
    pub fn data_cycles(&self, bytes: u32) -> Cycle {
        match self.cycle_shift {
            Some(shift) => Cycle::from((bytes + (1 << shift) - 1) >> shift),
            None => self.organization.data_cycles(bytes),
        }
    }

    /// Issue `command` to `bank` at `at`; `row` for an activate, `bytes` for a read or write.
    ///
    /// # Panics
    /// In debug builds, if the table or the bank's state forbids it: the controller is wrong, not its input.
    #[inline(always)]
    pub fn issue(&mut self, command: Command, bank: u32, row: u32, bytes: u32, at: Cycle) {
        debug_assert!(
            at >= self.earliest(command, bank),
            "{} to bank {bank} at {at}, legal from {}",
            command.name(),
            self.earliest(command, bank)
        );
        let open = &mut self.open_rows[bank as usize];
        match command {
            Command::Activate => {
                debug_assert!(*open == CLOSED, "activate of an open bank");
                *open = row;
            }
            Command::Precharge => *open = CLOSED,
            Command::Read | Command::Write => {
                debug_assert!(*open != CLOSED, "column access to a closed bank")
            }
            Command::Refresh => debug_assert!(self.open_rows.iter().all(|&r| r == CLOSED)),
        }
        let moments = [at, at + self.data_cycles(bytes)];
        let nodes = self.nodes(bank);
        for push in &self.pushes[command as usize] {
            let moment = moments[usize::from(push.from_column_end)];
            let earliest = &mut self.earliest[nodes[push.level as usize]][push.after as usize];
            *earliest = (*earliest).max(moment + Cycle::from(push.distance));
        }
        if !self.windows.is_empty() {
            self.issue_windows(command, bank, at);
        }
    }

    fn issue_windows(&mut self, command: Command, bank: u32, at: Cycle) {
        let offsets = self.offsets;
        let banks_per_group = self.banks_per_group;
        for w in self.windows.iter_mut().filter(|w| w.before == command as u8) {
            let within = match w.level {
                0 => 0,
                1 => (bank / banks_per_group) as usize,
                _ => bank as usize,
            };
            let (ring, next) = (&mut w.issues[within], &mut w.next[within]);
            ring[*next] = at;
            *next = (*next + 1) % ring.len();
            let oldest = ring[*next];
            if oldest != Cycle::MAX {
                for &after in &w.after {
                    let earliest = &mut self.earliest[offsets[w.level as usize] + within][after as usize];
                    *earliest = (*earliest).max(oldest + w.cycles);
                }
            }
        }
    }

    /// The nodes of a bank: rank, group, bank.
    #[inline]
    fn nodes(&self, bank: u32) -> [usize; 3] {
        let group = if self.organization.groups == 1 { 0 } else { (bank / self.banks_per_group) as usize };
        [0, self.offsets[1] + group, self.offsets[2] + bank as usize]
    }
}
