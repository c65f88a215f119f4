//! The size distribution, in the usual bins for packet processors.

use schemars::JsonSchema;
use serde::Serialize;

/// Packets whose size on the wire is from `from_bytes` to `to_bytes`, inclusive.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct SizeBin {
    /// Smallest packet size of the bin, in bytes on the wire.
    pub from_bytes: u32,
    /// Largest packet size of the bin, in bytes on the wire.
    pub to_bytes: u32,
    /// Number of packets in the bin.
    pub packets: u64,
}

/// The bins: those of RMON (RFC 2819), one for jumbo frames and one for sizes that only offloading produces.
pub const SIZE_BINS: [(u32, u32); 8] =
    [(0, 64), (65, 127), (128, 255), (256, 511), (512, 1023), (1024, 1518), (1519, 9216), (9217, u32::MAX)];

/// Packets by size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SizeHistogram {
    counts: [u64; SIZE_BINS.len()],
}

impl SizeHistogram {
    /// Counts one packet.
    #[inline]
    pub fn add(&mut self, bytes: u32) {
        let bin = SIZE_BINS.partition_point(|&(_, to_bytes)| to_bytes < bytes);
        self.counts[bin] += 1;
    }

    /// Returns the packets of at most 64 bytes.
    #[must_use]
    pub fn at_most_64(&self) -> u64 {
        self.counts[0]
    }

    /// Returns every bin, also the empty ones.
    #[must_use]
    pub fn bins(&self) -> Vec<SizeBin> {
        let bins = SIZE_BINS.iter().zip(self.counts);
        bins.map(|(&(from_bytes, to_bytes), packets)| SizeBin { from_bytes, to_bytes, packets }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_closed_at_both_ends_and_leave_no_gap() {
        assert!(SIZE_BINS.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
        let mut histogram = SizeHistogram::default();
        for bytes in [0, 64, 65, 1518, 1519, u32::MAX] {
            histogram.add(bytes);
        }
        assert_eq!(histogram.counts, [2, 1, 0, 0, 0, 1, 1, 1]);
    }
}
