//! A program that has been read: what runs, and what it needs of the chip.

use super::executed::{Around, Executable, Plan, Shared};
use super::reading::Reading;
use linecard_apps::{Firewall, Ipv4Forward, L3Forward, Nat, Route, StepList};
use linecard_program::script::PacketProgram;
use std::rc::Rc;

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

/// A program that is executed between steps.
pub(super) fn execute(
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

/// What runs.
#[derive(Clone, Debug)]
pub(super) enum Runs {
    Steps(StepList),
    Ipv4(Ipv4Forward),
    L3Forward(L3Forward),
    Nat(Box<Nat>),
    Firewall(Firewall),
    Executed(Box<Plan>),
}

impl Runs {
    /// A program that has seen no packet, for the chip's program of a number.
    pub fn fresh(&self, number: usize, shared: &Shared) -> Box<dyn PacketProgram> {
        match self {
            Runs::Executed(plan) => plan.start(number, shared),
            Runs::Steps(steps) => Box::new(steps.clone()),
            Runs::Ipv4(program) => Box::new(program.clone()),
            Runs::L3Forward(program) => Box::new(program.clone()),
            Runs::Nat(program) => program.clone(),
            Runs::Firewall(program) => Box::new(program.clone()),
        }
    }
}
