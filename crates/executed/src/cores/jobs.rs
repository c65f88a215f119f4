//! Parallel simulations, and the measured window of each.

use linecard_files::{Error, problem};
use linecard_jobs::spread;
use linecard_malleable::{MalleableError, Window, Work};
use std::ops::ControlFlow;

/// The fewest packets of a window, so that every thread has several.
const FEWEST_PACKETS: u64 = 320;

pub(super) fn failed(error: MalleableError) -> Error {
    match error {
        error @ (MalleableError::Value(_) | MalleableError::Area { .. }) => {
            Error::Config { problems: vec![problem("core".to_owned(), "", error.to_string())] }
        }
        other => Error::Run(other.to_string()),
    }
}

/// Returns a window with about this number of events.
pub(super) fn window(work: &Work, events: u64) -> Window {
    let per_packet = (work.events.len() as u64 / work.packets.len() as u64).max(1);
    let packets = (events / per_packet).max(FEWEST_PACKETS);
    Window { warmup_packets: packets / 2, packets }
}

/// Runs every job on a number of threads; results are in the order of the jobs.
pub(super) fn each<J: Sync, O: Send>(
    jobs: &[J],
    workers: usize,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    work: impl Fn(&J) -> Result<O, MalleableError> + Sync,
) -> Result<Vec<O>, Error> {
    let look = &mut |done| progress(done, jobs.len() as u64);
    let results = spread(jobs, workers.max(1), look, |job, _| work(job)).ok_or(Error::Interrupted)?;
    results.into_iter().map(|result| result.map_err(failed)).collect()
}
