//! A step: its keys, and what is built from them.

use super::super::read_program::{ReadProgram, Runs};
use super::super::reading::Reading;
use super::super::scheduler::class_of;
use super::parts::Parts;
use super::placed::Placed;
use linecard_apps::{
    Address, AfterPut, Amount, Does, Each, ListedAccess, ListedStep, OutPort, Reach, Span, StepList,
};
use linecard_config::Section;
use linecard_config::nearest;
use linecard_program::script::{Access, RoleId};

/// The `op` of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Compute,
    Access(Access),
    Transfer,
    Spread,
    MoveIn,
    MoveOut,
    Join,
    Alone,
    Lock,
    Unlock,
    Check,
    LookUp,
    Put,
    Send,
    Admit,
    Enqueue,
    Transmit,
    Drop,
    Run,
    Extend,
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
    ("continue", Verb::Access(Access::Continue)),
    ("transfer", Verb::Transfer),
    ("spread", Verb::Spread),
    ("move_in", Verb::MoveIn),
    ("move_out", Verb::MoveOut),
    ("join", Verb::Join),
    ("alone", Verb::Alone),
    ("lock", Verb::Lock),
    ("unlock", Verb::Unlock),
    ("check", Verb::Check),
    ("look_up", Verb::LookUp),
    ("put", Verb::Put),
    ("send", Verb::Send),
    ("admit", Verb::Admit),
    ("enqueue", Verb::Enqueue),
    ("transmit", Verb::Transmit),
    ("drop", Verb::Drop),
    ("run", Verb::Run),
    ("extend", Verb::Extend),
    ("finish", Verb::Finish),
];

/// Verbs that `accesses` may contain.
const ACCESSES: &[(&str, Verb)] = &[
    ("read", Verb::Access(Access::Read)),
    ("write", Verb::Access(Access::Write)),
    ("add", Verb::Access(Access::Add)),
    ("test_and_set", Verb::Access(Access::TestAndSet)),
    ("swap", Verb::Access(Access::Swap)),
    ("ask", Verb::Access(Access::Ask)),
    ("transfer", Verb::Transfer),
];

const EACH: &[(&str, Each)] = &[
    ("packet", Each::Packet),
    ("cell", Each::Cell),
    ("first_cell", Each::FirstCell),
    ("later_cell", Each::LaterCell),
];
const ADDRESSES: &[(&str, Address)] = &[
    ("any", Address::Any),
    ("flow", Address::Flow),
    ("same", Address::Same),
    ("in_order", Address::InOrder),
    ("shuffled", Address::Shuffled),
];
/// The most bytes over which a step's addresses are spread, for all threads together.
const MOST_WITHIN: u64 = 1 << 31;

/// Bytes of a route table in the model of its memory.
const TABLE_BYTES: u64 = 4 << 20;

/// The most repetitions of a step, and the most instructions in all of them.
const MOST_TIMES: u64 = 100_000;
/// The most cycles of a step, for all repetitions together.
const MOST_CYCLES: u64 = 10_000_000;

