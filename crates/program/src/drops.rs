//! Why a packet ended in its program without being forwarded.

/// Why a packet was not forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DropReason {
    /// No prefix of the forwarding table covers the destination.
    NoRoute,
    /// The time to live has run out.
    TtlExpired,
    /// A firewall rule dropped it.
    FirewallRule,
    /// The program handles IPv4 only, or cannot read the header.
    NotIpv4,
    /// The receive buffer of the port was full.
    ReceiveBufferFull,
    /// The packet is larger than a buffer or than the packet-buffer memory.
    TooLarge,
    /// The translation table is full.
    NatTableFull,
    /// It is not IP, and the chip's file drops such frames by choice: no loss.
    NotIp,
    /// It is not IP and is sent to the host: no loss.
    Punted,
}

impl DropReason {
    /// All reasons, in order of number.
    pub const ALL: [DropReason; 9] = [
        DropReason::NoRoute,
        DropReason::TtlExpired,
        DropReason::FirewallRule,
        DropReason::NotIpv4,
        DropReason::ReceiveBufferFull,
        DropReason::TooLarge,
        DropReason::NatTableFull,
        DropReason::NotIp,
        DropReason::Punted,
    ];

    /// Returns whether the chip's file ends such packets by choice, so that they are not lost.
    pub fn is_by_choice(self) -> bool {
        matches!(self, DropReason::NotIp | DropReason::Punted)
    }

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            DropReason::NoRoute => "no_route",
            DropReason::TtlExpired => "ttl_expired",
            DropReason::FirewallRule => "firewall_rule",
            DropReason::NotIpv4 => "not_ipv4",
            DropReason::ReceiveBufferFull => "receive_buffer_full",
            DropReason::TooLarge => "too_large",
            DropReason::NatTableFull => "nat_table_full",
            DropReason::NotIp => "not_ip",
            DropReason::Punted => "punted",
        }
    }
}
