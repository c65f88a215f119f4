//! Markings found so far, whatever their rows are: what a search needs of them.

use crate::PetriError;
use std::ops::Range;

/// Markings that are all different, with numbers in the order in which they were found, the first one of number 0.
///
/// A marking is expanded either alone, by [`expand`](Self::expand), or in a batch: several workers at once note what each of
/// its markings leads to, and [`take`](Self::take) adds that in the order of those markings. It comes to the same.
pub(super) trait Space: Sync {
    /// Where a worker stands, and what it saw and noted in a batch.
    type Worker: Send;

    /// How many markings there are.
    fn count(&self) -> usize;

    /// Markings at which the search stops.
    fn limit(&self) -> usize;

    /// Whether nothing was found beyond the limit.
    fn complete(&self) -> bool;

    /// Looks at a marking and adds all that it leads to; how many places and transitions were looked at.
    fn expand(&mut self, number: usize) -> Result<usize, PetriError>;

    /// A worker, who has seen nothing yet.
    fn worker(&self) -> Self::Worker;

    /// A batch begins: the worker forgets the one before.
    fn begin(&self, worker: &mut Self::Worker);

    /// Looks at a marking and notes what it leads to and is new; how many places and transitions were looked at. Nothing
    /// where only [`expand`](Self::expand) can do it.
    fn look(&self, worker: &mut Self::Worker, number: usize) -> Option<usize>;

    /// How many markings a worker noted, and words of all of them.
    fn noted(worker: &Self::Worker) -> (usize, usize);

    /// Adds those of the markings that a worker noted which are still new.
    fn take(&mut self, worker: &Self::Worker, noted: Range<usize>);

    /// Adds what a worker saw in a batch, all of which was taken.
    fn tally(&mut self, worker: &Self::Worker);
}
