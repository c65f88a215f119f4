//! The effect of each command on the waits of all banks: the device's table, compiled to rows of lanes.

use super::lanes::{Aligned, Block, Clocks, FAR, LANES, Lanes, OfBank, place};
use crate::device::{self, CLASSES, Push, Pushes};
use crate::{Command, Cycle, Device};

/// Number of effects: each class, and the precharge of a column command with auto-precharge.
pub(super) const EFFECTS: usize = CLASSES + 1;
pub(super) const BY_ITSELF: usize = CLASSES;

/// The effect of a command.
#[derive(Clone, Debug)]
pub(super) struct Row<T, const N: usize> {
    /// The column cycles for which the distances hold.
    pub columns: Cycle,
    /// On all banks, by rank and group.
    pub all: [Block<T>; N],
    /// The classes on which it has an effect there.
    pub on_all: Vec<usize>,
    /// On its own bank.
    pub own: OfBank<T>,
    /// The same, without the classes on which it has no effect.
    pub in_bank: Vec<(usize, T)>,
    /// The longest of the distances, and of the windows that count it.
    pub reach: Cycle,
    windows: Cycle,
    /// The sources of the distances: from the issue, and from the end of the columns.
    from_issue: ([Block<T>; N], OfBank<T>),
    from_end: ([Block<T>; N], OfBank<T>),
}

impl<T: Clocks, const N: usize> Row<T, N> {
    /// Returns the effect of a command, or of an auto-precharge, on a bank.
    pub fn new(device: &Device, effect: usize, bank: u32) -> Self {
        let nothing = ([Aligned([[T::LEAST; LANES]; CLASSES]); N], Aligned([T::LEAST; 8]));
        let (mut from_issue, mut from_end) = (nothing, nothing);
        let (class, by_itself) = match effect {
            BY_ITSELF => (Command::Precharge as usize, true),
            class => (class, false),
        };
        // An auto-precharge is not on the command bus: it delays no other precharge.
        let counts = |push: &&Push| !(by_itself && push.after == Command::Precharge as u8);
        for push in device.pushes[class].in_bank.iter().filter(counts) {
            let row = if push.from_column_end { &mut from_end.1 } else { &mut from_issue.1 };
            let wait = &mut row[usize::from(push.after)];
            *wait = (*wait).max(T::of(push.distance.into()));
        }
        let counted = device.windows.iter().filter(|window| window.before >> class & 1 == 1);
        let windows = counted.map(|window| window.cycles).max().unwrap_or(0);
        for other in 0..device.organization().banks {
            let (block, lane) = place::<N>(other);
            for push in pushes_between(device, class, bank, other, by_itself).filter(counts) {
                let row = if push.from_column_end { &mut from_end.0 } else { &mut from_issue.0 };
                let wait = &mut row[block][usize::from(push.after)][lane];
                *wait = (*wait).max(T::of(push.distance.into()));
            }
        }
        let (all, own) = from_issue;
        let (on_all, in_bank) = (Vec::new(), Vec::new());
        let mut row = Self { columns: 0, all, on_all, own, in_bank, reach: 0, windows, from_issue, from_end };
        row.fill(0);
        let affects = |&class: &usize| row.all.iter().flat_map(|all| all[class]).any(|wait| wait >= T::of(0));
        row.on_all = (0..CLASSES).filter(affects).collect();
        row
    }

    /// Recomputes the row for a number of column cycles.
    #[cold]
    pub fn fill(&mut self, columns: Cycle) {
        self.columns = columns;
        let columns = T::of(columns);
        // With the distance from the origin it stays in the range.
        let longest = T::MOST.less(T::of(FAR));
        let sum = |issue: T, end: T| issue.max(end.plus(columns)).min(longest);
        let (issue, end) = (&self.from_issue, &self.from_end);
        for (all, (issue, end)) in self.all.iter_mut().zip(issue.0.iter().zip(&end.0)) {
            let made_of = issue.as_flattened().iter().zip(end.as_flattened());
            for (wait, (&issue, &end)) in all.as_flattened_mut().iter_mut().zip(made_of) {
                *wait = sum(issue, end);
            }
        }
        for (wait, (&issue, &end)) in self.own.iter_mut().zip(issue.1.iter().zip(end.1.iter())) {
            *wait = sum(issue, end);
        }
        let own = self.own.iter().copied().enumerate().take(CLASSES);
        self.in_bank.clear();
        self.in_bank.extend(own.filter(|&(_, wait)| wait >= T::of(0)));
        let all = self.all.iter().flat_map(|all| all.as_flattened()).chain(self.own.iter());
        self.reach = all.fold(self.windows, |reach, wait| reach.max(wait.get().max(0) as Cycle));
    }
}

/// Returns the effect of a command to a bank on another bank, or on itself, by rank and group.
fn pushes_between(
    device: &Device,
    class: usize,
    bank: u32,
    other: u32,
    by_itself: bool,
) -> impl Iterator<Item = &Push> {
    let organization = device.organization();
    let Pushes { in_rank, in_group, .. } = &device.pushes[class];
    let same_rank = organization.rank(bank) == organization.rank(other);
    let same_node = bank / device.banks_per_node() == other / device.banks_per_node();
    let rank = in_rank.iter().filter(move |_| same_rank);
    let group = in_group.iter().filter(move |_| same_node);
    let elsewhere = device.pushes_elsewhere[class].iter().filter(move |_| !same_rank && !by_itself);
    rank.chain(group).chain(elsewhere)
}

/// At most a number of commands of some classes within a number of clocks, before one of another class.
#[derive(Clone, Debug)]
pub(super) struct Window<T, const N: usize> {
    /// Bit set of classes.
    pub before: u8,
    pub after: usize,
    cycles: Cycle,
    /// log2 of the banks of a node: a rank, a group or a bank.
    pub node_shift: u32,
    pub nodes: Vec<NodeOfWindow<T, N>>,
}

#[derive(Clone, Debug)]
pub(super) struct NodeOfWindow<T, const N: usize> {
    /// The latest for its banks.
    pub reach: [Aligned<Lanes<T>>; N],
    /// A ring of the times until which the last commands delay others, and its position.
    ends: Vec<Cycle>,
    next: usize,
}

impl<T: Clocks, const N: usize> Window<T, N> {
    /// Returns one for each class that a window delays.
    pub fn of(window: &device::Window, device: &Device) -> impl Iterator<Item = Self> {
        let banks = device.organization().banks;
        let node_shift = (banks / window.issues.len() as u32).ilog2();
        let reach = [Aligned([T::LEAST; LANES]); N];
        let node = |ring: &Vec<Cycle>| NodeOfWindow { reach, ends: vec![0; ring.len()], next: 0 };
        let mut nodes: Vec<_> = window.issues.iter().map(node).collect();
        for bank in 0..banks {
            let (block, lane) = place::<N>(bank);
            nodes[(bank >> node_shift) as usize].reach[block][lane] = T::MOST;
        }
        let (before, cycles) = (window.before, window.cycles);
        let after = window.after.iter().map(|&after| usize::from(after));
        after.map(move |after| Self { before, after, cycles, node_shift, nodes: nodes.clone() })
    }

    /// Counts a command. Returns until when it delays later ones.
    #[inline]
    pub fn issue(&mut self, node: usize, at: Cycle) -> Cycle {
        let NodeOfWindow { ends, next, .. } = &mut self.nodes[node];
        ends[*next] = at + self.cycles;
        *next = if *next + 1 == ends.len() { 0 } else { *next + 1 };
        ends[*next]
    }
}
