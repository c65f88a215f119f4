//! The compiled core of the Python package: plain functions, plain data in and plain data out.
//!
//! Nothing is computed here. A function gathers its arguments, releases the GIL, calls the platform, the traffic
//! reader or the caches, and hands the serialised result over as dictionaries; `python/linecard` gives them types. What can go
//! wrong is mapped to Python exceptions in one place, [`errors`]; Ctrl-C and progress are seen to in one, [`watched`].

mod capture;
mod errors;
mod flow_mix;
mod flowcache;
mod flows;
mod guard;
mod hierarchy;
mod petri;
mod plain;
mod program;
mod queueing;
mod reports;
mod request;
mod shot_noise;
mod watched;

use linecard_platform::{CheckRequest, MemoryOptions, RunRequest};
use linecard_traffic::generators::FlowMix;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use watched::{answered, watched};

/// Simulates one request; see `linecard.run`.
#[pyfunction]
#[pyo3(signature = (request, *, verdict, progress))]
fn run<'py>(
    request: &Bound<'py, PyAny>,
    verdict: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: RunRequest = request::from_python(request)?;
    answered(py, progress, move |ticker| {
        let run = if verdict { linecard_platform::run } else { linecard_platform::run_without_verdict };
        run(&request, &mut |progress| ticker.tick(progress.done, progress.total))
    })
}

/// Returns the JSON Schemas of requests; Python's functions, options and reference are derived from them.
#[pyfunction]
#[pyo3(signature = () -> "list[tuple[str, dict[str, Any]]]")]
fn request_schemas(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    plain::to_python(py, &linecard_platform::request_schemas())
}

/// Returns the JSON Schemas of the reports of this module, by Python package.
#[pyfunction]
#[pyo3(signature = () -> "list[tuple[str, dict[str, Any]]]")]
fn report_schemas(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    plain::to_python(py, &reports::schemas())
}

/// Simulates flow caches with a capture, a file of digests or an array of digests; see `linecard.flowcache`.
#[pyfunction]
#[pyo3(name = "flowcache", signature = (source, request, *, progress))]
fn flow_cache<'py>(
    source: Bound<'py, PyAny>,
    request: &Bound<'py, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = source.py();
    let plan = flowcache::Plan::new(request::from_python(request)?)
        .map_err(|problems| errors::flowcache(errors::FlowCacheFailure::Request(problems)))?;
    let outcome = if let Ok(path) = source.extract::<String>() {
        watched(py, progress, move |ticker| plan.over_file(&path, ticker))
    } else {
        let buffer = PyBuffer::<u32>::get(&source)?;
        // PyO3 accepts one of the explicit byte orders on every machine; a native format does not state its order.
        if !matches!(buffer.format().to_bytes(), [_] | [b'@' | b'=', _]) {
            return Err(PyTypeError::new_err(
                "the byte order of the array differs from the byte order of this machine",
            ));
        }
        if buffer.dimensions() != 1 || buffer.as_slice_ptr().is_none() {
            return Err(PyTypeError::new_err("the array is not contiguous, or has more than one dimension"));
        }
        watched(py, progress, move |ticker| {
            // SAFETY: The pointer is that of a contiguous buffer of u32, aligned and of this length, as
            // `as_slice_ptr` checks. Its owner may neither free nor resize it while `buffer` lives, which is until
            // the end of this block. The caller must not write to it meanwhile, as `linecard.flowcache` states.
            let digests = buffer.as_slice_ptr().map_or(&[][..], |digests| unsafe { digests.as_ref() });
            plan.over_digests(digests, ticker)
        })
    };
    plain::to_python(py, &outcome?.map_err(errors::flowcache)?)
}

/// Generates traffic from flow statistics; see `linecard.flow_mix`.
#[pyfunction]
#[pyo3(name = "flow_mix")]
fn make_flow_mix(mix: &Bound<'_, PyAny>) -> PyResult<Py<PyDict>> {
    let py = mix.py();
    let mix: FlowMix = request::from_python(mix)?;
    watched(py, None, move |_| flow_mix::make(&mix))?.map_err(errors::parameter)?.to_python(py)
}

