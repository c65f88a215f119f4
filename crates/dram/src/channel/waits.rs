//! How long each bank must wait for each command, and which bank with a request can issue first.
//!
//! [`Device`] keeps clocks by rank, group and bank. Here each bank and command has one small number: the clocks
//! to wait from an origin. A command takes the maximum with the rows of the compiled table on which it has an
//! effect; the search is a minimum. All of that runs over adjacent lanes, which compilers turn into vector
//! instructions. The device is the plain twin: debug builds keep one and compare.

use super::commands::Kinds;
use super::lanes::{
    Aligned, BANKS, Block, Clocks, FAR, KINDS, LANES, OfBank, Wishes, delay, first_in_round, place,
    soonest_of,
};
use super::rows::{BY_ITSELF, EFFECTS, Row, Window};
use crate::device::CLASSES;
use crate::{AutoPrecharge, Command, Cycle, Device};

/// What a bank alone permits, whatever the state of its rank and group.
#[derive(Clone, Copy, Debug)]
struct Own<T> {
    /// The origin of the waits.
    base: Cycle,
    waits: OfBank<T>,
}

/// A command that the lanes do not contain yet.
#[derive(Clone, Copy, Debug)]
struct Noted {
    command: Command,
    row: usize,
    bank: u32,
    columns: Cycle,
    at: Cycle,
}

/// Returns the clock at a distance after another, or the first clock of all.
#[inline(always)]
fn after<T: Clocks>(base: Cycle, wait: T) -> Cycle {
    (base as i64 + wait.get()).max(0) as Cycle
}

/// Most commands that a lone request needs.
const NOTED: usize = 3;

/// The waits of all banks in lanes of `T`.
#[derive(Clone, Debug)]
pub(super) struct Table<T, const N: usize> {
    /// The origin of the waits: a clock that is not after the last command.
    base: Cycle,
    blocks: [Block<T>; N],
    /// By block and kind: `LEAST` for banks whose queue requests such a command, `MOST` for others.
    wishes: [Wishes<T>; N],
    /// By bank.
    own: Vec<Own<T>>,
    /// From this clock on no issued command delays anything.
    settled: Cycle,
    /// Commands issued when no earlier command delayed anything.
    noted: [Noted; NOTED],
    notes: usize,
    /// By effect and node. A node is a group, or a rank without groups.
    rows: Vec<Row<T, N>>,
    nodes: usize,
    /// log2 of the banks of a node.
    node_shift: u32,
    windows: Vec<Window<T, N>>,
    /// Bit set of the commands that windows count, and of those with auto-precharge.
    has_more: u8,
    /// Whether old commands can be forgotten.
    notable: bool,
    auto_precharge: AutoPrecharge,
    read_to_precharge: Cycle,
}

impl<T: Clocks, const N: usize> Table<T, N> {
    fn new(device: &Device) -> Self {
        let banks = device.organization().banks;
        let per_node = device.banks_per_node();
        let nodes = banks / per_node;
        let firsts = (0..nodes).map(|node| node * per_node);
        let rows =
            (0..EFFECTS).flat_map(|effect| firsts.clone().map(move |bank| Row::new(device, effect, bank)));
        let windows: Vec<_> = device.windows.iter().flat_map(|window| Window::of(window, device)).collect();
        let rows: Vec<_> = rows.collect();
        let in_windows = windows.iter().fold(0, |bits, window| bits | window.before);
        let has_more = Command::ALL
            .into_iter()
            .filter(|&command| command.is_auto() || in_windows >> command.class() as u8 & 1 == 1)
            .fold(0, |bits, command| bits | 1 << command as u8);
        Self {
            base: 0,
            blocks: [Aligned([[T::of(0); LANES]; CLASSES]); N],
            wishes: [Aligned([[T::MOST; LANES]; KINDS]); N],
            own: vec![Own { base: 0, waits: Aligned([T::of(0); 8]) }; banks as usize],
            settled: 0,
            noted: [Noted { command: Command::Activate, row: 0, bank: 0, columns: 0, at: 0 }; NOTED],
            notes: 0,
            // Windows may count activates only, of which a lone request needs at most one. An auto-precharge
            // must not come before its column command.
            notable: in_windows & !(1 << Command::Activate as u8) == 0
                && [Command::Read, Command::Write]
                    .map(|command| &rows[command as usize * nodes as usize].own)
                    .iter()
                    .all(|own| own[Command::Precharge as usize] >= T::of(0)),
            rows,
            nodes: nodes as usize,
            node_shift: per_node.ilog2(),
            windows,
            has_more,
            auto_precharge: device.auto_precharge,
            read_to_precharge: device.read_to_precharge,
        }
    }

