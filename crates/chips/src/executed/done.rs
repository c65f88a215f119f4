//! The result of a program for a packet.

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
