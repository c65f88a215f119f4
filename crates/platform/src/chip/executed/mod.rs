//! Programs that are executed: XDP programs (eBPF) and C programs (RISC-V), on any chip.
//!
//! A thread that takes a packet up has the program executed on the packet's bytes at once, functionally; what it did
//! becomes steps that the chip then carries out in simulated time. State is thus updated in the order in which packets are
//! taken up; locks and atomic operations cost what contention makes them cost; spinning is not simulated.
//!
//! A program has regions: `packet`, `stack` and `context`, each map by its name (XDP); `packet`, `heap`, `control` and
//! `state` (C). `[bind]` places them; maps without a place of their own go where `maps`, or else `table`, is bound. What is
//! bound to no memory is the engine's own, and costs the cycles of its instructions.

mod costs;
mod ebpf;
mod frames;
mod pipeline;
mod riscv;

pub(super) use costs::ExecutionCosts;
pub(super) use frames::Frames;

use super::program::Reading;
use crate::bounded;
use crate::error::Error;
use crate::preset::problem;
use crate::program::{Framer, XdpLoad, load_xdp, read_image, refused_iss, refused_xdp};
use crate::report::{ExecutedProgram, ProgramResult, SourceLine};
use crate::request::ProgramFile;
use crate::traffic::BytesSink;
use linecard_apps::{Carrier, Io, StepList};
use linecard_ebpf::{MapKind, Options};
use linecard_program::PacketHead;
use linecard_program::script::{Action, Block, PacketInfo, PacketProgram, RoleId, Step, Steps};
use linecard_traffic::Payload;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Number of eBPF among the machines of ELF files, and where it stands.
const EM_BPF: u16 = 247;
const MACHINE_AT: usize = 18;

/// Where a region is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    role: RoleId,
    /// Its first byte within the role, and its size.
    base: u32,
    within_bytes: u32,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It leaves, by a port that follows from its flow.
    Leaves,
    /// By the port of a number.
    LeavesBy(u16),
    /// By the port that it came by.
    Returns,
    /// It ends here.
    Ends,
}

/// What a program did with a packet.
struct Done {
    fate: Fate,
}

/// What a source line, or a function, came to.
#[derive(Clone, Debug, Default)]
struct LineUse {
    name: String,
    instructions: u64,
    cycles: u64,
    accesses: u64,
}

/// What a program came to.
#[derive(Clone, Debug, Default)]
struct Use {
    instructions: u64,
    cycles: u64,
    accesses: u64,
    verdicts: Vec<(String, u64)>,
    lines: Vec<LineUse>,
}

/// A program that has been loaded and has seen no packet.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of them")]
enum Loaded {
    Ebpf(linecard_ebpf::Machine),
    Riscv(linecard_iss::Machine),
}

/// A program for a chip.
#[derive(Clone, Debug)]
pub(super) struct Executable {
    name: String,
    cpus: u32,
    seed: u64,
    loaded: Loaded,
}

impl Executable {
    /// Loads what a request names.
    ///
    /// # Errors
    /// When the file is no program, or cannot be used.
    pub fn load(file: &ProgramFile, seed: u64) -> Result<Self, Error> {
        let refuse =
            |message: String| Error::Config { problems: vec![problem(file.name.clone(), "", message)] };
        let bytes = bounded::read(&file.path, bounded::MOST_INPUT_BYTES)
            .map_err(|error| refuse(format!("cannot read the program: {error}")))?;
        let machine =
            bytes.get(MACHINE_AT..MACHINE_AT + 2).map(|half| u16::from_le_bytes([half[0], half[1]]));
        let is_elf = bytes.starts_with(b"\x7fELF");
        let loaded = if is_elf && machine != Some(EM_BPF) {
            if file.section.is_some() || !file.maps.is_empty() || file.routes.is_some() {
                return Err(refuse(
                    "a C program has no sections, maps or routes to be named: they are for XDP programs"
                        .to_owned(),
                ));
            }
            let image = read_image(&file.path)?;
            let control = match &file.control {
                None => Vec::new(),
                Some(path) => bounded::read(path, bounded::MOST_INPUT_BYTES)
                    .map_err(|error| refuse(format!("cannot read the control data {path}: {error}")))?,
            };
            let mut go_on = |_| ControlFlow::Continue(());
            let entry = file.entry.as_deref().unwrap_or(linecard_iss::PACKET_ENTRY);
            let machine = linecard_iss::Machine::new_until(image, entry, &control, file.budget, &mut go_on);
            Loaded::Riscv(machine.map_err(refused_iss)?)
        } else {
            if file.control.is_some() || file.entry.is_some() {
                return Err(refuse(
                    "control data and an entry are for C programs; maps of an XDP program are filled by name, and a section chooses among its functions"
                        .to_owned(),
                ));
            }
            let options = Options { budget: file.budget, cpus: file.cpus, seed, ..Options::default() };
            Loaded::Ebpf(load_xdp(&XdpLoad {
                object: &file.path,
                name: &file.name,
                program: file.section.as_deref(),
                maps: &file.maps,
                routes: file.routes.as_deref(),
                options,
            })?)
        };
        Ok(Self { name: file.name.clone(), cpus: file.cpus, seed, loaded })
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Places its regions; the plan of its work on the engines of a cluster.
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
                for (number, name) in ["packet", "context", "stack"].into_iter().enumerate() {
                    let bytes = if name == "packet" { ebpf::PACKET_BYTES } else { 4096 };
                    regions[number] = placer.own(name, bytes);
                }
                for (number, map) in machine.maps().enumerate() {
                    let entries = match map.kind {
                        MapKind::Ringbuf => 1,
                        _ => u64::from(map.most_entries),
                    };
                    let bytes = entries * u64::from(map.value_bytes).next_multiple_of(8).max(8);
                    let find = entries * (u64::from(map.key_bytes) + 16);
                    regions[usize::from(linecard_ebpf::values(number).0)] = placer.table(&map.name, bytes);
                    regions[usize::from(linecard_ebpf::index(number).0)] = match map.kind {
                        MapKind::Array | MapKind::PercpuArray => None,
                        _ => placer.table(&map.name, find),
                    };
                }
                let costs = &placer.reading.costs.ebpf;
                Priced::Ebpf(ebpf::PricedCode::new(machine.code(), machine.starts(), costs, regions))
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
    fn is_bound(&self, name: &str) -> bool {
        self.reading.bind.as_ref().is_some_and(|bind| bind.has(name))
    }

    /// A region that stays in the engine unless it is bound.
    fn own(&mut self, name: &str, bytes: u64) -> Option<Placed> {
        if self.is_bound(name) { Some(self.role(name, bytes)) } else { None }
    }

    /// A region that some memory has to hold. On engines with lanes it is theirs unless it is bound: rows hold its accesses.
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
        ebpf::placed(number, base, bytes)
    }
}

