//! What the readers of all link layers share.

/// VLAN tags or MPLS labels followed before a frame is taken for an attack on its reader.
pub const MAX_TAGS: u8 = 32;
/// Both addresses of an Ethernet header, in front of its type.
pub(super) const ADDRESS_BYTES: usize = 12;
pub(super) const ETHERTYPE_IPV4: u16 = 0x0800;
pub(super) const ETHERTYPE_IPV6: u16 = 0x86dd;

/// The 16 bits at `at`, if captured.
#[inline]
pub(super) fn word(frame: &[u8], at: usize) -> Option<u16> {
    frame.get(at..at + 2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
}
