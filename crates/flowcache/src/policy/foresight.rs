//! Queries of the future of the trace.

use super::build::Future;
use crate::trace::NEVER;

/// Answers queries of the future.
#[derive(Clone)]
pub(super) struct Foresight(Future);

impl Foresight {
    pub fn new(future: Future) -> Self {
        Self(future)
    }

    /// Returns the next packet with the digest of the one at `at`, or [`NEVER`].
    #[inline]
    pub fn next(&self, at: u32) -> u32 {
        self.0.next[at as usize]
    }

    /// Returns whether at least `needed` packets with the digest of the one at `at` follow within the window.
    #[inline]
    pub fn follow_soon(&self, at: u32, needed: u32) -> bool {
        let mut position = at;
        for _ in 0..needed {
            position = self.next(position);
            if position == NEVER || position - at > self.0.window {
                return false;
            }
        }
        true
    }
}
