//! Prepared steps: everything that does not depend on the packet is computed once, and steps equal for all
//! packets are merged.

use super::access::{Instruction, mix};
use super::step::{AfterPut, CYCLE_PARTS, Does, Each, ListedStep, OutPort};
use super::template::Template;
use linecard_program::DropReason;
use linecard_program::script::Action;

/// Distance of the draws of two steps: the repetitions of a step have different draws.
pub(super) const REPETITIONS: u32 = 64;

/// The work of a step, for any packet.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// Steps whose number and order are equal for all packets.
    Steps(Template),
    /// Other work, and the cycles before it.
    Does(Does, u32),
}

/// Returns the action that ends a packet for its thread, if it is equal for all packets.
fn last_action(does: &Does) -> Option<Action> {
    match *does {
        Does::Put { inbox, then: AfterPut::Free } => Some(Action::Put { inbox }),
        Does::Send { port: OutPort::Port(port), class } => Some(Action::Send { port, class }),
        Does::Enqueue => Some(Action::Enqueue),
        Does::Finish => Some(Action::Finish),
        Does::Drop => Some(Action::Drop(DropReason::FirewallRule)),
        _ => None,
    }
}

/// A step, or several that always execute together.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub each: Each,
    /// It executes for packets whose draw is below this number, of 2^32.
    below: u64,
    pub times: u32,
    /// See [`ListedStep::fraction`].
    pub fraction: u32,
    /// Whether it executes exactly once for every packet or cell, in whole cycles.
    pub is_once: bool,
    pub work: Work,
    /// Whether its work ends with an action after which no step of the packet follows.
    pub ends: bool,
    /// Number of the step in the draws of its list.
    pub number: u32,
    /// The number of steps, from this one on, that execute together cell by cell.
    pub group: usize,
}

impl Ready {
    fn new(step: ListedStep, number: u32) -> Self {
        let cycles = step.cycles;
        let action = |action| Template::action(cycles, action);
        let template = match step.does {
            Does::Compute => Template::cycles(cycles),
            Does::Reach(access) => Template::accesses(Instruction::after(cycles, access, step.times), 0),
            Does::Spread(ref accesses) => {
                let (instructions, behind) = Instruction::spread(cycles, accesses);
                Template::accesses(instructions, behind)
            }
            Does::Join => action(Action::Join),
            Does::Lock(lock) => action(Action::Lock(lock)),
            Does::Unlock(lock) => action(Action::Unlock(lock)),
            Does::Put { inbox, then: AfterPut::FreeIfRoom } => action(Action::Offer { inbox }),
            Does::Put { inbox, then: AfterPut::GoesOn } => action(Action::Lend { inbox }),
            Does::Alone => action(Action::Alone),
            Does::Transmit => action(Action::Transmit),
            ref does => match last_action(does) {
                Some(last) => {
                    return Self { ends: true, ..Self::with(&step, Work::Steps(action(last)), number) };
                }
                None => return Self::with(&step, Work::Does(does.clone(), cycles), number),
            },
        };
        Self::with(&step, Work::Steps(template), number)
    }

    fn with(step: &ListedStep, work: Work, number: u32) -> Self {
        let &ListedStep { each, share, times, fraction, .. } = step;
        let below = (share * 4_294_967_296.0).ceil() as u64;
        let is_once = below > u64::from(u32::MAX) && times == 1 && fraction == 0;
        Self { each, below, times, fraction, is_once, work, ends: false, number, group: 0 }
    }

    /// Returns the whole cycle, if any, to which the fraction has added up in a repetition. Consecutive repetitions
    /// of a packet have consecutive draws, and so have packets consecutive numbers.
    pub fn carried(&self, number: u64, draw: u32) -> u32 {
        let turn = number.wrapping_add(draw.into()) % u64::from(CYCLE_PARTS);
        let up_to = |turn: u64| (turn * u64::from(self.fraction) / u64::from(CYCLE_PARTS)) as u32;
        up_to(turn + 1) - up_to(turn)
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

    /// Returns whether it executes once for every packet, and its steps are known.
    fn is_always_written(&self) -> bool {
        self.is_once && matches!(self.work, Work::Steps(_))
    }

    /// Returns whether the next step executes whenever this one does.
    fn goes_together_with(&self, next: &Ready) -> bool {
        self.each == next.each && !self.ends && self.is_always_written() && next.is_always_written()
    }

    /// Merges the next step into this one.
    fn append(&mut self, next: Ready) {
        let draw = (next.number - self.number).wrapping_mul(REPETITIONS);
        if let (Work::Steps(template), Work::Steps(more)) = (&mut self.work, next.work) {
            template.append(more, draw);
            self.ends = next.ends;
        }
    }

    /// Returns whether it executes for the packet of this number; `draw` distinguishes steps.
    #[inline(always)]
    pub fn is_done(&self, number: u64, draw: u32) -> bool {
        self.below > u64::from(u32::MAX) || u64::from(mix(number, !draw)) < self.below
    }
}