/// A program's code with its costs on a cluster.
#[derive(Clone, Debug)]
enum Priced {
    Ebpf(ebpf::PricedCode),
    Riscv(riscv::PricedCode),
}

/// What moves packets on a chip, around the program that is executed on them.
#[derive(Clone, Debug)]
pub(super) enum Around {
    /// Listed steps in front of it and behind it.
    Steps { front: StepList, behind: StepList },
    /// The input and output loops of the IXP1200.
    Io(Io),
    /// The threads of the IXP2400, from buffer to buffer.
    Carrier(Carrier),
}

/// An executed program among the steps of a chip's own.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    executable: Executable,
    around: Around,
    code: Priced,
    /// Ports that send.
    ports: u16,
}

/// What is shared between a run and the programs in its chip.
#[derive(Clone, Default)]
pub(super) struct Shared {
    pub frames: Frames,
    /// What the program was ended for.
    pub fault: Rc<RefCell<Option<Error>>>,
    works: Rc<RefCell<Vec<Rc<RefCell<Work>>>>>,
}

impl Shared {
    /// Whether the program did what ends the run.
    pub fn is_faulty(&self) -> bool {
        self.fault.borrow().is_some()
    }

    /// What executed programs came to, one of each kind of cluster that has one.
    pub fn reports(&self) -> Vec<ExecutedProgram> {
        self.works.borrow().iter().map(|work| work.borrow().report()).collect()
    }
}

/// A program and what it has done.
struct Work {
    name: String,
    running: Running,
    /// Packets that it was executed on.
    packets: u64,
}

impl Work {
    fn used(&self) -> Use {
        match &self.running {
            Running::Ebpf(program) => program.tally.told(&program.code, &program.machine),
            Running::Riscv(program) => program.told(),
        }
    }

    fn report(&self) -> ExecutedProgram {
        let used = self.used();
        let each = |count: u64| count as f64 / self.packets.max(1) as f64;
        let line = |line: LineUse| SourceLine {
            line: line.name,
            instructions_per_packet: each(line.instructions),
            cycles_per_packet: each(line.cycles),
            accesses_per_packet: each(line.accesses),
        };
        let mut lines: Vec<SourceLine> = used.lines.into_iter().map(line).collect();
        lines.sort_by(|a, b| b.cycles_per_packet.total_cmp(&a.cycles_per_packet).then(a.line.cmp(&b.line)));
        let results = used.verdicts.into_iter().map(|(result, packets)| ProgramResult { result, packets });
        ExecutedProgram {
            name: self.name.clone(),
            packets: self.packets,
            instructions_per_packet: each(used.instructions),
            cycles_per_packet: each(used.cycles),
            accesses_per_packet: each(used.accesses),
            results: results.collect(),
            lines,
        }
    }
}

