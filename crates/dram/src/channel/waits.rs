//! How long each bank has still to wait for each command, and which bank that wants one can have it first.
//!
//! What [`Device`] keeps as clocks by rank, group and bank stands here as one small number for each bank and command: the
//! clocks still to wait since the last command. A command then is a subtraction of the time that has passed and a
//! maximum with a row of the compiled table, and the search a minimum, all over neighbouring lanes, which compilers turn
//! into vector instructions. The device is the plain twin: debug builds keep one along and compare.

use crate::device::{self, CLASSES, Push, Pushes};
use crate::{AutoPrecharge, Command, Cycle, Device};

/// Banks of a block.
const LANES: usize = 16;
const MAX_BLOCKS: usize = 4;
/// Classes of commands that queues want: the first ones.
const KINDS: usize = 4;
/// Rows of the table: one for each class, and one for the precharge that a column command brings about.
const EFFECTS: usize = CLASSES + 1;
const BY_ITSELF: usize = CLASSES;

type Lanes<T> = [T; LANES];
type Block<T> = [Lanes<T>; CLASSES];

/// A number of clocks in so many bits. What is less than it can hold is as good as long ago.
pub(super) trait Clocks: Copy + Ord + std::fmt::Debug {
    /// Long ago; no constraint.
    const LEAST: Self;
    /// Never.
    const MOST: Self;
    /// The nearest that it can hold.
    fn of(clocks: i64) -> Self;
    fn get(self) -> i64;
    fn plus(self, more: Self) -> Self;
    fn less(self, passed: Self) -> Self;
}

macro_rules! clocks {
    ($($width:ty),*) => {$(
        impl Clocks for $width {
            const LEAST: Self = Self::MIN;
            const MOST: Self = Self::MAX;
            #[inline(always)]
            fn of(clocks: i64) -> Self {
                clocks.clamp(Self::MIN.into(), Self::MAX.into()) as Self
            }
            #[inline(always)]
            fn get(self) -> i64 {
                self.into()
            }
            #[inline(always)]
            fn plus(self, more: Self) -> Self {
                self.saturating_add(more)
            }
            #[inline(always)]
            fn less(self, passed: Self) -> Self {
                self.saturating_sub(passed)
            }
        }
    )*};
}

clocks!(i16, i32);

/// At most `K` commands of some classes within `cycles`.
#[derive(Clone, Debug)]
struct Window<T> {
    /// Bit set of classes.
    before: u8,
    after: Vec<usize>,
    cycles: Cycle,
    banks_per_node: u32,
    /// By node: a ring of the last issues, and where it stands.
    issues: Vec<Cycle>,
    length: usize,
    next: Vec<usize>,
    /// By node and block: its banks.
    reach: Vec<Lanes<T>>,
}

/// The waits of all banks in lanes of `T`.
#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    /// The clock that the waits count from: that of the last command.
    base: Cycle,
    blocks: Vec<Block<T>>,
    /// By block and kind: the least for banks whose queue wants such a command, the most for others.
    wishes: [[Lanes<T>; KINDS]; MAX_BLOCKS],
    /// By bank: when it would allow a command, whatever rank and group are at.
    own: Vec<[Cycle; CLASSES]>,
    /// What a command does to other banks, by effect, node and block, of so many cycles of columns.
    rows: Vec<Block<T>>,
    /// By effect and node.
    columns: Vec<Cycle>,
    /// What the rows are made of: distances from the issue, and from the end of the columns.
    from_issue: Vec<Block<T>>,
    from_end: Vec<Block<T>>,
    /// A node is a group, or a rank without groups.
    nodes: usize,
    /// log2 of its banks.
    node_shift: u32,
    in_bank: [Vec<Push>; CLASSES],
    windows: Vec<Window<T>>,
    /// Bit set of the classes that windows count.
    in_windows: u8,
    auto_precharge: AutoPrecharge,
    read_to_precharge: Cycle,
}

