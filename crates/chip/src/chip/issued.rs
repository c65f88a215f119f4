//! An access as a thread issues it, and what comes of an action for its thread.

use linecard_program::script::{Access, RoleId, Way};

/// What comes of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The thread goes on with its next step.
    GoOn,
    /// It waits for the result.
    Wait,
    /// It waits to do the action; whoever makes room does it for the thread.
    Blocked,
    /// It waits to do the action, and its engine stands still with it.
    Stall,
}

/// A part of a cell that a thread moves (`Action::Move`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub role: RoleId,
    pub way: Way,
    pub cell: u16,
    pub bytes: u8,
    /// The last of its cell.
    pub last: bool,
}

/// An access as a thread issues it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issued {
    pub role: RoleId,
    pub kind: Access,
    pub posted: bool,
    pub bytes: u16,
    /// Bytes of them that come from registers, as a transfer of their own.
    pub registers: u8,
    pub address: u64,
}