    /// Returns the first clock in which the table permits `command` to `bank`. If that is long ago, any clock
    /// long ago is returned.
    #[inline(always)]
    fn earliest(&self, command: Command, bank: u32) -> Cycle {
        let (block, lane) = place::<N>(bank);
        after(self.base, self.blocks[block][command.class() as usize][lane])
    }

    /// As `earliest`, for the bank alone.
    #[inline(always)]
    fn earliest_of_bank(&self, command: Command, bank: u32) -> Cycle {
        let Own { base, waits } = &self.own[bank as usize];
        after(*base, waits[command.class() as usize])
    }

    /// Sets the kinds of commands that the queue of a bank requests.
    #[inline(always)]
    fn wish(&mut self, bank: usize, kinds: Kinds) {
        let (block, lane) = place::<N>(bank as u32);
        for (wishes, &wanted) in self.wishes[block].iter_mut().zip(&T::WISHES[kinds.number()]) {
            wishes[lane] = wanted;
        }
    }

    /// Returns whether no command before `at` delays anything any longer. The commands of a lone request can
    /// then be recorded instead of issued: the lanes need them only when others arrive.
    #[inline]
    fn can_note(&mut self, at: Cycle) -> bool {
        let can = self.notable && at > self.settled;
        if can {
            self.notes = 0;
        }
        can
    }

    #[inline]
    fn note(&mut self, command: Command, bank: u32, columns: Cycle, at: Cycle) {
        let row = self.row(command, bank);
        if self.rows[row].columns != columns {
            self.rows[row].fill(columns);
        }
        self.settled = self.settled.max(at + self.rows[row].reach);
        self.noted[self.notes] = Noted { command, row, bank, columns, at };
        self.notes += 1;
    }

    /// Issues the recorded commands.
    fn catch_up(&mut self) {
        let notes = std::mem::take(&mut self.notes);
        for Noted { command, bank, columns, at, .. } in self.noted.into_iter().take(notes) {
            self.issue(command, bank, columns, at);
        }
    }

    /// Returns the first clock in which the table permits `command` to `bank`, and the same for the bank alone,
    /// from the recorded commands.
    #[inline]
    fn earliest_by_notes(&self, command: Command, bank: u32) -> (Cycle, Cycle) {
        let (class, (block, lane)) = (command.class() as usize, place::<N>(bank));
        let (mut earliest, mut of_bank) = (0, 0);
        for note in self.noted.iter().take(self.notes) {
            let (row, at) = (&self.rows[note.row], note.at as i64);
            if note.bank == bank {
                of_bank = of_bank.max(at + row.own[class].get());
            }
            earliest = earliest.max(at + row.all[block][class][lane].get());
        }
        (earliest.max(of_bank) as Cycle, of_bank as Cycle)
    }

    /// Returns the row of a command.
    #[inline(always)]
    fn row(&self, command: Command, bank: u32) -> usize {
        command.class() as usize * self.nodes + (bank >> self.node_shift) as usize
    }

    /// Issues a command at `at`, not before the previous one, with a number of column cycles.
    #[inline(never)]
    fn issue(&mut self, command: Command, bank: u32, columns: Cycle, at: Cycle) {
        let (row, ahead) = (&self.rows[self.row(command, bank)], at - self.base);
        if row.columns != columns || ahead >= FAR {
            return self.issue_after_changes(command, bank, columns, at);
        }
        let ahead = T::of(ahead);
        self.settled = self.settled.max(at + row.reach);
        for &class in &row.on_all {
            for (block, all) in self.blocks.iter_mut().zip(&row.all) {
                delay(&mut block[class], ahead, &all[class]);
            }
        }
        let (block, lane) = place::<N>(bank);
        for &(class, least) in &row.in_bank {
            let wait = &mut self.blocks[block][class][lane];
            *wait = least.and(ahead).max(*wait);
        }
        let own = &mut self.own[bank as usize];
        let passed = T::of(at - own.base);
        own.base = at;
        let (mut waits, least) = (own.waits, row.own);
        for (wait, &least) in waits.iter_mut().zip(least.iter()) {
            *wait = wait.less(passed).max(least);
        }
        own.waits = waits;
        if self.has_more >> command as u8 & 1 == 1 {
            self.issue_more(command, bank, columns, at);
        }
    }

