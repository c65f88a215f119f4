//! Common parts of the readers of all link layers.

/// Most VLAN tags or MPLS labels that are followed; a frame with more is treated as an attack.
pub const MAX_TAGS: u8 = 32;
/// Bytes of an Ethernet header without tags.
pub const ETHERNET_HEADER_BYTES: u32 = 14;
/// Bytes of the check sequence of an Ethernet frame.
pub const ETHERNET_FCS_BYTES: u8 = 4;
/// Both addresses of an Ethernet header, in front of its type.
pub(super) const ADDRESS_BYTES: usize = 12;
/// LLC for SNAP, and the organisation code for Ethernet types.
pub(super) const LLC_SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];
pub(super) const ETHERTYPE_IPV4: u16 = 0x0800;
pub(super) const ETHERTYPE_IPV6: u16 = 0x86dd;

/// Returns the 16 bits at `at`, if captured.
#[inline]
pub(super) fn word(frame: &[u8], at: usize) -> Option<u16> {
    frame.get(at..at + 2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
}
