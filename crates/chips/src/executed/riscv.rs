//! A C program on a chip: it is executed on the IP packet, and its trace is recorded as steps.
//!
//! Accesses to packet, heap, control data and marked state go to memories. Accesses to the stack and to globals stay
//! in the engine, and take the cycles of their instructions.

use super::costs::RiscvCosts;
use super::done::{Done, Fate};
use super::hot::Words;
use super::pipeline::{Pipeline, by_class};
use super::profile::{Accesses, Calls, Origin, Sums, Use};
use super::region::{PACKET_BYTES, Placed, ROOM_BYTES, room_of};
use super::scale::Carrying;
use super::state::{Common, State};
use linecard_executed::refused_iss;
use linecard_files::Error;
use linecard_iss::{Amo, Class, Code, HEAP_BYTES, Machine, Opcode, Recorder};
use linecard_program::script::{Access, NOT_USED, PacketInfo, Steps};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Data of a program that memories may hold, by name.
pub(super) const REGIONS: [&str; 4] = ["packet", "heap", "control", "state"];
/// Functions that allocate from the heap; they are linked only if a program calls them.
const ALLOCATORS: [&str; 2] = ["malloc", "calloc"];
/// The number of allocated pages of the heap, and their size (programs/runtime/malloc.c).
const HEAP_PAGES: &str = "pages_used";
const HEAP_PAGE_BYTES: u64 = 64 << 10;

/// Returns the bytes of each region. The heap counts as far as initialisation has filled it, and the same again for
/// packets; at least its allocated pages, and 64 KiB if the program allocates at all.
pub(super) fn region_bytes(machine: &Machine) -> [u64; 4] {
    let layout = machine.layout();
    let heap = machine.bytes(layout.heap_low, HEAP_BYTES as usize);
    let used = heap.iter().rposition(|&byte| byte != 0).map_or(0, |last| last as u64 + 1);
    let symbol = |name: &str| machine.image().symbol(name);
    // A user's program may use that name for anything, anywhere.
    let counted = symbol(HEAP_PAGES).filter(|&at| (layout.low..layout.high - 4).contains(&at));
    let pages = counted.map_or(0, |at| match *machine.bytes(at, 4) {
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => 0,
    });
    let allocates = counted.is_some() || ALLOCATORS.iter().any(|name| symbol(name).is_some());
    let least = if allocates { HEAP_PAGE_BYTES * pages.max(1) } else { 0 };
    let control = u64::from(layout.packet_low - layout.control_low);
    let state = u64::from(layout.heap_low.saturating_sub(layout.data_low));
    [PACKET_BYTES, (used * 2).max(least).min(HEAP_BYTES.into()), control, state]
}

/// The cost of an instruction, and whether it may access data.
#[derive(Clone, Copy, Debug)]
struct Priced {
    cycles: u32,
    class: Class,
    bytes: u16,
    /// Its access to a memory, and whether the thread waits for the result.
    kind: Access,
    waits: bool,
}

/// Returns the access of an instruction. Exchanges and additions are accesses of memories. Bit operations, minimum
/// and maximum count as test-and-set, because the memory decides on the value that it finds.
fn asked(code: &Code, index: u32) -> Access {
    match (code.class(index), code.ops[index as usize].amo()) {
        (_, Some(Amo::Add)) => Access::Add,
        (_, Some(Amo::Swap)) => Access::Swap,
        (_, Some(_)) => Access::TestAndSet,
        (Class::Store, None) => Access::Write,
        (_, None) => Access::Read,
    }
}

/// A program's instructions with their costs on a cluster.
#[derive(Clone, Debug)]
pub(super) struct PricedCode {
    ops: Vec<Priced>,
    regions: [Option<Placed>; 4],
    costs: RiscvCosts,
}

impl PricedCode {
    pub fn new(code: &Code, costs: &RiscvCosts, regions: [Option<Placed>; 4]) -> Self {
        let c = &costs.cycles;
        let ops = (0..code.ops.len() as u32).map(|index| {
            let class = code.class(index);
            let kind = asked(code, index);
            // A conditional store returns whether it succeeded, and an atomic operation may return the old value.
            let waits = costs.waits_for_writes || !kind.writes() || code.writes(index) != 0;
            Priced { cycles: by_class(class, c), class, bytes: code.access_bytes(index), kind, waits }
        });
        Self { ops: ops.collect(), regions, costs: *costs }
    }
}