    /// As `issue`, if the row was computed for other column cycles, or the origin is long ago. A separate function,
    /// because a call inside `issue` would slow every command.
    #[cold]
    fn issue_after_changes(&mut self, command: Command, bank: u32, columns: Cycle, at: Cycle) {
        let row = self.row(command, bank);
        if self.rows[row].columns != columns {
            self.rows[row].fill(columns);
        }
        let passed = T::of(at - self.base);
        self.base = at;
        for block in &mut self.blocks {
            block.as_flattened_mut().iter_mut().for_each(|wait| *wait = wait.less(passed));
        }
        self.issue(command, bank, columns, at);
    }

    /// Further effects of a few commands.
    #[inline(never)]
    fn issue_more(&mut self, command: Command, bank: u32, columns: Cycle, at: Cycle) {
        self.issue_in_windows(command.class() as usize, bank, at);
        if command.is_auto() {
            self.precharge_by_itself(command, bank, at, columns);
        }
    }

    #[inline(always)]
    fn issue_in_windows(&mut self, class: usize, bank: u32, at: Cycle) {
        for window in self.windows.iter_mut().filter(|window| window.before >> class & 1 == 1) {
            let (node, after) = (bank as usize >> window.node_shift, window.after);
            let until = window.issue(node, at);
            if window.node_shift == 0 {
                let waits = &mut self.own[bank as usize].waits;
                waits[after] = waits[after].max(T::signed(until as i64 - at as i64));
            }
            if until <= at {
                continue;
            }
            let wait = T::of(until - self.base);
            for (block, reach) in self.blocks.iter_mut().zip(&window.nodes[node].reach) {
                let mut new = *reach;
                for (new, &old) in new.iter_mut().zip(&block[after]) {
                    *new = wait.min(*new).max(old);
                }
                block[after] = *new;
            }
        }
    }

    /// Issues the precharge of a column command with auto-precharge at `at`, as soon as the bank permits it.
    #[inline(never)]
    fn precharge_by_itself(&mut self, command: Command, bank: u32, at: Cycle, columns: Cycle) {
        let node = (bank >> self.node_shift) as usize;
        // In clocks after `at`; long ago if nothing delays a precharge.
        let standard = self.earliest_of_bank(Command::Precharge, bank) as i64 - at as i64;
        let (for_activate, for_refresh) = match self.auto_precharge {
            AutoPrecharge::Standard => (standard, standard),
            AutoPrecharge::DramSim3 => {
                let own = self.rows[self.row(command, bank)].own[Command::Precharge as usize].get().max(0);
                let late = (columns + self.read_to_precharge) as i64;
                (if command == Command::ReadAuto { standard.max(late) } else { standard }, own)
            }
        };
        let later =
            |after| T::signed(if after == Command::Activate as usize { for_activate } else { for_refresh });
        let ahead = T::of(at - self.base);
        let row = &self.rows[BY_ITSELF * self.nodes + node];
        self.settled = self.settled.max(at + row.reach + for_activate.max(for_refresh).max(0) as Cycle);
        for (block, row) in self.blocks.iter_mut().zip(&row.all) {
            for (after, (waits, row)) in block.iter_mut().zip(row.iter()).enumerate() {
                for (wait, least) in waits.iter_mut().zip(row) {
                    *wait = (*wait).max(least.plus(later(after)).plus(ahead));
                }
            }
        }
        let (block, lane) = place::<N>(bank);
        for (after, (waits, least)) in self.blocks[block].iter_mut().zip(row.own.iter()).enumerate() {
            let wait = least.plus(later(after));
            waits[lane] = waits[lane].max(wait.plus(ahead));
            let own = &mut self.own[bank as usize].waits[after];
            *own = (*own).max(wait);
        }
    }

    /// Returns the first clock from `from` on in which a bank outside `frozen` can issue a requested command,
    /// and the bank. Of several it is the first of the round after `pointer`. If no bank requests a command, it
    /// is the end of time.
    #[inline(never)]
    fn first(&self, from: Cycle, frozen: u64, pointer: usize) -> (Cycle, usize) {
        match frozen {
            0 => self.first_of(&self.wishes, from, pointer),
            _ => self.first_beside(frozen, from, pointer),
        }
    }

