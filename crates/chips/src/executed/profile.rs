//! Where an executed program spends its time: source lines, memories, and functions by caller.

use super::region::Placed;
use linecard_program::script::RoleId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The source of operations: a source line, or a function if no line is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Origin {
    /// The text for readers.
    pub name: String,
    /// The file as passed to the compiler, and the line, counted from 1.
    pub file: Option<String>,
    pub number: Option<u32>,
}

impl Origin {
    /// Returns a line of a file, with its text if that is known.
    pub fn line(file: &str, number: u32, text: &str) -> Self {
        // Users know the folder of the file.
        let short = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let text = if text.is_empty() { String::new() } else { format!(": {text}") };
        Self { name: format!("{short}:{number}{text}"), file: Some(file.to_owned()), number: Some(number) }
    }

    /// Returns only the file and the line, or the function.
    pub fn short(&self) -> String {
        match &self.file {
            Some(_) => self.name.split(": ").next().unwrap_or(&self.name).to_owned(),
            None => self.name.clone(),
        }
    }

    /// Returns a function without known lines.
    pub fn function(name: &str) -> Self {
        Self { name: name.to_owned(), file: None, number: None }
    }
}

/// Sums over all packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    pub instructions: u64,
    pub cycles: u64,
    /// Cycles that threads waited for accesses.
    pub stall_cycles: f64,
    /// Accesses, by the number of the role among the program's roles.
    pub accesses: Vec<u64>,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.instructions += other.instructions;
        self.cycles += other.cycles;
        self.stall_cycles += other.stall_cycles;
        self.accesses.resize(self.accesses.len().max(other.accesses.len()), 0);
        for (sum, &count) in self.accesses.iter_mut().zip(&other.accesses) {
            *sum += count;
        }
    }
}

/// The sums of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    pub all: Sums,
    pub verdicts: Vec<(String, u64)>,
    pub lines: Vec<(Origin, Sums)>,
    /// Functions from the outermost to the innermost, and the engine cycles in the innermost.
    pub stacks: Vec<(Vec<String>, u64)>,
}

impl Use {
    /// Returns the sums of operations by source.
    pub fn new(operations: impl Iterator<Item = (Origin, Sums)>) -> Self {
        let mut lines: BTreeMap<Origin, Sums> = BTreeMap::new();
        let mut all = Sums::default();
        for (origin, sums) in operations {
            all.add(&sums);
            lines.entry(origin).or_default().add(&sums);
        }
        Self { all, lines: lines.into_iter().collect(), ..Self::default() }
    }
}

/// Accesses by operation and role.
#[derive(Clone, Debug)]
pub(super) struct Accesses {
    operations: usize,
    /// Roles of the regions, each once, and that of the packet separately, in front of the others.
    roles: Vec<RoleId>,
    /// The number of roles of the packet: 1, or 0 if no memory holds it.
    of_packet: usize,
    /// By region: the first count of its role.
    first: Vec<usize>,
    /// Counts, with all operations of a role next to each other.
    counts: Vec<u64>,
}

impl Accesses {
    /// Returns zero counts for a number of operations and these regions; the first one is the packet.
    pub fn new(operations: usize, regions: &[Option<Placed>]) -> Self {
        let mut roles: Vec<RoleId> = Vec::new();
        let of_packet = usize::from(regions.first().is_some_and(Option::is_some));
        let first = regions.iter().map(|placed| {
            let Some(placed) = placed else { return 0 };
            let others = roles.iter().skip(of_packet);
            let number = others.clone().position(|&role| role == placed.role);
            let number = number.map_or(roles.len(), |number| number + of_packet);
            if number == roles.len() {
                roles.push(placed.role);
            }
            number * operations
        });
        let first = first.collect();
        Self { operations, counts: vec![0; operations * roles.len()], first, roles, of_packet }
    }

    /// Returns the accesses of an operation to the packet, and to other regions.
    pub fn to_packet_and_others(&self, operation: usize) -> [u64; 2] {
        let all = self.of(operation);
        let (packet, others) = all.split_at(self.of_packet);
        [packet, others].map(|counts| counts.iter().sum())
    }

    /// Counts an access of an operation to a region that has a location.
    #[inline(always)]
    pub fn count(&mut self, operation: usize, region: usize) {
        self.count_at(self.first[region] + operation);
    }

    /// Returns the first count of the role of a region: counts of its operations follow, by number.
    pub fn first(&self, region: usize) -> usize {
        self.first[region]
    }

    /// As `count`, for the number of a count.
    #[inline(always)]
    pub fn count_at(&mut self, number: usize) {
        self.counts[number] += 1;
    }

    /// Returns the accesses of an operation, by number of the role.
    pub fn of(&self, operation: usize) -> Vec<u64> {
        (0..self.roles.len()).map(|number| self.counts[number * self.operations + operation]).collect()
    }

    pub fn roles(&self) -> &[RoleId] {
        &self.roles
    }

    pub fn restart(&mut self) {
        self.counts.fill(0);
    }
}

