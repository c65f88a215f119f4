//! The cost of terminating a thread of a malleable core.

use super::deployments::Deployment;
use super::jobs::{each, failed, window};
use super::presets::{Memory, Presets};
use super::search::search;
use linecard_files::Error;
use linecard_malleable::{
    Arrivals, Core, MalleableError, Mrc, Prediction, Termination, Work, run, terminate,
};
use linecard_words::Mismatch;
use std::ops::ControlFlow;

/// Packets until lines are pinned again, which are the packets of a trial.
const SETTLED_PACKETS: u64 = 7_500;
/// The number of terminations, which averages over the packets that follow.
const TERMINATIONS: u32 = 16;

/// Returns the cost of terminating one of `threads` of a malleable core for the next packets, for each number in
/// `packets`, under one deployment; 0 threads selects the best number.
///
/// # Errors
/// As [`core_report`].
pub fn termination_study(
    work: &Work,
    deployment: Deployment,
    threads: u32,
    packets: &[u64],
    events: u64,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Termination, Error> {
    if packets.is_empty() || !packets.is_sorted_by(|one, next| one < next) || packets[0] == 0 {
        let found = format!("{packets:?}");
        let expected = "one or more numbers of at least 1, in ascending order";
        return Err(failed(MalleableError::Value(Mismatch::new("packets", found, expected))));
    }
    let presets = Presets::read()?;
    let memory =
        Memory { latency_cycles: deployment.latency_cycles, refs_per_cycle: deployment.refs_per_cycle };
    let window = window(work, events);
    let area = presets.malleable.area;
    if threads > area {
        return Err(failed(MalleableError::Area { threads, area }));
    }
    let one = |(): &()| {
        let threads = match threads {
            0 => {
                search(area, &|threads| {
                    let config = presets.malleable(threads, area, memory);
                    let registers = Mrc::new(Prediction::ResumePc);
                    Ok(run(work, config, Arrivals::BackToBack, registers, window)?.packets_per_mcycle(work))
                })?
                .threads
            }
            threads => threads,
        };
        // A single thread cannot be terminated: at least two threads run, and one of them ends.
        let config = presets.malleable(threads.max(2), area, memory);
        let mut core = Core::new(work, config, Arrivals::BackToBack, Mrc::new(Prediction::ResumePc))?;
        terminate(&mut core, packets, SETTLED_PACKETS, TERMINATIONS)
    };
    Ok(each(&[()], 1, progress, one)?.remove(0))
}
