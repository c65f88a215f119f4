//! Computes digests from keys: a hash, cut to c bits.

use crate::key::KeyBytes;
use crate::{FlowCacheError, names};
use linecard_sim::stream;
use linecard_words::Mismatch;
use md5::{Digest as _, Md5};

/// The hash of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hash {
    /// MD5, as in the thesis (section 5.4); its first four bytes, most significant first.
    Md5,
    /// CRC32C (Castagnoli), as network interfaces compute it.
    Crc32c,
    /// XXH32 with seed 0: fast in software.
    XxHash,
    /// H3, a universal hash: each bit of the digest is the parity of a random choice of the key's bits, in hardware
    /// one level of exclusive-or gates (Carter and Wegman, 1979).
    H3,
}

impl Hash {
    /// All hashes.
    pub const ALL: [Self; 4] = [Self::Md5, Self::Crc32c, Self::XxHash, Self::H3];

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Crc32c => "crc32c",
            Self::XxHash => "xxhash",
            Self::H3 => "h3",
        }
    }

    /// Returns a hash by name.
    ///
    /// # Errors
    ///
    /// If no hash has that name.
    pub fn parse(name: &str) -> Result<Self, FlowCacheError> {
        Ok(Self::ALL[names::position("hash", name, &Self::ALL.map(Self::name))?])
    }
}

/// Computes digests of keys.
#[derive(Clone, Debug)]
pub struct Digester {
    hash: Hash,
    mask: u32,
    /// For H3: the contribution of each byte value at each position of a key, and of a missing byte.
    h3: Vec<[u32; 256]>,
}

impl Digester {
    /// Returns a digester of `width_bits` bits: the low ones of the hash. `seed` selects the function of
    /// [`Hash::H3`].
    ///
    /// # Errors
    ///
    /// If the width is not 1 to 32 bits.
    pub fn new(hash: Hash, width_bits: u32, seed: u64) -> Result<Self, FlowCacheError> {
        if !(1..=32).contains(&width_bits) {
            return Err(Mismatch::new("digest width", format!("{width_bits} bits"), "1 to 32 bits").into());
        }
        let h3 = if hash == Hash::H3 { h3_tables(seed) } else { Vec::new() };
        Ok(Self { hash, mask: u32::MAX >> (32 - width_bits), h3 })
    }

    /// Returns the digest of a key.
    #[must_use]
    pub fn digest(&self, key: &KeyBytes) -> u32 {
        self.hash_of(key.as_slice()) & self.mask
    }

    fn hash_of(&self, bytes: &[u8]) -> u32 {
        match self.hash {
            Hash::Md5 => {
                let hash = Md5::digest(bytes);
                u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]])
            }
            Hash::Crc32c => crc32c::crc32c(bytes),
            Hash::XxHash => xxhash_rust::xxh32::xxh32(bytes, 0),
            Hash::H3 => {
                bytes.iter().zip(&self.h3).fold(0, |hash, (&byte, table)| hash ^ table[usize::from(byte)])
            }
        }
    }
}

/// A table per byte of the longest key: the exclusive or of a random word for each bit that is set.
///
/// Keys of different lengths (IPv4 and IPv6) share the tables; zeros contribute nothing, as on unconnected wires.
fn h3_tables(seed: u64) -> Vec<[u32; 256]> {
    let mut draws = stream(seed, "h3 hash");
    let mut table = || {
        let words: [u32; 8] = std::array::from_fn(|_| draws.bits() as u32);
        let of_byte =
            |byte: usize| (0..8).filter(|bit| byte >> bit & 1 == 1).fold(0, |hash, bit| hash ^ words[bit]);
        std::array::from_fn(of_byte)
    };
    (0..KeyBytes::MOST).map(|_| table()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(hash: Hash, text: &str) -> u32 {
        Digester::new(hash, 32, 1).unwrap().hash_of(text.as_bytes())
    }

    /// Values published with each hash: RFC 1321 for MD5, RFC 3720 for CRC32C, the specification for XXH32.
    #[test]
    fn known_answers() {
        assert_eq!(hash(Hash::Md5, "abc"), 0x9001_5098);
        assert_eq!(hash(Hash::Crc32c, "123456789"), 0xe306_9283);
        assert_eq!(hash(Hash::XxHash, ""), 0x02cc_5d05);
        assert_eq!(hash(Hash::XxHash, "abc"), 0x32d1_53ff);
    }

    #[test]
    fn h3_is_linear_and_depends_on_its_seed() {
        let h3 = Digester::new(Hash::H3, 32, 7).unwrap();
        let (a, b) = ([0x5a, 1, 2, 3], [0x33, 9, 0, 255]);
        let both: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
        assert_eq!(h3.hash_of(&a) ^ h3.hash_of(&b), h3.hash_of(&both));
        assert_ne!(h3.hash_of(&a), Digester::new(Hash::H3, 32, 8).unwrap().hash_of(&a));
    }

    #[test]
    fn widths_cut_and_are_checked() {
        let key = KeyBytes::default();
        let whole = Digester::new(Hash::Md5, 32, 1).unwrap().digest(&key);
        assert_eq!(Digester::new(Hash::Md5, 12, 1).unwrap().digest(&key), whole & 0xfff);
        for width in [0, 33] {
            let error = Digester::new(Hash::Md5, width, 1).unwrap_err().to_string();
            assert!(error.contains("expected 1 to 32 bits"), "{error}");
        }
        assert!(Hash::parse("MD5").is_ok());
        assert!(Hash::parse("crc32").unwrap_err().to_string().contains("did you mean crc32c"));
    }
}