/// The most call stacks that are counted separately; the functions of further ones count for their callers.
const MOST_STACKS: usize = 1 << 14;

/// The number for code outside all functions.
const OUTSIDE: u32 = 0;

#[derive(Clone, Debug)]
struct Called {
    caller: u32,
    /// First operation.
    function: u32,
    cycles: u64,
    /// The function that it called last, and the number of that call stack.
    last: (u32, u32),
}

/// No function.
const NONE: u32 = u32::MAX;

impl Called {
    fn new(caller: u32, function: u32) -> Self {
        Self { caller, function, cycles: 0, last: (NONE, OUTSIDE) }
    }
}

/// Cycles by function and caller.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    known: Vec<Called>,
    numbers: FxHashMap<(u32, u32), u32>,
    at: u32,
    /// Cycles since the last call or return.
    open: u64,
    /// Calls beyond the separately counted stacks that have not returned.
    beyond: u32,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            known: vec![Called::new(OUTSIDE, NONE)],
            numbers: FxHashMap::default(),
            at: OUTSIDE,
            open: 0,
            beyond: 0,
        }
    }
}

impl Calls {
    /// A packet begins: no function has been called.
    #[inline]
    pub fn leave_all(&mut self) {
        self.close();
        (self.at, self.beyond) = (OUTSIDE, 0);
    }

    #[inline]
    pub fn call(&mut self, function: u32) {
        self.close();
        match self.known[self.at as usize].last {
            (last, number) if last == function => self.at = number,
            _ => self.call_another(function),
        }
    }

    /// Calls another function than the present one called last.
    fn call_another(&mut self, function: u32) {
        let key = (self.at, function);
        let number = match self.numbers.get(&key) {
            Some(&number) => number,
            None if self.known.len() >= MOST_STACKS => {
                self.beyond += 1;
                return;
            }
            None => {
                let number = self.known.len() as u32;
                self.known.push(Called::new(self.at, function));
                self.numbers.insert(key, number);
                number
            }
        };
        self.known[self.at as usize].last = (function, number);
        self.at = number;
    }

    #[inline]
    pub fn returns(&mut self) {
        self.close();
        match self.beyond {
            0 => self.at = self.known[self.at as usize].caller,
            _ => self.beyond -= 1,
        }
    }

    #[inline(always)]
    pub fn spend(&mut self, cycles: u64) {
        self.open += cycles;
    }

    /// Counts the cycles since the last call or return for the present function.
    #[inline]
    fn close(&mut self) {
        self.known[self.at as usize].cycles += std::mem::take(&mut self.open);
    }

    pub fn restart(&mut self) {
        self.open = 0;
        self.known.iter_mut().for_each(|called| called.cycles = 0);
    }

    /// Returns the functions from the outermost to the innermost, with the cycles in the innermost, in the order of
    /// their names.
    pub fn told(&self, name: impl Fn(u32) -> String) -> Vec<(Vec<String>, u64)> {
        let mut sums: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (called, number) in self.known.iter().zip(0..) {
            let open = if number == self.at { self.open } else { 0 };
            if called.cycles + open == 0 {
                continue;
            }
            let mut names = Vec::new();
            let mut each = called;
            while each.function != NONE {
                names.push(name(each.function));
                each = &self.known[each.caller as usize];
            }
            names.reverse();
            *sums.entry(names).or_insert(0) += called.cycles + open;
        }
        sums.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_count_for_a_function_under_each_of_its_callers() {
        // main { a { c } b { c } c }, twice.
        let mut calls = Calls::default();
        for _ in 0..2 {
            calls.leave_all();
            calls.call(0);
            calls.spend(1);
            for (function, cycles) in [(1, 10), (2, 20)] {
                calls.call(function);
                calls.spend(cycles);
                calls.call(3);
                calls.spend(100);
                calls.returns();
                calls.returns();
            }
            calls.call(3);
            calls.spend(7);
            calls.returns();
            calls.spend(1);
        }
        let told = calls.told(|number| ["main", "a", "b", "c"][number as usize].to_owned());
        let told: Vec<(String, u64)> = told.into_iter().map(|(names, sum)| (names.join(";"), sum)).collect();
        let expected = [
            ("main", 4),
            ("main;a", 20),
            ("main;a;c", 200),
            ("main;b", 40),
            ("main;b;c", 200),
            ("main;c", 14),
        ];
        assert_eq!(told, expected.map(|(names, sum)| (names.to_owned(), sum)));
    }

    #[test]
    fn calls_beyond_what_is_told_apart_count_for_their_caller_and_return() {
        let mut calls = Calls::default();
        calls.call(0);
        for depth in 1..2 * MOST_STACKS as u32 {
            calls.call(depth);
        }
        calls.spend(5);
        for _ in 1..2 * MOST_STACKS {
            calls.returns();
        }
        calls.spend(3);
        calls.leave_all();
        assert_eq!(calls.known.len(), MOST_STACKS);
        assert_eq!(calls.known[1].cycles, 3, "back in the outermost function");
        assert_eq!(calls.known.iter().map(|called| called.cycles).sum::<u64>(), 8);
    }
}
