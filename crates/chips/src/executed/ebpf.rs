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
use super::region::{CONTEXT_BYTES, Placed, ROOM_BYTES, STACK_BYTES, room_of};
use super::scale::Carrying;
use super::state::{Common, State};
use linecard_ebpf::{
    Access as Touch, AccessKind, Arrival, At, CONTEXT, EbpfError, Hook, Kind, Machine, Op, PACKET, STACK,
    Target, Verdict, wanted_after,
};
use linecard_program::script::{Access, PacketInfo, Steps};

/// Number of the helper that releases a lock.
const SPIN_UNLOCK: u32 = 94;
/// First byte of a packet as received, in its region.
const HEADROOM: u32 = linecard_ebpf::HEADROOM_BYTES as u32;

/// Facts about an operation that are known before its execution; one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Priced {
    /// Its own cycles, and those of all operations up to and including it; loads and stores count when their region
    /// is known.
    own: u32,
    sum: u32,
    /// The target of a jump, its additional cost if it is taken, and a further one if it is taken because of the
    /// upper halves alone.
    target: u32,
    taken: u32,
    taken_upper: u32,
    prices: Prices,
    /// Whether it loads, and whether it calls a helper, which makes the accesses.
    loads: bool,
    helper: bool,
    /// Whether its thread waits for its access to the packet, or to another region.
    waits_for_packet: bool,
    waits: bool,
    /// Bytes of the packet that its load fetches, and how many of them precede its own; 0 if another load fetches
    /// them.
    span: u8,
    ahead: u8,
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
    /// Cycles of every packet, and bytes that a helper reads in one cycle; 0 for any number.
    each_packet: u32,
    helper_bytes: u32,
    /// The location of each region, by number; `None` if its accesses only take cycles.
    regions: Vec<Option<Placed>>,
    /// Regions whose words have a single writer at a time, by number: per-CPU values, records of ring buffers until
    /// they are submitted, and stacks.
    private: Vec<bool>,
    costs: EbpfCosts,
}

impl PricedCode {
    /// Returns the code of a machine.
    pub fn new(
        machine: &Machine,
        costs: &EbpfCosts,
        regions: Vec<Option<Placed>>,
        private: Vec<bool>,
    ) -> Self {
        let code = machine.code();
        let count = code.ops().len() as u32;
        let originals: Vec<Op> = (0..count).map(|index| code.original(index)).collect();
        let merged = merge(&originals, costs.merge_bytes);
        let operands = Operands::new(machine, &originals, &merged);
        let cycles = match costs.rows {
            #[cfg(feature = "rows")]
            Some(rows) => super::by_rows::by_rows(code, machine.starts(), &originals, costs, rows),
            _ => by_class(&originals, &operands, costs),
        };
        let wanted = wanted_after(code);
        let mut sum = 0u32;
        let ops = originals.iter().enumerate().map(|(index, op)| {
            let (cycles, part, does) = (&cycles[index], &merged[index], does(op));
            sum = sum.wrapping_add(cycles.own);
            let needs_result = match does {
                Does::Loads | Does::Calls => true,
                // Compilers request the old value even if no operation reads it.
                Does::Atomic { result } => result && wanted[index] & op.writes() != 0,
                Does::Stores | Does::Computes => false,
            };
            Priced {
                own: cycles.own,
                sum,
                target: op.to as u32,
                taken: cycles.taken,
                taken_upper: cycles.taken_upper,
                prices: Prices::new(op, operands.holds(index), costs),
                loads: does == Does::Loads,
                helper: does == Does::Calls,
                waits_for_packet: needs_result || costs.waits_for_packet_writes,
                waits: needs_result || costs.waits_for_writes,
                span: part.span,
                ahead: part.ahead,
                jumps: op.jumps() || matches!(op.kind, Kind::Ja | Kind::Call),
                calls: op.kind == Kind::Call,
                returns: op.kind == Kind::Exit,
            }
        });
        Self {
            ops: ops.collect(),
            each_packet: costs.rows.map_or(costs.cycles.enter_cycles, |rows| rows.each_packet),
            helper_bytes: costs.rows.map_or(0, |rows| rows.helper_bytes),
            regions,
            private,
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

/// Counts of an operation.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// How often control reached it without a jump that the code determines, and left it.
    begins: u64,
    leaves: u64,
    /// Cycles in addition to those known in advance.
    extra_cycles: u64,
}

/// Counts of executions, their costs, and their accesses to memories.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    counts: Vec<Counts>,
    pub accesses: Accesses,
    pub words: Words,
    calls: Calls,
    verdicts: [u64; VERDICTS.len()],
}

/// Names of verdicts, in the order of reports.
const VERDICTS: [&str; 5] = ["aborted", "drop", "pass", "redirect", "tx"];

impl Tally {
    fn new(code: &PricedCode) -> Self {
        Self {
            counts: vec![Counts::default(); code.ops.len()],
            accesses: Accesses::new(code.ops.len(), &code.regions),
            words: Words::default(),
            calls: Calls::default(),
            verdicts: [0; VERDICTS.len()],
        }
    }
}

/// Records the execution of a program.
struct Listener<'a> {
    code: &'a PricedCode,
    tally: &'a mut Tally,
    locks: &'a mut Locks,
    steps: &'a mut Steps,
    /// The room of the packet in its memory, and its thread, which has a stack and a context of its own.
    room: u32,
    thread: u32,
    /// Where the next run of code begins, unless a jump determines it.
    begins: Option<u32>,
    started: bool,
    /// The sum of the cycles of the operations that have been paid ([`Priced::sum`]).
    paid: u32,
    /// Cycles that have been spent since the last step, before the correction of the table.
    open: u64,
    scale: &'a mut Carrying,
}

