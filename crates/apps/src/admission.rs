//! The packets that a program processes, and the treatment of the others.

use linecard_program::{DropReason, NetworkKind, PacketHead};

/// The treatment of frames that are not IP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NotIp {
    /// They leave by the port of their flow, without a lookup.
    Forward,
    /// They are sent to the host.
    #[default]
    Punt,
    /// They are dropped, by choice.
    Drop,
}

/// Protocols that a program processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocols {
    /// IPv4 alone.
    Ipv4,
    /// IPv4 and IPv6.
    Ip,
}

/// The treatment of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// It is processed.
    Worked,
    /// It is forwarded unchanged.
    Passed,
    /// It ends here.
    Ended(DropReason),
}

impl NotIp {
    /// Returns the treatment of a packet by a program of these protocols.
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
