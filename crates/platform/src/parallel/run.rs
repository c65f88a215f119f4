//! A run of a machine of parallel threads, from request to report.

use super::report::{Ran, report};
use crate::build::Configuration;
use crate::error::Error;
use crate::preset::problem;
use crate::report::RunReport;
use crate::request::{Progress, RunRequest};
use crate::run::judge;
use crate::traffic::Traffic;
use linecard_np::parallel::ParallelMachine;
use linecard_np::{Outcome, RunLimit};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Run what `request` asks for.
///
/// # Errors
/// As [`crate::run()`].
pub(crate) fn run(
    request: &RunRequest,
    configuration: &Configuration,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<RunReport, Error> {
    if request.timeline.is_some() {
        return Err(Error::Run(
            "a machine of parallel threads writes no timeline: leave --timeline out".to_owned(),
        ));
    }
    if request.packets == 0 && request.trace.is_none() {
        let message =
            "packets = 0 runs a capture to its end, and no capture is given: give --trace or --packets";
        return Err(Error::Run(message.to_owned()));
    }
    let config = configuration.parallel_machine(request.seed)?;
    let application = configuration.parallel_application(request.seed)?;
    let mut traffic = Traffic::new(request, configuration)?;
    let notes = traffic.notes();
    let wire_gbps = configuration.number("receive.wire_gbps");
    let mut wire_free_ns = 0.0;
    let source = Box::new(move || {
        let mut arrival = traffic.next()?;
        if wire_gbps > 0.0 {
            // A packet is there when its last bit is.
            let begins = (arrival.at_ns as f64).max(wire_free_ns);
            wire_free_ns = begins + f64::from(arrival.head.bytes) * 8.0 / wire_gbps;
            arrival.at_ns = wire_free_ns.round() as u64;
        }
        Some(arrival)
    });
    let mut machine = ParallelMachine::new(&config, &*application, source)
        .map_err(|message| Error::Config { problems: vec![problem("preset".into(), "", message)] })?;
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
        let mut report = run(&whole, configuration, progress)?;
        report.warnings.push(format!(
            "the capture holds {seen} packets, no more than the warm-up of {}: statistics cover the whole run",
            request.warmup()
        ));
        return Ok(report);
    }
    let ran = Ran { request, configuration, config: &config, application: &*application, outcome: &outcome };
    Ok(report(&mut machine, &ran, &notes))
}
