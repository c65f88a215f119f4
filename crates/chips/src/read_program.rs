//! A program that has been read: what runs, and what it needs of the chip.

use super::executed::{Around, Executable, Plan, Shared};
use super::reading::Reading;
use crate::routes::Routes;
use linecard_program::script::PacketProgram;
use std::fmt::Debug;
use std::rc::Rc;

/// A program that has been read.
#[derive(Clone, Debug)]
pub(super) struct ReadProgram {
    pub name: String,
    pub runs: Runs,
    /// Forwarding table, if it has one.
    pub routes: Option<Routes>,
    /// Roles that it uses.
    pub roles: Vec<usize>,
    /// Whether it moves cells of packets itself.
    pub moves_cells: bool,
    /// Whether it asks for room in the packet memory.
    pub allocates: bool,
    /// Inboxes that it puts packets into, in the order of its steps.
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
            Runs::Written(_) => None,
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

/// A program that begins anew on every chip.
pub(super) trait Start: Debug {
    /// It, before the first packet.
    fn start(&self) -> Box<dyn PacketProgram>;
}

impl<P: PacketProgram + Clone + Debug + 'static> Start for P {
    fn start(&self) -> Box<dyn PacketProgram> {
        Box::new(self.clone())
    }
}

/// What runs.
#[derive(Clone, Debug)]
pub(super) enum Runs {
    /// A program of the project, or a list of steps.
    Written(Rc<dyn Start>),
    Executed(Box<Plan>),
}

impl Runs {
    /// A program that is not executed.
    pub fn of(program: impl Start + 'static) -> Self {
        Self::Written(Rc::new(program))
    }

    /// A program that has seen no packet, for the chip's program of a number.
    pub fn fresh(&self, number: usize, shared: &Shared) -> Box<dyn PacketProgram> {
        match self {
            Runs::Executed(plan) => plan.start(number, shared),
            Runs::Written(program) => program.start(),
        }
    }
}