impl Plan {
    /// The program at the start of a run.
    pub fn start(&self, shared: &Shared) -> Box<dyn PacketProgram> {
        let running = match (&self.executable.loaded, &self.code) {
            (Loaded::Ebpf(machine), Priced::Ebpf(code)) => {
                Running::Ebpf(ebpf::Running::new(machine.clone(), code.clone(), self.executable.cpus))
            }
            (Loaded::Riscv(machine), Priced::Riscv(code)) => {
                Running::Riscv(riscv::Running::new(machine.clone(), code.clone()))
            }
            _ => unreachable!("a program's code is its own"),
        };
        let work = Work { name: self.executable.name.clone(), running, packets: 0 };
        let work = Rc::new(RefCell::new(work));
        shared.works.borrow_mut().push(Rc::clone(&work));
        Box::new(Executing {
            around: self.around.clone(),
            work,
            ports: self.ports.max(1),
            shared: shared.clone(),
        })
    }

    /// Keeps the bytes of packets as the program wants them.
    pub fn bytes_sink(&self, frames: &Frames) -> BytesSink {
        let mut framer = Framer::new(Payload::Random, self.executable.seed);
        let ip = matches!(self.executable.loaded, Loaded::Riscv(_));
        let frames = frames.clone();
        Box::new(move |packet, captured, at_ns| {
            let bytes = match ip {
                true => framer.datagram(packet, captured),
                false => framer.ethernet(packet, captured),
            };
            bytes.map_or(0, |bytes| frames.keep(bytes, at_ns))
        })
    }
}

/// A program at work.
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
    fn execute(&self, frame: u32, info: &PacketInfo, steps: &mut Steps) -> Result<Done, Error> {
        let mut work = self.work.borrow_mut();
        work.packets += 1;
        self.shared.frames.take(frame, |kept| match &mut work.running {
            Running::Ebpf(program) => {
                let interface = u32::from(info.input_port) + 1;
                let done = program.packet(&kept.bytes, kept.time_ns, info.number, interface, steps);
                done.map_err(refused_xdp)
            }
            Running::Riscv(program) => program.packet(&kept.bytes, kept.time_ns, info.number, steps),
        })
    }

    /// Executes the program on a packet: the port that it goes to, or nothing where it ends.
    fn decide(&self, frame: u32, info: &PacketInfo, steps: &mut Steps) -> Option<u16> {
        // What is no packet for the program passes by it.
        let done = match frame {
            0 => Ok(Done { fate: Fate::Leaves }),
            _ => self.execute(frame, info, steps),
        };
        let fate = done.map_or_else(
            |error| {
                // The run is over; the first reason counts.
                self.shared.fault.borrow_mut().get_or_insert(error);
                Fate::Ends
            },
            |done| done.fate,
        );
        match fate {
            Fate::LeavesBy(port) => Some(port % self.ports),
            Fate::Returns => Some(info.input_port % self.ports),
            Fate::Leaves => Some((info.flow_hash >> 7) as u16 % self.ports),
            Fate::Ends => None,
        }
    }
}

impl PacketProgram for Executing {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        let frame = std::mem::take(&mut head.frame);
        match &self.around {
            Around::Steps { front, behind } => {
                if front.write_all(head, info, &mut None, steps) {
                    if frame > 0 {
                        self.shared.frames.forget(frame);
                    }
                    return;
                }
                let mut chosen = self.decide(frame, info, steps);
                let ends = chosen.is_none();
                let over = behind.write_all(head, info, &mut chosen, steps);
                match chosen {
                    // What would send it on does not.
                    _ if ends && over => {
                        if let Some(Step { action: Action::Send { .. } | Action::Put { .. }, .. }) =
                            steps.list().last()
                        {
                            steps.replace_last(Action::Finish);
                        }
                    }
                    _ if over => {}
                    Some(port) => steps.push(0, Action::Send { port, class: 0 }),
                    None => steps.push(0, Action::Finish),
                }
            }
            Around::Io(io) => {
                io.receive(steps);
                match self.decide(frame, info, steps) {
                    Some(port) => io.store_and_enqueue(head, port, steps),
                    None => steps.push(0, Action::Finish),
                }
            }
            Around::Carrier(carrier) => carrier.carry(head, steps, |_, _, steps| {
                let port = self.decide(frame, info, steps);
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
        let own = match &self.work.borrow().running {
            Running::Ebpf(_) => 0,
            Running::Riscv(_) => riscv::MOST_LOCKS,
        };
        match &self.around {
            Around::Steps { front, behind } => own.max(front.locks()).max(behind.locks()),
            _ => own,
        }
    }

    fn restart_counters(&mut self) {
        let mut work = self.work.borrow_mut();
        work.packets = 0;
        match &mut work.running {
            Running::Ebpf(program) => program.tally = ebpf::Tally::new(&program.code),
            Running::Riscv(program) => program.restart(),
        }
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        let work = self.work.borrow();
        let used = work.used();
        let each = |count: u64| count as f64 / work.packets.max(1) as f64;
        vec![
            ("executed", "packets", work.packets as f64),
            ("instructions_per_packet", "instructions", each(used.instructions)),
            ("cycles_per_packet", "cycles", each(used.cycles)),
            ("accesses_per_packet", "accesses", each(used.accesses)),
        ]
    }
}
