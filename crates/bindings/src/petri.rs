//! `linecard.petri`: nets from files or text.

use crate::errors;
use crate::plain;
use crate::watched::Ticker;
use linecard_platform::{
    Accuracy, Error, NetSource, SimulateRequest, TraceRequest, explore_net, net_to_pnml, simulate_net,
    solve_net, trace_net, view_net,
};
use pyo3::prelude::*;
use serde::Serialize;
use std::ops::ControlFlow;

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
    watched(py, progress, move |tick| {
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
    watched(py, progress, move |tick| {
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
    watched(py, progress, move |tick| simulate_net(&request, tick))
}

/// Returns the parts of a net; see `linecard.petri.parts`.
#[pyfunction]
#[pyo3(signature = (path, text, set))]
fn petri_parts<'py>(
    py: Python<'py>,
    path: String,
    text: Option<String>,
    set: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let source = NetSource { path, text, set };
    watched(py, None, move |tick| view_net(&source, tick))
}

/// Returns the firings of a run; see `linecard.petri.firings`.
#[pyfunction]
#[pyo3(signature = (path, text, set, *, seed, first, most, time) -> "list[dict[str, Any]]")]
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
    watched(py, None, move |tick| trace_net(&source, &request, tick))
}

/// Converts a net to PNML; see `linecard.petri.pnml`.
#[pyfunction]
#[pyo3(signature = (path, text, set, *, unfold) -> "str")]
fn petri_pnml<'py>(
    py: Python<'py>,
    path: String,
    text: Option<String>,
    set: Vec<String>,
    unfold: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let source = NetSource { path, text, set };
    watched(py, None, move |tick| net_to_pnml(&source, unfold, tick))
}

/// Runs `work` on a net; Python receives the progress and can stop the work.
fn watched<'py, T: Serialize + Send + 'static>(
    py: Python<'py>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&(dyn Fn(u64, u64) -> bool + Sync)) -> Result<T, Error> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    let work = move |ticker: &Ticker| work(&|done, total| ticker.tick(done, total).is_break());
    let report = crate::watched::watched(py, progress, work)?.map_err(errors::platform)?;
    plain::to_python(py, &report)
}

fn stop_if(stop: bool) -> ControlFlow<()> {
    if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
