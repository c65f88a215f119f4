//! Executed programs: XDP programs (eBPF) and C programs (RISC-V), on any chip.
//!
//! When a thread takes a packet, the program is executed on the packet's bytes at once, functionally. The execution
//! becomes steps that the chip then simulates in time. State is therefore updated in the order in which threads take
//! packets. Locks and atomic operations take the time that contention causes; spinning is not simulated.
//!
//! A program has regions: `packet`, `stack`, `context` and the name of each map (XDP); `packet`, `heap`, `control`
//! and `state` (C). `[bind]` places them; maps without a binding go where `maps`, or else `table`, is bound. A region
//! that is not bound to a memory belongs to the engine, and takes the cycles of its instructions.

#[cfg(feature = "rows")]
mod by_rows;
mod costs;
mod done;
mod ebpf;
mod executable;
mod frames;
mod hot;
mod locks;
mod operands;
mod operations;
mod pipeline;
mod priced;
mod profile;
mod races;
mod region;
mod riscv;
mod rules;
mod scale;
mod sharing;
mod state;
mod table;

pub(super) use costs::ExecutionCosts;
pub(super) use executable::Executable;
pub(super) use frames::Frames;
pub(super) use scale::Share;

use super::reading::Reading;
use crate::arrivals::BytesSink;
use crate::copies::Copies;
use crate::report::{CallStack, ExecutedProgram, HotWord, MemoryUse, ProgramResult, SourceLine};
use done::{Done, Fate, end_packet, is_lent, leaving};
use executable::Loaded;
use hot::Word;
use linecard_apps::{Carrier, Io, StepList};
use linecard_ebpf::{MapKind, STACK};
use linecard_executed::{Framer, refused_xdp};
use linecard_files::Error;
use linecard_program::PacketHead;
use linecard_program::script::{Action, Block, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_traffic::Payload;
use locks::Locks;
use profile::{Origin, Sums, Use};
use races::Race;
use region::{CONTEXT_BYTES, PACKET_BYTES, Placed, STACK_BYTES};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Executable {
    /// Places its regions, and returns the plan of its execution on the engines of a cluster.
    pub fn plan(
        &self,
        around: Around,
        place: &str,
        reading: &mut Reading<'_>,
        used: &mut Vec<usize>,
    ) -> Plan {
        let mut placer = Placer { place, reading, used };
        let code = match &self.loaded {
            Loaded::Ebpf(machine) => {
                let mut regions = vec![None; machine.memory().regions()];
                let threads = placer.reading.threads.max(1);
                let own = [
                    ("packet", PACKET_BYTES),
                    ("context", threads * u64::from(CONTEXT_BYTES)),
                    ("stack", threads * u64::from(STACK_BYTES)),
                ];
                for (number, (name, bytes)) in own.into_iter().enumerate() {
                    regions[number] = placer.own(name, bytes);
                }
                let mut private = vec![false; regions.len()];
                private[usize::from(STACK.0)] = true;
                for (number, (map, [values, index])) in machine.maps().zip(machine.map_extents()).enumerate()
                {
                    let at = usize::from(linecard_ebpf::values(number).0);
                    regions[at] = placer.table(&map.name, values.max(8));
                    private[at] = map.kind.per_cpu() || map.kind == MapKind::Ringbuf;
                    if index > 0 {
                        regions[usize::from(linecard_ebpf::index(number).0)] = placer.table(&map.name, index);
                    }
                }
                let costs = &placer.reading.costs.ebpf;
                Priced::Ebpf(priced::PricedCode::new(machine, costs, regions, private))
            }
            Loaded::Riscv(machine) => {
                let bytes = riscv::region_bytes(machine);
                let mut regions = [None; 4];
                for (number, name) in riscv::REGIONS.into_iter().enumerate() {
                    regions[number] = match name {
                        "packet" => placer.own(name, bytes[number]),
                        _ if bytes[number] == 0 => None,
                        _ => placer.table(name, bytes[number]),
                    };
                }
                Priced::Riscv(riscv::PricedCode::new(machine.code(), &placer.reading.costs.riscv, regions))
            }
        };
        Plan { executable: self.clone(), around, code, ports: placer.reading.ports }
    }
}

/// Finds roles for regions.
struct Placer<'a, 'r> {
    place: &'a str,
    reading: &'a mut Reading<'r>,
    used: &'a mut Vec<usize>,
}

impl Placer<'_, '_> {
    fn is_bound(&mut self, name: &str) -> bool {
        self.reading.roles.regions.push(name.to_owned());
        self.reading.bind.as_ref().is_some_and(|bind| bind.has(name))
    }

    /// Returns a region that stays in the engine unless it is bound.
    fn own(&mut self, name: &str, bytes: u64) -> Option<Placed> {
        if self.is_bound(name) { Some(self.role(name, bytes)) } else { None }
    }

    /// Returns a region that a memory must hold. Engines with lanes hold it unless it is bound: rows contain its
    /// accesses.
    fn table(&mut self, name: &str, bytes: u64) -> Option<Placed> {
        let found = [name, "maps", "table"].into_iter().find(|name| self.is_bound(name));
        if found.is_none() && self.reading.costs.ebpf.rows.is_some() {
            return None;
        }
        Some(self.role(found.unwrap_or("maps"), bytes))
    }

    fn role(&mut self, name: &str, bytes: u64) -> Placed {
        let roles = &mut *self.reading.roles;
        let number = roles.number(name, self.place);
        let base = u64::next_multiple_of(roles.bytes[number], 64);
        roles.uses(number, base + bytes);
        if !self.used.contains(&number) {
            self.used.push(number);
        }
        Placed::new(number, base, bytes)
    }
}

/// A program's code with its costs on a cluster.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them")]
enum Priced {
    Ebpf(priced::PricedCode),
    Riscv(riscv::PricedCode),
}

/// The code around an executed program that moves packets on a chip.
#[derive(Clone, Debug)]
pub(super) enum Around {
    /// Listed steps before and after the program.
    Steps { front: StepList, behind: StepList },
    /// The input and output loops of the IXP1200.
    Io(Io),
    /// The threads of the IXP2400, from buffer to buffer.
    Carrier(Carrier),
}

impl Around {
    /// Returns the number of its own locks.
    fn locks(&self) -> u32 {
        match self {
            Around::Steps { front, behind } => front.locks().max(behind.locks()),
            _ => 0,
        }
    }
}

/// An executed program among the steps of a chip's own program.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    executable: Executable,
    around: Around,
    code: Priced,
    /// Ports that send.
    ports: u16,
}

