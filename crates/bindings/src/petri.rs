//! `linecard.petri`: nets from files or text.

use crate::request::from_python;
use crate::watched::{Ticker, answered};
use linecard_platform::{
    NetSource, SimulateRequest, TraceRequest, explore_net, net_to_pnml, simulate_net, solve_net, trace_net,
    view_net,
};
use pyo3::prelude::*;

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
#[pyo3(signature = (net, *, most_markings, invariants, threads, progress))]
fn petri_explore<'py>(
    net: &Bound<'py, PyAny>,
    most_markings: u64,
    invariants: bool,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let source: NetSource = from_python(net)?;
    answered(net.py(), progress, move |ticker| {
        let mut tick = |markings| ticker.tick(markings, most_markings);
        explore_net(&source, most_markings, invariants, threads, &mut tick)
    })
}

/// Solves a net; see `linecard.petri.solve`.
#[pyfunction]
#[pyo3(signature = (net, *, most_markings, progress))]
fn petri_solve<'py>(
    net: &Bound<'py, PyAny>,
    most_markings: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let source: NetSource = from_python(net)?;
    answered(net.py(), progress, move |ticker| {
        solve_net(&source, most_markings, &mut |markings| ticker.tick(markings, most_markings))
    })
}

/// Simulates a net; see `linecard.petri.simulate`.
#[pyfunction]
#[pyo3(signature = (request, *, progress))]
fn petri_simulate<'py>(
    request: &Bound<'py, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: SimulateRequest = from_python(request)?;
    answered(py, progress, move |ticker| simulate_net(&request, &stops(ticker)))
}

/// Returns the parts of a net; see `linecard.petri.parts`.
#[pyfunction]
fn petri_parts<'py>(net: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let source: NetSource = from_python(net)?;
    answered(net.py(), None, move |ticker| view_net(&source, &stops(ticker)))
}

/// Returns the firings of a run; see `linecard.petri.firings`.
#[pyfunction]
#[pyo3(signature = (net, request) -> "list[dict[str, Any]]")]
fn petri_firings<'py>(net: &Bound<'py, PyAny>, request: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (source, request): (NetSource, TraceRequest) = (from_python(net)?, from_python(request)?);
    answered(net.py(), None, move |ticker| trace_net(&source, &request, &stops(ticker)))
}

/// Converts a net to PNML; see `linecard.petri.pnml`.
#[pyfunction]
#[pyo3(signature = (net, *, unfold) -> "str")]
fn petri_pnml<'py>(net: &Bound<'py, PyAny>, unfold: bool) -> PyResult<Bound<'py, PyAny>> {
    let source: NetSource = from_python(net)?;
    answered(net.py(), None, move |ticker| net_to_pnml(&source, unfold, &stops(ticker)))
}

/// Returns a function that reports progress, and returns whether to stop.
fn stops(ticker: &Ticker) -> impl Fn(u64, u64) -> bool + Sync {
    |done, total| ticker.tick(done, total).is_break()
}
