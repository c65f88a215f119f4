//! `linecard.program` and `linecard.core`: traces of packet programs on a capture, and configurable cores.

use crate::watched::Ticker;
use crate::{errors, plain};
use linecard_platform::{
    Chips, CoreRequest, Deployment, DeploymentRequest, Error, PacketRequest, ProgramRequest, RegisterRequest,
    RowsRequest, TRACE_CACHE_BYTES, TracedProgram, XdpRequest, cached_traces, clear_cached_traces,
    core_report, deployments, register_study, rows_of_xdp, run_program, run_xdp, termination_study,
    trace_program, trace_program_cached,
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

/// Runs `work` without the GIL, with progress and Ctrl-C.
fn watched<O: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Result<O, Error> + Send + 'static,
) -> PyResult<O> {
    let work = move |ticker: &Ticker| work(&mut |done, total| ticker.tick(done, total));
    crate::watched::watched(py, progress, work)?.map_err(errors::platform)
}

/// Runs an XDP program on frames; see `linecard.xdp_run`.
#[pyfunction]
#[pyo3(signature = (file, *, name, program, maps, fib, traffic, packets, payload, seed, routes, strict, budget, cpus, interface, progress))]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn xdp_run<'py>(
    py: Python<'py>,
    file: String,
    name: String,
    program: Option<String>,
    maps: Vec<(String, String)>,
    fib: Option<String>,
    traffic: String,
    packets: u64,
    payload: String,
    seed: u64,
    routes: Option<String>,
    strict: bool,
    budget: u64,
    cpus: u32,
    interface: u32,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let packets = PacketRequest { traffic, packets, payload, seed, routes, strict };
    let request =
        XdpRequest { object: file, name, program, packets, maps, routes: fib, budget, cpus, interface };
    let report = watched(py, progress, move |tick| run_xdp(&request, tick))?;
    plain::to_python(py, &report)
}

/// Schedules an XDP program into rows; see `linecard.xdp_rows`.
#[pyfunction]
#[pyo3(signature = (file, *, name, program, lanes, kept_arguments, path_exits))]
fn xdp_rows(
    py: Python<'_>,
    file: String,
    name: String,
    program: Option<String>,
    lanes: u32,
    kept_arguments: bool,
    path_exits: bool,
) -> PyResult<Bound<'_, PyAny>> {
    let request = RowsRequest { object: file, name, program, lanes, kept_arguments, path_exits };
    let report = watched(py, None, move |_| rows_of_xdp(&request))?;
    plain::to_python(py, &report)
}

/// Traces a program on packets; see `linecard.program`.
#[pyfunction]
#[pyo3(signature = (elf, *, entry, control, traffic, packets, payload, seed, routes, strict, budget, checked, cache, cache_bytes, progress))]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn program_trace(
    py: Python<'_>,
    elf: String,
    entry: Option<String>,
    control: Option<String>,
    traffic: String,
    packets: u64,
    payload: String,
    seed: u64,
    routes: Option<String>,
    strict: bool,
    budget: u64,
    checked: bool,
    cache: Option<String>,
    cache_bytes: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Traced> {
    let packets = PacketRequest { traffic, packets, payload, seed, routes, strict };
    let request = ProgramRequest { elf, entry, control, packets, budget, checked };
    let most = cache_bytes.unwrap_or(TRACE_CACHE_BYTES);
    let (program, notes) = watched(py, progress, move |tick| match &cache {
        Some(folder) => trace_program_cached(&request, folder, most, tick),
        None => trace_program(&request, tick).map(|program| (program, Vec::new())),
    })?;
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
    watched(py, progress, move |tick| run_program(&elf, budget, tick))
}

/// Simulates every split of a core's area; see `linecard.core`.
#[pyfunction]
#[pyo3(name = "core", signature = (traced, *, latency_cycles, refs_per_cycle, area, threads, clock_mhz, events, adapt_packets, jobs, progress))]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn core_splits<'py>(
    py: Python<'py>,
    traced: &Traced,
    latency_cycles: u32,
    refs_per_cycle: f64,
    area: u32,
    threads: u32,
    clock_mhz: u32,
    events: u64,
    adapt_packets: u64,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let request =
        CoreRequest { latency_cycles, refs_per_cycle, area, threads, clock_mhz, events, adapt_packets, jobs };
    let program = Arc::clone(&traced.program);
    let report = watched(py, progress, move |tick| core_report(&program.work, &request, tick))?;
    plain::to_python(py, &report)
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
    let rows = watched(py, progress, move |tick| deployments(&program.work, &list, &request, tick))?;
    plain::to_python(py, &rows)
}

/// Compares the register schemes of a malleable core under one deployment.
#[pyfunction]
#[pyo3(signature = (traced, *, latency_cycles, refs_per_cycle, threads, cache_registers, only_predicted, events, jobs, progress) -> "list[dict[str, Any]]")]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn core_registers<'py>(
    py: Python<'py>,
    traced: &Traced,
    latency_cycles: u32,
    refs_per_cycle: f64,
    threads: u32,
    cache_registers: Vec<u32>,
    only_predicted: bool,
    events: u64,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let deployment = Deployment { latency_cycles, refs_per_cycle };
    let request = RegisterRequest { deployment, threads, cache_registers, only_predicted, events, jobs };
    let program = Arc::clone(&traced.program);
    let rows = watched(py, progress, move |tick| register_study(&program.work, &request, tick))?;
    plain::to_python(py, &rows)
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
    let found = watched(py, progress, move |tick| {
        termination_study(&program.work, deployment, threads, &packets, events, tick)
    })?;
    plain::to_python(py, &found)
}