/// State shared by a run and the programs in its chip.
#[derive(Clone, Default)]
pub(super) struct Shared {
    pub frames: Frames,
    /// Copies of packets for a capture of the packets that leave.
    pub copies: Copies,
    /// Whether copies are kept.
    pub keeps_copies: bool,
    /// The error that ended the program.
    pub fault: Rc<RefCell<Option<Error>>>,
    works: Rc<RefCell<Vec<Rc<RefCell<Work>>>>>,
}

impl Shared {
    /// Returns the state of a run that keeps copies of its packets, or does not.
    pub fn keeping(copies: bool) -> Self {
        Self { keeps_copies: copies, ..Self::default() }
    }

    /// Returns whether the program made an error that ends the run.
    pub fn is_faulty(&self) -> bool {
        self.fault.borrow().is_some()
    }

    /// Returns the unprotected writes of programs.
    pub fn races(&self) -> Vec<String> {
        let works = self.works.borrow();
        // Clusters that share a state share its races.
        let is_first = |number: usize, work: &Work| {
            !works[..number].iter().any(|other| other.borrow().shares_state_with(work))
        };
        let works = works.iter().map(|work| work.borrow()).enumerate();
        works.filter(|(number, work)| is_first(*number, work)).flat_map(|(_, work)| work.races()).collect()
    }

    /// Returns the reports of executed programs, one for each kind of cluster with such a program. `stalls` are the
    /// cycles that threads waited for each operation of the chip's program of a number. `place` is the memory of a
    /// role. `bank` is the bank that serves an address of a program's role, and the number of banks.
    pub fn reports(
        &self,
        stalls: impl Fn(usize) -> Vec<f64>,
        place: impl Fn(RoleId) -> String,
        bank: impl Fn(usize, RoleId, u32) -> Option<(u32, u32)>,
    ) -> Vec<ExecutedProgram> {
        let works = self.works.borrow();
        let report = |work: &Rc<RefCell<Work>>| {
            let work = work.borrow();
            let hot = work.hot(&place, |role, address| bank(work.number, role, address));
            ExecutedProgram { hot, ..work.report(&stalls(work.number), &place) }
        };
        works.iter().map(report).collect()
    }
}

/// The most lines that are named for a hot word.
const MOST_LINES: usize = 4;

