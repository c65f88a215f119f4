//! Counts distinct digests between two packets of one flow, in one pass.

use crate::trace::{NEVER, Trace};
use schemars::JsonSchema;
use serde::Serialize;

/// Packets whose reuse distance is between `distance_from` and `distance_to`, inclusive.
///
/// `cumulative_percent` is the hit rate of a fully associative LRU cache with `distance_to` + 1 entries.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ReuseRow {
    /// Lower bound of the reuse distances in the bin.
    pub distance_from: u32,
    /// Upper bound of the reuse distances in the bin.
    pub distance_to: u32,
    /// Number of packets with a reuse distance in the bin.
    pub packets: u64,
    /// Packets with a reuse distance of at most `distance_to`, in percent of all packets.
    pub cumulative_percent: f64,
}

/// Returns reuse distances in steps of powers of two: 0, 1, 2 to 3, 4 to 7, … up to the largest that occurs.
#[must_use]
pub fn reuse_rows(trace: &Trace) -> Vec<ReuseRow> {
    let mut bins = Vec::new();
    for &distance in trace.distances() {
        if distance != NEVER {
            let bin = (u32::BITS - distance.leading_zeros()) as usize;
            bins.resize(bins.len().max(bin + 1), 0);
            bins[bin] += 1;
        }
    }
    let mut so_far = 0;
    let row = |(bin, &packets): (usize, &u64)| {
        so_far += packets;
        ReuseRow {
            distance_from: if bin == 0 { 0 } else { 1 << (bin - 1) },
            distance_to: ((1u64 << bin) - 1) as u32,
            packets,
            cumulative_percent: 100.0 * so_far as f64 / trace.digests().len() as f64,
        }
    };
    bins.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reuse_by_hand() {
        // Distances: first, first, 1, 0, first, 2, 2.
        let rows = reuse_rows(&Trace::new(&[7, 8, 7, 7, 9, 8, 7]).unwrap());
        let seen: Vec<_> = rows.iter().map(|row| (row.distance_from, row.distance_to, row.packets)).collect();
        assert_eq!(seen, [(0, 0, 1), (1, 1, 1), (2, 3, 2)]);
        assert_eq!(rows[2].cumulative_percent, 400.0 / 7.0);
        assert_eq!(reuse_rows(&Trace::new(&[1, 2]).unwrap()), []);
    }
}
