//! Programs: `[program]` of a chip, and files of listed steps.

use super::cluster::NamedInbox;
use super::executed::{Around, Executable, ExecutionCosts, Plan, Shared};
use super::native::{self, Runs, names, reader};
use super::place::in_folder;
use crate::preset::find;
use crate::routes::routes;
use crate::schema::nearest;
use linecard_apps::{Address, Amount, Does, Each, ListedStep, OutPort, Route, RouteTable, StepList};
use linecard_config::{Document, Problem, Row, Section, read};
use linecard_program::script::{Access, PacketProgram, RoleId};
use std::rc::Rc;

/// Names of roles, numbered in the order in which they are met.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    pub names: Vec<String>,
    /// Bytes that programs use of each, and where the file says so.
    pub bytes: Vec<u64>,
    pub places: Vec<String>,
    /// Regions of executed programs, which may be bound.
    pub regions: Vec<String>,
}

impl Roles {
    /// The number of a role.
    pub fn number(&mut self, name: &str, place: &str) -> usize {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.bytes.push(0);
        self.places.push(place.to_owned());
        self.names.len() - 1
    }

    /// A program keeps so many bytes there.
    pub fn uses(&mut self, number: usize, bytes: u64) {
        self.bytes[number] = self.bytes[number].max(bytes);
    }
}

/// A program that has been read.
#[derive(Clone, Debug)]
pub(super) struct ReadProgram {
    pub name: String,
    pub runs: Runs,
    /// Its forwarding table, if it has one.
    pub routes: Option<Rc<[Route]>>,
    /// Roles that it uses.
    pub roles: Vec<usize>,
    /// Whether it moves cells of packets itself.
    pub moves_cells: bool,
    /// Whether it asks for room in the packet memory.
    pub allocates: bool,
    /// Inboxes that it puts packets into.
    pub puts: Vec<usize>,
}

impl ReadProgram {
    /// A program that has seen no packet, for the chip's program of a number.
    pub fn fresh(&self, number: usize, shared: &Shared) -> Box<dyn PacketProgram> {
        self.runs.fresh(number, shared)
    }

    /// The executed program, if it is one.
    pub fn plan(&self) -> Option<&Plan> {
        match &self.runs {
            Runs::Executed(plan) => Some(plan),
            _ => None,
        }
    }
}

/// What a program is read with.
pub(super) struct Reading<'a> {
    pub roles: &'a mut Roles,
    pub inboxes: &'a [NamedInbox],
    pub ports: u16,
    pub seed: u64,
    /// Threads of the chip.
    pub threads: u64,
    /// Whether packets of congested ports are kept in memory.
    pub keeps: bool,
    /// Whether there is a cache of lookup results.
    pub results: bool,
    /// The queue manager, if there is one.
    pub queue_manager: Option<linecard_queueing::Kind>,
    /// `[bind]` of the chip.
    pub bind: Option<Section<'a>>,
    /// The program that is to be executed, if one is.
    pub executable: Option<&'a Executable>,
    /// What its instructions cost on the cluster at hand.
    pub costs: ExecutionCosts,
    /// Whether a program has a step that executes it.
    pub is_executed: bool,
}

impl Reading<'_> {
    /// The forwarding table that a section names.
    pub fn routes(&self, section: &Section<'_>) -> Option<Rc<[Route]>> {
        let file = section.text_or(
            "routes",
            "",
            "forwarding table: file of `prefix next_hop …` lines, plain or gzip; empty generates one",
        );
        match routes(&file, self.ports.max(1), self.seed) {
            Ok(routes) => Some(routes.into()),
            Err(message) => {
                section.fail("routes", message);
                None
            }
        }
    }
}

/// Where a program is named: place and key, for messages.
pub(super) type NamedAt = (String, String);

/// The program of a name, with where that stands; without one what the chip's own file says under `[program]`, or of the
/// programs that come with the project the one called `native`, with the costs that stand there.
pub(super) fn program(
    document: &Document,
    name: Option<(&str, NamedAt)>,
    native: Option<&str>,
    reading: &mut Reading<'_>,
) -> Option<ReadProgram> {
    let root = document.root();
    match name {
        Some((name, named_at)) => from_file(document, name, named_at, reading),
        None => {
            let own = root.section("program");
            let Some(own) = own else {
                root.fail(
                    "program",
                    "missing: say what runs, [program] with run = \"NAME\" or [[program.step]]",
                );
                return None;
            };
            let run = own.text_if("run", "program: a preset of presets/programs, or a file");
            match native.map(str::to_owned).or(run) {
                Some(run) if reader(&run).is_some() => {
                    own.leave(&["step"]);
                    reader(&run).map(|read| read(&root, &own, reading))
                }
                Some(run) => {
                    if !own.list("step").is_empty() {
                        own.fail(
                            "run",
                            "names a program, and steps are listed beside it: choose one of the two",
                        );
                    }
                    let named_at = (own.place_of("run"), "program.run".to_owned());
                    from_file(document, &run, named_at, reading)
                }
                None => listed(&own, "program", reading),
            }
        }
    }
}

