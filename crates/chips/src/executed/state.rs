//! The state of a program on a chip: one for all kinds of clusters that execute it.

use super::executable::Loaded;
use super::locks::Locks;
use super::{Plan, Priced, Running, Shared, ebpf, riscv};
use std::cell::RefCell;
use std::rc::Rc;

/// A machine with its memory, and the locks that packets take.
pub(super) struct State<M> {
    pub machine: M,
    pub locks: Locks,
}

/// A state that the clusters share.
pub(super) type Common<M> = Rc<RefCell<State<M>>>;

impl<M> State<M> {
    /// Returns the state before the first packet; the first locks belong to the steps around the program.
    pub fn common(machine: M, locks_around: u32) -> Common<M> {
        Rc::new(RefCell::new(Self { machine, locks: Locks::behind(locks_around) }))
    }
}

impl Shared {
    /// Returns a plan's program with the state of the clusters that execute the same program, if their steps take the
    /// same locks and their lookups are alike.
    pub(super) fn share_state(&self, plan: &Plan) -> Running {
        let around = plan.around.locks();
        let works = self.works.borrow();
        let others = || works.iter().filter(|work| work.borrow().locks_around == around);
        match (&plan.executable.loaded, &plan.code) {
            (Loaded::Ebpf(machine), Priced::Ebpf(code)) => {
                let masks = code.masks_indices();
                let known = others().find_map(|work| match &work.borrow().running {
                    Running::Ebpf(other) if other.code.masks_indices() == masks => {
                        Some(Rc::clone(&other.state))
                    }
                    _ => None,
                });
                let state = known.unwrap_or_else(|| {
                    let mut machine = machine.clone();
                    machine.mask_indices(masks);
                    State::common(machine, around)
                });
                Running::Ebpf(ebpf::Running::new(state, code.clone(), plan.executable.cpus))
            }
            (Loaded::Riscv(machine), Priced::Riscv(code)) => {
                let known = others().find_map(|work| match &work.borrow().running {
                    Running::Riscv(other) => Some(Rc::clone(&other.state)),
                    Running::Ebpf(_) => None,
                });
                let state = known.unwrap_or_else(|| State::common(machine.clone(), around));
                Running::Riscv(riscv::Running::new(state, code.clone()))
            }
            _ => unreachable!("a program's code is its own"),
        }
    }
}