/// A program and its counts.
struct Work {
    name: String,
    /// Its number among the chip's programs.
    number: usize,
    running: Running,
    /// Locks of the steps around it.
    locks_around: u32,
    /// Packets on which it was executed.
    packets: u64,
}

impl Work {
    /// Returns its sums, and the roles by which its accesses are counted.
    fn used(&self, stalls: &[f64]) -> (Use, &[RoleId]) {
        match &self.running {
            Running::Ebpf(program) => (program.told(stalls), program.tally.accesses.roles()),
            Running::Riscv(program) => (program.told(stalls), program.accesses.roles()),
        }
    }

    /// Calls a function with the locks of the program.
    fn with_locks<T>(&self, with: impl FnOnce(&mut Locks) -> T) -> T {
        match &self.running {
            Running::Ebpf(program) => with(&mut program.state.borrow_mut().locks),
            Running::Riscv(program) => with(&mut program.state.borrow_mut().locks),
        }
    }

    /// Returns whether another kind of cluster executes the program with the same state.
    fn shares_state_with(&self, other: &Self) -> bool {
        match (&self.running, &other.running) {
            (Running::Ebpf(own), Running::Ebpf(other)) => Rc::ptr_eq(&own.state, &other.state),
            (Running::Riscv(own), Running::Riscv(other)) => Rc::ptr_eq(&own.state, &other.state),
            _ => false,
        }
    }

    /// Returns a description of a word for readers.
    fn word(&self, (role, address): Word) -> String {
        match &self.running {
            Running::Ebpf(program) => program.word(role, address),
            Running::Riscv(program) => program.word(role, address),
        }
    }

    /// Returns the line of an operation.
    fn line(&self, operation: u32) -> String {
        match &self.running {
            Running::Ebpf(program) => program.line(operation),
            Running::Riscv(program) => program.line(operation),
        }
    }

    /// Returns a sentence for each pair of lines by which packets write a word at the same time without protection.
    fn races(&self) -> Vec<String> {
        let found: Vec<Race> = self.with_locks(|locks| locks.races.found().collect());
        let mut pairs: BTreeMap<(String, String), (Word, u64)> = BTreeMap::new();
        for Race { word, operations: (a, b), times } in found {
            pairs.entry((self.line(a), self.line(b))).or_insert((word, 0)).1 += times;
        }
        let sentence = |((a, b), (word, times)): ((String, String), (Word, u64))| {
            let name = self.word(word);
            let lines = if a == b { format!("line {a}") } else { format!("lines {a} and {b}") };
            format!(
                "{}: the program writes {name} for two packets at the same time ({lines}; {times} times). Hold the \
                 same lock for both writes, or use atomic operations",
                self.name
            )
        };
        pairs.into_iter().map(sentence).collect()
    }

    /// Returns its most accessed words.
    fn hot(
        &self,
        memory: &impl Fn(RoleId) -> String,
        bank: impl Fn(RoleId, u32) -> Option<(u32, u32)>,
    ) -> Vec<HotWord> {
        let words = match &self.running {
            Running::Ebpf(program) => &program.tally.words,
            Running::Riscv(program) => &program.words,
        };
        let unit = |(role, address): Word| {
            let found = bank(RoleId(role), address);
            (memory(RoleId(role)), found.map(|(number, _)| number), found.map_or(1, |(_, alike)| alike))
        };
        let memories = words.hottest(unit).into_iter().map(|hottest| {
            let name = self.word(hottest.word);
            (memory(RoleId(hottest.word.0)), hottest.unit, name, hottest.operations, hottest.share)
        });
        let taken = self.with_locks(|locks| {
            let found = locks.taken.hottest(|_| ((), None, 1)).into_iter();
            found.map(|hottest| (locks.address(hottest.word.1), hottest)).collect::<Vec<_>>()
        });
        let taken = taken.into_iter().map(|(address, hottest)| {
            let name = match &self.running {
                Running::Ebpf(program) => program.object(address),
                Running::Riscv(program) => program.object(address),
            };
            ("locks".to_owned(), hottest.unit, name, hottest.operations, hottest.share)
        });
        let hot = memories.chain(taken).map(|(memory, bank, name, operations, share)| {
            let mut lines: Vec<String> = Vec::new();
            for found in operations.into_iter().map(|operation| self.line(operation)) {
                if !lines.contains(&found) && lines.len() < MOST_LINES {
                    lines.push(found);
                }
            }
            HotWord { memory, bank, name, lines, share }
        });
        hot.collect()
    }

