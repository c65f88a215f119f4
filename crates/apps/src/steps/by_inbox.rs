//! Lists of steps for threads that take packets from several inboxes, with a separate list for some of them.

use super::StepList;
use linecard_program::PacketHead;
use linecard_program::script::{PacketInfo, PacketProgram, Steps};

/// A list for each inbox with a separate one, and one for all others.
#[derive(Clone, Debug)]
pub struct StepsByInbox {
    /// Number of the inbox in the chip, and the list for its packets.
    own: Vec<(u16, StepList)>,
    others: StepList,
}

impl StepsByInbox {
    /// Returns lists by inbox; `others` is for packets of inboxes without a list.
    pub fn new(own: Vec<(u16, StepList)>, others: StepList) -> Self {
        Self { own, others }
    }

    fn lists(&self) -> impl Iterator<Item = &StepList> {
        self.own.iter().map(|(_, list)| list).chain([&self.others])
    }
}

impl PacketProgram for StepsByInbox {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        let own = self.own.iter_mut().find(|(inbox, _)| *inbox == info.inbox);
        own.map_or(&mut self.others, |(_, list)| list).packet(head, info, steps);
    }

    fn sends_blocks(&self) -> bool {
        self.lists().any(PacketProgram::sends_blocks)
    }

    fn locks(&self) -> u32 {
        self.lists().map(PacketProgram::locks).max().unwrap_or(0)
    }
}
