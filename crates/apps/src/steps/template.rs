//! Steps that are written down in one piece: equal for all packets, except for the addresses and sizes of some
//! accesses.

use super::access::{Aim, Instruction};
use linecard_program::PacketHead;
use linecard_program::script::{Action, PacketInfo, Step, Steps};

/// Consecutive steps, for any packet.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    steps: Vec<Step>,
    aims: Vec<Aimed>,
    /// Cycles after the last step.
    behind: u32,
}

/// A step whose access depends on the packet.
#[derive(Clone, Debug)]
struct Aimed {
    /// Position among the steps.
    at: usize,
    aim: Aim,
}

impl Template {
    /// Returns cycles without a step.
    pub fn cycles(cycles: u32) -> Self {
        Self { behind: cycles, ..Self::default() }
    }

    /// Returns cycles and an action that is equal for all packets.
    pub fn action(cycles: u32, action: Action) -> Self {
        Self { steps: vec![Step { cycles, action }], ..Self::default() }
    }

    /// Returns accesses, and the cycles after the last one.
    pub fn accesses(instructions: Vec<Instruction>, behind: u32) -> Self {
        let steps = instructions.iter().map(|instruction| instruction.step).collect();
        let aims = instructions.into_iter().enumerate();
        let aims = aims.filter_map(|(at, instruction)| Some(Aimed { at, aim: instruction.aim? }));
        Self { steps, aims: aims.collect(), behind }
    }

    /// Appends another template; `draw` is the distance of its draws.
    pub fn append(&mut self, mut other: Self, draw: u32) {
        let (at, cycles) = (self.steps.len(), self.behind);
        match other.steps.first_mut() {
            Some(first) => {
                first.cycles = first.cycles.saturating_add(cycles);
                self.behind = other.behind;
            }
            None => self.behind = cycles.saturating_add(other.behind),
        }
        self.steps.append(&mut other.steps);
        let moved = |aimed: Aimed| Aimed { at: aimed.at + at, aim: aimed.aim.behind(draw) };
        self.aims.extend(other.aims.into_iter().map(moved));
    }

    /// Writes the steps down for a packet; `number` and `draw` select its addresses ([`Aim::direct`]).
    #[inline(always)]
    pub fn write(&self, head: &PacketHead, info: &PacketInfo, number: u64, draw: u32, steps: &mut Steps) {
        let written = steps.append(&self.steps);
        for Aimed { at, aim } in &self.aims {
            if let Some(Step { action: Action::Access { bytes, address, .. }, .. }) = written.get_mut(*at) {
                aim.direct(head, info, number, draw, bytes, address);
            }
        }
        if self.behind > 0 {
            steps.compute(self.behind);
        }
    }
}