    fn report(&self, stalls: &[f64], place: &impl Fn(RoleId) -> String) -> ExecutedProgram {
        let (used, roles) = self.used(stalls);
        let share = |sum: f64| sum / self.packets.max(1) as f64;
        let each = |count: u64| share(count as f64);
        let memories = |accesses: &[u64]| {
            // Several roles may be bound to one memory.
            let mut by_memory: BTreeMap<String, u64> = BTreeMap::new();
            for (&role, &count) in roles.iter().zip(accesses).filter(|(_, count)| **count > 0) {
                *by_memory.entry(place(role)).or_insert(0) += count;
            }
            let one = |(memory, count)| MemoryUse { memory, accesses_per_packet: each(count) };
            by_memory.into_iter().map(one).collect::<Vec<_>>()
        };
        let line = |(origin, sums): (Origin, Sums)| SourceLine {
            line: origin.name,
            file: origin.file,
            number: origin.number,
            instructions_per_packet: each(sums.instructions),
            cycles_per_packet: each(sums.cycles),
            stall_cycles_per_packet: share(sums.stall_cycles),
            accesses_per_packet: each(sums.accesses.iter().sum()),
            memories: memories(&sums.accesses),
        };
        let mut lines: Vec<SourceLine> = used.lines.into_iter().map(line).collect();
        lines.sort_by(|a, b| b.cycles_per_packet.total_cmp(&a.cycles_per_packet).then(a.line.cmp(&b.line)));
        let results = used.verdicts.into_iter().map(|(result, packets)| ProgramResult { result, packets });
        let stacks = used.stacks.into_iter().map(|(functions, cycles)| CallStack { functions, cycles });
        ExecutedProgram {
            name: self.name.clone(),
            packets: self.packets,
            instructions_per_packet: each(used.all.instructions),
            cycles_per_packet: each(used.all.cycles),
            stall_cycles_per_packet: share(used.all.stall_cycles),
            accesses_per_packet: each(used.all.accesses.iter().sum()),
            memories: memories(&used.all.accesses),
            results: results.collect(),
            lines,
            stacks: stacks.collect(),
            hot: Vec::new(),
        }
    }
}

impl Plan {
    /// Returns the program at the start of a run; `number` is its number among the chip's programs.
    pub fn start(&self, number: usize, shared: &Shared) -> Box<dyn PacketProgram> {
        let running = shared.share_state(self);
        let work = Work {
            name: self.executable.name.clone(),
            number,
            running,
            locks_around: self.around.locks(),
            packets: 0,
        };
        let work = Rc::new(RefCell::new(work));
        shared.works.borrow_mut().push(Rc::clone(&work));
        Box::new(Executing {
            around: self.around.clone(),
            work,
            ports: self.ports.max(1),
            shared: shared.clone(),
        })
    }

    /// Returns a sink that keeps the bytes of packets in the form that the program needs.
    pub fn bytes_sink(&self, frames: &Frames) -> BytesSink {
        let mut framer = Framer::new(Payload::Random, self.executable.seed);
        let ip = matches!(self.executable.loaded, Loaded::Riscv(_));
        let frames = frames.clone();
        Box::new(move |packet, captured, at_ns| {
            frames.keep(at_ns, |bytes| match ip {
                true => framer.datagram(packet, captured, bytes),
                false => framer.ethernet(packet, captured, bytes),
            })
        })
    }
}

/// A program during a run.
#[allow(clippy::large_enum_variant, reason = "there is one of them")]
enum Running {
    Ebpf(ebpf::Running),
    Riscv(riscv::Running),
}

/// The packet program of an executed one.
struct Executing {
    around: Around,
    work: Rc<RefCell<Work>>,
    ports: u16,
    shared: Shared,
}

impl Executing {
    fn execute(&self, frame: u32, copy: u32, info: &PacketInfo, steps: &mut Steps) -> Result<Done, Error> {
        let mut work = self.work.borrow_mut();
        work.packets += 1;
        self.shared.frames.take(frame, |kept| match &mut work.running {
            Running::Ebpf(program) => {
                let done = program.packet(&kept.bytes, kept.time_ns, info, steps);
                if copy > 0 {
                    self.shared.copies.write(copy, program.state.borrow().machine.packet_left(), false);
                }
                done.map_err(refused_xdp)
            }
            Running::Riscv(program) => {
                let done = program.packet(&kept.bytes, kept.time_ns, info, steps);
                let state = program.state.borrow();
                self.shared.copies.write(copy, state.machine.packet_bytes(kept.bytes.len()), true);
                done
            }
        })
    }