/// A C program during a run.
pub(super) struct Running {
    pub state: Common<Machine>,
    pub code: PricedCode,
    /// It goes on from packet to packet, so that the mean cycles of packets are right.
    scale: Carrying,
    recorder: Recorder,
    executed: Vec<u64>,
    cycles: Vec<u64>,
    pub accesses: Accesses,
    pub words: Words,
    calls: Calls,
    results: BTreeMap<u32, u64>,
    /// Packets with other results than those.
    other_results: u64,
}

/// The most results that are counted separately.
const MOST_RESULTS: usize = 64;

impl Running {
    /// Returns the program on a kind of cluster.
    pub fn new(state: Common<Machine>, code: PricedCode) -> Self {
        let zeros = vec![0; code.ops.len()];
        Self {
            recorder: Recorder::new(&state.borrow().machine),
            state: Rc::clone(&state),
            accesses: Accesses::new(code.ops.len(), &code.regions),
            scale: code.costs.share.carrying(),
            code,
            executed: zeros.clone(),
            words: Words::default(),
            cycles: zeros,
            calls: Calls::default(),
            results: BTreeMap::new(),
            other_results: 0,
        }
    }

    /// Discards the counts.
    pub fn restart(&mut self) {
        self.executed.fill(0);
        self.cycles.fill(0);
        self.accesses.restart();
        self.words.restart();
        self.state.borrow_mut().locks.restart();
        self.calls.restart();
        self.results.clear();
        self.other_results = 0;
    }

    /// Executes the program on a packet, and appends its steps to `steps`.
    pub fn packet(
        &mut self,
        packet: &[u8],
        time_ns: u64,
        info: &PacketInfo,
        steps: &mut Steps,
    ) -> Result<Done, Error> {
        let mut go_on = |_| ControlFlow::Continue(());
        let State { machine, locks } = &mut *self.state.borrow_mut();
        locks.races.takes(info.thread);
        let result = self.recorder.packet_until(machine, packet, (time_ns / 1000) as u32, &mut go_on);
        let result = result.map_err(refused_iss)?;
        if self.results.len() < MOST_RESULTS || self.results.contains_key(&result) {
            *self.results.entry(result).or_insert(0) += 1;
        } else {
            self.other_results += 1;
        }
        let Self { code, scale, recorder, executed, cycles, accesses, words, calls, .. } = self;
        let layout = *machine.layout();
        let room = room_of(info.number);
        let mut pipeline = Pipeline::default();
        let mut unused = Unused::default();
        if code.costs.has_caches
            && let Some(place) = code.regions[0]
        {
            steps.push(0, place.forget(room, packet.len()));
        }
        // The kind of the previous jump: its target is the step that follows.
        let mut leap = Leap::Calls;
        calls.leave_all();
        recorder.trace().walk(0, machine.code(), |step| {
            let at = step.index as usize;
            match leap {
                Leap::Stays => {}
                Leap::Calls => calls.call(step.index),
                Leap::Returns => calls.returns(),
            }
            leap = if step.taken { Leap::of(machine.code(), step.index) } else { Leap::Stays };
            let priced = code.ops[at];
            let own = pipeline.next(machine.code(), &step, priced.class, priced.cycles, &code.costs.cycles);
            let own = scale.next(own.into()) as u32;
            unused.next(machine.code(), step.index, own, steps);
            steps.compute(own);
            calls.spend(own.into());
            executed[at] += 1;
            cycles[at] += u64::from(own);
            let Some(address) = step.address else { return };
            if matches!(priced.class, Class::Lock | Class::Unlock) {
                steps.push(0, locks.action(address.into(), priced.class == Class::Lock, step.index));
                return steps.comes_from(step.index);
            }
            let (region, offset) = match address {
                at if at >= layout.packet_low => (0, address - layout.packet_low),
                at if at >= layout.control_low => (2, address - layout.control_low),
                at if at >= layout.heap_low => (1, address - layout.heap_low),
                _ => (3, address - layout.data_low),
            };
            let Some(Placed { role, base, within_bytes }) = code.regions[region] else { return };
            let offset = if region == 0 { room + offset % ROOM_BYTES } else { offset };
            let address = base + offset % within_bytes.max(1);
            accesses.count(at, region);
            words.count((role.0, address & !3), step.index);
            if region != 0 && priced.kind.writes() {
                locks.races.write((role.0, address & !3), step.index, priced.class == Class::Atomic);
            }
            match priced.waits {
                true => steps.access(role, priced.kind, priced.bytes, address),
                false => steps.post(role, priced.kind, priced.bytes, address),
            }
            if code.costs.has_caches && priced.kind == Access::Read {
                // The cache determines when the value is there, and not the pipeline.
                pipeline.loads_nothing();
                let load = steps.list().len() - 1;
                steps.used_after(load, NOT_USED);
                unused.loads(load, machine.code().writes(step.index));
            }
            steps.comes_from(step.index);
        });
        recorder.trace_mut().clear();
        Ok(Done { fate: Fate::Leaves, grown_bytes: 0 })
    }

