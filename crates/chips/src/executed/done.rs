//! The result of a program for a packet.

use linecard_program::script::{Action, Steps};

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
/// ends it instead. Otherwise the packet ends behind them, unless they have ended it (`over`).
pub(super) fn end_packet(steps: &mut Steps, first: usize, over: bool) {
    let passes_on = |action: Action| {
        matches!(
            action,
            Action::Send { .. } | Action::Put { .. } | Action::Offer { .. } | Action::Lend { .. }
        )
    };
    match steps.list()[first..].iter().position(|step| passes_on(step.action)) {
        Some(at) => steps.replace(first + at, Action::Finish),
        None if over => {}
        None => steps.push(0, Action::Finish),
    }
}