impl Listener<'_> {
    /// A run of code begins at an operation.
    #[inline(always)]
    fn runs_from(&mut self, index: u32) {
        let op = &self.code.ops[index as usize];
        self.paid = op.sum.wrapping_sub(op.own);
    }

    /// Pays the operations of the run up to and including `op`.
    #[inline(always)]
    fn pay(&mut self, op: &Priced) {
        self.open += u64::from(op.sum.wrapping_sub(std::mem::replace(&mut self.paid, op.sum)));
    }

    /// Spends cycles of an operation that depend on its execution.
    #[inline(always)]
    fn spend(&mut self, index: usize, cycles: u32) {
        // Most are zero.
        if cycles > 0 {
            self.tally.counts[index].extra_cycles += u64::from(cycles);
            self.open += u64::from(cycles);
        }
    }

    /// Enters the open cycles in the steps and in the function that executes.
    #[inline(always)]
    fn close(&mut self) {
        let cycles = self.scale.next(std::mem::take(&mut self.open));
        match u32::try_from(cycles) {
            Ok(cycles) => self.steps.compute(cycles),
            Err(_) => self.steps.compute_long(cycles),
        }
        self.tally.calls.spend(cycles);
    }
}

impl Hook for Listener<'_> {
    const ACCESSES: bool = true;

    #[inline(always)]
    fn begins(&mut self, index: u32) {
        self.tally.counts[index as usize].begins += 1;
        if self.started {
            self.begins = Some(index);
        } else {
            self.started = true;
            self.runs_from(index);
            self.tally.calls.leave_all();
            self.tally.calls.call(index);
            self.spend(index as usize, self.code.each_packet);
        }
    }

    #[inline(always)]
    fn leaves(&mut self, index: u32) {
        let code = self.code;
        let op = &code.ops[index as usize];
        self.pay(op);
        self.tally.counts[index as usize].leaves += 1;
        let next = match self.begins.take() {
            Some(next) => next,
            None if op.jumps => {
                self.tally.counts[op.target as usize].begins += 1;
                self.spend(index as usize, op.taken);
                op.target
            }
            // The program ends.
            None => return self.close(),
        };
        if op.calls {
            self.close();
            self.tally.calls.call(next);
        } else if op.returns {
            self.close();
            self.tally.calls.returns();
        } else if op.helper {
            // A tail call: the called program replaces the present function.
            self.close();
            self.tally.calls.returns();
            self.tally.calls.call(next);
        }
        self.runs_from(next);
    }

    #[inline(always)]
    fn upper_half(&mut self, index: u32) {
        self.spend(index as usize, self.code.ops[index as usize].taken_upper);
    }

    #[inline(always)]
    fn helper(&mut self, at: At, helper: u32) {
        // The first store of the unlock helper releases the lock: its cycles keep no thread waiting.
        if helper != SPIN_UNLOCK {
            self.pay(&self.code.ops[at.index as usize]);
        } else if at.index > 0 {
            self.pay(&self.code.ops[at.index as usize - 1]);
        }
    }

    fn lock(&mut self, at: At, address: u64, taken: bool) {
        self.close();
        self.steps.push(0, self.locks.action(address, taken, at.index));
        self.steps.comes_from(at.index);
        self.pay(&self.code.ops[at.index as usize]);
    }

    #[inline(always)]
    fn access(&mut self, at: At, touch: Touch) {
        let (index, code) = (at.index, self.code);
        let at = index as usize;
        let op = &code.ops[at];
        let prices = &op.prices;
        let region = usize::from(touch.region.0);
        let Some(Some(placed)) = code.regions.get(region) else {
            let reads = op.helper && touch.kind == AccessKind::Read && touch.region <= STACK;
            return match code.helper_bytes {
                helper_bytes if helper_bytes > 0 && reads => {
                    self.spend(at, touch.bytes.saturating_sub(1) / helper_bytes);
                }
                // The price of a helper is zero.
                _ => self.spend(at, prices.local),
            };
        };
        let &Placed { role, base, within_bytes } = placed;
        let packet = touch.region == PACKET;
        let (mut address, mut bytes) = (touch.address, touch.bytes);
        if packet {
            address = address.saturating_sub(HEADROOM);
            if op.loads {
                if op.span == 0 {
                    return self.spend(at, prices.packet.merged);
                }
                (address, bytes) = (address.saturating_sub(op.ahead.into()), op.span.into());
            }
            address = self.room + address % ROOM_BYTES;
        } else if touch.region == STACK {
            address = self.thread * STACK_BYTES + address % STACK_BYTES;
        } else if touch.region == CONTEXT {
            address = self.thread * CONTEXT_BYTES + address % CONTEXT_BYTES;
        }
        let kind = match touch.kind {
            AccessKind::Read => Access::Read,
            AccessKind::Write => Access::Write,
            // The word of a lock.
            AccessKind::Atomic if op.helper => Access::TestAndSet,
            AccessKind::Atomic => Access::Add,
        };
        let (price, waits) =
            if packet { (&prices.packet, op.waits_for_packet) } else { (&prices.map, op.waits) };
        // The operations before this one take their time before its access, and so do the rows that begin with it.
        // The prices of helpers are zero.
        self.pay(op);
        self.spend(at, price.before);
        self.close();
        let address = base + address % within_bytes.max(1);
        let bytes = bytes.min(u32::from(u16::MAX)) as u16;
        match waits {
            true => self.steps.access(role, kind, bytes, address),
            false => self.steps.post(role, kind, bytes, address),
        }
        self.steps.comes_from(index);
        self.tally.accesses.count(at, region);
        self.tally.words.count((role.0, address & !3), index);
        // Helpers protect their own writes.
        if kind.writes() && !op.helper && !packet && !code.private[region] {
            self.locks.races.write((role.0, address & !3), index, touch.kind == AccessKind::Atomic);
        }
        if op.loads {
            self.spend(at, price.after);
        }
    }
}

