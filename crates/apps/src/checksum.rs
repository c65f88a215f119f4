//! The IPv4 header checksum (RFC 1071) and its incremental update (RFC 1624, equation 3).

/// Returns the checksum after a 16-bit word of the header changed from `old` to `new`. An invalid checksum
/// stays invalid by the same amount, so anonymised captures are neither repaired nor broken further.
#[inline]
pub fn update(checksum: u16, old: u16, new: u16) -> u16 {
    let sum = u32::from(!checksum) + u32::from(!old) + u32::from(new);
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

/// Returns the checksum of a header whose checksum field is zero, from its 16-bit words.
pub fn header_checksum(words: &[u16]) -> u16 {
    let mut sum: u32 = words.iter().map(|&w| u32::from(w)).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn incremental_update_agrees_with_summing_anew(
            mut words in proptest::collection::vec(any::<u16>(), 9),
            index in 0usize..9,
            new in any::<u16>(),
        ) {
            // A real header is never all zeros (it has a version), which is where the two zeros of ones' complement
            // would differ.
            words[0] |= 0x4500;
            let before = header_checksum(&words);
            let updated = update(before, words[index], new);
            words[index] = if index == 0 { new | 0x4500 } else { new };
            let expected = header_checksum(&words);
            prop_assume!(index != 0 || new & 0x4500 == 0x4500);
            prop_assert_eq!(updated, expected);
        }
    }

    #[test]
    fn the_example_of_rfc_1624() {
        // Section 4: HC = 0xDD2F, m = 0x5555 and m' = 0x3285 result in 0x0000.
        assert_eq!(update(0xdd2f, 0x5555, 0x3285), 0x0000);
    }
}