/// A file of its own: its problems are told with the chip's.
fn from_file(
    document: &Document,
    name: &str,
    named_at: NamedAt,
    reading: &mut Reading<'_>,
) -> Option<ReadProgram> {
    if reader(name).is_some() {
        let (place, key) = named_at;
        let message = format!(
            "`{name}` comes with the project and takes its costs from [program] of the chip: set program.run = \"{name}\" \
             there, as platforms/ixp2400 does"
        );
        document.report(place, &key, message);
        return None;
    }
    let (file, finder_name) = (in_folder("programs", name), name.rsplit('/').next().unwrap_or(name));
    if let Err(message) = find(&file) {
        let (place, key) = named_at;
        let own = nearest(name, names());
        let message = if own.is_empty() { message } else { format!("no program is called `{name}`{own}") };
        document.report(place, &key, message);
        return None;
    }
    let own = read(&file, &[], &[], &find);
    if !own.kind().is_empty() && own.kind() != "program" {
        own.report(file.clone(), "kind", format!("this is a {}, no program", own.kind()));
    }
    let built = listed(&own.root(), finder_name.trim_end_matches(".toml"), reading);
    match own.finish() {
        Ok(_) => built,
        Err(problems) => {
            for Problem { place, key, message } in problems {
                document.report(place, &key, message);
            }
            None
        }
    }
}

/// Rows and problems of a program file alone, for `describe`.
pub(super) fn describe_program(name: &str) -> Result<(String, Vec<String>, Vec<Row>), Vec<Problem>> {
    let document = read(&in_folder("programs", name), &[], &[], &find);
    let mut roles = Roles::default();
    let mut reading = Reading {
        roles: &mut roles,
        inboxes: &[],
        ports: 1,
        seed: 1,
        threads: 1,
        keeps: false,
        results: false,
        queue_manager: None,
        bind: None,
        executable: None,
        costs: ExecutionCosts::plain(),
        is_executed: false,
    };
    listed(&document.root(), name, &mut reading);
    let (title, extends) = (document.title().to_owned(), document.extends().to_vec());
    Ok((title, extends, document.finish()?))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Compute,
    Access(Access),
    MoveIn,
    MoveOut,
    Join,
    Lock,
    Unlock,
    LookUp,
    Put,
    Send,
    Drop,
    Run,
    Finish,
}

const VERBS: &[(&str, Verb)] = &[
    ("compute", Verb::Compute),
    ("read", Verb::Access(Access::Read)),
    ("write", Verb::Access(Access::Write)),
    ("add", Verb::Access(Access::Add)),
    ("test_and_set", Verb::Access(Access::TestAndSet)),
    ("swap", Verb::Access(Access::Swap)),
    ("ask", Verb::Access(Access::Ask)),
    ("move_in", Verb::MoveIn),
    ("move_out", Verb::MoveOut),
    ("join", Verb::Join),
    ("lock", Verb::Lock),
    ("unlock", Verb::Unlock),
    ("look_up", Verb::LookUp),
    ("put", Verb::Put),
    ("send", Verb::Send),
    ("drop", Verb::Drop),
    ("run", Verb::Run),
    ("finish", Verb::Finish),
];

const EACH: &[(&str, Each)] =
    &[("packet", Each::Packet), ("cell", Each::Cell), ("later_cell", Each::LaterCell)];
const ADDRESSES: &[(&str, Address)] =
    &[("any", Address::Any), ("flow", Address::Flow), ("same", Address::Same)];

/// Bytes that a table of routes takes in the model of its memory.
const TABLE_BYTES: u64 = 4 << 20;

