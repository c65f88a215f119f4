//! The packet record: the data of one packet in a simulation.

use crate::{LinkType, TrafficError};
use serde::Serialize;

/// Network-layer protocol of the outermost network header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Internet Protocol version 4.
    Ipv4,
    /// Internet Protocol version 6.
    Ipv6,
    /// Anything else, or a header that could not be read: see [`Packet::decoded`].
    #[default]
    Other,
}

/// A one-way flow: protocol, addresses and ports.
///
/// IPv4 addresses occupy the low 32 bits. If the capture cut an address, its missing bytes are zero, and their number
/// is stored above the low 32 bits, so that no cut address equals a complete one. Ports are zero unless the protocol
/// is TCP, UDP or SCTP and the packet is not a later fragment: other packets are distinguished by protocol and
/// addresses alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct FiveTuple {
    /// Source address.
    pub src: u128,
    /// Destination address.
    pub dst: u128,
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// IP protocol number; for IPv6, of the first header that is not an extension header.
    pub protocol: u8,
}

/// How far the headers of a packet could be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decoded {
    /// The five-tuple is complete.
    Complete,
    /// IP was read, but the transport header lies behind the captured bytes: ports are zero.
    PortsNotCaptured,
    /// IPv4 was read up to its protocol, but not to the end of its addresses; see [`FiveTuple`].
    AddressesNotCaptured,
    /// The link header names a protocol other than IP.
    #[default]
    NotIp,
    /// The link type is none this crate reads; the packet's bytes are opaque.
    UnknownLinkType,
    /// The captured bytes end before the field that identifies the network protocol.
    CutBeforeIp,
    /// The link header announces IP, but the version field has another value.
    BadIpVersion,
    /// The IPv4 header length field is below five words, or the header is longer than its frame.
    BadIpHeaderLength,
    /// The IPv4 total length is less than the header, or more than its frame.
    BadIpTotalLength,
    /// More VLAN tags or MPLS labels than [`crate::link::MAX_TAGS`].
    TooManyTags,
}

impl Decoded {
    /// All variants, in declaration order.
    pub const ALL: [Self; 10] = [
        Self::Complete,
        Self::PortsNotCaptured,
        Self::AddressesNotCaptured,
        Self::NotIp,
        Self::UnknownLinkType,
        Self::CutBeforeIp,
        Self::BadIpVersion,
        Self::BadIpHeaderLength,
        Self::BadIpTotalLength,
        Self::TooManyTags,
    ];

    /// Returns whether the packet belongs to a flow: packets of several flows look the same without their ports or
    /// addresses.
    #[must_use]
    pub const fn has_flow(self) -> bool {
        matches!(self, Self::Complete)
    }

    /// Returns whether the packet itself is broken, in contrast to one that is cut by the capture or of a
    /// foreign protocol.
    #[must_use]
    pub const fn is_malformed(self) -> bool {
        matches!(
            self,
            Self::BadIpVersion | Self::BadIpHeaderLength | Self::BadIpTotalLength | Self::TooManyTags
        )
    }

    /// Returns the stable key for tables and JSON.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::PortsNotCaptured => "ports_not_captured",
            Self::AddressesNotCaptured => "addresses_not_captured",
            Self::NotIp => "not_ip",
            Self::UnknownLinkType => "unknown_link_type",
            Self::CutBeforeIp => "cut_before_ip",
            Self::BadIpVersion => "bad_ip_version",
            Self::BadIpHeaderLength => "bad_ip_header_length",
            Self::BadIpTotalLength => "bad_ip_total_length",
            Self::TooManyTags => "too_many_tags",
        }
    }
}

/// The wire length of a packet while its headers are read, if its record does not state the length.
pub(crate) const NO_WIRE_BYTES: u32 = u32::MAX;

/// One packet as the simulator sees it: plain data, no allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Nanoseconds since the epoch of the capture (1970 for every capture format; 0 for generators). Fractions
    /// of a nanosecond are rounded down.
    pub time_ns: u64,
    /// Original length on the wire, not captured length. For TSH and for ATM records, whose length field does
    /// not say, this is the IP total length.
    pub wire_bytes: u32,
    /// How many of `wire_bytes` are the frame check sequence; 0 if the capture omits it, or does not say.
    pub fcs_bytes: u8,
    /// Bytes of the frame present in the capture.
    pub captured_bytes: u32,
    /// Link type of the frame; [`LinkType::UNKNOWN`] if there is no frame.
    pub link: LinkType,
    /// Outermost network protocol.
    pub network: Network,
    /// How far the headers could be read.
    pub decoded: Decoded,
    /// One-way flow; all zero for [`Network::Other`].
    pub flow: FiveTuple,
    /// TCP flags (FIN 1, SYN 2, RST 4, PSH 8, ACK 16, …); 0 when not TCP or not captured.
    pub tcp_flags: u8,
    /// Time to live, or IPv6 hop limit.
    pub ttl: u8,
    /// Number of VLAN tags before the network header.
    pub vlan_tags: u8,
    /// Number of MPLS labels before the network header; 0 if the capture cuts their stack.
    pub mpls_labels: u8,
    /// A later fragment (offset above zero): it has no transport header.
    pub later_fragment: bool,
    /// IPv4 total length, or IPv6 payload length plus 40, as the header states it (0 in BIG TCP packets).
    pub ip_bytes: u32,
    /// Offset of the network header in the captured frame.
    pub ip_offset: u16,
    /// First 20 bytes of the IPv4 header as captured; zero otherwise. The checksum is often invalid in
    /// anonymised captures.
    pub ip_header: [u8; 20],
    /// Whether the whole IPv4 header, options included, was captured and has a valid checksum. `None` if it was
    /// not captured whole or the packet is not IPv4.
    pub ipv4_checksum_ok: Option<bool>,
}

impl Packet {
    /// Returns the length on the wire without the frame check sequence.
    #[must_use]
    pub const fn bytes_without_fcs(&self) -> u32 {
        self.wire_bytes.saturating_sub(self.fcs_bytes as u32)
    }
}

/// A stream of packets: a capture or a generator.
pub trait PacketSource {
    /// Returns the next packet, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Only if no further packet can be delivered. Damage that can be skipped is in the source's report.
    fn next_packet(&mut self) -> Result<Option<Packet>, TrafficError>;
}

impl<S: PacketSource + ?Sized> PacketSource for &mut S {
    fn next_packet(&mut self) -> Result<Option<Packet>, TrafficError> {
        (**self).next_packet()
    }
}

impl<S: PacketSource + ?Sized> PacketSource for Box<S> {
    fn next_packet(&mut self) -> Result<Option<Packet>, TrafficError> {
        (**self).next_packet()
    }
}
