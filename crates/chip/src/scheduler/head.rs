//! What classes and groups offer to the group around them.

use linecard_sim::Ticks;

/// What a member of a group would send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// It has no packet.
    Nothing,
    /// It has some, but no shaper lets one go before this time.
    Held(Ticks),
    /// A packet of so many bytes.
    Ready(u32),
}

impl Head {
    /// The same behind a shaper that lets packets go from `opens` on.
    pub fn behind(self, opens: Ticks, now: Ticks) -> Self {
        match self {
            Self::Ready(_) if opens > now => Self::Held(opens),
            Self::Held(until) => Self::Held(until.max(opens)),
            other => other,
        }
    }
}
