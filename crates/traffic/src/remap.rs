//! Addresses of anonymised captures, moved into routed space.
//!
//! Anonymised captures have renumbered addresses (10.0.0.n in order of appearance) that match no route, so that
//! a forwarding application would find nothing to look up. The published studies scrambled them first; this is
//! that step, explicit and stated with the results.
//!
//! The address space is cut into blocks of 2^`host_bits` addresses, /24 by default. Each block of the `source`
//! prefix goes to a block of routed space, chosen by a seeded permutation; inside a block, every address is
//! combined with a constant of the block.
//!
//! **Preserved**: the map is a function, so packets of one flow stay one flow and a reply still meets its
//! request; addresses of one block stay in one block, and within it share exactly as many leading bits as before.
//! If the source has no more blocks than routed space ([`AddressMap::is_one_to_one`]), distinct addresses stay
//! distinct.
//!
//! **Not preserved**: how many leading bits addresses of different blocks share. That is the purpose: renumbered
//! addresses share nearly all of them, and a map that kept them would put the whole capture behind one route.
//!
//! Routed space is the union of the given prefixes without those shorter than /8 (leaked defaults) and without
//! private and reserved blocks; only blocks it covers whole are used.

use crate::readers::compression::decompress;
use crate::{Decoded, Network, Packet, TrafficError, ip};
use linecard_words::Mismatch;
use std::fs::File;
use std::io::{self, Read};
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

/// Prefixes shorter than this are leaked default routes.
const MIN_PREFIX_BITS: u8 = 8;
const ADDRESS_BITS: u8 = 32;
const MAX_HOST_BITS: u8 = 16;
const ROUNDS: u64 = 6;

/// How to map addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressMapOptions {
    /// Seed of the permutation.
    pub seed: u64,
    /// Only addresses in this prefix (first address, length) are mapped; others stay as they are.
    pub source: (u32, u8),
    /// Bits of an address inside a block, 0 to 16.
    pub host_bits: u8,
}

impl Default for AddressMapOptions {
    fn default() -> Self {
        Self { seed: 0, source: (0, 0), host_bits: 8 }
    }
}

/// Most bytes of a text that is read whole, after decompression: ten times a full route table of the Internet.
pub const MOST_TEXT_BYTES: u64 = 256 << 20;

