//! Link types, by their numbers in capture files.

use serde::Serialize;

/// A link type, by its number in the registry of tcpdump.org ("LINKTYPE_" values).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct LinkType(u16);

impl Default for LinkType {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl LinkType {
    /// BSD loopback: the address family in the byte order of the capturing machine.
    pub const NULL: Self = Self(0);
    /// Ethernet.
    pub const ETHERNET: Self = Self(1);
    /// Point-to-point protocol, with or without HDLC address and control.
    pub const PPP: Self = Self(9);
    /// PPP in HDLC-like framing, or Cisco HDLC.
    pub const PPP_HDLC: Self = Self(50);
    /// PPP over Ethernet, session header first.
    pub const PPP_ETHER: Self = Self(51);
    /// ATM adaptation layer 5: an LLC/SNAP header, then the packet.
    pub const ATM_LLC: Self = Self(100);
    /// IPv4 or IPv6, distinguished by the version field. Some files use 12 or 14 instead.
    pub const RAW_IP: Self = Self(101);
    /// Cisco HDLC.
    pub const C_HDLC: Self = Self(104);
    /// OpenBSD loopback: the address family in network byte order.
    pub const LOOP: Self = Self(108);
    /// Linux cooked capture.
    pub const LINUX_SLL: Self = Self(113);
    /// Linux cooked capture, version 2.
    pub const LINUX_SLL2: Self = Self(276);
    /// IPv4 only.
    pub const IPV4: Self = Self(228);
    /// IPv6 only.
    pub const IPV6: Self = Self(229);
    /// A record type without a number in the registry.
    pub const UNKNOWN: Self = Self(u16::MAX);

    /// Returns the link type of a number in a capture file.
    #[must_use]
    pub const fn from_number(number: u16) -> Self {
        match number {
            // Raw IP before it had a number of its own: BSD/OS and OpenBSD.
            12 | 14 => Self::RAW_IP,
            number => Self(number),
        }
    }

    /// Returns its number in the registry.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.0
    }
}
