//! An XDP program on a chip: it is executed for each packet, and its execution is recorded as steps.
//!
//! The cost of an instruction follows from its class and the cluster's table. Loads and stores also take the cost of
//! the region that they access. Costs are summed over runs of code: a step is the cycles since the previous step,
//! then an access. Engines with lanes have costs of rows instead, which are scheduled before the program runs: the
//! cost of a block counts where the block begins.

use super::done::{Done, Fate};
use super::hot::Words;
use super::locks::Locks;
use super::priced::{Held, Leaves, Priced, PricedCode};
use super::profile::{Accesses, Calls, Origin, Sums, Use};
use super::region::{CONTEXT_BYTES, Placed, ROOM_BYTES, STACK_BYTES, room_of};
use super::scale::Carrying;
use super::state::{Common, State};
use linecard_ebpf::{
    Access as Touch, AccessKind, Arrival, At, CONTEXT, EbpfError, Hook, Machine, PACKET, STACK, Target,
    Verdict,
};
use linecard_program::script::{Access, PacketInfo, Steps};

/// First byte of a packet as received, in its region.
const HEADROOM: u32 = linecard_ebpf::HEADROOM_BYTES as u32;

/// Counts of an operation.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// How often control reached it without a jump that the code determines, and left it without one.
    begins: u64,
    leaves: u64,
    /// How often its jump was taken.
    taken: u64,
    /// Cycles in addition to those known in advance and those of accesses to memories; negative ones wrap around.
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
    /// Operations and regions of the code, which are looked up most often.
    ops: &'a [Priced],
    held: &'a [Option<Held>],
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
    scale: Carrying,
}

