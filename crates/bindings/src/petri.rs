//! `linecard.petri`: explore, solve and simulate the net of a file.

use crate::{errors, plain};
use linecard_platform::{SimulateRequest, explore_file, simulate_file, solve_file};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Between two looks at whether it is done, and for Ctrl-C.
const PERIOD: Duration = Duration::from_millis(5);

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(petri_explore, module)?)?;
    module.add_function(wrap_pyfunction!(petri_solve, module)?)?;
    module.add_function(wrap_pyfunction!(petri_simulate, module)?)?;
    Ok(())
}

/// Explores a net; see `linecard.petri.explore`.
#[pyfunction]
#[pyo3(signature = (path, *, most_markings))]
fn petri_explore<'py>(py: Python<'py>, path: &str, most_markings: u64) -> PyResult<Bound<'py, PyAny>> {
    let report = py.detach(|| explore_file(path, most_markings)).map_err(errors::platform)?;
    plain::to_python(py, &report)
}

/// Solves a net; see `linecard.petri.solve`.
#[pyfunction]
#[pyo3(signature = (path, *, most_markings))]
fn petri_solve<'py>(py: Python<'py>, path: &str, most_markings: u64) -> PyResult<Bound<'py, PyAny>> {
    let report = py.detach(|| solve_file(path, most_markings)).map_err(errors::platform)?;
    plain::to_python(py, &report)
}

/// Simulates a net; see `linecard.petri.simulate`.
#[pyfunction]
#[pyo3(signature = (path, *, warmup, time, replications, seed, threads))]
fn petri_simulate<'py>(
    py: Python<'py>,
    path: String,
    warmup: f64,
    time: f64,
    replications: u32,
    seed: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let request = SimulateRequest { path, warmup, time, replications, seed, threads };
    let stop = AtomicBool::new(false);
    let report = std::thread::scope(|scope| {
        let work = scope.spawn(|| simulate_file(&request, &|| stop.load(Ordering::Relaxed)));
        while !work.is_finished() {
            py.detach(|| std::thread::sleep(PERIOD));
            if let Err(interrupted) = py.check_signals() {
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
