//! Inter-arrival times within queues (section 5.1 and Figure 10): the number of packets of other queues between
//! two of one queue.
//!
//! Below the *loss threshold*, the service of one packet, operations wait for each other. Below the *gain
//! threshold*, the number of cache entries, a fully associative cache always hits.

use crate::operation::Operation;
use schemars::JsonSchema;
use serde::Serialize;

/// Arrivals whose distance from the previous arrival in the same queue is in one range.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct GapRow {
    /// Lower end of the range of distances, in packets (inclusive).
    pub from_packets: u64,
    /// Upper end of the range of distances, in packets (exclusive).
    pub to_packets: u64,
    /// Number of arrivals in this range, divided by the number of arrivals that have a predecessor in their queue.
    pub share: f64,
}

/// Distribution of distances between arrivals in the same queue (Kumar and Crowley 2006, section 5.1, Figure 10).
///
/// The distance is the number of packets that arrive in other queues between two consecutive arrivals in the same
/// queue. The first arrival in a queue has no distance; all fractions are fractions of the other arrivals.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Gaps {
    /// Fraction of arrivals whose distance is 0; each of them waits for the previous operation on the queue.
    pub below_loss: f64,
    /// Fraction of arrivals whose distance is at least 1 and less than the number of cache entries. Their operations
    /// hit the cache without waiting.
    pub between: f64,
    /// Fraction of arrivals whose distance is at least the number of cache entries. Their operations are likely to
    /// miss the cache.
    pub above_gain: f64,
    /// The distribution of the distances, with one row per range of distances.
    pub rows: Vec<GapRow>,
}

/// Returns the gaps between arriving packets, for a cache with `entries` entries.
pub fn gaps(operations: &[Operation], queues: u32, entries: u32) -> Gaps {
    const NEVER: u64 = u64::MAX;
    let mut last_at = vec![NEVER; queues as usize];
    let (mut shares, mut near, mut between, mut all) = ([0u64; 64], 0u64, 0u64, 0u64);
    let arrivals = operations.iter().filter(|operation| !operation.is_dequeue());
    for (at, operation) in (0..).zip(arrivals) {
        let before = std::mem::replace(&mut last_at[operation.queue() as usize], at);
        if before == NEVER {
            continue;
        }
        let gap = at - before - 1;
        all += 1;
        near += u64::from(gap < 1);
        between += u64::from((1..u64::from(entries)).contains(&gap));
        shares[(64 - gap.leading_zeros()) as usize % 64] += 1;
    }
    let share = |count: u64| count as f64 / all.max(1) as f64;
    let last = shares.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    let row = |range: usize| GapRow {
        from_packets: if range == 0 { 0 } else { 1 << (range - 1) },
        to_packets: 1 << range,
        share: share(shares[range]),
    };
    Gaps {
        below_loss: share(near),
        between: share(between),
        above_gain: share(all - near - between),
        rows: (0..last).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Queues 5 5 6 5 7 8 6: gaps 0, 1 and 3; 7 and 8 have none.
        let mut operations: Vec<Operation> = [5, 5, 6, 5, 7, 8, 6].map(Operation::enqueue).to_vec();
        operations.insert(2, Operation::dequeue(5));
        let found = gaps(&operations, 9, 3);
        assert_eq!((found.below_loss, found.between, found.above_gain), (1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0));
        let rows: Vec<_> =
            found.rows.iter().map(|row| (row.from_packets, row.to_packets, row.share)).collect();
        assert_eq!(rows, [(0, 1, 1.0 / 3.0), (1, 2, 1.0 / 3.0), (2, 4, 1.0 / 3.0)]);
    }
}