    #[cold]
    #[inline(never)]
    fn first_beside(&self, frozen: u64, from: Cycle, pointer: usize) -> (Cycle, usize) {
        let mut wishes = self.wishes;
        for bank in (0..(N * LANES) as u32).filter(|bank| frozen >> bank & 1 == 1) {
            let (block, lane) = place::<N>(bank);
            wishes[block].iter_mut().for_each(|lanes| lanes[lane] = T::MOST);
        }
        self.first_of(&wishes, from, pointer)
    }

    #[inline(always)]
    fn first_of(&self, wishes: &[Wishes<T>; N], from: Cycle, pointer: usize) -> (Cycle, usize) {
        let mut soonest = [[T::MOST; LANES]; N];
        for (soonest, (waits, wishes)) in soonest.iter_mut().zip(self.blocks.iter().zip(wishes)) {
            *soonest = soonest_of(waits, wishes);
        }
        let least = soonest.iter().flatten().fold(T::MOST, |least, &wait| least.min(wait));
        if least == T::MOST {
            return (Cycle::MAX, BANKS as usize);
        }
        let limit = least.max(T::of(from - self.base));
        let first = (pointer as u32 + 1) % BANKS;
        let mut behind = T::MOST;
        for (number, soonest) in soonest.iter().enumerate() {
            let first = T::of((first.wrapping_sub((number * LANES) as u32) % BANKS).into());
            behind = behind.min(first_in_round(soonest, limit, first));
        }
        let bank = (first + behind.get() as u32) % BANKS;
        (from.max(self.base + limit.get() as Cycle), bank as usize)
    }
}

/// The waits of a channel's banks, in as many and as wide lanes as its device needs.
#[derive(Clone, Debug)]
pub(super) enum Waits {
    /// Up to 16 banks.
    Few(Box<Table<i16, 1>>),
    /// Up to 64.
    Many(Box<Table<i16, 4>>),
    /// Distances of tens of thousands of clocks.
    Long(Box<Table<i32, 4>>),
}

macro_rules! each {
    ($waits:expr, $table:ident => $call:expr) => {
        match $waits {
            Waits::Few($table) => $call,
            Waits::Many($table) => $call,
            Waits::Long($table) => $call,
        }
    };
}

impl Waits {
    /// Returns the waits before any command.
    pub fn new(device: &Device) -> Self {
        let organization = device.organization();
        let all = device.pushes.iter().flat_map(|p| [&p.in_rank, &p.in_group, &p.in_bank]);
        let pushes = all.chain(&device.pushes_elsewhere).flatten().map(|push| Cycle::from(push.distance));
        let longest = pushes.chain(device.windows.iter().map(|window| window.cycles)).max().unwrap_or(0);
        // An auto-precharge begins a distance after its command, and its own distances follow: two distances
        // add up.
        let sum = 2 * (longest + organization.data_cycles(organization.row_bytes));
        if sum >= i16::MAX as Cycle - FAR {
            Self::Long(Box::new(Table::new(device)))
        } else if organization.banks as usize > LANES {
            Self::Many(Box::new(Table::new(device)))
        } else {
            Self::Few(Box::new(Table::new(device)))
        }
    }

    /// Returns the first clock in which the table permits `command` to `bank`; if that is long ago, some clock
    /// long ago.
    #[inline(always)]
    pub fn earliest(&self, command: Command, bank: u32) -> Cycle {
        each!(self, table => table.earliest(command, bank))
    }

    /// Returns the first clock in which the bank alone permits `command`, whatever the state of its rank and
    /// group.
    #[inline(always)]
    pub fn earliest_of_bank(&self, command: Command, bank: u32) -> Cycle {
        each!(self, table => table.earliest_of_bank(command, bank))
    }

    /// Sets the kinds of commands that the queue of a bank requests.
    #[inline(always)]
    pub fn wish(&mut self, bank: usize, kinds: Kinds) {
        each!(self, table => table.wish(bank, kinds));
    }

    /// Issues a command at `at`, not before the previous one, with a number of column cycles.
    #[inline(always)]
    pub fn issue(&mut self, command: Command, bank: u32, columns: Cycle, at: Cycle) {
        each!(self, table => table.issue(command, bank, columns, at));
    }

