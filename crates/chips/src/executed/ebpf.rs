//! An XDP program on a chip: it is executed for each packet, and its execution is recorded as steps.
//!
//! The cost of an instruction follows from its class and the cluster's table. Loads and stores also take the cost of
//! the region that they access. Costs are summed over runs of code: a step is the cycles since the previous step,
//! then an access. Engines with lanes have costs of rows instead, which are scheduled before the program runs: the
//! cost of a block counts where the block begins.

use super::costs::EbpfCosts;
use super::done::{Done, Fate};
use super::hot::Words;
use super::locks::Locks;
use super::operands::{Operands, Prices};
use super::operations::{Cycles, Does, cycles, does, merge};
use super::profile::{Accesses, Calls, Origin, Sums, Use};
use super::region::{Placed, ROOM_BYTES, room_of};
use super::scale::Carrying;
use linecard_ebpf::{
    Access as Touch, AccessKind, Arrival, EbpfError, Hook, Kind, Machine, Op, PACKET, STACK, Target, Verdict,
    wanted_after,
};
use linecard_program::script::{Access, Steps};
use std::collections::BTreeMap;

/// Number of the helper that releases a lock.
const SPIN_UNLOCK: u32 = 94;
/// First byte of a packet as received, in its region.
const HEADROOM: u32 = linecard_ebpf::HEADROOM_BYTES as u32;

/// Facts about an operation that are known before its execution.
#[derive(Clone, Copy, Debug)]
struct Priced {
    does: Does,
    /// Bytes of the packet that its load fetches, and how many of them precede its own; 0 if another load fetches
    /// them.
    span: u8,
    ahead: u8,
    prices: Prices,
    /// Whether the code determines where execution continues after it.
    jumps: bool,
    /// Whether it calls a function of the program, or returns from it.
    calls: bool,
    returns: bool,
}

/// A program's operations with their costs on a cluster.
#[derive(Clone, Debug)]
pub(super) struct PricedCode {
    ops: Vec<Priced>,
    /// Cycles of all operations before each one; loads and stores count when their region is known.
    sums: Vec<u32>,
    /// The target of a jump, and its additional cost if it is taken.
    targets: Vec<u32>,
    taken: Vec<u32>,
    /// A further cost if it is taken because of the upper halves alone.
    taken_upper: Vec<u32>,
    /// Cycles of every packet, and bytes that a helper reads in one cycle; 0 for any number.
    each_packet: u32,
    helper_bytes: u32,
    /// The location of each region, by number; `None` if its accesses only take cycles.
    regions: Vec<Option<Placed>>,
    /// Regions with per-CPU values, by number.
    own_values: Vec<bool>,
    costs: EbpfCosts,
}

impl PricedCode {
    /// Returns the code of a machine.
    pub fn new(
        machine: &Machine,
        costs: &EbpfCosts,
        regions: Vec<Option<Placed>>,
        own_values: Vec<bool>,
    ) -> Self {
        let code = machine.code();
        let count = code.ops().len() as u32;
        let originals: Vec<Op> = (0..count).map(|index| code.original(index)).collect();
        let merged = merge(&originals, costs.merge_bytes);
        let operands = Operands::new(machine, &originals, &merged);
        let mut sums = Vec::with_capacity(originals.len() + 1);
        let mut sum = 0u32;
        let cycles = match costs.rows {
            #[cfg(feature = "rows")]
            Some(rows) => super::by_rows::by_rows(code, machine.starts(), &originals, costs, rows),
            _ => by_class(&originals, &operands, costs),
        };
        for each in &cycles {
            sums.push(sum);
            sum = sum.wrapping_add(each.own);
        }
        sums.push(sum);
        let wanted = wanted_after(code);
        let ops =
            originals.iter().zip(&merged).zip(wanted).enumerate().map(|(index, ((op, part), wanted))| {
                Priced {
                    does: match does(op) {
                        // Compilers request the old value even if no operation reads it.
                        Does::Atomic { result } => {
                            Does::Atomic { result: result && wanted & op.writes() != 0 }
                        }
                        other => other,
                    },
                    span: part.span,
                    ahead: part.ahead,
                    prices: Prices::new(op, operands.holds(index), costs),
                    jumps: op.jumps() || matches!(op.kind, Kind::Ja | Kind::Call),
                    calls: op.kind == Kind::Call,
                    returns: op.kind == Kind::Exit,
                }
            });
        Self {
            ops: ops.collect(),
            sums,
            targets: originals.iter().map(|op| op.to as u32).collect(),
            taken: cycles.iter().map(|each| each.taken).collect(),
            taken_upper: cycles.iter().map(|each| each.taken_upper).collect(),
            each_packet: costs.rows.map_or(costs.cycles.enter_cycles, |rows| rows.each_packet),
            helper_bytes: costs.rows.map_or(0, |rows| rows.helper_bytes),
            regions,
            own_values,
            costs: costs.clone(),
        }
    }
}

