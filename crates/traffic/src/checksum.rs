//! The checksum of IPv4 headers (RFC 1071), and its adjustment when a header changes.

/// Returns the ones' complement sum of RFC 1071, not inverted: 0xffff over a header with a valid checksum.
#[must_use]
pub fn ones_complement_sum(bytes: &[u8]) -> u16 {
    let mut sum = 0_u32;
    let mut pairs = bytes.chunks_exact(2);
    for pair in &mut pairs {
        sum += u32::from(u16::from_be_bytes([pair[0], pair[1]]));
    }
    if let [last] = pairs.remainder() {
        sum += u32::from(*last) << 8;
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// Writes the checksum that makes an IPv4 header of 20 bytes valid.
pub fn set_checksum(header: &mut [u8; 20]) {
    header[10..12].fill(0);
    let checksum = !ones_complement_sum(header);
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
}

/// Replaces the four bytes at `at` of an IPv4 header and adjusts the checksum by the difference (RFC 1624,
/// equation 3), so that it stays as valid or as wrong as it was.
pub(crate) fn replace_in_header(header: &mut [u8; 20], at: usize, new: u32) {
    let checksum = u16::from_be_bytes([header[10], header[11]]);
    let mut sum = u32::from(!checksum);
    for (old, new) in header[at..at + 4].chunks_exact(2).zip(new.to_be_bytes().chunks_exact(2)) {
        sum += u32::from(!u16::from_be_bytes([old[0], old[1]]));
        sum += u32::from(u16::from_be_bytes([new[0], new[1]]));
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    header[at..at + 4].copy_from_slice(&new.to_be_bytes());
    header[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}
