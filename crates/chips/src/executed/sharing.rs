//! How kinds of clusters come to share the state of a program.

use super::executable::Loaded;
use super::state::State;
use super::{Plan, Priced, Running, Shared, ebpf, riscv};
use std::rc::Rc;

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
