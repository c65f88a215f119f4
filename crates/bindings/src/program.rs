//! `linecard.program` and `linecard.core`: traces of packet programs on a capture, and configurable cores.

use crate::request::from_python;
use crate::watched::{Ticker, answered, watched};
use crate::{errors, plain};
use linecard_platform::{
    Chips, CoreRequest, Deployment, DeploymentRequest, ProgramRequest, RegisterRequest, RowsRequest,
    TRACE_CACHE_BYTES, TracedProgram, XdpRequest, cached_traces, clear_cached_traces, core_report,
    deployments, register_study, rows_of_xdp, run_program, run_xdp, termination_study, trace_program,
    trace_program_cached,
};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Adds these functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(program_trace, module)?)?;
    module.add_function(wrap_pyfunction!(traced_report, module)?)?;
    module.add_function(wrap_pyfunction!(traced_notes, module)?)?;
    module.add_function(wrap_pyfunction!(program_run, module)?)?;
    module.add_function(wrap_pyfunction!(xdp_run, module)?)?;
    module.add_function(wrap_pyfunction!(xdp_rows, module)?)?;
    module.add_function(wrap_pyfunction!(cache_show, module)?)?;
    module.add_function(wrap_pyfunction!(cache_clear, module)?)?;
    module.add_function(wrap_pyfunction!(core_splits, module)?)?;
    module.add_function(wrap_pyfunction!(core_deployments, module)?)?;
    module.add_function(wrap_pyfunction!(core_registers, module)?)?;
    module.add_function(wrap_pyfunction!(core_termination, module)?)?;
    Ok(())
}

/// The trace of a program, which cores replay. `program_trace` creates it.
#[pyclass(frozen)]
pub struct Traced {
    program: Arc<TracedProgram>,
    notes: Vec<String>,
}

/// Returns the statistics of the program.
#[pyfunction]
fn traced_report<'py>(py: Python<'py>, traced: &Traced) -> PyResult<Bound<'py, PyAny>> {
    plain::to_python(py, &traced.program.report)
}

/// Returns the problems with the folder of stored traces; they do not affect the trace.
#[pyfunction]
fn traced_notes(traced: &Traced) -> Vec<String> {
    traced.notes.clone()
}

/// Returns a function that reports progress.
fn tick(ticker: &Ticker) -> impl FnMut(u64, u64) -> ControlFlow<()> {
    |done, total| ticker.tick(done, total)
}

/// Runs an XDP program on frames; see `linecard.xdp_run`.
#[pyfunction]
#[pyo3(signature = (request, *, progress))]
fn xdp_run<'py>(request: &Bound<'py, PyAny>, progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: XdpRequest = from_python(request)?;
    answered(py, progress, move |ticker| run_xdp(&request, &mut tick(ticker)))
}

/// Schedules an XDP program into rows; see `linecard.xdp_rows`.
#[pyfunction]
fn xdp_rows<'py>(request: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: RowsRequest = from_python(request)?;
    answered(py, None, move |_| rows_of_xdp(&request))
}

/// Traces a program on packets; see `linecard.program`.
#[pyfunction]
#[pyo3(signature = (request, *, cache, cache_bytes, progress))]
fn program_trace(
    request: &Bound<'_, PyAny>,
    cache: Option<String>,
    cache_bytes: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Traced> {
    let py = request.py();
    let request: ProgramRequest = from_python(request)?;
    let most = cache_bytes.unwrap_or(TRACE_CACHE_BYTES);
    let traced = watched(py, progress, move |ticker| match &cache {
        Some(folder) => trace_program_cached(&request, folder, most, &mut tick(ticker)),
        None => trace_program(&request, &mut tick(ticker)).map(|program| (program, Vec::new())),
    })?;
    let (program, notes) = traced.map_err(errors::platform)?;
    Ok(Traced { program: Arc::new(program), notes })
}

/// Lists the traces in a folder, the most recently used first; see `linecard.cached_traces`.
#[pyfunction]
#[pyo3(name = "cached_traces", signature = (folder) -> "list[dict[str, Any]]")]
fn cache_show<'py>(py: Python<'py>, folder: &str) -> PyResult<Bound<'py, PyAny>> {
    let found = py.detach(|| cached_traces(folder)).map_err(errors::platform)?;
    plain::to_python(py, &found)
}

/// Removes the traces in a folder, and returns the number of removed files and bytes; see
/// `linecard.clear_cached_traces`.
#[pyfunction]
#[pyo3(name = "clear_cached_traces")]
fn cache_clear(py: Python<'_>, folder: &str) -> PyResult<(u64, u64)> {
    py.detach(|| clear_cached_traces(folder)).map_err(errors::platform)
}

/// Runs a program without packets, and returns the value of `a0` and the number of instructions; see
/// `linecard.program_run`.
#[pyfunction]
fn program_run(
    py: Python<'_>,
    elf: String,
    budget: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u32, u64)> {
    let result = watched(py, progress, move |ticker| run_program(&elf, budget, &mut tick(ticker)))?;
    result.map_err(errors::platform)
}

/// Simulates every split of a core's area; see `linecard.core`.
#[pyfunction]
#[pyo3(name = "core", signature = (traced, request, *, progress))]
fn core_splits<'py>(
    traced: &Traced,
    request: &Bound<'py, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: CoreRequest = from_python(request)?;
    let program = Arc::clone(&traced.program);
    answered(py, progress, move |ticker| core_report(&program.work, &request, &mut tick(ticker)))
}

/// Simulates every chip with every deployment (memory latency, references per cycle).
#[pyfunction]
#[pyo3(signature = (traced, list, *, events, chips, adapt_packets, per_chip, jobs, progress) -> "list[dict[str, Any]]")]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn core_deployments<'py>(
    py: Python<'py>,
    traced: &Traced,
    list: Vec<(u32, f64)>,
    events: u64,
    chips: Vec<String>,
    adapt_packets: u64,
    per_chip: bool,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let list: Vec<Deployment> = list
        .into_iter()
        .map(|(latency_cycles, refs_per_cycle)| Deployment { latency_cycles, refs_per_cycle })
        .collect();
    let chips = Chips::named(&chips).map_err(errors::platform)?;
    let request = DeploymentRequest { events, chips, adapt_packets, per_chip, jobs };
    let program = Arc::clone(&traced.program);
    answered(py, progress, move |ticker| deployments(&program.work, &list, &request, &mut tick(ticker)))
}

/// Compares the register schemes of a malleable core under one deployment.
#[pyfunction]
#[pyo3(signature = (traced, request, *, progress) -> "list[dict[str, Any]]")]
fn core_registers<'py>(
    traced: &Traced,
    request: &Bound<'py, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: RegisterRequest = from_python(request)?;
    let program = Arc::clone(&traced.program);
    answered(py, progress, move |ticker| register_study(&program.work, &request, &mut tick(ticker)))
}

/// Measures the cost of terminating a thread of a malleable core under one deployment.
#[pyfunction]
#[pyo3(signature = (traced, *, latency_cycles, refs_per_cycle, threads, packets, events, progress))]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn core_termination<'py>(
    py: Python<'py>,
    traced: &Traced,
    latency_cycles: u32,
    refs_per_cycle: f64,
    threads: u32,
    packets: Vec<u64>,
    events: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let deployment = Deployment { latency_cycles, refs_per_cycle };
    let program = Arc::clone(&traced.program);
    answered(py, progress, move |ticker| {
        termination_study(&program.work, deployment, threads, &packets, events, &mut tick(ticker))
    })
}
