//! Why packets are dropped.

/// Why a packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DropReason {
    /// No prefix of the forwarding table covers the destination.
    NoRoute,
    /// The time to live has run out.
    TtlExpired,
    /// A firewall template says so.
    FirewallRule,
    /// The program handles IPv4 only.
    NotIpv4,
    /// The receive buffer of the port was full.
    ReceiveBufferFull,
    /// The packet is larger than a buffer or than the packet-buffer memory.
    TooLarge,
    /// The translation table is full.
    NatTableFull,
}

impl DropReason {
    /// Every reason, in order of its number.
    pub const ALL: [DropReason; 7] = [
        DropReason::NoRoute,
        DropReason::TtlExpired,
        DropReason::FirewallRule,
        DropReason::NotIpv4,
        DropReason::ReceiveBufferFull,
        DropReason::TooLarge,
        DropReason::NatTableFull,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            DropReason::NoRoute => "no_route",
            DropReason::TtlExpired => "ttl_expired",
            DropReason::FirewallRule => "firewall_rule",
            DropReason::NotIpv4 => "not_ipv4",
            DropReason::ReceiveBufferFull => "receive_buffer_full",
            DropReason::TooLarge => "too_large",
            DropReason::NatTableFull => "nat_table_full",
        }
    }
}