impl<T: Clocks> Table<T> {
    fn new(device: &Device) -> Self {
        let organization = device.organization();
        let banks = organization.banks;
        let blocks = (banks as usize).div_ceil(LANES);
        let per_node = device.banks_per_node();
        let nodes = (banks / per_node) as usize;
        let none = [[T::LEAST; LANES]; CLASSES];
        let mut from_issue = vec![none; EFFECTS * nodes * blocks];
        let mut from_end = from_issue.clone();
        for (row, (effect, node)) in (0..EFFECTS).flat_map(|e| (0..nodes).map(move |n| (e, n))).enumerate() {
            for bank in 0..banks {
                for push in pushes(device, effect, node as u32 * per_node, bank) {
                    let rows = if push.from_column_end { &mut from_end } else { &mut from_issue };
                    let (block, lane) = place(bank);
                    let wait = &mut rows[row * blocks + block][usize::from(push.after)][lane];
                    *wait = (*wait).max(T::of(i64::from(push.distance)));
                }
            }
        }
        let windows: Vec<_> = device.windows.iter().map(|window| Window::new(window, device)).collect();
        let mut waits = Self {
            base: 0,
            blocks: vec![[[T::of(0); LANES]; CLASSES]; blocks],
            wishes: [[[T::MOST; LANES]; KINDS]; MAX_BLOCKS],
            own: vec![[0; CLASSES]; banks as usize],
            rows: from_issue.clone(),
            columns: vec![0; EFFECTS * nodes],
            from_issue,
            from_end,
            nodes,
            node_shift: per_node.ilog2(),
            in_bank: Command::IN_TABLES.map(|command| device.pushes[command as usize].in_bank.clone()),
            in_windows: windows.iter().fold(0, |bits, window| bits | window.before),
            windows,
            auto_precharge: device.auto_precharge,
            read_to_precharge: device.read_to_precharge,
        };
        (0..EFFECTS * nodes).for_each(|row| waits.fill_row(row, 0));
        waits
    }

    /// The first clock in which the table allows `command` to `bank`; if that is long ago, some clock long ago.
    #[inline(always)]
    fn earliest(&self, command: Command, bank: u32) -> Cycle {
        let (block, lane) = place(bank);
        self.base.saturating_add_signed(self.blocks[block][command.class() as usize][lane].get())
    }

    #[inline(always)]
    fn earliest_of_bank(&self, command: Command, bank: u32) -> Cycle {
        self.own[bank as usize][command.class() as usize]
    }

    /// Note which kinds of commands the queue of a bank wants: activate, precharge, read, write.
    #[inline(always)]
    fn wish(&mut self, bank: usize, wishes: [bool; KINDS]) {
        let lanes = &mut self.wishes[bank / LANES];
        for (lanes, wish) in lanes.iter_mut().zip(wishes) {
            lanes[bank % LANES] = if wish { T::LEAST } else { T::MOST };
        }
    }

    /// A command goes out at `at`, not before the one before it, and moves so many cycles of columns.
    #[inline]
    fn issue(&mut self, command: Command, bank: u32, columns: Cycle, at: Cycle) {
        let class = command.class() as usize;
        let passed = T::of((at - self.base) as i64);
        self.base = at;
        let row = class * self.nodes + (bank >> self.node_shift) as usize;
        if self.columns[row] != columns {
            self.fill_row(row, columns);
        }
        let count = self.blocks.len();
        for (block, row) in self.blocks.iter_mut().zip(&self.rows[row * count..][..count]) {
            pass(block, passed, row);
        }
        let (block, lane) = place(bank);
        let (block, own) = (&mut self.blocks[block], &mut self.own[bank as usize]);
        for push in &self.in_bank[class] {
            let (after, until) = (usize::from(push.after), push.until(at, columns));
            own[after] = own[after].max(until);
            block[after][lane] = block[after][lane].max(T::of((until - at) as i64));
        }
        if self.in_windows >> class & 1 == 1 {
            self.issue_in_windows(class, bank, at);
        }
        if command.is_auto() {
            self.precharge_by_itself(command, bank, at, columns);
        }
    }

    /// Make a row for commands that move so many cycles of columns.
    #[cold]
    fn fill_row(&mut self, row: usize, columns: Cycle) {
        self.columns[row] = columns;
        let columns = T::of(columns as i64);
        for block in row * self.blocks.len()..(row + 1) * self.blocks.len() {
            let made_of =
                self.from_issue[block].as_flattened().iter().zip(self.from_end[block].as_flattened());
            for (wait, (&issue, &end)) in self.rows[block].as_flattened_mut().iter_mut().zip(made_of) {
                *wait = issue.max(end.plus(columns));
            }
        }
    }