/// An XDP program during a run.
pub(super) struct Running {
    pub state: Common<Machine>,
    pub code: PricedCode,
    pub tally: Tally,
    /// It goes on from packet to packet, so that the mean cycles of packets are right.
    scale: Carrying,
    cpus: u32,
}

impl Running {
    /// Returns the program on a kind of cluster.
    pub fn new(state: Common<Machine>, code: PricedCode, cpus: u32) -> Self {
        let scale = code.costs.share.carrying();
        Self { tally: Tally::new(&code), state, code, scale, cpus: cpus.max(1) }
    }

    /// Discards the counts.
    pub fn restart(&mut self) {
        self.tally = Tally::new(&self.code);
        self.state.borrow_mut().locks.restart();
    }

    /// Returns a description of a byte of a role.
    pub fn word(&self, role: u8, address: u32) -> String {
        let machine = &self.state.borrow().machine;
        let memory = machine.memory();
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
        let machine = &self.state.borrow().machine;
        let (region, offset) = machine.memory().traced_at(address);
        machine.value_at(usize::from(region.0), offset.into())
    }

    /// Returns the line of an operation.
    pub fn line(&self, index: u32) -> String {
        origin(&self.state.borrow().machine, index).short()
    }

    /// Returns the sums of the program; `stalls` are the cycles that threads waited for each operation.
    pub fn told(&self, stalls: &[f64]) -> Use {
        let Self { tally, code, state, .. } = self;
        let machine = &state.borrow().machine;
        let mut running = 0u64;
        let operation = |index: usize| {
            let counts = &tally.counts[index];
            running += counts.begins;
            let times = running;
            running = running.saturating_sub(counts.leaves);
            let own = u64::from(code.ops[index].own);
            let sums = Sums {
                instructions: times,
                cycles: code.costs.share.of(times * own + counts.extra_cycles),
                stall_cycles: stalls.get(index).copied().unwrap_or(0.0),
                accesses: tally.accesses.of(index),
            };
            (times > 0).then(|| (origin(machine, index as u32), sums))
        };
        Use {
            verdicts: VERDICTS
                .iter()
                .zip(tally.verdicts)
                .filter(|&(_, count)| count > 0)
                .map(|(&name, count)| (name.to_owned(), count))
                .collect(),
            stacks: tally
                .calls
                .told(|first| machine.function(first).map_or_else(|| machine.place(first), str::to_owned)),
            ..Use::new((0..code.ops.len()).filter_map(operation))
        }
    }

