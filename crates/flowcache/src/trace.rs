//! A trace of digests, with the previous and next packet of the same digest, and the number of other digests in
//! between.
//!
//! These are computed once, on first use, and shared by every configuration over the trace: miss classes,
//! oracles and the exact LRU results of all sizes use them.

use crate::FlowCacheError;
use crate::last_seen::LastSeen;
pub use crate::last_seen::NEVER;
use crate::marks::Marks;
use std::sync::{Arc, OnceLock};

/// Most packets of one trace, so that positions and [`NEVER`] fit 32 bits.
pub const MOST_PACKETS: u32 = u32::MAX - 1;

/// Digests in order of arrival, one per packet.
#[derive(Debug)]
pub struct Trace<'a> {
    digests: &'a [u32],
    previous: OnceLock<Vec<u32>>,
    next: OnceLock<Arc<[u32]>>,
    distances: OnceLock<Vec<u32>>,
}

impl<'a> Trace<'a> {
    /// Returns a trace over `digests`, which it borrows.
    ///
    /// # Errors
    ///
    /// If there is no packet, or more than [`MOST_PACKETS`].
    pub fn new(digests: &'a [u32]) -> Result<Self, FlowCacheError> {
        match digests.len() {
            0 => Err(FlowCacheError::EmptyTrace),
            packets if packets > MOST_PACKETS as usize => {
                Err(FlowCacheError::TooLong { packets, most: MOST_PACKETS })
            }
            _ => Ok(Self {
                digests,
                previous: OnceLock::new(),
                next: OnceLock::new(),
                distances: OnceLock::new(),
            }),
        }
    }

    /// Returns the digests.
    #[must_use]
    pub const fn digests(&self) -> &'a [u32] {
        self.digests
    }

    /// Returns for each packet the position of the previous one with its digest, or [`NEVER`].
    pub fn previous(&self) -> &[u32] {
        self.previous.get_or_init(|| {
            let mut seen = LastSeen::default();
            (0..).zip(self.digests).map(|(at, &digest)| seen.replace(digest, at)).collect()
        })
    }

    /// Returns for each packet the position of the next one with its digest, or [`NEVER`].
    pub fn next(&self) -> &Arc<[u32]> {
        self.next.get_or_init(|| {
            let mut next = vec![NEVER; self.digests.len()];
            for (at, &previous) in (0..).zip(self.previous()) {
                if previous != NEVER {
                    next[previous as usize] = at;
                }
            }
            next.into()
        })
    }

    /// Returns for each packet the number of other digests since the last packet with its digest, or [`NEVER`]:
    /// a fully associative LRU cache hits if this is below its entries (Mattson et al., 1970).
    pub fn distances(&self) -> &[u32] {
        self.distances.get_or_init(|| {
            let mut marks = Marks::new(self.digests.len());
            (0..).zip(self.previous()).map(|(at, &previous)| marks.step(at, previous)).collect()
        })
    }
}

/// Returns the digests of a raw file: one little-endian u32 per packet, no header.
///
/// # Errors
///
/// If the length is no multiple of 4.
pub fn digests_from_bytes(bytes: &[u8]) -> Result<Vec<u32>, FlowCacheError> {
    let (digests, rest) = bytes.as_chunks::<4>();
    if rest.is_empty() {
        return Ok(digests.iter().map(|&digest| u32::from_le_bytes(digest)).collect());
    }
    Err(FlowCacheError::OddLength { bytes: bytes.len(), rest: rest.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        let trace = Trace::new(&[7, 8, 7, 7, 9, 8, 7]).unwrap();
        assert_eq!(trace.previous(), [NEVER, NEVER, 0, 2, NEVER, 1, 3]);
        assert_eq!(trace.next()[..], [2, 5, 3, 6, NEVER, NEVER, NEVER]);
        assert_eq!(trace.distances(), [NEVER, NEVER, 1, 0, NEVER, 2, 2]);
    }

    #[test]
    fn unusable_traces_are_refused() {
        assert_eq!(Trace::new(&[]).unwrap_err(), FlowCacheError::EmptyTrace);
        let error = digests_from_bytes(&[1, 0, 0, 0, 2]).unwrap_err().to_string();
        assert!(error.contains("found 5 bytes") && error.contains("last 1 bytes"), "{error}");
        assert_eq!(digests_from_bytes(&[1, 2, 0, 0]), Ok(vec![0x201]));
    }

    proptest! {
        /// The distance by definition: distinct digests in between. Long runs cross words, blocks and superblocks.
        #[test]
        fn distances_count_distinct_digests(
            digests in proptest::collection::vec(0u32..40, 1..400),
            repeat in 1usize..40,
        ) {
            let digests: Vec<u32> = digests.iter().cycle().take(digests.len() * repeat).copied().collect();
            let trace = Trace::new(&digests).unwrap();
            for at in (0..digests.len()).rev().take(300) {
                let expected = match trace.previous()[at] {
                    NEVER => NEVER,
                    previous => {
                        let between = &digests[previous as usize + 1..at];
                        between.iter().collect::<std::collections::BTreeSet<_>>().len() as u32
                    }
                };
                prop_assert_eq!(trace.distances()[at], expected);
            }
        }
    }
}
