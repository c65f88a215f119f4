//! What a program did with a packet.

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It leaves, by a port that follows from its flow.
    Leaves,
    /// By the port of a number.
    LeavesBy(u16),
    /// By the port that it came by.
    Returns,
    /// It ends here.
    Ends,
}

/// What a program did with a packet.
pub(super) struct Done {
    pub fate: Fate,
    /// Bytes that it added, or cut off.
    pub grown_bytes: i32,
}
