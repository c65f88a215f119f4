//! An access as a thread issues it, and the effect of an action on its thread.

use linecard_program::script::{Access, RoleId, Way};

/// The effect of an action on its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The thread continues with its next step.
    GoOn,
    /// It waits for the result.
    Wait,
    /// It waits to perform the action; the event that makes room performs it for the thread.
    Blocked,
    /// It waits to perform the action, and its engine stalls with it.
    Stall,
}

/// A part of a cell that a thread moves (`Action::Move`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub role: RoleId,
    pub way: Way,
    pub cell: u16,
    pub bytes: u8,
    /// Whether it is the last part of its cell.
    pub last: bool,
}

/// An access as a thread issues it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issued {
    pub role: RoleId,
    pub kind: Access,
    pub posted: bool,
    pub bytes: u16,
    /// Bytes of them that come from registers, as a separate transfer.
    pub registers: u8,
    pub address: u64,
}