    /// Returns the sums of the program; `stalls` are the cycles that threads waited for each operation.
    pub fn told(&self, stalls: &[f64]) -> Use {
        let executed = self.executed.iter().enumerate().filter(|(_, times)| **times > 0);
        let operation = |(index, &times): (usize, &u64)| {
            let sums = Sums {
                instructions: times,
                cycles: self.cycles[index],
                stall_cycles: stalls.get(index).copied().unwrap_or(0.0),
                accesses: self.accesses.of(index),
            };
            (self.origin(index as u32), sums)
        };
        let told = self.results.iter().map(|(result, &count)| (format!("{result}"), count));
        let others = (self.other_results > 0).then(|| ("others".to_owned(), self.other_results));
        Use {
            verdicts: told.chain(others).collect(),
            stacks: self.calls.told(|first| self.function(first)),
            ..Use::new(executed.map(operation))
        }
    }

    /// Returns a description of a byte of a role.
    pub fn word(&self, role: u8, address: u32) -> String {
        let machine = &self.state.borrow().machine;
        let layout = machine.layout();
        let firsts = [layout.packet_low, layout.heap_low, layout.control_low, layout.data_low];
        let found = self.code.regions.iter().zip(firsts).find_map(|(placed, first)| {
            let placed = placed.as_ref().filter(|placed| placed.role.0 == role)?;
            let offset = address.checked_sub(placed.base).filter(|&offset| offset < placed.within_bytes)?;
            Some(first + offset)
        });
        found.map_or_else(|| "packet".to_owned(), |address| machine.named(address))
    }

    /// Returns a description of an address of the program.
    pub fn object(&self, address: u64) -> String {
        self.state.borrow().machine.named(address as u32)
    }

    /// Returns the line of an operation and, if a header contains the line, as for locks, the function into which it
    /// was inlined.
    pub fn line(&self, index: u32) -> String {
        let origin = self.origin(index);
        match &origin.file {
            Some(file) if file.ends_with(".h") => format!("{} in {}", origin.short(), self.function(index)),
            _ => origin.short(),
        }
    }

    /// Returns the source of an operation.
    fn origin(&self, index: u32) -> Origin {
        let machine = &self.state.borrow().machine;
        match machine.image().line(machine.code().pc(index)) {
            Some(place) => Origin::line(place.file, place.line, ""),
            None => Origin::function(&self.function(index)),
        }
    }

    /// Returns the name of the function of an operation.
    fn function(&self, index: u32) -> String {
        let machine = &self.state.borrow().machine;
        let pc = machine.code().pc(index);
        machine.image().nearest(pc).map_or("no symbol", |(name, _)| name).to_owned()
    }
}

/// Looks for the first use of each loaded value.
#[derive(Clone, Debug, Default)]
struct Unused {
    list: Vec<Load>,
    /// Cycles of the program so far.
    now: u64,
}

/// A load whose value no instruction has used.
#[derive(Clone, Copy, Debug)]
struct Load {
    step: usize,
    /// Registers that it writes and no later instruction has overwritten, one bit each.
    registers: u32,
    /// When the instruction after it begins.
    at: u64,
}

impl Unused {
    /// The last instruction loads registers, by a step.
    fn loads(&mut self, step: usize, registers: u32) {
        self.list.push(Load { step, registers, at: self.now });
    }

    /// Takes the next instruction and its cycles, and records the uses of loaded values in the steps of their loads.
    fn next(&mut self, code: &Code, index: u32, cycles: u32, steps: &mut Steps) {
        if !self.list.is_empty() {
            let (reads, writes) = (code.reads(index), code.writes(index));
            self.list.retain_mut(|load| {
                let is_used = reads & load.registers != 0;
                if is_used {
                    steps.used_after(load.step, (self.now - load.at + 1).min(NOT_USED.into()) as u8);
                }
                load.registers &= !writes;
                !is_used && load.registers != 0
            });
        }
        self.now += u64::from(cycles);
    }
}

