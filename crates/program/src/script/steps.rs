//! The list of steps of one packet.

use super::actions::{Access, Action, NOT_USED, RoleId};

/// Cycles of an engine, then an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Cycles of the engine before the action.
    pub cycles: u32,
    /// The action.
    pub action: Action,
}

/// Origin of steps that name no operation of the program.
const NO_ORIGIN: u32 = u32::MAX;
/// Most cycles of one step; more cycles become further steps. The number range above it has room for other
/// costs.
const MOST_CYCLES: u32 = 1 << 30;

/// The steps of one packet, in order. The list is reused from packet to packet.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    list: Vec<Step>,
    /// Operations of the program that caused the steps, by step, if it names them; may be shorter than the
    /// list.
    origins: Vec<u32>,
    pending: u32,
    /// A value that the program keeps until it continues ([`Action::More`]).
    pub memo: u32,
}

impl Steps {
    /// Removes all steps.
    pub fn clear(&mut self) {
        self.list.clear();
        self.origins.clear();
        self.pending = 0;
    }

    /// Adds cycles before the next action.
    #[inline]
    pub fn compute(&mut self, cycles: u32) {
        self.compute_any(cycles.into());
    }

    /// As `compute`, for any number of cycles.
    #[inline]
    pub fn compute_any(&mut self, cycles: u64) {
        let pending = u64::from(self.pending) + cycles;
        if pending <= u64::from(MOST_CYCLES) {
            self.pending = pending as u32;
        } else {
            self.part(pending);
        }
    }

    /// Makes steps of the pending cycles beyond the maximum of one step.
    #[cold]
    #[inline(never)]
    fn part(&mut self, mut pending: u64) {
        while pending > u64::from(MOST_CYCLES) {
            self.list.push(Step { cycles: MOST_CYCLES, action: Action::Nothing });
            pending -= u64::from(MOST_CYCLES);
        }
        self.pending = pending as u32;
    }

    /// Appends an action after `cycles` more cycles.
    #[inline]
    pub fn push(&mut self, cycles: u32, action: Action) {
        self.compute(cycles);
        self.act(action);
    }

    /// Appends an action after the pending cycles.
    #[inline]
    fn act(&mut self, action: Action) {
        let cycles = std::mem::take(&mut self.pending);
        self.list.push(Step { cycles, action });
    }

    /// Appends consecutive steps. Returns them as they are in the list.
    #[inline]
    pub fn append(&mut self, steps: &[Step]) -> &mut [Step] {
        let Some(first) = steps.first() else { return &mut [] };
        self.compute(first.cycles);
        let cycles = std::mem::take(&mut self.pending);
        let at = self.list.len();
        self.list.extend_from_slice(steps);
        let appended = &mut self.list[at..];
        appended[0].cycles = cycles;
        appended
    }

    /// Appends an access that the thread waits for.
    #[inline]
    pub fn access(&mut self, role: RoleId, kind: Access, bytes: u16, address: u32) {
        self.act(Action::Access { role, kind, posted: false, bytes, address, used_after: 1 });
    }

    /// Appends a posted access.
    #[inline]
    pub fn post(&mut self, role: RoleId, kind: Access, bytes: u16, address: u32) {
        self.act(Action::Access { role, kind, posted: true, bytes, address, used_after: NOT_USED });
    }

    /// Sets after how many cycles the value read by step number `number` is used.
    pub fn used_after(&mut self, number: usize, cycles: u8) {
        if let Some(Step { action: Action::Access { used_after, .. }, .. }) = self.list.get_mut(number) {
            *used_after = cycles;
        }
    }

    /// Names the operation of the program that caused the last step; the waits of its thread then count for
    /// this operation.
    #[inline]
    pub fn comes_from(&mut self, operation: u32) {
        if self.origins.len() + 1 == self.list.len() {
            self.origins.push(operation);
        } else {
            self.comes_from_behind_others(operation);
        }
    }

    /// As `comes_from`, behind steps that name no operation, or for a step that names one already.
    #[inline(never)]
    fn comes_from_behind_others(&mut self, operation: u32) {
        self.origins.resize(self.list.len(), NO_ORIGIN);
        if let Some(last) = self.origins.last_mut() {
            *last = operation;
        }
    }

    /// Returns the operation that caused a step, if the program named it.
    #[inline]
    pub fn origin(&self, number: usize) -> Option<u32> {
        self.origins.get(number).copied().filter(|&origin| origin != NO_ORIGIN)
    }

    /// Returns whether no step names an operation.
    #[inline]
    pub fn is_without_origins(&self) -> bool {
        self.origins.is_empty()
    }

    /// Replaces the action of step number `number`, which keeps its cycles.
    pub fn replace(&mut self, number: usize, action: Action) {
        if let Some(step) = self.list.get_mut(number) {
            step.action = action;
        }
    }

    /// Inserts an action between the cycles and the action of step number `at`.
    pub fn insert(&mut self, at: usize, action: Action) {
        let cycles = self.list.get_mut(at).map_or(0, |step| std::mem::take(&mut step.cycles));
        self.list.insert(at, Step { cycles, action });
        if at < self.origins.len() {
            self.origins.insert(at, NO_ORIGIN);
        }
    }

    /// The first [`Action::Place`] continues with the next step to be appended if the packet is kept.
    pub fn when_kept_from_here(&mut self) {
        let here = self.list.len() as u16;
        let place = self.list.iter_mut().find_map(|step| match &mut step.action {
            Action::Place { kept, .. } => Some(kept),
            _ => None,
        });
        if let Some(kept) = place {
            *kept = here;
        }
    }

    /// Ends the list: cycles that no action has followed yet become a step of their own.
    pub fn end(&mut self) {
        if self.pending > 0 {
            self.act(Action::Nothing);
        }
    }

    /// Returns the steps so far, without cycles that no action has followed yet.
    pub fn list(&self) -> &[Step] {
        &self.list
    }

    /// Returns step number `number`.
    #[inline]
    pub fn get(&self, number: usize) -> Option<Step> {
        self.list.get(number).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inserted_action_comes_after_the_cycles() {
        let mut steps = Steps::default();
        steps.push(3, Action::Join);
        steps.push(7, Action::Put { inbox: 1 });
        steps.insert(1, Action::Alone);
        let expected = [(3, Action::Join), (7, Action::Alone), (0, Action::Put { inbox: 1 })];
        assert_eq!(steps.list(), expected.map(|(cycles, action)| Step { cycles, action }));
    }

    #[test]
    fn no_cycle_is_lost_however_many_there_are() {
        let mut steps = Steps::default();
        for _ in 0..1_000 {
            steps.compute(10_000_000);
        }
        steps.push(7, Action::Join);
        let listed = steps.list();
        assert_eq!(listed.iter().map(|step| u64::from(step.cycles)).sum::<u64>(), 10_000_000_007);
        assert!(listed.iter().all(|step| step.cycles <= MOST_CYCLES));
        assert_eq!(listed.last().unwrap().action, Action::Join);
        assert!(listed[..listed.len() - 1].iter().all(|step| step.action == Action::Nothing));
    }
}
