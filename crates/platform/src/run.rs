//! A run from request to report.

use crate::build::Configuration;
use crate::error::Error;
use crate::preset::problem;
use crate::report::RunReport;
use crate::request::{Progress, RunRequest};
use crate::summary::{Described, report};
use crate::timeline::Timeline;
use crate::traffic::{Traffic, TrafficNotes};
use crate::whole_file::WholeFile;
use linecard_dram::packet_buffer::Silent;
use linecard_np::{Machine, Outcome, RunLimit, Watch};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// Run what `request` asks for. `progress` is told from time to time how far it is and may stop it.
///
/// A timeline that cannot be written in the end leaves a warning that begins with "the timeline is missing".
///
/// # Errors
/// All configuration problems at once; a capture that cannot be used; a run that ends without a result.
pub fn run(
    request: &RunRequest,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<RunReport, Error> {
    check_numbers(request)?;
    if crate::chip::is_chip(&request.preset) {
        return crate::chip::run(request, progress);
    }
    if request.timeline_from_us > 0.0 || request.timeline_for_us.is_some() {
        let message =
            "a window of the timeline is chosen on chips; of this machine it shows the first events";
        return Err(Error::Config {
            problems: vec![problem("--timeline-from".into(), "", message.to_owned())],
        });
    }
    let configuration = Configuration::load(&request.preset, &request.overrides, request.app.as_deref())?;
    match &request.timeline {
        None => Ok(run_watched(request, &configuration, Silent, progress)?.0),
        Some(path) => {
            let file = WholeFile::create(path)?;
            let (mut report, timeline) = run_watched(request, &configuration, Timeline::default(), progress)?;
            // The run was long, and its result is sound: it is not lost for the sake of a file.
            match timeline.write(file) {
                Ok(note) => report.warnings.extend(note),
                Err(error) => report.warnings.push(format!("the timeline is missing: {error}")),
            }
            Ok(report)
        }
    }
}

/// Numbers that no run comes to, and with which counters would go round.
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

fn run_watched<W: Watch + Clone>(
    request: &RunRequest,
    configuration: &Configuration,
    watch: W,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(RunReport, W), Error> {
    let again = watch.clone();
    let config = configuration.machine(request.seed)?;
    let application = configuration.application(request.seed)?;
    let mut traffic = Traffic::new(request, configuration)?;
    let notes = traffic.notes();
    if request.packets == 0 && request.trace.is_none() {
        let message =
            "packets = 0 runs a capture to its end, and no capture is given: give --trace or --packets";
        return Err(Error::Run(message.to_owned()));
    }
    let source = Box::new(move || traffic.next());
    let mut machine = Machine::new(&config, &*application, source, watch)
        .map_err(|message| Error::Config { problems: vec![problem("preset".into(), "", message)] })?;
    notes.borrow_mut().ticks_per_second(machine.timebase().ticks_per_second());
    let counted = Rc::clone(&application);
    machine.on_measuring(Box::new(move || counted.restart_counters()));
    let packets = if request.packets == 0 { u64::MAX / 2 } else { request.packets };
    let limit = RunLimit { warmup_packets: request.warmup(), packets };
    let outcome = machine.run(limit, &mut |gone| {
        let (read, size) = notes.borrow().file_bytes;
        progress(match request.packets {
            0 => Progress { done: read, total: size },
            packets => Progress { done: gone, total: request.warmup() + packets },
        })
    });
    judge(&outcome, &notes.borrow(), request)?;
    // A capture no longer than the warm-up leaves nothing to measure: run it again without one, and say so.
    let seen = notes.borrow().packets;
    if outcome == Outcome::TrafficEnded && (1..=request.warmup()).contains(&seen) {
        let whole = RunRequest { warmup_packets: Some(0), ..request.clone() };
        let (mut report, watch) = run_watched(&whole, configuration, again, progress)?;
        report.warnings.push(format!(
            "the capture holds {seen} packets, no more than the warm-up of {}: statistics cover the whole run",
            request.warmup()
        ));
        return Ok((report, watch));
    }
    let described = Described { request, configuration, config: &config, application: &*application };
    let report = report(&mut machine, &described, &outcome, &notes);
    // A run in which nothing fitted is no result.
    let too_large = report.drops.iter().filter(|d| d.reason == "too_large").map(|d| d.packets).sum::<u64>();
    if report.summary.packets_out == 0 && too_large > 0 && too_large == report.summary.packets_dropped {
        let reason = report.warnings.join("; ");
        return Err(Error::Run(format!(
            "none of the {too_large} packets fits a buffer of this machine: {reason}"
        )));
    }
    Ok((report, machine.into_observer()))
}

/// Whether the traffic was any.
pub(crate) fn judge_traffic(ended: bool, notes: &TrafficNotes, request: &RunRequest) -> Result<(), Error> {
    if let (Some(late), true) = (&notes.too_late, ended) {
        let name = request.trace.as_deref().unwrap_or("the generator");
        return Err(Error::Traffic(format!("{name}: {late}")));
    }
    if let (Some(error), true) = (&notes.error, request.strict || notes.packets == 0) {
        return Err(Error::Traffic(error.clone()));
    }
    if ended && notes.packets == 0 {
        let name = request.trace.as_deref().unwrap_or("the generator");
        return Err(Error::Traffic(format!("{name}: no packet in this capture; a run needs at least one")));
    }
    Ok(())
}

/// Whether the outcome is a result.
pub(crate) fn judge(outcome: &Outcome, notes: &TrafficNotes, request: &RunRequest) -> Result<(), Error> {
    judge_traffic(*outcome == Outcome::TrafficEnded, notes, request)?;
    match outcome {
        Outcome::Completed | Outcome::TrafficEnded => Ok(()),
        Outcome::Interrupted => Err(Error::Interrupted),
        Outcome::Deadlock { packets_inside, waiting } => {
            let parts: Vec<String> = waiting.iter().map(|(what, n)| format!("{n} threads: {what}")).collect();
            Err(Error::Run(format!(
                "the machine stands still with {packets_inside} packets inside, and nothing will happen again \
                 ({}). Buffer space or queue room is too small for the packets in transit: raise \
                 dram.capacity_mib, wide.cache_cells or output.queue_packets",
                parts.join("; ")
            )))
        }
    }
}

pub(crate) type Notes = Rc<RefCell<TrafficNotes>>;