/// Reads the verb of a step.
pub(super) fn verb(step: &Section<'_>) -> Verb {
    step.text_if("name", "name by which readers and --set identify the step");
    if step.has("op") && !VERBS.iter().any(|(name, _)| step.says("op", name)) {
        // The keys of an unknown operation are unknown.
        let keys = step.keys();
        step.pass_over(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    }
    step.choice_or("op", "compute", VERBS, "operation that the step performs after its cycles")
}

fn each(step: &Section<'_>) -> Each {
    step.choice_or("each", "packet", EACH, "how often the step is executed")
}

/// Reads steps, and records what their program needs.
pub(super) struct StepReader<'a, 'r> {
    reading: &'a mut Reading<'r>,
    parts: Parts,
    roles: Vec<usize>,
    moves_cells: bool,
    looks_up: bool,
    runs: bool,
    puts: Vec<usize>,
}

impl<'a, 'r> StepReader<'a, 'r> {
    pub fn new(reading: &'a mut Reading<'r>, program: &Section<'_>) -> Self {
        let parts = Parts::of(program);
        Self {
            reading,
            parts,
            roles: Vec::new(),
            moves_cells: false,
            looks_up: false,
            runs: false,
            puts: Vec::new(),
        }
    }

    /// Returns the program without its steps, and whether they look up a route.
    pub fn done(self, program: &Section<'_>, name: &str) -> (ReadProgram, bool) {
        self.parts.say_unknown(program);
        let read = ReadProgram {
            name: name.to_owned(),
            runs: Runs::of(StepList::new(vec![], Does::Finish, None)),
            routes: None,
            roles: self.roles,
            // If threads send block by block, packets are in memory.
            moves_cells: self.moves_cells || self.reading.sends_blocks,
            allocates: false,
            puts: self.puts,
        };
        (read, self.looks_up)
    }

    /// Returns for which packets the extension is executed whose position a step marks; `None` if the step is left
    /// out.
    pub fn mark(&mut self, step: &Section<'_>) -> Option<Each> {
        let each = each(step);
        self.is_kept(step).then_some(each)
    }

    /// Returns a step; `None` if it is left out.
    pub fn step<'d>(&mut self, step: &Section<'d>, verb: Verb) -> Option<Placed<'d>> {
        let each = each(step);
        let meaning =
            "inbox whose packets the step processes, if the threads take packets from several inboxes";
        let from = step.text_if("from", meaning).map(|name| self.inbox(step, "from", &name) as u16);
        let placed = self.step_of(step, verb, each)?;
        Some(Placed { from, ..placed })
    }

    /// Returns a step that is executed for these packets; `None` if it is left out.
    pub fn step_of<'d>(&mut self, step: &Section<'d>, verb: Verb, each: Each) -> Option<Placed<'d>> {
        let kept = self.is_kept(step);
        let share =
            step.number_or("share", 1.0, 0.0..=1.0, "fraction of the packets for which the step is executed");
        let times =
            step.integer_or("times", 1, 0..=MOST_TIMES, "number of consecutive executions of the step")
                as u32;
        let cycles =
            step.integer_or("cycles", 0, 0..=MOST_CYCLES, "engine cycles before the operation") as u32;
        let all = u64::from(cycles) * u64::from(times);
        if all > MOST_CYCLES {
            let message = format!(
                "{times} times {cycles} cycles are {all} cycles, expected at most {MOST_CYCLES}; lower times or \
                 cycles"
            );
            step.fail("cycles", message);
        }
        if verb == Verb::Run && std::mem::replace(&mut self.runs, true) {
            step.fail(
                "op",
                "an earlier step already executes the program; expected one execution per packet",
            );
        }
        let does = self.does(step, verb, each);
        let instructions = u64::from(times) * instructions(&does);
        if instructions > MOST_TIMES {
            let message = format!(
                "the step takes {instructions} instructions, expected at most {MOST_TIMES}; lower times or bytes, \
                 or use several steps"
            );
            step.fail("op", message);
            return None;
        }
        let runs = verb == Verb::Run;
        let listed = ListedStep { each, share, times, cycles, fraction: 0, does };
        kept.then(|| Placed { section: step.clone(), step: listed, runs, from: None })
    }

    /// Returns whether this program keeps a step.
    fn is_kept(&mut self, step: &Section<'_>) -> bool {
        let meaning = "whether the step is skipped if an executed program (--program) performs the work of the \
                       step";
        let replaced = step.switch_or("unless_executed", false, meaning);
        self.parts.keep(step) && !(replaced && self.reading.executable.is_some())
    }

    fn role(&mut self, step: &Section<'_>, bytes: u64) -> RoleId {
        let name = step.text("at", "role, memory or unit that the step accesses");
        let number = self.reading.roles.number(&name, &step.place_of("at"));
        if number > usize::from(u8::MAX) {
            step.fail("at", "a chip has at most 256 roles");
        }
        self.reading.roles.uses(number, bytes);
        if !self.roles.contains(&number) {
            self.roles.push(number);
        }
        RoleId(number as u8)
    }

    /// Reads one access or transfer.
    fn access(&mut self, step: &Section<'_>, verb: Verb) -> ListedAccess {
        let bytes = || step.integer_or("bytes", 4, 1..=65_535, "size of the access") as u16;
        let reach = match verb {
            Verb::Access(kind) => {
                let whole = step.switch_or(
                    "whole_packet",
                    false,
                    "whether the step accesses all bytes of the packet",
                );
                let amount = if whole { Amount::Packet } else { Amount::Bytes(bytes()) };
                Reach::Access { kind, posted: posted(step), amount }
            }
            _ => Reach::Transfer { bytes: bytes() },
        };
        let asks = verb == Verb::Access(Access::Ask);
        let usual = if asks { 1 } else { 65_536 };
        let meaning = "size of the address range that the accesses cover";
        let within = step.integer_or("within_bytes", usual, 1..=MOST_WITHIN, meaning);
        let per_thread = step.choice_or(
            "per",
            "chip",
            &[("chip", false), ("thread", true)],
            "whether all threads share the address range, or each thread has a separate address range",
        );
        let all = if per_thread { within * self.reading.threads.max(1) } else { within };
        if all > MOST_WITHIN {
            let message = format!(
                "found {within} bytes for each thread, {all} bytes in total; expected at most {MOST_WITHIN} bytes"
            );
            step.fail("within_bytes", message);
        }
        let address =
            step.choice_or("address", "any", ADDRESSES, "rule that selects the addresses of the accesses");
        let whole = matches!(reach, Reach::Access { amount: Amount::Packet, .. });
        if whole && address == Address::Shuffled {
            step.fail(
                "address",
                "packets differ in size, so addresses of whole packets cannot be shuffled; set `bytes`, or set \
                 `address = \"any\"`",
            );
        }
        let role = self.role(step, if asks { 0 } else { all });
        ListedAccess {
            role,
            reach,
            span: Span { address, within_bytes: within as u32, per_thread },
            times: 1,
        }
    }

    /// Reads the accesses over which a step's cycles are spread.
    fn accesses(&mut self, step: &Section<'_>) -> Vec<ListedAccess> {
        if !step.has("accesses") {
            let message = "a list of accesses, such as [{ op = \"read\", at = \"table\" }, …]; the step spreads \
                           its cycles over these accesses";
            step.lacks("accesses", message);
            return Vec::new();
        }
        let mut found = Vec::new();
        for access in step.list("accesses") {
            let verb = access.choice("op", ACCESSES, "operation");
            let times = access.integer_or(
                "times",
                1,
                0..=1000,
                "number of times that the access is made, one after another",
            ) as u32;
            let done = self.access(&access, verb);
            if self.parts.keep(&access) {
                found.push(ListedAccess { times, ..done });
            }
        }
        found
    }

    /// Reads the action of a step.
    fn does(&mut self, step: &Section<'_>, verb: Verb, each: Each) -> Does {
        match verb {
            Verb::Compute => Does::Compute,
            Verb::Access(_) | Verb::Transfer => Does::Reach(self.access(step, verb)),
            Verb::Spread => Does::Spread(self.accesses(step)),
            Verb::MoveIn | Verb::MoveOut => {
                if each == Each::Packet {
                    step.fail("each", "cells are moved one by one; set each = \"cell\"");
                }
                self.moves_cells = true;
                Does::Cell { role: self.role(step, 0), write: verb == Verb::MoveIn, posted: posted(step) }
            }
            Verb::Join => Does::Join,
            Verb::Alone => Does::Alone,
            Verb::Lock => Does::Lock(lock(step)),
            Verb::Unlock => Does::Unlock(lock(step)),
            Verb::Check => Does::Check,
            Verb::LookUp => {
                self.looks_up = true;
                let reads = step.has("at").then(|| {
                    let bytes = step.integer_or("bytes", 4, 1..=4096, "size of a table entry") as u16;
                    (self.role(step, TABLE_BYTES), bytes)
                });
                Does::LookUp { reads }
            }
            Verb::Put => self.put(step),
            Verb::Send => self.send(step),
            Verb::Admit => Does::Admit,
            Verb::Enqueue => Does::Enqueue,
            Verb::Transmit => Does::Transmit,
            Verb::Drop => Does::Drop,
            Verb::Finish => Does::Finish,
            // The cycles of this step precede the program.
            Verb::Run => Does::Compute,
            Verb::Extend => {
                step.fail("op", "a step of an extension cannot be an extension itself");
                Does::Compute
            }
        }
    }

    fn send(&self, step: &Section<'_>) -> Does {
        let meaning =
            "output port; if left out, the port that the lookup found, or a port that depends on the flow";
        let port = match step.integer_if("port", 0..=4095, meaning) {
            Some(port) => OutPort::Port(port as u16),
            None => OutPort::Chosen,
        };
        Does::Send { port, class: class_of(step, self.reading.classes.as_deref()) }
    }

    fn put(&mut self, step: &Section<'_>) -> Does {
        let name = step.text("to", "inbox or ring to which the packet goes");
        let number = self.inbox(step, "to", &name);
        if number > usize::from(u8::MAX) {
            step.fail("to", "steps can put packets only into the first 256 inboxes and rings of a file");
        }
        if !self.puts.contains(&number) {
            self.puts.push(number);
        }
        let inbox = number as u8;
        let if_room = step.switch_or(
            "if_room",
            false,
            "whether a thread that finds the ring full keeps the packet and executes the next step, instead of \
             waiting",
        );
        let goes_on = step.switch_or(
            "goes_on",
            false,
            "whether the thread executes the remaining steps before it becomes free, in parallel with the thread that \
             takes the packet",
        );
        if if_room && goes_on {
            step.fail(
                "goes_on",
                "a packet that finds the ring full stays with its thread; use if_room or goes_on, not both",
            );
        }
        let then = match (if_room, goes_on) {
            (true, _) => AfterPut::FreeIfRoom,
            (_, true) => AfterPut::GoesOn,
            _ => AfterPut::Free,
        };
        Does::Put { inbox, then }
    }

    /// Returns the number of an inbox that a step names.
    fn inbox(&self, step: &Section<'_>, key: &str, name: &str) -> usize {
        let inboxes = self.reading.inboxes;
        let found = inboxes.iter().position(|inbox| inbox.name == name);
        if found.is_none() && !inboxes.is_empty() {
            let near = nearest(name, inboxes.iter().map(|inbox| inbox.name.as_str()));
            step.fail(key, format!("no inbox or ring is called `{name}`{near}"));
        }
        found.unwrap_or(0)
    }
}

/// Returns the instructions of accesses and transfers.
fn instructions(does: &Does) -> u64 {
    match does {
        Does::Reach(access) => access.instructions(),
        Does::Spread(accesses) => accesses.iter().map(ListedAccess::instructions).sum(),
        _ => 1,
    }
}

fn posted(step: &Section<'_>) -> bool {
    step.switch_or("posted", false, "whether the thread continues without waiting for the operation")
}

fn lock(step: &Section<'_>) -> u32 {
    step.integer_or("lock", 0, 0..=1000, "number of the lock") as u32
}