/// The steps that a section lists.
fn listed(section: &Section<'_>, name: &str, reading: &mut Reading<'_>) -> Option<ReadProgram> {
    let mut read = ReadProgram {
        name: name.to_owned(),
        runs: Runs::Steps(StepList::new(vec![], None)),
        routes: None,
        roles: vec![],
        moves_cells: false,
        allocates: false,
        puts: vec![],
    };
    let mut steps = Vec::new();
    let (mut kept, mut runs_at) = (Vec::new(), None);
    let mut looks_up = false;
    let listed = section.list("step");
    if listed.is_empty() {
        section.fail(
            "step",
            "missing: a program lists its steps, [[step]] with op = \"compute\", \"read\", \"send\", …",
        );
        return None;
    }
    for step in &listed {
        step.text_if("name", "what people call the step");
        let meaning = "left out where a program is executed, which does this work itself";
        let replaced = step.switch_or("unless_executed", false, meaning);
        let verb = step.choice_or("op", "compute", VERBS, "what is done after the cycles");
        looks_up |= verb == Verb::LookUp;
        let each = step.choice_or("each", "packet", EACH, "how often the step is done");
        let share = step.number_or("share", 1.0, 0.0..=1.0, "share of the packets for which it is done");
        let times = step.integer_or("times", 1, 0..=100_000, "how many times one after another") as u32;
        let cycles =
            step.integer_or("cycles", 0, 0..=10_000_000, "cycles of the engine before what it does") as u32;
        if verb == Verb::Run {
            if runs_at.replace(steps.len()).is_some() {
                step.fail("op", "the program is executed by an earlier step already: once for a packet");
            }
            if each != Each::Packet || share < 1.0 || times != 1 {
                step.fail("op", "is done once for every packet: leave out each, share and times");
            }
        }
        let does = does(step, verb, each, &mut read, reading);
        if replaced && reading.executable.is_some() {
            continue;
        }
        kept.push(step);
        steps.push(ListedStep { each, share, times, cycles, does });
    }
    check_locks(&kept, &steps);
    if looks_up {
        read.routes = reading.routes(section);
    }
    let routes = read.routes.as_deref().map(RouteTable::new);
    read.runs = match (runs_at, reading.executable) {
        (Some(at), Some(executable)) => {
            let (front, behind) = StepList::parted(steps, at + 1, routes);
            execute(executable, Around::Steps { front, behind }, &section.place(), reading, &mut read)
        }
        _ => Runs::Steps(StepList::new(steps, routes)),
    };
    Some(read)
}

/// A program that is executed in the place of a chip's own. What moves packets there stays.
pub(super) fn executed(
    executable: &Executable,
    document: &Document,
    place: &str,
    reading: &mut Reading<'_>,
) -> ReadProgram {
    let root = document.root();
    let own = root.section("program");
    let around = own.as_ref().and_then(|own| native::around(&root, own, reading));
    let moves = around.is_some();
    let (around, roles) = around.unwrap_or_else(|| {
        let (front, behind) = StepList::parted(vec![], 0, None);
        (Around::Steps { front, behind }, Vec::new())
    });
    let mut read = ReadProgram {
        name: String::new(),
        runs: Runs::Steps(StepList::new(vec![], None)),
        routes: None,
        roles,
        moves_cells: moves,
        allocates: matches!(around, Around::Io(_)),
        puts: vec![],
    };
    read.runs = execute(executable, around, place, reading, &mut read);
    read
}

/// Whether `[program]` of a chip lists a step at which a program is executed.
pub(super) fn runs_by_step(root: &Section<'_>) -> bool {
    let Some(own) = root.section("program") else { return false };
    own.has("step") && own.list("step").iter().any(|step| step.says("op", "run"))
}

/// A program that is executed between steps.
fn execute(
    executable: &Executable,
    around: Around,
    place: &str,
    reading: &mut Reading<'_>,
    read: &mut ReadProgram,
) -> Runs {
    read.name = executable.name().to_owned();
    reading.is_executed = true;
    Runs::Executed(Box::new(executable.plan(around, place, reading, &mut read.roles)))
}

