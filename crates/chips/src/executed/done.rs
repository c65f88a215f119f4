//! The result of a program for a packet.

use linecard_program::PacketHead;
use linecard_program::script::{Action, Step, Steps};

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It leaves by a port that follows from its flow.
    Leaves,
    /// It leaves by the port of this number.
    LeavesBy(u16),
    /// It leaves by the port that received it.
    Returns,
    /// It ends here.
    Ends,
}

/// The result of a program for a packet.
pub(super) struct Done {
    pub fate: Fate,
    /// Bytes that the program added, or removed.
    pub grown_bytes: i32,
}

/// Ends a packet as its program decided. The first of the steps from number `first` on that would pass the packet on
/// ends it instead; without a number there is none. Otherwise the packet ends behind all, unless they have ended it
/// (`over`).
pub(super) fn end_packet(steps: &mut Steps, first: Option<usize>, over: bool) {
    let passes_on = |action: Action| {
        matches!(
            action,
            Action::Send { .. } | Action::Put { .. } | Action::Offer { .. } | Action::Lend { .. }
        )
    };
    let passing = first.and_then(|first| {
        let at = steps.list()[first..].iter().position(|step| passes_on(step.action))?;
        Some(first + at)
    });
    match passing {
        Some(at) => steps.replace(at, Action::Finish),
        None if over => {}
        None => steps.push(0, Action::Finish),
    }
}

/// Returns a packet with the size that it has when it leaves.
pub(super) fn leaving(head: &PacketHead) -> PacketHead {
    PacketHead { bytes: head.leaving_bytes(), ..*head }
}

/// Returns whether one of the steps lends the packet.
pub(super) fn is_lent(steps: &[Step]) -> bool {
    steps.iter().any(|step| matches!(step.action, Action::Lend { .. }))
}