impl PricedCode {
    /// See [`EbpfCosts::masked_index`].
    pub fn masks_indices(&self) -> bool {
        self.costs.masked_index
    }
}

/// Returns the cycles of each operation by its class and its operands.
fn by_class(ops: &[Op], operands: &Operands, costs: &EbpfCosts) -> Vec<Cycles> {
    ops.iter().enumerate().map(|(index, op)| cycles(op, operands.holds(index), costs)).collect()
}

/// Counts of executions, their costs, and their accesses to memories.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    begins: Vec<u64>,
    leaves: Vec<u64>,
    /// Cycles in addition to those known in advance.
    extra_cycles: Vec<u64>,
    pub accesses: Accesses,
    pub words: Words,
    calls: Calls,
    verdicts: BTreeMap<&'static str, u64>,
}

impl Tally {
    fn new(code: &PricedCode) -> Self {
        let zeros = vec![0; code.ops.len()];
        Self {
            begins: zeros.clone(),
            leaves: zeros.clone(),
            extra_cycles: zeros,
            accesses: Accesses::new(code.ops.len(), &code.regions),
            words: Words::default(),
            calls: Calls::default(),
            verdicts: BTreeMap::new(),
        }
    }
}

/// Records the execution of a program.
struct Listener<'a> {
    code: &'a PricedCode,
    tally: &'a mut Tally,
    locks: &'a mut Locks,
    steps: &'a mut Steps,
    /// The room of the packet in its memory.
    room: u32,
    /// The current run of code: its first operation, and the instructions before it.
    first: u32,
    before: u64,
    /// Where the next run begins, unless a jump determines it.
    begins: Option<u32>,
    started: bool,
    /// Operations before this one have been paid.
    paid: u32,
    scale: Carrying,
}

impl Listener<'_> {
    /// Returns the cycles of all operations before `index` that have not been paid; they are paid now.
    #[inline(always)]
    fn due(&mut self, index: u32) -> u32 {
        if index <= self.paid {
            return 0;
        }
        let sums = &self.code.sums;
        let from = std::mem::replace(&mut self.paid, index);
        sums[index as usize].wrapping_sub(sums[from as usize])
    }

    #[inline(always)]
    fn pay(&mut self, index: u32) {
        let due = self.due(index);
        self.compute(due);
    }

    #[inline(always)]
    fn compute(&mut self, cycles: u32) {
        // Most prices are zero.
        if cycles > 0 {
            let cycles = self.scale.next(cycles);
            self.steps.compute(cycles);
            self.tally.calls.spend(cycles);
        }
    }

    #[inline(always)]
    fn spend(&mut self, index: usize, cycles: u32) {
        self.spend_with(0, index, cycles);
    }

    /// Spends cycles that are due, then those of one operation that depend on its execution.
    #[inline(always)]
    fn spend_with(&mut self, due: u32, index: usize, cycles: u32) {
        if cycles > 0 {
            self.tally.extra_cycles[index] += u64::from(cycles);
        }
        self.compute(due.saturating_add(cycles));
    }
}

