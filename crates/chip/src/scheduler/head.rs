//! What classes and groups offer to their group.

use linecard_sim::Ticks;

/// The next packet of a member of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// It has no packet.
    Nothing,
    /// It has packets, but shapers hold all of them until this time.
    Held(Ticks),
    /// A packet of this number of bytes.
    Ready(u32),
}

impl Head {
    /// Returns the same behind a shaper that permits packets from `opens` on.
    pub fn behind(self, opens: Ticks, now: Ticks) -> Self {
        match self {
            Self::Ready(_) if opens > now => Self::Held(opens),
            Self::Held(until) => Self::Held(until.max(opens)),
            other => other,
        }
    }
}