    /// Executes the program on a packet. Returns the port to which the packet goes, or `None` if it ends, and the
    /// number of bytes by which it has grown.
    fn decide(&self, frame: u32, copy: u32, info: &PacketInfo, steps: &mut Steps) -> (Option<u16>, i32) {
        // A packet without a frame bypasses the program. After a fault nothing is executed until the run has ended.
        let done = match frame {
            0 => Ok(Done { fate: Fate::Leaves, grown_bytes: 0 }),
            _ if self.shared.is_faulty() => Ok(Done { fate: Fate::Ends, grown_bytes: 0 }),
            _ => self.execute(frame, copy, info, steps),
        };
        let done = done.unwrap_or_else(|error| {
            // The run is over; the first reason counts.
            self.shared.fault.borrow_mut().get_or_insert(error);
            Done { fate: Fate::Ends, grown_bytes: 0 }
        });
        let port = match done.fate {
            Fate::LeavesBy(port) => Some(port % self.ports),
            Fate::Returns => Some(info.input_port % self.ports),
            Fate::Leaves => Some(info.flow_port() % self.ports),
            Fate::Ends => None,
        };
        (port, done.grown_bytes)
    }
}

impl PacketProgram for Executing {
    fn names_operations(&self) -> bool {
        true
    }

    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        let (frame, copy) = (std::mem::take(&mut head.frame), head.kept);
        match &self.around {
            Around::Steps { front, behind } => {
                if front.write_all(head, info, &mut None, steps) {
                    if frame > 0 {
                        self.shared.frames.forget(frame);
                    }
                    return;
                }
                let (mut chosen, grown_bytes) = self.decide(frame, copy, info, steps);
                head.grown_bytes = grown_bytes;
                let (ends, first) = (chosen.is_none(), steps.list().len());
                let leaving = if grown_bytes == 0 { &*head } else { &leaving(head) };
                let over = behind.write_all(leaving, info, &mut chosen, steps);
                if ends {
                    end_packet(steps, behind.passes_on().then_some(first), over);
                } else if !over {
                    let lent = behind.lends() && is_lent(&steps.list()[first..]);
                    match chosen {
                        Some(port) if !lent => steps.push(0, Action::Send { port, class: 0 }),
                        _ => steps.end(),
                    }
                }
            }
            Around::Io(io) => {
                io.receive(steps);
                let (port, _) = self.decide(frame, copy, info, steps);
                match (port, &mut self.around) {
                    (Some(port), Around::Io(io)) => io.store_and_enqueue(head, port, steps),
                    _ => steps.push(0, Action::Finish),
                }
            }
            Around::Carrier(carrier) => carrier.carry(head, steps, |_, _, steps| {
                let (port, _) = self.decide(frame, copy, info, steps);
                if port.is_none() {
                    steps.push(0, Action::Finish);
                }
                port
            }),
        }
    }

    fn resume(&mut self, head: &PacketHead, steps: &mut Steps) {
        if let Around::Carrier(carrier) = &self.around {
            carrier.resume(head, steps);
        }
    }

    fn fills_transmit_buffer(&self) -> bool {
        matches!(self.around, Around::Carrier(_))
    }

    fn block(&mut self, block: &Block, steps: &mut Steps) {
        if let Around::Io(io) = &self.around {
            io.block(block, steps);
        }
    }

    fn sends_blocks(&self) -> bool {
        matches!(self.around, Around::Io(_))
    }

    fn locks(&self) -> u32 {
        self.around.locks()
    }

    fn rests(&mut self, thread: u32) {
        self.work.borrow().with_locks(|locks| locks.races.rests(thread));
    }

    fn restart_counters(&mut self) {
        let mut work = self.work.borrow_mut();
        work.packets = 0;
        match &mut work.running {
            Running::Ebpf(program) => program.restart(),
            Running::Riscv(program) => program.restart(),
        }
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        let work = self.work.borrow();
        let used = work.used(&[]).0.all;
        let each = |count: u64| count as f64 / work.packets.max(1) as f64;
        vec![
            ("executed", "packets", work.packets as f64),
            ("instructions_per_packet", "instructions", each(used.instructions)),
            ("cycles_per_packet", "cycles", each(used.cycles)),
            ("accesses_per_packet", "accesses", each(used.accesses.iter().sum())),
        ]
    }
}