impl Hook for Listener<'_> {
    const ACCESSES: bool = true;

    #[inline(always)]
    fn begins(&mut self, index: u32) {
        self.tally.begins[index as usize] += 1;
        if self.started {
            self.begins = Some(index);
        } else {
            self.started = true;
            (self.first, self.paid) = (index, index);
            self.tally.calls.leave_all();
            self.tally.calls.call(index);
            self.spend(index as usize, self.code.each_packet);
        }
    }

    #[inline(always)]
    fn leaves(&mut self, index: u32) {
        self.pay(index + 1);
        self.tally.leaves[index as usize] += 1;
        self.before += u64::from(index - self.first + 1);
        let code = self.code;
        let next = match self.begins.take() {
            Some(next) => next,
            None if code.ops[index as usize].jumps => {
                let next = code.targets[index as usize];
                self.tally.begins[next as usize] += 1;
                self.spend(index as usize, code.taken[index as usize]);
                next
            }
            // The program ends.
            None => return,
        };
        let op = &code.ops[index as usize];
        if op.calls {
            self.tally.calls.call(next);
        } else if op.returns {
            self.tally.calls.returns();
        }
        (self.first, self.paid) = (next, next);
    }

    #[inline(always)]
    fn upper_half(&mut self, index: u32) {
        self.spend(index as usize, self.code.taken_upper[index as usize]);
    }

    #[inline(always)]
    fn helper(&mut self, executed: u64, helper: u32) {
        let index = self.first + (executed - self.before) as u32 - 1;
        // The first store of the unlock helper releases the lock: its cycles keep no thread waiting.
        self.pay(if helper == SPIN_UNLOCK { index } else { index + 1 });
    }

    fn lock(&mut self, executed: u64, address: u64, taken: bool) {
        let index = self.first + (executed - self.before) as u32 - 1;
        self.steps.push(0, self.locks.action(address, taken, index));
        self.steps.comes_from(index);
        self.pay(index + 1);
    }

    #[inline(always)]
    fn access(&mut self, executed: u64, touch: Touch) {
        let index = self.first + (executed - self.before) as u32 - 1;
        let (at, code) = (index as usize, self.code);
        let priced = &code.ops[at];
        let (loads, own) = (priced.does == Does::Loads, priced.does != Does::Calls);
        let prices = &priced.prices;
        // The part of the price that does not depend on the memory: the rows that begin with the operation.
        let due = if own { self.due(index + 1) } else { 0 };
        let Some(Some(placed)) = code.regions.get(usize::from(touch.region.0)) else {
            let local = if own {
                prices.local
            } else if code.helper_bytes > 0 && touch.kind == AccessKind::Read && touch.region <= STACK {
                touch.bytes.saturating_sub(1) / code.helper_bytes
            } else {
                0
            };
            return self.spend_with(due, at, local);
        };
        let &Placed { role, base, within_bytes } = placed;
        let packet = touch.region == PACKET;
        let (mut address, mut bytes) = (touch.address, touch.bytes);
        if packet {
            address = address.saturating_sub(HEADROOM);
            if loads {
                if priced.span == 0 {
                    return self.spend_with(due, at, prices.packet.merged);
                }
                (address, bytes) = (address.saturating_sub(priced.ahead.into()), priced.span.into());
            }
            address = self.room + address % ROOM_BYTES;
        }
        let kind = match touch.kind {
            AccessKind::Read => Access::Read,
            AccessKind::Write => Access::Write,
            // The word of a lock.
            AccessKind::Atomic if !own => Access::TestAndSet,
            AccessKind::Atomic => Access::Add,
        };
        let price = if packet { &prices.packet } else { &prices.map };
        self.spend_with(due, at, if own { price.before } else { 0 });
        let waits = match priced.does {
            Does::Loads | Does::Calls | Does::Atomic { result: true } => true,
            _ if packet => code.costs.waits_for_packet_writes,
            _ => code.costs.waits_for_writes,
        };
        let address = base + address % within_bytes.max(1);
        let bytes = bytes.min(u32::from(u16::MAX)) as u16;
        match waits {
            true => self.steps.access(role, kind, bytes, address),
            false => self.steps.post(role, kind, bytes, address),
        }
        self.steps.comes_from(index);
        self.tally.accesses.count(at, role);
        self.tally.words.count((role.0, address & !3), index);
        // Helpers protect their own writes, and per-CPU values have a single writer.
        if own && !packet && kind.writes() && !code.own_values[usize::from(touch.region.0)] {
            self.locks.races.write((role.0, address & !3), index, touch.kind == AccessKind::Atomic);
        }
        if loads {
            self.spend(at, price.after);
        }
    }
}

/// An XDP program during a run.
pub(super) struct Running {
    pub machine: Machine,
    pub code: PricedCode,
    pub tally: Tally,
    pub locks: Locks,
    cpus: u32,
}

impl Running {
    /// Returns the program before its first packet; the first locks belong to the steps around it.
    pub fn new(machine: Machine, code: PricedCode, cpus: u32, locks_around: u32) -> Self {
        let locks = Locks::behind(locks_around);
        Self { tally: Tally::new(&code), machine, code, locks, cpus: cpus.max(1) }
    }

    /// Discards the counts.
    pub fn restart(&mut self) {
        self.tally = Tally::new(&self.code);
        self.locks.taken.restart();
        self.locks.races.restart();
    }