    /// Executes the program on a packet, and appends its steps to `steps`.
    pub fn packet(
        &mut self,
        frame: &[u8],
        time_ns: u64,
        info: &PacketInfo,
        steps: &mut Steps,
    ) -> Result<Done, EbpfError> {
        let cpu = (info.number % u64::from(self.cpus)) as u32;
        let arrival = Arrival { time_ns, interface: interface_of(info.input_port), queue: cpu, cpu };
        let room = room_of(info.number);
        if self.code.costs.has_caches
            && let Some(packet) = self.code.regions.get(usize::from(PACKET.0)).copied().flatten()
        {
            steps.push(0, packet.forget(room, frame.len()));
        }
        let State { machine, locks } = &mut *self.state.borrow_mut();
        let mut listener = Listener {
            code: &self.code,
            tally: &mut self.tally,
            locks,
            steps,
            room,
            thread: info.thread,
            begins: None,
            started: false,
            paid: 0,
            open: 0,
            scale: &mut self.scale,
        };
        let outcome = machine.packet(frame, arrival, &mut listener)?;
        let (verdict, fate) = match outcome.verdict {
            Verdict::Aborted => (0, Fate::Ends),
            Verdict::Drop => (1, Fate::Ends),
            Verdict::Pass => (2, Fate::Leaves),
            Verdict::Redirect(Target::Interface(to)) => (3, Fate::LeavesBy(port_of(to))),
            Verdict::Redirect(Target::Cpu(to) | Target::Socket(to)) => (3, Fate::LeavesBy(to as u16)),
            Verdict::Redirect(Target::Broadcast) => (3, Fate::Leaves),
            Verdict::Tx => (4, Fate::Returns),
        };
        self.tally.verdicts[verdict] += 1;
        let grown_bytes = machine.packet_left().len() as i32 - frame.len() as i32;
        Ok(Done { fate, grown_bytes })
    }
}

/// Returns the number of a port's network interface: as in Linux, the first one is 1.
fn interface_of(port: u16) -> u32 {
    u32::from(port) + 1
}

/// Returns the port of a network interface.
fn port_of(interface: u32) -> u16 {
    interface.saturating_sub(1) as u16
}

/// Returns the source of an operation.
fn origin(machine: &Machine, index: u32) -> Origin {
    match machine.line(index) {
        Some(line) => Origin::line(&line.file, line.line, &line.text),
        None => Origin::function(&machine.place(index)),
    }
}
