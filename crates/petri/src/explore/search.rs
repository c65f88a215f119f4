//! The search itself: it expands markings in the order of discovery, until there are no others.
//!
//! If many wait, several workers expand them in batches (`crew.rs`). A batch is taken whole or not at all. If a
//! place gets more bits, the limit is near, or tokens are too many, its markings are expanded one by one.

use super::crew::{Crew, PARTS_PER_LOOK, Progress};
use super::space::Space;
use crate::PetriError;
use std::num::NonZero;

/// Fewest and most markings of a batch, for each worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batches {
    pub least: usize,
    pub most: usize,
}

/// Enough to justify waking a worker, and few enough for their successors to stay in its cache.
pub(super) const BATCHES: Batches = Batches { least: 128, most: 4096 };

/// Finds all markings, or more than the limit, with `workers` workers (0: one per core).
///
/// # Errors
///
/// If tokens are too many for a number, and if `progress` ended it.
pub(super) fn search<S: Space>(
    space: &mut S,
    threads: usize,
    batches: Batches,
    progress: Progress<'_>,
) -> Result<(), PetriError> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        _ => threads,
    };
    let mut alone = Alone { number: 0, parts: 0 };
    if threads == 1 {
        return alone.expand(space, progress, |_, _| true);
    }
    let (least, most) = (batches.least * threads, batches.most * threads);
    let mut size = least;
    // Threads begin when there is work for them.
    let mut crew = None;
    while alone.number < space.count() && space.complete() {
        let batch = alone.number..space.count().min(alone.number + size);
        if batch.len() < least {
            alone.expand(space, progress, |number, count| count - number < least)?;
            continue;
        }
        let crew = crew.get_or_insert_with(|| Crew::new(space, threads));
        if crew.expand(space, batch.clone(), progress)? {
            alone.number = batch.end;
            size = if crew.may_grow() { (size * 2).min(most) } else { size };
        } else {
            alone.expand(space, progress, |number, _| number < batch.end)?;
            size = least;
        }
    }
    Ok(())
}

/// One worker: markings are expanded one by one.
struct Alone {
    /// The next marking.
    number: usize,
    /// Places and transitions since the last call of the progress function.
    parts: usize,
}

impl Alone {
    /// Expands markings while `more` returns true for the number of the next one and their count.
    fn expand<S: Space>(
        &mut self,
        space: &mut S,
        progress: Progress<'_>,
        more: impl Fn(usize, usize) -> bool,
    ) -> Result<(), PetriError> {
        while self.number < space.count() && more(self.number, space.count()) {
            self.parts += space.expand(self.number)?;
            self.number += 1;
            if self.parts >= PARTS_PER_LOOK {
                self.parts = 0;
                if progress(space.count() as u64).is_break() {
                    return Err(PetriError::Interrupted);
                }
            }
            if !space.complete() {
                // Markings that were not expanded have no edges yet.
                break;
            }
        }
        Ok(())
    }
}
