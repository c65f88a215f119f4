//! Which packets a program works on, and what becomes of the others.

use linecard_program::{DropReason, NetworkKind, PacketHead};

/// What becomes of frames that are not IP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NotIp {
    /// They leave by the port of their flow, without a lookup.
    Forward,
    /// They go to the host.
    #[default]
    Punt,
    /// They are dropped, by choice.
    Drop,
}

/// Protocols that a program works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocols {
    /// IPv4 alone.
    Ipv4,
    /// IPv4 and IPv6.
    Ip,
}

/// What a program does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// Its work.
    Worked,
    /// Nothing: the packet is forwarded as it is.
    Passed,
    /// The packet ends here.
    Ended(DropReason),
}

impl NotIp {
    /// What a program of these protocols does with a packet.
    #[inline]
    pub(crate) fn admit(self, protocols: Protocols, head: &PacketHead) -> Admitted {
        match head.network {
            NetworkKind::Ipv4 if head.ttl > 1 => Admitted::Worked,
            NetworkKind::Ipv6 if protocols == Protocols::Ipv4 => Admitted::Ended(DropReason::NotIpv4),
            NetworkKind::Ipv6 if head.ttl > 1 => Admitted::Worked,
            NetworkKind::Ipv4 | NetworkKind::Ipv6 => Admitted::Ended(DropReason::TtlExpired),
            NetworkKind::Other => Admitted::Ended(DropReason::NotIpv4),
            NetworkKind::NotIp => match self {
                NotIp::Forward => Admitted::Passed,
                NotIp::Punt => Admitted::Ended(DropReason::Punted),
                NotIp::Drop => Admitted::Ended(DropReason::NotIp),
            },
        }
    }
}