    /// Returns a description of a byte of a role.
    pub fn word(&self, role: u8, address: u32) -> String {
        let (memory, machine) = (self.machine.memory(), &self.machine);
        let holds = |placed: &Placed| {
            placed.role.0 == role && (placed.base..placed.base + placed.within_bytes).contains(&address)
        };
        let found = self.code.regions.iter().enumerate().find_map(|(number, placed)| {
            let placed = placed.as_ref().filter(|placed| holds(placed))?;
            Some((number, address - placed.base))
        });
        match found {
            Some((region, offset)) => machine.value_at(region, offset.into()),
            None => memory.name(PACKET).to_owned(),
        }
    }

    /// Returns a description of an address of the program.
    pub fn object(&self, address: u64) -> String {
        let (region, offset) = self.machine.memory().traced_at(address);
        self.machine.value_at(usize::from(region.0), offset.into())
    }

    /// Returns the line of an operation.
    pub fn line(&self, index: u32) -> String {
        origin(&self.machine, index).short()
    }

    /// Returns the sums of the program; `stalls` are the cycles that threads waited for each operation.
    pub fn told(&self, stalls: &[f64]) -> Use {
        let Self { tally, code, machine, .. } = self;
        let mut running = 0u64;
        let operation = |index: usize| {
            running += tally.begins[index];
            let times = running;
            running = running.saturating_sub(tally.leaves[index]);
            let own = u64::from(code.sums[index + 1].wrapping_sub(code.sums[index]));
            let sums = Sums {
                instructions: times,
                cycles: code.costs.share.of(times * own + tally.extra_cycles[index]),
                stall_cycles: stalls.get(index).copied().unwrap_or(0.0),
                accesses: tally.accesses.of(index),
            };
            (times > 0).then(|| (origin(machine, index as u32), sums))
        };
        Use {
            verdicts: tally.verdicts.iter().map(|(&name, &count)| (name.to_owned(), count)).collect(),
            stacks: tally
                .calls
                .told(|first| machine.function(first).map_or_else(|| machine.place(first), str::to_owned)),
            ..Use::new((0..code.ops.len()).filter_map(operation))
        }
    }

    /// Returns the frame as the program left it for the last packet.
    pub fn packet_left(&self) -> &[u8] {
        self.machine.packet_left()
    }

    /// Executes the program on a packet, and appends its steps to `steps`.
    pub fn packet(
        &mut self,
        frame: &[u8],
        time_ns: u64,
        number: u64,
        interface: u32,
        steps: &mut Steps,
    ) -> Result<Done, EbpfError> {
        let cpu = (number % u64::from(self.cpus)) as u32;
        let arrival = Arrival { time_ns, interface, queue: cpu, cpu };
        let room = room_of(number);
        if self.code.costs.has_caches
            && let Some(packet) = self.code.regions.get(usize::from(PACKET.0)).copied().flatten()
        {
            steps.push(0, packet.forget(room, frame.len()));
        }
        let mut listener = Listener {
            code: &self.code,
            tally: &mut self.tally,
            locks: &mut self.locks,
            steps,
            room,
            first: 0,
            before: 0,
            begins: None,
            started: false,
            paid: 0,
            scale: self.code.costs.share.carrying(),
        };
        let outcome = self.machine.packet(frame, arrival, &mut listener)?;
        let (name, fate) = match outcome.verdict {
            Verdict::Aborted => ("aborted", Fate::Ends),
            Verdict::Drop => ("drop", Fate::Ends),
            Verdict::Pass => ("pass", Fate::Leaves),
            Verdict::Tx => ("tx", Fate::Returns),
            Verdict::Redirect(Target::Interface(to) | Target::Cpu(to) | Target::Socket(to)) => {
                ("redirect", Fate::LeavesBy(to as u16))
            }
            Verdict::Redirect(Target::Broadcast) => ("redirect", Fate::Leaves),
        };
        *self.tally.verdicts.entry(name).or_insert(0) += 1;
        let grown_bytes = self.machine.packet_left().len() as i32 - frame.len() as i32;
        Ok(Done { fate, grown_bytes })
    }
}

/// Returns the source of an operation.
fn origin(machine: &Machine, index: u32) -> Origin {
    match machine.line(index) {
        Some(line) => Origin::line(&line.file, line.line, &line.text),
        None => Origin::function(&machine.place(index)),
    }
}
