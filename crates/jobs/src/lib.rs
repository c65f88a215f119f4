//! Runs independent jobs on several threads.
#![forbid(unsafe_code)]

use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Time between two calls of `look`.
const PERIOD: Duration = Duration::from_millis(10);

/// Runs every job, with at most `threads` at a time (0: one per core). Results are in the order of the jobs, whatever
/// the number of threads.
///
/// On the calling thread, `look` is called periodically with the number of completed jobs, and may stop the rest.
/// There are then no results: jobs that have not begun are left out, and a flag tells the others to stop.
pub fn spread<J: Sync, O: Send>(
    jobs: &[J],
    threads: usize,
    look: &mut dyn FnMut(u64) -> ControlFlow<()>,
    work: impl Fn(&J, &AtomicBool) -> O + Sync,
) -> Option<Vec<O>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(jobs.len())).build();
    let pool = pool.expect("a system that starts threads");
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let one = |job: &J| {
        let result = (!stop.load(Ordering::Relaxed)).then(|| work(job, &stop));
        done.fetch_add(1, Ordering::Relaxed);
        result
    };
    let (finish, finished) = mpsc::channel::<Vec<Option<O>>>();
    let results = pool.in_place_scope(|scope| {
        // Jobs differ in run time, so each is a separate task. The closure owns the sender, so the panic of a job
        // drops it.
        let one = &one;
        scope.spawn(move |_| drop(finish.send(jobs.par_iter().with_max_len(1).map(one).collect())));
        loop {
            match finished.recv_timeout(PERIOD) {
                Ok(results) => return results,
                // A job panicked, so the scope panics, too.
                Err(RecvTimeoutError::Disconnected) => return Vec::new(),
                Err(RecvTimeoutError::Timeout) => {
                    if look(done.load(Ordering::Relaxed)).is_break() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    });
    let results: Option<Vec<O>> = results.into_iter().collect();
    results.filter(|_| !stop.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go_on(_: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn results_come_in_the_order_of_the_jobs_on_any_number_of_threads() {
        let jobs: Vec<u64> = (0..100).collect();
        let squares: Vec<u64> = jobs.iter().map(|job| job * job).collect();
        for threads in [0, 1, 2, 7, 1000] {
            assert_eq!(spread(&jobs, threads, &mut go_on, |job, _| job * job).as_ref(), Some(&squares));
        }
        assert_eq!(spread(&[0u64; 0], 3, &mut go_on, |job, _| *job), Some(vec![]));
    }

    #[test]
    fn who_looks_ends_what_runs_and_what_has_not_begun() {
        let mut looks = 0;
        let mut third = |_| {
            looks += 1;
            if looks == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let until_told = |_: &u32, stop: &AtomicBool| {
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        };
        assert_eq!(spread(&[0; 50], 2, &mut third, until_told), None);
        assert_eq!(looks, 3);
    }

    #[test]
    #[should_panic(expected = "job 3")]
    fn a_job_that_panics_is_not_lost() {
        spread(&[1, 2, 3, 4], 2, &mut go_on, |job, _| assert!(*job != 3, "job {job}"));
    }
}