    fn issue_in_windows(&mut self, class: usize, bank: u32, at: Cycle) {
        for window in self.windows.iter_mut().filter(|window| window.before >> class & 1 == 1) {
            let node = (bank / window.banks_per_node) as usize;
            let until = window.issue(node, at);
            if until <= at {
                continue;
            }
            if window.banks_per_node == 1 {
                window.after.iter().for_each(|&after| {
                    let own = &mut self.own[bank as usize][after];
                    *own = (*own).max(until);
                });
            }
            let wait = T::of((until - at) as i64);
            let count = self.blocks.len();
            for (block, reach) in self.blocks.iter_mut().zip(&window.reach[node * count..][..count]) {
                for &after in &window.after {
                    for (lane, &reach) in block[after].iter_mut().zip(reach) {
                        *lane = (*lane).max(wait.min(reach));
                    }
                }
            }
        }
    }

    /// The precharge that a column command with auto-precharge brings about, as soon as the bank allows one.
    fn precharge_by_itself(&mut self, command: Command, bank: u32, at: Cycle, columns: Cycle) {
        let standard = self.earliest_of_bank(Command::Precharge, bank);
        let (for_activate, for_refresh) = match self.auto_precharge {
            AutoPrecharge::Standard => (standard, standard),
            AutoPrecharge::DramSim3 => {
                let to_precharge = |push: &&Push| push.after == Command::Precharge as u8;
                let pushes = self.in_bank[command.class() as usize].iter().filter(to_precharge);
                let own = pushes.map(|push| push.until(at, columns)).max().unwrap_or(at);
                let late = at + columns + self.read_to_precharge;
                (if command == Command::ReadAuto { standard.max(late) } else { standard }, own)
            }
        };
        let from = |after| if after == Command::Activate as usize { for_activate } else { for_refresh };
        let row = BY_ITSELF * self.nodes + (bank >> self.node_shift) as usize;
        let count = self.blocks.len();
        for (block, row) in self.blocks.iter_mut().zip(&self.rows[row * count..][..count]) {
            for (after, (waits, row)) in block.iter_mut().zip(row).enumerate() {
                let later = T::of(from(after) as i64 - at as i64);
                for (wait, &least) in waits.iter_mut().zip(row) {
                    *wait = (*wait).max(least.plus(later));
                }
            }
        }
        let (block, lane) = place(bank);
        let (block, own) = (&mut self.blocks[block], &mut self.own[bank as usize]);
        // No precharge is on the command bus: it keeps no other precharge away.
        for push in self.in_bank[Command::Precharge as usize]
            .iter()
            .filter(|push| push.after != Command::Precharge as u8)
        {
            let after = usize::from(push.after);
            let until = from(after) + Cycle::from(push.distance);
            own[after] = own[after].max(until);
            block[after][lane] = block[after][lane].max(T::of(until as i64 - at as i64));
        }
    }

    /// The first clock from `from` on in which a bank that is not in `frozen` can have what it wants, and the bank: of
    /// several the first of the round after `pointer`.
    #[inline]
    fn first(&self, from: Cycle, frozen: u64, pointer: usize) -> Option<(Cycle, usize)> {
        match frozen {
            0 => self.first_of(&self.wishes, from, pointer),
            _ => self.first_of(&self.wishes_without(frozen), from, pointer),
        }
    }

    #[cold]
    fn wishes_without(&self, frozen: u64) -> [[Lanes<T>; KINDS]; MAX_BLOCKS] {
        let mut wishes = self.wishes;
        for bank in (0..MAX_BLOCKS * LANES).filter(|bank| frozen >> bank & 1 == 1) {
            wishes[bank / LANES].iter_mut().for_each(|lanes| lanes[bank % LANES] = T::MOST);
        }
        wishes
    }