/// Locks are taken once and given back by the packet that took them, or threads would wait for ever.
fn check_locks(listed: &[&Section<'_>], steps: &[ListedStep]) {
    let mut held: Vec<(u32, &Section<'_>)> = Vec::new();
    for (&section, step) in listed.iter().zip(steps) {
        match step.does {
            Does::Lock(_) | Does::Unlock(_)
                if step.each != Each::Packet || step.share < 1.0 || step.times != 1 =>
            {
                section.fail("op", "is done once for every packet: leave out each, share and times");
            }
            Does::Lock(lock) if held.iter().any(|&(other, _)| other == lock) => {
                section.fail("lock", format!("{lock} is taken already: the thread would wait for itself"));
            }
            Does::Lock(lock) => held.push((lock, section)),
            Does::Unlock(lock) => match held.iter().position(|&(other, _)| other == lock) {
                Some(at) => drop(held.remove(at)),
                None => {
                    section.fail("lock", format!("{lock} is not taken here: an `op = \"lock\"` comes first"))
                }
            },
            Does::LookUp { .. } | Does::Put(_) | Does::Send { .. } | Does::Finish | Does::Drop => {
                if let Some((lock, _)) = held.first() {
                    let message = format!(
                        "the packet may leave here with lock {lock} taken: give it back before this step"
                    );
                    section.fail("op", message);
                }
            }
            Does::Compute | Does::Access { .. } | Does::Cell { .. } | Does::Join => {}
        }
    }
    for (lock, section) in held {
        section.fail("lock", format!("{lock} is never given back: add a step with op = \"unlock\""));
    }
}

/// What a step does.
fn does(
    step: &Section<'_>,
    verb: Verb,
    each: Each,
    read: &mut ReadProgram,
    reading: &mut Reading<'_>,
) -> Does {
    let role = |reading: &mut Reading<'_>, read: &mut ReadProgram, bytes: u64| {
        let name = step.text("at", "role, memory or unit that it goes to");
        let number = reading.roles.number(&name, &step.place_of("at"));
        if number > usize::from(u8::MAX) {
            step.fail("at", "a chip has at most 256 roles");
        }
        reading.roles.uses(number, bytes);
        if !read.roles.contains(&number) {
            read.roles.push(number);
        }
        RoleId(number as u8)
    };
    let posted = || step.switch_or("posted", false, "whether the thread goes on at once");
    match verb {
        Verb::Compute => Does::Compute,
        Verb::Access(kind) => {
            let whole = step.switch_or("whole_packet", false, "whether it moves all bytes of the packet");
            let amount = match whole {
                true => Amount::Packet,
                false => Amount::Bytes(step.integer_or("bytes", 4, 1..=65_535, "bytes that it moves") as u16),
            };
            let usual = if kind == Access::Ask { 1 } else { 65_536 };
            let within = step.integer_or(
                "within_bytes",
                usual,
                1..=1 << 31,
                "bytes that its addresses are spread over",
            );
            let address = step.choice_or("address", "any", ADDRESSES, "how addresses are chosen");
            let role = role(reading, read, if kind == Access::Ask { 0 } else { within });
            Does::Access { role, kind, posted: posted(), amount, address, within_bytes: within as u32 }
        }
        Verb::MoveIn | Verb::MoveOut => {
            if each == Each::Packet {
                step.fail("each", "cells are moved one by one: each = \"cell\"");
            }
            read.moves_cells = true;
            Does::Cell { role: role(reading, read, 0), write: verb == Verb::MoveIn, posted: posted() }
        }
        Verb::Join => Does::Join,
        Verb::Lock => Does::Lock(step.integer_or("lock", 0, 0..=1000, "number of the lock") as u32),
        Verb::Unlock => Does::Unlock(step.integer_or("lock", 0, 0..=1000, "number of the lock") as u32),
        Verb::LookUp => {
            let bytes = step.integer_or("bytes", 4, 1..=4096, "bytes of an entry of the table") as u16;
            Does::LookUp { role: role(reading, read, TABLE_BYTES), bytes }
        }
        Verb::Put => {
            let name = step.text("to", "inbox or ring that the packet goes to");
            let found = reading.inboxes.iter().position(|inbox| inbox.name == name);
            if found.is_none() && !reading.inboxes.is_empty() {
                let near = crate::schema::nearest(&name, reading.inboxes.iter().map(|i| i.name.as_str()));
                step.fail("to", format!("no inbox or ring is called `{name}`{near}"));
            }
            let number = found.unwrap_or(0);
            read.puts.push(number);
            Does::Put(number as u8)
        }
        Verb::Send => {
            let port = match step.integer_if(
                "port",
                0..=4095,
                "output port; where a lookup said, or by flow, if left out",
            ) {
                Some(port) => OutPort::Port(port as u16),
                None => OutPort::Chosen,
            };
            Does::Send {
                port,
                class: step.integer_or("class", 0, 0..=255, "class of the port's queues") as u8,
            }
        }
        Verb::Drop => Does::Drop,
        Verb::Finish => Does::Finish,
        // Its cycles are those in front of the program.
        Verb::Run => Does::Compute,
    }
}