    /// Returns whether no command before `at` delays anything any longer, so that the commands of a lone
    /// request can be recorded instead of issued. If so, earlier recorded commands are forgotten.
    #[inline(always)]
    pub fn can_note(&mut self, at: Cycle) -> bool {
        each!(self, table => table.can_note(at))
    }

    /// As [`Waits::issue`], for a command that can be recorded.
    #[inline(always)]
    pub fn note(&mut self, command: Command, bank: u32, columns: Cycle, at: Cycle) {
        each!(self, table => table.note(command, bank, columns, at));
    }

    /// Issues the recorded commands.
    #[cold]
    pub fn catch_up(&mut self) {
        each!(self, table => table.catch_up());
    }

    /// Returns the first clock in which the table permits `command` to `bank`, and the same for the bank alone,
    /// from the recorded commands.
    #[inline(always)]
    pub fn earliest_by_notes(&self, command: Command, bank: u32) -> (Cycle, Cycle) {
        each!(self, table => table.earliest_by_notes(command, bank))
    }

    /// Returns the first clock from `from` on in which a bank outside `frozen` can issue a requested command,
    /// and the bank. Of several it is the first of the round after `pointer`. If no bank requests a command, it
    /// is the end of time.
    #[inline(always)]
    pub fn first(&self, from: Cycle, frozen: u64, pointer: usize) -> (Cycle, usize) {
        each!(self, table => table.first(from, frozen, pointer))
    }