/// The effect of a taken jump on the called functions (psABI, "Integer Register Convention": the return address is in
/// `ra`, or in `t0` between functions of the runtime).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leap {
    Stays,
    Calls,
    Returns,
}

impl Leap {
    fn of(code: &Code, index: u32) -> Self {
        let op = code.ops[index as usize];
        let links = |register: u8| matches!(register, 1 | 5);
        match op.code {
            Opcode::Jal | Opcode::Jalr if links(op.rd) => Leap::Calls,
            Opcode::Jalr if links(op.rs1) => Leap::Returns,
            _ => Leap::Stays,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use linecard_iss::{Image, Lines, Segment, Width};
    use linecard_program::script::{Action, RoleId, Step};

    /// Returns the code of a program of these instructions.
    pub fn code(words: &[u32]) -> Code {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let memory_bytes = bytes.len() as u32;
        let segments = vec![Segment { address: 0, bytes, memory_bytes, executable: true }];
        Code::new(&Image {
            file: String::new(),
            segments,
            symbols: vec![],
            entry: 0,
            width: Width::Rv32,
            lines: Lines::default(),
        })
    }

    /// Returns the accesses of instructions, and whether the thread waits.
    fn asked_of(words: &[u32], waits_for_writes: bool) -> Vec<(Access, bool)> {
        let code = code(words);
        let costs = RiscvCosts { waits_for_writes, ..super::super::ExecutionCosts::plain().riscv };
        let priced = PricedCode::new(&code, &costs, [None; 4]);
        (0..words.len()).map(|at| (priced.ops[at * 2].kind, priced.ops[at * 2].waits)).collect()
    }

    /// Returns after how many cycles each load's value is used, at a cycle per instruction.
    fn uses(words: &[u32]) -> Vec<u8> {
        let (code, mut unused, mut steps) = (code(words), Unused::default(), Steps::default());
        for index in (0..words.len() as u32).map(|at| at * 2) {
            unused.next(&code, index, 1, &mut steps);
            steps.compute(1);
            if code.class(index) == Class::Load {
                steps.access(RoleId(0), Access::Read, 4, 0);
                let load = steps.list().len() - 1;
                steps.used_after(load, NOT_USED);
                unused.loads(load, code.writes(index));
            }
        }
        let used_after = |step: &Step| match step.action {
            Action::Access { used_after, .. } => used_after,
            _ => 0,
        };
        steps.list().iter().map(used_after).collect()
    }

    #[test]
    fn the_first_use_of_a_loaded_value_is_found_behind_other_loads() {
        let (load_a3, load_a4) = (0x0005_2683, 0x0045_2703); // lw a3, (a0); lw a4, 4(a0)
        let (next_a3, sum) = (0x0016_8693, 0x00e6_86b3); // addi a3, a3, 1; add a3, a3, a4
        assert_eq!(uses(&[load_a3, load_a4, next_a3, sum]), [2, 2]);
        assert_eq!(uses(&[load_a4, load_a3, next_a3, sum]), [3, 1]);
        assert_eq!(uses(&[load_a3, load_a4, sum, sum]), [2, 1]);
        // li a3, 1 overwrites the value.
        assert_eq!(uses(&[load_a3, 0x0010_0693, load_a4, sum]), [NOT_USED, 1]);
    }

    #[test]
    fn atomic_instructions_are_atomic_accesses_waited_for_where_their_result_is_wanted() {
        let words = [
            0x0005_2583, // lw a1, (a0)
            0x00b5_2023, // sw a1, (a0)
            0x00b5_262f, // amoadd.w a2, a1, (a0)
            0x00b5_202f, // amoadd.w zero, a1, (a0)
            0x08b5_262f, // amoswap.w a2, a1, (a0)
            0x40b5_202f, // amoor.w zero, a1, (a0)
            0x1005_25af, // lr.w a1, (a0)
            0x18b5_262f, // sc.w a2, a1, (a0)
        ];
        let kinds = [
            (Access::Read, true),
            (Access::Write, false),
            (Access::Add, true),
            (Access::Add, false),
            (Access::Swap, true),
            (Access::TestAndSet, false),
            (Access::Read, true),
            (Access::Write, true),
        ];
        assert_eq!(asked_of(&words, false), kinds);
        assert_eq!(asked_of(&words, true), kinds.map(|(kind, _)| (kind, true)));
    }
}