    #[inline(always)]
    fn first_of(
        &self,
        wishes: &[[Lanes<T>; KINDS]; MAX_BLOCKS],
        from: Cycle,
        pointer: usize,
    ) -> Option<(Cycle, usize)> {
        let mut soonest = [[T::MOST; LANES]; MAX_BLOCKS];
        let mut least = T::MOST;
        for ((soonest, waits), wishes) in soonest.iter_mut().zip(&self.blocks).zip(wishes) {
            *soonest = soonest_of(waits, wishes);
            least = soonest.iter().fold(least, |least, &wait| least.min(wait));
        }
        if least == T::MOST {
            return None;
        }
        let limit = least.max(T::of((from - self.base) as i64));
        let mut banks = 0;
        for (number, soonest) in soonest[..self.blocks.len()].iter().enumerate() {
            banks |= u64::from(at_most(soonest, limit)) << (number * LANES);
        }
        let first = pointer as u32 + 1;
        let bank = (banks.rotate_right(first).trailing_zeros() + first) & 63;
        Some((self.base.saturating_add_signed(limit.get()).max(from), bank as usize))
    }
}

/// Of each bank, how long it has still to wait for the first of what its queue wants.
#[inline(always)]
fn soonest_of<T: Clocks>(waits: &Block<T>, wishes: &[Lanes<T>; KINDS]) -> Lanes<T> {
    let mut soonest = [T::MOST; LANES];
    for (waits, wishes) in waits.iter().zip(wishes) {
        for ((soonest, &wait), &wish) in soonest.iter_mut().zip(waits).zip(wishes) {
            *soonest = (*soonest).min(wait.max(wish));
        }
    }
    soonest
}

/// Bit set of the lanes that are not above `limit`.
#[inline(always)]
fn at_most<T: Clocks>(lanes: &Lanes<T>, limit: T) -> u16 {
    let mut bits = [0u16; LANES];
    for (bit, (number, &lane)) in bits.iter_mut().zip(lanes.iter().enumerate()) {
        *bit = if lane <= limit { 1 << number } else { 0 };
    }
    bits.iter().fold(0, |all, bit| all | bit)
}

/// So much time passes, and nothing is allowed before what a row says.
#[inline]
fn pass<T: Clocks>(block: &mut Block<T>, passed: T, row: &Block<T>) {
    for (waits, row) in block.iter_mut().zip(row) {
        for lane in 0..LANES {
            waits[lane] = waits[lane].less(passed).max(row[lane]);
        }
    }
}

#[inline(always)]
fn place(bank: u32) -> (usize, usize) {
    (bank as usize / LANES, bank as usize % LANES)
}

/// What an effect at a node, of which `first` is a bank, does to a bank by its rank and its group.
fn pushes(device: &Device, effect: usize, first: u32, bank: u32) -> impl Iterator<Item = &Push> {
    let organization = device.organization();
    let by_itself = effect == BY_ITSELF;
    let class = if by_itself { Command::Precharge as usize } else { effect };
    let Pushes { in_rank, in_group, .. } = &device.pushes[class];
    let same_rank = organization.rank(first) == organization.rank(bank);
    let same_node = first / device.banks_per_node() == bank / device.banks_per_node();
    let rank = in_rank.iter().filter(move |_| same_rank);
    let group = in_group.iter().filter(move |_| same_node);
    let elsewhere = device.pushes_elsewhere[class].iter().filter(move |_| !same_rank && !by_itself);
    // No precharge is on the command bus: it keeps no other precharge away.
    let counts = move |push: &&Push| !by_itself || push.after != Command::Precharge as u8;
    rank.chain(group).chain(elsewhere).filter(counts)
}

impl<T: Clocks> Window<T> {
    fn new(window: &device::Window, device: &Device) -> Self {
        let banks = device.organization().banks;
        let nodes = window.issues.len();
        let banks_per_node = banks / nodes as u32;
        let blocks = (banks as usize).div_ceil(LANES);
        let mut reach = vec![[T::LEAST; LANES]; nodes * blocks];
        for bank in 0..banks {
            let (block, lane) = place(bank);
            reach[(bank / banks_per_node) as usize * blocks + block][lane] = T::MOST;
        }
        let length = window.issues[0].len();
        Self {
            before: window.before,
            after: window.after.iter().map(|&after| usize::from(after)).collect(),
            cycles: window.cycles,
            banks_per_node,
            issues: vec![Cycle::MAX; nodes * length],
            length,
            next: vec![0; nodes],
            reach,
        }
    }

