//! Prepared steps: everything that does not depend on the packet is computed once, and steps equal for all
//! packets are merged.

use super::access::{Instruction, mix};
use super::step::{Does, Each, ListedStep};
use linecard_program::script::Step;

/// The work of a step, for any packet.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// Equal for every packet.
    Same(Vec<Step>),
    /// An access whose address or size depends on the packet.
    Aimed(Instruction),
    /// Several of them.
    Several(Vec<Instruction>),
    /// Other work.
    Does(Does),
}

impl Work {
    /// What instructions are, for any packet.
    fn of(instructions: Vec<Instruction>) -> Self {
        if let Some(steps) = instructions.iter().map(Instruction::fixed).collect() {
            return Work::Same(steps);
        }
        match <[Instruction; 1]>::try_from(instructions) {
            Ok([only]) => Work::Aimed(only),
            Err(several) => Work::Several(several),
        }
    }
}

/// A step, or several that always execute together.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub each: Each,
    /// It executes for packets whose draw is below this number, of 2^32.
    below: u64,
    pub times: u32,
    pub work: Work,
    /// Cycles after its accesses, or before its action.
    pub cycles: u32,
    /// Number of the step in the draws of its list.
    pub number: u32,
    /// The number of steps, from this one on, that execute together cell by cell.
    pub group: usize,
}

impl Ready {
    fn new(step: ListedStep, number: u32) -> Self {
        let (work, cycles) = match step.does {
            Does::Compute => (Work::Same(Vec::new()), step.cycles),
            Does::Reach(access) => (Work::of(Instruction::after(step.cycles, access, step.times)), 0),
            Does::Spread(accesses) => {
                let (instructions, behind) = Instruction::spread(step.cycles, &accesses);
                (Work::of(instructions), behind)
            }
            does => (Work::Does(does), step.cycles),
        };
        let below = (step.share * 4_294_967_296.0).ceil() as u64;
        Self { each: step.each, below, times: step.times, work, cycles, number, group: 0 }
    }

    /// Returns a list of them; its first step has the number `first` in draws.
    pub fn list(steps: Vec<ListedStep>, first: u32) -> Vec<Self> {
        let mut list: Vec<Self> = Vec::new();
        for (step, number) in steps.into_iter().zip(first..) {
            let next = Ready::new(step, number);
            match list.last_mut() {
                Some(last) if last.goes_together_with(&next) => last.append(next),
                _ => list.push(next),
            }
        }
        let mut group = 0;
        for step in list.iter_mut().rev() {
            group = if step.each == Each::Packet { 0 } else { group + 1 };
            step.group = group;
        }
        list
    }

    /// Returns whether it executes once, and in the same way for every packet.
    fn is_always_the_same(&self) -> bool {
        self.below > u64::from(u32::MAX) && self.times == 1 && matches!(self.work, Work::Same(_))
    }

    /// Returns whether the next step executes whenever this one does, and neither depends on the packet.
    fn goes_together_with(&self, next: &Ready) -> bool {
        self.each == next.each && self.is_always_the_same() && next.is_always_the_same()
    }

    /// Merges the next step into this one.
    fn append(&mut self, next: Ready) {
        let (Work::Same(steps), Work::Same(mut more)) = (&mut self.work, next.work) else { return };
        match more.first_mut() {
            Some(first) => first.cycles += std::mem::replace(&mut self.cycles, next.cycles),
            None => self.cycles += next.cycles,
        }
        steps.append(&mut more);
    }

    /// Returns whether it executes for the packet of this number; `draw` distinguishes steps.
    #[inline(always)]
    pub fn is_done(&self, number: u64, draw: u32) -> bool {
        self.below > u64::from(u32::MAX) || u64::from(mix(number, !draw)) < self.below
    }
}