/// Runs a DRAM part alone; see `linecard.dram`.
#[pyfunction]
#[pyo3(signature = (request, *, progress))]
fn dram<'py>(request: &Bound<'py, PyAny>, progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let options: MemoryOptions = request::from_python(request)?;
    let total = options.total();
    let request = options.into();
    answered(py, progress, move |ticker| {
        linecard_platform::run_memory(&request, &mut |accepted| ticker.tick(accepted, total))
    })
}

/// Returns the names of the shipped applications of chips.
#[pyfunction]
fn applications() -> Vec<String> {
    linecard_platform::applications()
}

/// Lists the shipped presets; see `linecard.presets`.
#[pyfunction]
#[pyo3(signature = () -> "list[dict[str, Any]]")]
fn presets(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    plain::to_python(py, &linecard_platform::presets())
}

/// Returns the unloaded latency and the peak rate of a chip's memories and units; see `linecard.check`.
#[pyfunction]
#[pyo3(signature = (request) -> "dict[str, Any]")]
fn check_chip<'py>(request: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: CheckRequest = request::from_python(request)?;
    answered(py, None, move |_| linecard_platform::check(&request))
}

/// Returns the changes that lift the limits of a chip; see `linecard.why`.
#[pyfunction]
#[pyo3(signature = (chip, overrides) -> "list[dict[str, Any]]")]
fn lifts<'py>(py: Python<'py>, chip: &str, overrides: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
    plain::to_python(py, &linecard_platform::lifts(chip, &overrides).map_err(errors::platform)?)
}

/// Returns the facts that the block diagram of a chip shows; see `linecard.draw`.
#[pyfunction]
fn chip_drawing<'py>(py: Python<'py>, chip: &str, overrides: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
    let drawing = linecard_platform::drawing(chip, &overrides).map_err(errors::platform)?;
    plain::to_python(py, &drawing)
}

/// Returns the text of a file for a new chip that is based on a preset; see `linecard.new`.
#[pyfunction]
fn chip_template(preset: &str) -> PyResult<String> {
    linecard_platform::chip_template(preset).map_err(errors::platform)
}

/// Returns every parameter of a preset; see `linecard.describe`.
#[pyfunction]
fn describe<'py>(py: Python<'py>, preset: &str, overrides: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
    let description = linecard_platform::describe(preset, &overrides).map_err(errors::platform)?;
    plain::to_python(py, &description)
}

/// Returns every key that the reader of a preset requests, with the key's declaration.
#[pyfunction]
#[pyo3(signature = (preset, overrides) -> "list[dict[str, Any]]")]
fn declared_keys<'py>(py: Python<'py>, preset: &str, overrides: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
    let keys = linecard_platform::declared(preset, &overrides).map_err(errors::platform)?;
    plain::to_python(py, &keys)
}

/// The module `linecard._core`.
#[pymodule]
#[pyo3(name = "_core")]
fn core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(flows::flows, module)?)?;
    module.add_function(wrap_pyfunction!(flow_cache, module)?)?;
    module.add_function(wrap_pyfunction!(make_flow_mix, module)?)?;
    module.add_function(wrap_pyfunction!(dram, module)?)?;
    module.add_function(wrap_pyfunction!(applications, module)?)?;
    module.add_function(wrap_pyfunction!(presets, module)?)?;
    module.add_function(wrap_pyfunction!(describe, module)?)?;
    module.add_function(wrap_pyfunction!(declared_keys, module)?)?;
    module.add_function(wrap_pyfunction!(request_schemas, module)?)?;
    module.add_function(wrap_pyfunction!(report_schemas, module)?)?;
    module.add_function(wrap_pyfunction!(check_chip, module)?)?;
    module.add_function(wrap_pyfunction!(lifts, module)?)?;
    module.add_function(wrap_pyfunction!(chip_drawing, module)?)?;
    module.add_function(wrap_pyfunction!(chip_template, module)?)?;
    module.add_function(wrap_pyfunction!(watched::worked_seconds, module)?)?;
    queueing::register(module)?;
    hierarchy::register(module)?;
    shot_noise::register(module)?;
    petri::register(module)?;
    program::register(module)?;
    guard::all_of(module)?;
    module.add_class::<program::Traced>()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