    /// A command that it counts; up to when it keeps later ones away.
    #[inline]
    fn issue(&mut self, node: usize, at: Cycle) -> Cycle {
        let ring = &mut self.issues[node * self.length..][..self.length];
        let next = &mut self.next[node];
        ring[*next] = at;
        *next = if *next + 1 == self.length { 0 } else { *next + 1 };
        let oldest = ring[*next];
        if oldest == Cycle::MAX { 0 } else { oldest + self.cycles }
    }
}

/// The waits of a channel's banks, in lanes as wide as the table needs.
#[derive(Clone, Debug)]
pub(super) enum Waits {
    /// For every real part.
    Narrow(Box<Table<i16>>),
    /// For tables with distances of tens of thousands of clocks.
    Wide(Box<Table<i32>>),
}

macro_rules! either {
    ($waits:expr, $table:ident => $call:expr) => {
        match $waits {
            Waits::Narrow($table) => $call,
            Waits::Wide($table) => $call,
        }
    };
}

impl Waits {
    /// Nothing has been issued.
    pub fn new(device: &Device) -> Self {
        let organization = device.organization();
        let all = device.pushes.iter().flat_map(|p| [&p.in_rank, &p.in_group, &p.in_bank]);
        let pushes = all.chain(&device.pushes_elsewhere).flatten().map(|push| Cycle::from(push.distance));
        let longest = pushes.chain(device.windows.iter().map(|window| window.cycles)).max().unwrap_or(0);
        // A precharge by itself begins a distance after the command, and has distances of its own.
        let sum = 2 * (longest + organization.data_cycles(organization.row_bytes));
        if sum < i16::MAX as Cycle {
            Self::Narrow(Box::new(Table::new(device)))
        } else {
            Self::Wide(Box::new(Table::new(device)))
        }
    }

    /// The first clock in which the table allows `command` to `bank`; if that is long ago, some clock long ago.
    #[inline(always)]
    pub fn earliest(&self, command: Command, bank: u32) -> Cycle {
        either!(self, table => table.earliest(command, bank))
    }

    /// The first clock in which the bank alone would allow `command`, whatever its rank and group are at.
    #[inline(always)]
    pub fn earliest_of_bank(&self, command: Command, bank: u32) -> Cycle {
        either!(self, table => table.earliest_of_bank(command, bank))
    }

    /// Note which kinds of commands the queue of a bank wants: activate, precharge, read, write.
    #[inline(always)]
    pub fn wish(&mut self, bank: usize, wishes: [bool; KINDS]) {
        either!(self, table => table.wish(bank, wishes));
    }

    /// A command goes out at `at`, not before the one before it, and moves so many cycles of columns.
    #[inline(always)]
    pub fn issue(&mut self, command: Command, bank: u32, columns: Cycle, at: Cycle) {
        either!(self, table => table.issue(command, bank, columns, at));
    }

    /// The first clock from `from` on in which a bank that is not in `frozen` can have what it wants, and the bank: of
    /// several the first of the round after `pointer`.
    #[inline(always)]
    pub fn first(&self, from: Cycle, frozen: u64, pointer: usize) -> Option<(Cycle, usize)> {
        either!(self, table => table.first(from, frozen, pointer))
    }

    /// Whether it agrees with the device, which has been issued the same commands, on every clock from `now` on.
    pub fn compare(&self, device: &Device, now: Cycle) {
        for (bank, command) in
            (0..device.organization().banks).flat_map(|b| Command::IN_TABLES.map(|c| (b, c)))
        {
            let (found, expected) = (self.earliest(command, bank), device.earliest(command, bank));
            assert_eq!(found.max(now), expected.max(now), "{} to bank {bank} at {now}", command.name());
            let (found, expected) =
                (self.earliest_of_bank(command, bank), device.earliest_of_bank(command, bank));
            assert_eq!(found.max(now), expected.max(now), "{} of bank {bank} at {now}", command.name());
        }
    }
}