    /// Returns whether it agrees with the device, which has executed the same commands, on every clock from
    /// `now` on; by the recorded commands, or by all.
    pub fn compare(&self, noted: bool, device: &Device, now: Cycle) {
        for bank in 0..device.organization().banks {
            for command in Command::IN_TABLES {
                let (all, of_bank) = match noted {
                    true => self.earliest_by_notes(command, bank),
                    false => (self.earliest(command, bank), self.earliest_of_bank(command, bank)),
                };
                let (name, expected) = (command.name(), device.earliest(command, bank));
                assert_eq!(all.max(now), expected.max(now), "{name} to bank {bank} at {now}");
                let expected = device.earliest_of_bank(command, bank);
                assert_eq!(of_bank.max(now), expected.max(now), "{name} of bank {bank} at {now}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Constraint, Edge, Level, Organization, Timing};
    use proptest::prelude::*;

    /// Ranks, groups of a rank and banks of a group: with and without groups, in one block of lanes and in several.
    const SHAPES: [[u32; 3]; 7] =
        [[1, 1, 4], [1, 4, 4], [2, 2, 4], [2, 1, 8], [1, 8, 4], [2, 4, 4], [4, 4, 4]];

    fn device([ranks, groups, banks]: [u32; 3], constraints: Vec<Constraint>, rule: AutoPrecharge) -> Device {
        let (groups, rows) = (ranks * groups, 16);
        let organization = Organization {
            ranks,
            groups,
            banks: groups * banks,
            row_bytes: 256,
            rows,
            beat_bytes: 4,
            beats_per_cycle: 2,
        };
        let timing = Timing { read_latency: 5, write_latency: 3, constraints };
        Device::new(organization, timing).with_auto_precharge(rule)
    }

    /// Any constraint; in some cases longer than 16 bits hold.
    fn constraint() -> impl Strategy<Value = Constraint> {
        let commands = proptest::sample::subsequence(Command::IN_TABLES.to_vec(), 1..3);
        let level = proptest::sample::select(vec![Level::Rank, Level::Group, Level::Bank, Level::OtherRanks]);
        let edge = proptest::sample::select(vec![Edge::Issue, Edge::DataEnd, Edge::ColumnEnd]);
        let cycles = prop_oneof![60 => 0u64..40, 1 => 20_000u64..60_000];
        (commands.clone(), commands, level, edge, cycles, 1usize..5).prop_map(
            |(before, after, level, from, cycles, window)| {
                let window = if level == Level::OtherRanks { 1 } else { window };
                Constraint { name: String::new(), level, before, after, cycles, from, window }
            },
        )
    }

    /// One of the commands that the state of the banks permits.
    fn allowed(device: &Device, bank: u32, draw: usize) -> Command {
        use Command::{Activate, Precharge, Read, ReadAuto, Refresh, RefreshBank, Write, WriteAuto};
        let organization = device.organization();
        let of_rank = |other: &u32| organization.rank(*other) == organization.rank(bank);
        let closed = (0..organization.banks).filter(of_rank).all(|other| device.open_row(other).is_none());
        let commands = match (device.open_row(bank), closed) {
            (Some(_), _) => &[Precharge, Read, Write, ReadAuto, WriteAuto][..],
            (None, true) => &[Activate, Activate, Activate, RefreshBank, Refresh],
            (None, false) => &[Activate, Activate, Activate, RefreshBank],
        };
        commands[draw % commands.len()]
    }

    /// The result of [`Waits::first`], found bank by bank.
    fn first(
        waits: &Waits,
        wishes: &[Kinds],
        from: Cycle,
        frozen: u64,
        pointer: u32,
    ) -> Option<(Cycle, usize)> {
        let ready = |&bank: &u32| {
            let wanted = Kinds::COMMANDS.into_iter().filter(|&command| wishes[bank as usize].has(command));
            wanted.map(|command| waits.earliest(command, bank).max(from)).min()
        };
        let round = (1..=BANKS).map(|step| (pointer + step) % BANKS);
        let banks = round.filter(|&bank| (bank as usize) < wishes.len() && frozen >> bank & 1 == 0);
        banks.filter_map(|bank| Some((ready(&bank)?, bank as usize))).min_by_key(|&(at, _)| at)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_lanes_say_what_the_device_says(
            shape in proptest::sample::select(SHAPES.to_vec()),
            mut constraints in proptest::collection::vec(constraint(), 0..14),
            (standard, usual) in any::<(bool, bool)>(),
            steps in proptest::collection::vec(
                (0u32..64, 0usize..60, prop_oneof![8 => 0u64..6, 2 => 0u64..100, 1 => 0u64..90_000], 1u32..9, any::<u64>()),
                1..60,
            ),
        ) {
            let rule = if standard { AutoPrecharge::Standard } else { AutoPrecharge::DramSim3 };
            if usual {
                // These properties of every real table make old commands forgettable.
                let windows = constraints.iter_mut().filter(|constraint| constraint.window > 1);
                windows.for_each(|constraint| constraint.before = vec![Command::Activate]);
                let (before, after) = (vec![Command::Read, Command::Write], vec![Command::Precharge]);
                let (name, level, from) = (String::new(), Level::Bank, Edge::DataEnd);
                constraints.push(Constraint { name, level, before, after, cycles: 4, from, window: 1 });
            }
            let mut device = device(shape, constraints, rule);
            let mut waits = Waits::new(&device);
            let banks = device.organization().banks;
            let mut wishes = vec![Kinds::default(); banks as usize];
            // `noted` is the last recorded command of a lone request: 1 precharge, 2 activate, 3 column.
            let (mut now, mut noted) = (0, 0);
            for (bank, draw, gap, beats, bits) in steps {
                let bank = bank % banks;
                let command = allowed(&device, bank, draw);
                let at = device.earliest(command, bank).max(now + gap);
                let step = match command {
                    Command::Precharge => 1,
                    Command::Activate => 2,
                    Command::Read | Command::Write => 3,
                    _ => 0,
                };
                if step > 0 && bits & 3 == 3 && waits.can_note(at) {
                    noted = 0;
                } else if noted == 0 || step <= noted || bits & 4 == 0 {
                    waits.catch_up();
                    noted = 3;
                }
                let columns = if command.is_column() { device.data_cycles(beats * 4) } else { 0 };
                noted = if step > noted { step } else { 0 };
                match noted > 0 {
                    true => waits.note(command, bank, columns, at),
                    false => waits.issue(command, bank, columns, at),
                }
                device.issue(command, bank, (bits >> 8) as u32 % 16, beats * 4, at);
                waits.compare(noted > 0, &device, at + 1);
                now = at + 1;
                if noted == 0 {
                    let kinds = Kinds::of((bits >> 16) as u8);
                    wishes[bank as usize] = kinds;
                    waits.wish(bank as usize, kinds);
                    let (frozen, pointer) = (if bits & 8 == 0 { 0 } else { bits >> 20 }, (bits >> 10) as u32 % banks);
                    let found = Some(waits.first(now, frozen, pointer as usize)).filter(|&(at, _)| at != Cycle::MAX);
                    prop_assert_eq!(found, first(&waits, &wishes, now, frozen, pointer));
                }
            }
        }
    }
}
