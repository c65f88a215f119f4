//! `linecard.shot_noise`: the load of shot-noise traffic in time windows.

use crate::{errors, plain, watched::watched};
use linecard_platform::ShotNoiseRequest;
use pyo3::prelude::*;

/// Generates shot noise and measures its load in windows; see `linecard.shot_noise`.
#[pyfunction]
#[pyo3(signature = (chip, *, overrides, seed, windows, window_ms, progress))]
fn shot_noise<'py>(
    py: Python<'py>,
    chip: String,
    overrides: Vec<String>,
    seed: u64,
    windows: u32,
    window_ms: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let request = ShotNoiseRequest { chip, overrides, seed, windows, window_ms };
    let outcome = watched(py, progress, move |ticker| {
        linecard_platform::shot_noise_windows(&request, &mut |done, total| ticker.tick(done, total))
    })?;
    plain::to_python(py, &outcome.map_err(errors::platform)?)
}

/// Adds the functions of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(shot_noise, module)?)
}
