//! Why packets ended that were not forwarded.

use linecard_program::DropReason;

/// Why a packet ended without being forwarded: it was lost, or its program ended it by choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A program dropped it.
    Program(DropReason),
    /// The offered load exceeded the rate of its port's wire.
    LineFull,
    /// The packet memory had no room.
    PacketMemoryFull,
    /// Its output queue was full.
    OutputQueueFull,
}

impl Loss {
    /// Number of causes.
    pub const COUNT: usize = DropReason::ALL.len() + 3;

    /// Returns the number of the cause.
    pub fn number(self) -> usize {
        match self {
            Loss::Program(reason) => reason as usize,
            Loss::LineFull => DropReason::ALL.len(),
            Loss::PacketMemoryFull => DropReason::ALL.len() + 1,
            Loss::OutputQueueFull => DropReason::ALL.len() + 2,
        }
    }

    /// Returns whether the chip's file declares these packets as ended by choice, so that they are not lost.
    pub fn is_by_choice(self) -> bool {
        matches!(self, Loss::Program(reason) if reason.is_by_choice())
    }

    /// Returns the name of a cause by its number.
    pub fn name(number: usize) -> &'static str {
        match number.checked_sub(DropReason::ALL.len()) {
            None => DropReason::ALL[number].name(),
            Some(0) => "line_full",
            Some(1) => "packet_memory_full",
            Some(_) => "output_queue_full",
        }
    }
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Loss::Program(DropReason::Punted) => f.write_str("punted to the host"),
            Loss::Program(DropReason::NotIp) => f.write_str("dropped by choice: not_ip"),
            _ => write!(f, "lost: {}", Loss::name(self.number())),
        }
    }
}
