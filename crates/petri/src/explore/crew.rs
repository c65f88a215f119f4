//! Workers that expand a batch of markings in parallel.
//!
//! Each takes parts of the batch in order. It looks the successors of its markings up in the set of known
//! markings, which does not change meanwhile, and records successors that are new to the set and to itself. Then the
//! records are added in the order of the parts. If two workers found the same marking, the one whose part comes
//! first determines its number, as a single worker would.

use super::space::Space;
use crate::PetriError;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Places and transitions tested between two calls of the progress function: a wide net finds few markings
/// meanwhile.
pub(super) const PARTS_PER_LOOK: usize = 1 << 22;
/// Called periodically with the number of markings.
pub(super) type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Parts of a batch per worker: a slow worker leaves some to the others.
const PIECES_EACH: usize = 4;
/// Most words, of 8 bytes each, that a worker records in a batch; it fails if markings are wide and have many
/// successors.
const MOST_WORDS: usize = 1 << 22;

/// A worker, and its parts of the batch: their numbers and the records of each.
struct Member<W> {
    worker: W,
    pieces: Vec<(usize, Range<usize>)>,
}

/// Workers with a thread each; the first one uses the thread of the search.
pub(super) struct Crew<S: Space> {
    pool: rayon::ThreadPool,
    members: Vec<Member<S::Worker>>,
    /// Places and transitions that the first worker tested since its last call of the progress function.
    parts: usize,
}

impl<S: Space> Crew<S> {
    /// At least two workers.
    pub fn new(space: &S, workers: usize) -> Self {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(workers - 1).build();
        Self {
            pool: pool.expect("a system that starts threads"),
            members: (0..workers).map(|_| Member { worker: space.worker(), pieces: Vec::new() }).collect(),
            parts: 0,
        }
    }

    /// Returns whether a batch of twice as many markings as the last one can be recorded.
    pub fn may_grow(&self) -> bool {
        self.members.iter().all(|member| S::noted(&member.worker).1 < MOST_WORDS / 4)
    }

    /// Expands all markings of a batch, or none of them. Returns whether it did; if not, they must be expanded one by
    /// one.
    ///
    /// # Errors
    /// When `progress` ended it.
    pub fn expand(
        &mut self,
        space: &mut S,
        batch: Range<usize>,
        progress: Progress<'_>,
    ) -> Result<bool, PetriError> {
        let Self { pool, members, parts } = self;
        let size = batch.len().div_ceil(members.len() * PIECES_EACH);
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let known = &*space;
        let work = |member: &mut Member<S::Worker>, look: &mut dyn FnMut(usize) -> ControlFlow<()>| {
            let Member { worker, pieces } = member;
            known.begin(worker);
            pieces.clear();
            while !stop.load(Ordering::Relaxed) {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                let markings = batch.start + piece * size..batch.end.min(batch.start + (piece + 1) * size);
                if markings.is_empty() {
                    break;
                }
                let before = S::noted(worker).0;
                for number in markings {
                    let looked = known.look(worker, number).filter(|_| S::noted(worker).1 <= MOST_WORDS);
                    if looked.is_none_or(|parts| look(parts).is_break()) {
                        stop.store(true, Ordering::Relaxed);
                        return;
                    }
                }
                pieces.push((piece, before..S::noted(worker).0));
            }
        };
        let mut interrupted = false;
        let (first, others) = members.split_first_mut().expect("at least one worker");
        pool.in_place_scope(|scope| {
            for member in others {
                scope.spawn(|_| {
                    work(member, &mut |_| match stop.load(Ordering::Relaxed) {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    })
                });
            }
            work(first, &mut |looked| {
                *parts += looked;
                if *parts < PARTS_PER_LOOK {
                    return ControlFlow::Continue(());
                }
                *parts = 0;
                let told = progress(known.count() as u64);
                interrupted = told.is_break();
                told
            });
        });
        if interrupted {
            return Err(PetriError::Interrupted);
        }
        let noted: usize = self.members.iter().map(|member| S::noted(&member.worker).0).sum();
        if stop.into_inner() || space.count() + noted > space.limit() {
            return Ok(false);
        }
        let pieces = self.members.iter().flat_map(|Member { worker, pieces }| {
            pieces.iter().map(move |(piece, noted)| (*piece, worker, noted.clone()))
        });
        let mut pieces: Vec<_> = pieces.collect();
        pieces.sort_unstable_by_key(|&(piece, ..)| piece);
        pieces.into_iter().for_each(|(_, worker, noted)| space.take(worker, noted));
        self.members.iter().for_each(|member| space.tally(&member.worker));
        Ok(true)
    }
}
