//! A run from request to report.

use crate::report::RunReport;
use crate::request::{Progress, RunRequest};
use crate::simulate::{Verdict, simulate};
use linecard_files::{Error, problem};
use std::ops::ControlFlow;

/// Runs `request`. `progress` is called from time to time with the progress, and may stop the run.
///
/// Files that could not be written are in `unwritten` of the report, and among its warnings.
///
/// # Errors
/// All configuration problems at once; a capture that cannot be used; a run that ends without a result.
pub fn run(
    request: &RunRequest,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<RunReport, Error> {
    check_numbers(request)?;
    simulate(request, Verdict::Found, progress)
}

/// As [`run`], without the re-runs that find the bottleneck: for many runs of which only the numbers count.
///
/// # Errors
/// As for [`run`].
pub fn run_without_verdict(
    request: &RunRequest,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<RunReport, Error> {
    check_numbers(request)?;
    simulate(request, Verdict::LeftOut, progress)
}

/// Refuses numbers that no run can reach and that would overflow counters.
fn check_numbers(request: &RunRequest) -> Result<(), Error> {
    const MOST_PACKETS: u64 = 1_000_000_000_000_000;
    let mut problems = Vec::new();
    for (option, packets) in
        [("--packets", request.packets), ("--warmup", request.warmup_packets.unwrap_or(0))]
    {
        if packets > MOST_PACKETS {
            let message = format!("found {packets}, expected at most {MOST_PACKETS}");
            problems.push(problem(option.into(), "", message));
        }
    }
    const MOST_US: f64 = 1e12;
    let window =
        [("--timeline-from", Some(request.timeline_from_us)), ("--timeline-for", request.timeline_for_us)];
    for (option, microseconds) in window {
        if let Some(found) = microseconds.filter(|us| !(0.0..=MOST_US).contains(us)) {
            let message = format!("found {found}, expected 0 to {MOST_US} microseconds");
            problems.push(problem(option.into(), "", message));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Config { problems }) }
}