impl Listener<'_> {
    /// A run of code begins at an operation.
    #[inline(always)]
    fn runs_from(&mut self, index: u32) {
        self.paid = self.ops[index as usize].before();
    }

    /// Pays the operations of the run up to and including `op`.
    #[inline(always)]
    fn pay(&mut self, op: &Priced) {
        let cycles = op.sum.wrapping_sub(std::mem::replace(&mut self.paid, op.sum));
        self.open = self.open.wrapping_add(cycles.into());
    }

    /// Spends cycles of an operation that depend on its execution, or takes back some that count until then.
    #[inline(always)]
    fn spend(&mut self, index: usize, cycles: i64) {
        // Most are zero.
        if cycles != 0 {
            let extra = &mut self.tally.counts[index].extra_cycles;
            *extra = extra.wrapping_add_signed(cycles);
            self.open = self.open.wrapping_add_signed(cycles);
        }
    }

    /// Enters the open cycles in the steps and in the function that executes; `opened` are open from now on.
    #[inline(always)]
    fn close(&mut self, opened: u32) {
        let cycles = self.scale.next(std::mem::replace(&mut self.open, opened.into()));
        self.tally.calls.spend(cycles);
        self.steps.compute_any(cycles);
    }

    /// A helper, if it is one, reads bytes of a region that belongs to the engine, some per cycle.
    #[inline(never)]
    fn helper_reads(&mut self, index: usize, bytes: u32) {
        if self.ops[index].helper {
            self.spend(index, (bytes.saturating_sub(1) / self.code.helper_bytes).into());
        }
    }

    /// An access reaches a memory. It is a separate function because the executor contains many calls of it.
    #[inline(never)]
    fn reaches(&mut self, index: u32, held: &Held, kind: AccessKind, mut bytes: u16, mut address: u32) {
        let (at, op) = (index as usize, &self.ops[index as usize]);
        let packet = held.number == PACKET;
        if packet {
            address = address.saturating_sub(HEADROOM);
            if op.loads {
                if op.span == 0 {
                    return self.spend(at, op.merged.into());
                }
                (address, bytes) = (address.saturating_sub(op.ahead.into()), op.span.into());
            }
            address = self.room + address % ROOM_BYTES;
        } else if held.number == STACK {
            address = self.thread * STACK_BYTES + address % STACK_BYTES;
        } else if held.number == CONTEXT {
            address = self.thread * CONTEXT_BYTES + address % CONTEXT_BYTES;
        }
        let does = match kind {
            AccessKind::Read => Access::Read,
            AccessKind::Write => Access::Write,
            // The word of a lock.
            AccessKind::Atomic if op.helper => Access::TestAndSet,
            AccessKind::Atomic => Access::Add,
        };
        let Placed { role, base, within_bytes } = held.placed;
        // Few addresses are beyond the memory, and a division takes long.
        let within = if address < within_bytes { address } else { address % within_bytes.max(1) };
        let address = base + within;
        let reached = if packet { &op.packet } else { &op.map };
        // The operations before this one take their time before its access, and so do the rows that begin with it.
        // Helpers have no such cycles.
        self.pay(op);
        self.open = self.open.wrapping_add_signed(reached.before.into());
        self.tally.accesses.count_at(held.counts + at);
        // Helpers protect their own writes.
        if does.writes() && !op.helper && !packet && !held.private {
            self.locks.races.write((role.0, address & !3), index, kind == AccessKind::Atomic);
        }
        self.tally.words.count((role.0, address & !3), index);
        self.close(reached.after);
        match reached.waits {
            true => self.steps.access(role, does, bytes, address),
            false => self.steps.post(role, does, bytes, address),
        }
        self.steps.comes_from(index);
    }

    /// A jump is taken to its target in the code.
    #[inline(always)]
    fn jumps(&mut self, index: usize, op: &Priced) {
        self.pay(op);
        self.tally.counts[index].taken += 1;
        self.open = self.open.wrapping_add(op.taken.into());
        self.paid = op.before_target;
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
            self.spend(index as usize, self.code.each_packet.into());
        }
    }

    #[inline(always)]
    fn leaves(&mut self, index: u32) {
        let index = index as usize;
        let op = &self.ops[index];
        match op.leaves {
            Leaves::Jumps => self.jumps(index, op),
            Leaves::Calls => {
                self.jumps(index, op);
                self.close(0);
                self.tally.calls.call(op.target);
            }
            Leaves::Returns | Leaves::Otherwise => {
                self.pay(op);
                self.tally.counts[index].leaves += 1;
                self.close(0);
                // Without another run of code the program ends.
                if let Some(next) = self.begins.take() {
                    self.tally.calls.returns();
                    if op.leaves == Leaves::Otherwise {
                        // The called program replaces the present function.
                        self.tally.calls.call(next);
                    }
                    self.runs_from(next);
                }
            }
        }
    }

    #[inline(always)]
    fn upper_half(&mut self, index: u32) {
        self.spend(index as usize, self.ops[index as usize].taken_upper.into());
    }

    fn lock(&mut self, at: At, address: u64, taken: bool) {
        // The helper that releases a lock does so first: its cycles keep no thread waiting.
        let before = if taken { Some(at.index) } else { at.index.checked_sub(1) };
        if let Some(before) = before {
            self.pay(&self.ops[before as usize]);
        }
        self.close(0);
        self.steps.push(0, self.locks.action(address, taken, at.index));
        self.steps.comes_from(at.index);
        self.pay(&self.ops[at.index as usize]);
    }

    #[inline(always)]
    fn access(&mut self, at: At, Touch { region, kind, bytes, address }: Touch) {
        if let Some(Some(held)) = self.held.get(usize::from(region.0)) {
            // Only helpers access more bytes than a step can.
            self.reaches(at.index, held, kind, bytes.min(u16::MAX.into()) as u16, address);
        } else if self.code.helper_bytes > 0 && kind == AccessKind::Read && region <= STACK {
            // Other cycles are among those of the operation.
            self.helper_reads(at.index as usize, bytes);
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
        let mut begins: Vec<u64> = tally.counts.iter().map(|counts| counts.begins).collect();
        for (op, counts) in code.ops.iter().zip(&tally.counts).filter(|(_, counts)| counts.taken > 0) {
            begins[op.target as usize] += counts.taken;
        }
        let mut running = 0u64;
        let operation = |index: usize| {
            let (op, counts) = (&code.ops[index], &tally.counts[index]);
            running += begins[index];
            let times = running;
            running = running.saturating_sub(counts.leaves + counts.taken);
            let [packet, others] = tally.accesses.to_packet_and_others(index);
            let cycles = (times * u64::from(op.own) + counts.taken * u64::from(op.taken))
                .wrapping_add(op.packet.cycles_of(packet))
                .wrapping_add(op.map.cycles_of(others));
            let sums = Sums {
                instructions: times,
                cycles: code.costs.share.of(cycles.wrapping_add(counts.extra_cycles)),
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
        locks.races.takes(info.thread);
        let mut listener = Listener {
            code: &self.code,
            ops: &self.code.ops,
            held: &self.code.held,
            tally: &mut self.tally,
            locks,
            steps,
            room,
            thread: info.thread,
            begins: None,
            started: false,
            paid: 0,
            open: 0,
            scale: self.scale,
        };
        let outcome = machine.packet(frame, arrival, &mut listener)?;
        self.scale = listener.scale;
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
