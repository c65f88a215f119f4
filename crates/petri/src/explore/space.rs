//! The interface between a search and its set of markings, for any form of rows.

use crate::PetriError;
use std::ops::Range;

/// Distinct markings, with numbers in the order of discovery, the first one of number 0.
///
/// A marking is expanded either alone, by [`expand`](Self::expand), or in a batch: several workers in parallel
/// record the successors of its markings, and [`take`](Self::take) adds them in the order of those markings.
/// Both return the same result.
pub(super) trait Space: Sync {
    /// The state of a worker, and its records in a batch.
    type Worker: Send;

    /// Returns the number of markings.
    fn count(&self) -> usize;

    /// Returns the number of markings at which the search stops.
    fn limit(&self) -> usize;

    /// Returns whether no marking was found beyond the limit.
    fn complete(&self) -> bool;

    /// Expands a marking and adds all its successors. Returns the number of places and transitions tested.
    fn expand(&mut self, number: usize) -> Result<usize, PetriError>;

    /// Returns a worker without findings.
    fn worker(&self) -> Self::Worker;

    /// Begins a batch: the worker discards the previous one.
    fn begin(&self, worker: &mut Self::Worker);

    /// Expands a marking and records its new successors. Returns the number of places and transitions tested;
    /// `None` if only [`expand`](Self::expand) can do it.
    fn look(&self, worker: &mut Self::Worker, number: usize) -> Option<usize>;

    /// Returns how many markings a worker recorded, and their words.
    fn noted(worker: &Self::Worker) -> (usize, usize);

    /// Adds the recorded markings of a worker that are still new.
    fn take(&mut self, worker: &Self::Worker, noted: Range<usize>);

    /// Adds the statistics of a worker in a batch, all of which was taken.
    fn tally(&mut self, worker: &Self::Worker);
}
