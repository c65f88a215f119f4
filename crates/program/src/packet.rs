//! The facts about a packet that a program can use.

/// Bytes in a cell (mpacket), the unit in which packets move through a network processor.
pub const CELL_BYTES: u32 = 64;

/// The shortest Ethernet frame, check sequence included.
pub const LEAST_FRAME_BYTES: u32 = 64;

/// Returns the cells of a packet of `bytes` bytes.
#[inline]
pub fn cells_of(bytes: u32) -> u32 {
    bytes.div_ceil(CELL_BYTES).max(1)
}

/// A packet inside a machine: an index into the machine's table, which is reused after the packet has left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketId(pub u32);

/// The network protocol of a packet, as programs distinguish it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkKind {
    /// IPv4; the fields of [`PacketHead`] are valid.
    Ipv4,
    /// IPv6.
    Ipv6,
    /// A frame that is not IP, such as ARP and LLDP.
    NotIp,
    /// An unreadable header: damaged, cut by the capture, or of an unknown link type.
    #[default]
    Other,
}

/// The header fields that programs read and change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketHead {
    /// Length on the wire as received, bytes.
    pub bytes: u32,
    /// Bytes that its program has added; negative if it has removed some.
    pub grown_bytes: i32,
    /// IPv4 source address.
    pub source: u32,
    /// IPv4 destination address; for IPv6 the lowest 32 bits.
    pub destination: u32,
    /// The other bits of an IPv6 destination address, highest first.
    pub destination_above: [u32; 3],
    /// TCP or UDP source port.
    pub source_port: u16,
    /// TCP or UDP destination port.
    pub destination_port: u16,
    /// IP header checksum of the packet, valid or not.
    pub checksum: u16,
    /// IP protocol number.
    pub protocol: u8,
    /// TCP flags; 0 for other protocols.
    pub tcp_flags: u8,
    /// Time to live, or IPv6 hop limit.
    pub ttl: u8,
    /// Its network protocol.
    pub network: NetworkKind,
    /// Location of its bytes in the packet source, counted from 1, for an executed program; 0 for none.
    pub frame: u32,
    /// Number of the copy of its bytes that is kept until it leaves, counted from 1; 0 for none.
    pub kept: u32,
}

impl PacketHead {
    /// TCP FIN.
    pub const FIN: u8 = 0x01;
    /// TCP SYN.
    pub const SYN: u8 = 0x02;
    /// TCP RST.
    pub const RST: u8 = 0x04;

    /// Returns the IPv6 destination address.
    #[inline]
    pub fn destination_v6(&self) -> u128 {
        let [a, b, c] = self.destination_above;
        [a, b, c, self.destination].into_iter().fold(0, |address, word| address << 32 | u128::from(word))
    }

    /// Returns its length on the wire when it leaves, bytes. A frame that a program has shortened below the
    /// least length is padded to it again (IEEE 802.3, 4.2.3.3).
    #[inline]
    pub fn leaving_bytes(&self) -> u32 {
        let least = self.bytes.min(LEAST_FRAME_BYTES);
        let bytes = i64::from(self.bytes) + i64::from(self.grown_bytes);
        bytes.clamp(least.into(), u32::MAX.into()) as u32
    }

    /// Returns the cells of the packet as received.
    #[inline]
    pub fn cells(&self) -> u32 {
        cells_of(self.bytes)
    }
}
