//! `linecard.petri`: nets from files or text.

use crate::errors;
use crate::plain;
use crate::ticker::PERIOD;
use linecard_platform::{
    Accuracy, Error, NetSource, SimulateRequest, TraceRequest, explore_net, net_to_pnml, simulate_net,
    solve_net, trace_net, view_net,
};
use pyo3::prelude::*;
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Adds these functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(petri_explore, module)?)?;
    module.add_function(wrap_pyfunction!(petri_solve, module)?)?;
    module.add_function(wrap_pyfunction!(petri_simulate, module)?)?;
    module.add_function(wrap_pyfunction!(petri_parts, module)?)?;
    module.add_function(wrap_pyfunction!(petri_firings, module)?)?;
    module.add_function(wrap_pyfunction!(petri_pnml, module)?)?;
    Ok(())
}

/// Explores a net; see `linecard.petri.explore`.
#[pyfunction]
#[pyo3(signature = (path, text, set, *, most_markings, invariants, threads, progress))]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn petri_explore<'py>(
    py: Python<'py>,
    path: String,
    text: Option<String>,
    set: Vec<String>,
    most_markings: u64,
    invariants: bool,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let source = NetSource { path, text, set };
    watched(py, progress, |tick| {
        explore_net(&source, most_markings, invariants, threads, &mut |markings| {
            stop_if(tick(markings, most_markings))
        })
    })
}

/// Solves a net; see `linecard.petri.solve`.
#[pyfunction]
#[pyo3(signature = (path, text, set, *, most_markings, progress))]
fn petri_solve<'py>(
    py: Python<'py>,
    path: String,
    text: Option<String>,
    set: Vec<String>,
    most_markings: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let source = NetSource { path, text, set };
    watched(py, progress, |tick| {
        solve_net(&source, most_markings, &mut |markings| stop_if(tick(markings, most_markings)))
    })
}

/// Simulates a net; see `linecard.petri.simulate`.
#[pyfunction]
#[pyo3(signature = (path, text, set, *, warmup, time, replications, accuracy, of, most_replications, seed, threads, progress))]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn petri_simulate<'py>(
    py: Python<'py>,
    path: String,
    text: Option<String>,
    set: Vec<String>,
    warmup: f64,
    time: f64,
    replications: u32,
    accuracy: Option<f64>,
    of: Vec<String>,
    most_replications: u32,
    seed: u64,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let accuracy = accuracy.map(|relative| Accuracy { relative, most_replications });
    let net = NetSource { path, text, set };
    let request = SimulateRequest { net, warmup, time, replications, accuracy, of, seed, threads };
    watched(py, progress, |tick| simulate_net(&request, tick))
}

/// The parts of a net; see `linecard.petri.parts`.
#[pyfunction]
#[pyo3(signature = (path, text, set))]
fn petri_parts<'py>(
    py: Python<'py>,
    path: String,
    text: Option<String>,
    set: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let source = NetSource { path, text, set };
    watched(py, None, |tick| view_net(&source, tick))
}

/// Firings of a run; see `linecard.petri.firings`.
#[pyfunction]
#[pyo3(signature = (path, text, set, *, seed, first, most, time))]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn petri_firings<'py>(
    py: Python<'py>,
    path: String,
    text: Option<String>,
    set: Vec<String>,
    seed: u64,
    first: u64,
    most: usize,
    time: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let source = NetSource { path, text, set };
    let request = TraceRequest { seed, first, most, time };
    watched(py, None, |tick| trace_net(&source, &request, tick))
}

/// A net as PNML; see `linecard.petri.pnml`.
#[pyfunction]
#[pyo3(signature = (path, text, set, *, unfold))]
fn petri_pnml<'py>(
    py: Python<'py>,
    path: String,
    text: Option<String>,
    set: Vec<String>,
    unfold: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let source = NetSource { path, text, set };
    watched(py, None, |tick| net_to_pnml(&source, unfold, tick))
}

fn stop_if(stop: bool) -> ControlFlow<()> {
    if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Runs work on a thread of its own while Python is told how far it is and may interrupt it.
fn watched<'py, T: Serialize + Send>(
    py: Python<'py>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&(dyn Fn(u64, u64) -> bool + Sync)) -> Result<T, Error> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let stop = AtomicBool::new(false);
    let (done, total) = (AtomicU64::new(0), AtomicU64::new(0));
    let tick = |now: u64, all: u64| {
        done.store(now, Ordering::Relaxed);
        total.store(all, Ordering::Relaxed);
        stop.load(Ordering::Relaxed)
    };
    let report = std::thread::scope(|scope| {
        let work = scope.spawn(|| work(&tick));
        while !work.is_finished() {
            py.detach(|| std::thread::park_timeout(PERIOD / 10));
            let told = progress.as_ref().map_or(Ok(()), |callback| {
                callback.call1(py, (done.load(Ordering::Relaxed), total.load(Ordering::Relaxed))).map(drop)
            });
            if let Err(interrupted) = py.check_signals().and(told) {
                stop.store(true, Ordering::Relaxed);
                return Err(interrupted);
            }
        }
        match work.join() {
            Ok(report) => report.map_err(errors::platform),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })?;
    plain::to_python(py, &report)
}
