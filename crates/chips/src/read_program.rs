//! A program that has been read: its code, and its requirements of the chip.

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
    /// Its forwarding table, if it has one.
    pub routes: Option<Routes>,
    /// Roles that it uses.
    pub roles: Vec<usize>,
    /// Whether the program itself moves cells of packets.
    pub moves_cells: bool,
    /// Whether it allocates room in the packet memory.
    pub allocates: bool,
    /// Inboxes that it puts packets into, in the order of its steps.
    pub puts: Vec<usize>,
}

impl ReadProgram {
    /// Returns a program before its first packet; `number` is its number among the chip's programs.
    pub fn fresh(&self, number: usize, shared: &Shared) -> Box<dyn PacketProgram> {
        self.runs.fresh(number, shared)
    }

    /// Returns the executed program, if it is one.
    pub fn plan(&self) -> Option<&Plan> {
        match &self.runs {
            Runs::Executed(plan) => Some(plan),
            Runs::Written(_) => None,
        }
    }
}

/// Returns a program that is executed between steps.
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

/// A program that starts afresh on every chip.
pub(super) trait Start: Debug {
    /// Returns the program before its first packet.
    fn start(&self) -> Box<dyn PacketProgram>;
}

impl<P: PacketProgram + Clone + Debug + 'static> Start for P {
    fn start(&self) -> Box<dyn PacketProgram> {
        Box::new(self.clone())
    }
}

/// The code of a program.
#[derive(Clone, Debug)]
pub(super) enum Runs {
    /// A native program, or a list of steps.
    Written(Rc<dyn Start>),
    Executed(Box<Plan>),
}

impl Runs {
    /// Returns a program that is not executed.
    pub fn of(program: impl Start + 'static) -> Self {
        Self::Written(Rc::new(program))
    }

    /// Returns a program before its first packet; `number` is its number among the chip's programs.
    pub fn fresh(&self, number: usize, shared: &Shared) -> Box<dyn PacketProgram> {
        match self {
            Runs::Executed(plan) => plan.start(number, shared),
            Runs::Written(program) => program.start(),
        }
    }
}