/// Reads a whole text file, plain or compressed, up to [`MOST_TEXT_BYTES`]: a few megabytes of gzip can expand
/// beyond the available memory.
///
/// # Errors
///
/// If the file cannot be read, is no text, or is larger.
pub fn read_text(path: &Path) -> Result<String, TrafficError> {
    let io_error = |source| TrafficError::Io { file: path.to_owned(), action: "read", source };
    let file = File::open(path).map_err(io_error)?;
    let (_, reader) = decompress(file, Arc::default()).map_err(io_error)?;
    let mut bytes = Vec::new();
    reader.take(MOST_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(io_error)?;
    if bytes.len() as u64 > MOST_TEXT_BYTES {
        let words = format!(
            "the unpacked file exceeds {} MiB, the limit for a text file; remove lines that are not needed",
            MOST_TEXT_BYTES >> 20
        );
        return Err(io_error(io::Error::new(io::ErrorKind::FileTooLarge, words)));
    }
    String::from_utf8(bytes).map_err(|error| io_error(io::Error::new(io::ErrorKind::InvalidData, error)))
}

/// Reads prefixes from a text file, plain or compressed: the first field of each line, as `192.0.2.0/24`. IPv6
/// prefixes, empty lines and lines beginning with `#` are skipped.
///
/// # Errors
///
/// If the file cannot be read, or the number of the first line without a prefix.
pub fn read_prefixes(path: &Path) -> Result<Vec<(u32, u8)>, TrafficError> {
    let mut prefixes = Vec::new();
    for (index, line) in read_text(path)?.lines().enumerate() {
        let Some(field) = line.split_whitespace().next().filter(|field| !field.starts_with('#')) else {
            continue;
        };
        if field.contains(':') {
            continue;
        }
        let prefix = parse_prefix(field).ok_or_else(|| TrafficError::BadLine {
            file: path.to_owned(),
            line: index as u64 + 1,
            found: format!("`{field}`"),
            expected: "an IPv4 prefix such as 192.0.2.0/24".to_owned(),
        })?;
        prefixes.push(prefix);
    }
    Ok(prefixes)
}

fn parse_prefix(text: &str) -> Option<(u32, u8)> {
    let (address, bits) = text.split_once('/')?;
    let address: Ipv4Addr = address.parse().ok()?;
    let bits = bits.parse().ok().filter(|&bits| bits <= ADDRESS_BITS)?;
    Some((address.into(), bits))
}

/// Consecutive routed blocks.
#[derive(Clone, Copy, Debug)]
struct Run {
    first_block: u32,
    /// Routed blocks before this run.
    before: u64,
}

/// A seeded map of IPv4 addresses into routed space.
#[derive(Clone, Debug)]
pub struct AddressMap {
    options: AddressMapOptions,
    runs: Vec<Run>,
    routed_blocks: u64,
    source_blocks: u64,
    short_prefixes: usize,
    permutation: Permutation,
}

impl AddressMap {
    /// Prepares the map into the union of `prefixes` (first address, length).
    ///
    /// # Errors
    ///
    /// When an option is out of range, or no whole block is routed.
    pub fn new(prefixes: &[(u32, u8)], options: AddressMapOptions) -> Result<Self, TrafficError> {
        let AddressMapOptions { seed, source: (_, source_bits), host_bits } = options;
        if host_bits > MAX_HOST_BITS || source_bits > ADDRESS_BITS - host_bits {
            return Err(Mismatch::new(
                "address map",
                format!("a source prefix of /{source_bits} and {host_bits} host bits"),
                "0 to 16 host bits, and a source prefix length of at most 32 minus the number of host bits",
            )
            .into());
        }
        let (runs, routed_blocks) = routed_runs(prefixes, host_bits);
        let short_prefixes = prefixes.iter().filter(|&&(_, bits)| bits < MIN_PREFIX_BITS).count();
        if routed_blocks == 0 {
            let block = format!("complete /{} of public addresses", ADDRESS_BITS - host_bits);
            return Err(Mismatch::new(
                "prefixes of an address map",
                format!(
                    "{} prefixes, of which {short_prefixes} are shorter than /{MIN_PREFIX_BITS} and do not count, and \
                     none of the others contains a {block}",
                    prefixes.len()
                ),
                format!("at least one prefix from /{MIN_PREFIX_BITS} on with a {block}"),
            )
            .into());
        }
        let source_blocks = 1_u64 << (ADDRESS_BITS - host_bits - source_bits);
        let permutation = Permutation::new(source_blocks.max(routed_blocks), seed);
        Ok(Self { options, runs, routed_blocks, source_blocks, short_prefixes, permutation })
    }

    /// Returns the mapped address.
    #[must_use]
    pub fn map(&self, address: u32) -> u32 {
        let AddressMapOptions { seed, source: (source, source_bits), host_bits } = self.options;
        let source_mask = (u64::from(u32::MAX) << (ADDRESS_BITS - source_bits)) as u32;
        if (address ^ source) & source_mask != 0 {
            return address;
        }
        let block = u64::from((address & !source_mask) >> host_bits);
        let index = self.permutation.apply(block) % self.routed_blocks;
        let run = self.runs[self.runs.partition_point(|run| run.before <= index) - 1];
        let routed_block = run.first_block + (index - run.before) as u32;
        let host_mask = (1_u32 << host_bits) - 1;
        let host = (address ^ mix(seed ^ mix(block)) as u32) & host_mask;
        routed_block << host_bits | host
    }

    /// Maps both addresses of an IPv4 packet, in its flow and in its header. The checksum is adjusted as in a
    /// router (RFC 1624): a valid one stays valid, a wrong one stays wrong. Captured bytes do not change, nor
    /// do packets whose addresses the capture cut.
    pub fn apply(&self, packet: &mut Packet) {
        if packet.network != Network::Ipv4 || packet.decoded == Decoded::AddressesNotCaptured {
            return;
        }
        packet.flow.src = self.replace(packet.flow.src as u32, 12, packet);
        packet.flow.dst = self.replace(packet.flow.dst as u32, 16, packet);
    }

    fn replace(&self, old: u32, at: usize, packet: &mut Packet) -> u128 {
        let new = self.map(old);
        // CSV packets have no header.
        if packet.ip_header[0] != 0 {
            ip::replace_in_header(&mut packet.ip_header, at, new);
        }
        new.into()
    }

    /// Returns whether distinct source addresses stay distinct, for any capture.
    #[must_use]
    pub fn is_one_to_one(&self) -> bool {
        self.source_blocks <= self.routed_blocks
    }

    /// Returns the number of blocks of routed space that addresses are mapped to.
    #[must_use]
    pub fn routed_blocks(&self) -> u64 {
        self.routed_blocks
    }

    /// Returns a sentence for the results.
    #[must_use]
    pub fn describe(&self) -> String {
        let AddressMapOptions { seed, source: (source, source_bits), host_bits } = self.options;
        let source = Ipv4Addr::from(source);
        let block_bits = ADDRESS_BITS - host_bits;
        let distinct = if self.is_one_to_one() {
            "distinct addresses map to distinct addresses".to_owned()
        } else {
            let sharing = self.source_blocks.div_ceil(self.routed_blocks);
            format!(
                "up to {sharing} source blocks share one routed block, so that distinct flows may become one flow"
            )
        };
        let short = match self.short_prefixes {
            0 => String::new(),
            count => format!("; prefixes shorter than /{MIN_PREFIX_BITS} do not count as routed: {count}"),
        };
        format!(
            "a permutation with seed {seed} maps IPv4 addresses in {source}/{source_bits} into {} routed \
             /{block_bits} blocks; addresses of one block stay together; {distinct}{short}",
            self.routed_blocks
        )
    }
}

/// Returns the blocks that the prefixes cover whole, as runs, and their number.
fn routed_runs(prefixes: &[(u32, u8)], host_bits: u8) -> (Vec<Run>, u64) {
    let mut ranges: Vec<(u64, u64)> = prefixes
        .iter()
        .filter(|&&(_, bits)| (MIN_PREFIX_BITS..=ADDRESS_BITS).contains(&bits))
        .map(|&(address, bits)| {
            let size = 1_u64 << (ADDRESS_BITS - bits);
            let first = u64::from(address) & !(size - 1);
            (first, first + size)
        })
        .collect();
    ranges.sort_unstable();
    let mut runs = Vec::new();
    let mut before = 0;
    for (first, end) in without_special(&merged(&ranges)) {
        let first_block = first.div_ceil(1 << host_bits);
        let end_block = end >> host_bits;
        if first_block < end_block {
            runs.push(Run { first_block: first_block as u32, before });
            before += end_block - first_block;
        }
    }
    (runs, before)
}

/// Returns sorted half-open ranges, with overlapping and adjacent ones joined.
fn merged(sorted: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for &(first, end) in sorted {
        match merged.last_mut() {
            Some(last) if first <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((first, end)),
        }
    }
    merged
}

/// Returns the ranges without private and reserved addresses.
fn without_special(ranges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut left = Vec::new();
    for &(mut first, end) in ranges {
        for (special_first, special_last) in ip::special_v4_ranges() {
            let (special_first, special_end) = (u64::from(special_first), u64::from(special_last) + 1);
            if special_end <= first || special_first >= end {
                continue;
            }
            if first < special_first {
                left.push((first, special_first));
            }
            first = special_end;
        }
        if first < end {
            left.push((first, end));
        }
    }
    left
}

/// A seeded permutation of the numbers below any bound: a balanced Feistel network over the next power of four,
/// walked until it lands below the bound (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
#[derive(Clone, Debug)]
struct Permutation {
    bound: u64,
    half_bits: u32,
    seed: u64,
}

impl Permutation {
    fn new(bound: u64, seed: u64) -> Self {
        let bits = u64::BITS - bound.saturating_sub(1).leading_zeros();
        Self { bound, half_bits: bits.div_ceil(2).max(1), seed }
    }

    fn apply(&self, number: u64) -> u64 {
        debug_assert!(number < self.bound);
        let mut image = self.encrypt(number);
        while image >= self.bound {
            image = self.encrypt(image);
        }
        image
    }

    fn encrypt(&self, number: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for round in 0..ROUNDS {
            let mixed = mix(self.seed ^ mix(round << 56 | right)) & mask;
            (left, right) = (right, left ^ mixed);
        }
        left << self.half_bits | right
    }
}

/// The finaliser of SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn address(text: &str) -> u32 {
        text.parse::<Ipv4Addr>().unwrap().into()
    }

    fn map(options: AddressMapOptions) -> AddressMap {
        let prefixes = [
            (address("8.0.0.0"), 8),
            (address("8.8.0.0"), 16),
            (address("10.0.0.0"), 8),
            (address("192.0.0.0"), 8),
            (address("0.0.0.0"), 0),
        ];
        AddressMap::new(&prefixes, options).unwrap()
    }

    #[test]
    fn permutations_hit_every_number_once() {
        for bound in [1, 2, 3, 100, 4096, 5000] {
            for seed in 0..3 {
                let permutation = Permutation::new(bound, seed);
                let images: HashSet<u64> = (0..bound).map(|number| permutation.apply(number)).collect();
                assert_eq!(images.len() as u64, bound);
            }
        }
    }

    #[test]
    fn routed_space_is_public_and_whole() {
        let map = map(AddressMapOptions::default());
        // 8/8, and 192/8 without 192.0.0/24, 192.0.2/24, 192.88.99/24 and 192.168/16.
        assert_eq!(map.routed_blocks(), 65_536 + 65_536 - 3 - 256);
        for step in 0..100_000_u32 {
            let image = map.map(step.wrapping_mul(0x9e37_79b9));
            assert!(ip::is_public_v4(image) && matches!(image >> 24, 8 | 192), "{image:#x}");
        }
    }

    #[test]
    fn a_narrow_source_stays_one_to_one_and_keeps_blocks_together() {
        let options = AddressMapOptions { seed: 7, source: (address("10.0.0.0"), 8), ..Default::default() };
        let map = map(options);
        assert!(map.is_one_to_one());
        let images: HashSet<u32> = (0..1 << 24).step_by(97).map(|n| map.map(options.source.0 | n)).collect();
        assert_eq!(images.len(), (1_usize << 24).div_ceil(97));
        let (a, b) = (address("10.1.2.3"), address("10.1.2.67"));
        assert_eq!((map.map(a) ^ map.map(b)).leading_zeros(), (a ^ b).leading_zeros());
        assert_eq!(map.map(address("11.0.0.1")), address("11.0.0.1"));
    }

    #[test]
    fn a_valid_checksum_stays_valid() {
        let mut packet = Packet { network: Network::Ipv4, ttl: 3, ip_bytes: 99, ..Packet::default() };
        packet.decoded = Decoded::Complete;
        packet.flow.src = address("10.0.0.1").into();
        packet.flow.dst = address("10.0.0.2").into();
        packet.ip_header = crate::frame::ipv4_header(&packet);
        map(AddressMapOptions::default()).apply(&mut packet);
        assert_eq!(ip::ones_complement_sum(&packet.ip_header), 0xffff);
        assert_eq!(&packet.ip_header[12..16], (packet.flow.src as u32).to_be_bytes());
        assert_ne!(packet.flow.src, address("10.0.0.1").into());
    }
}
