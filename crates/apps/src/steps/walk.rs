//! A packet while its steps are written down.

use linecard_program::PacketHead;
use linecard_program::script::{Action, PacketInfo, Steps};

/// What is known of the packet while its steps are written down.
pub(super) struct Walk<'a> {
    pub head: &'a PacketHead,
    pub info: &'a PacketInfo,
    /// The number of the packet for draws: that of `info`, mixed with the seed.
    pub number: u64,
    pub chosen: Option<u16>,
    pub over: bool,
}

impl Walk<'_> {
    /// Returns the output port that is known by now, or the port of the flow.
    pub fn port(&self) -> u16 {
        self.chosen.unwrap_or(self.info.flow_port())
    }

    /// Ends the packet here.
    pub fn end(&mut self, cycles: u32, action: Action, steps: &mut Steps) {
        steps.push(cycles, action);
        self.over = true;
    }
}
