//! `linecard.shot_noise`: the load of shot-noise traffic in time windows.

use crate::{request::from_python, watched::answered};
use linecard_platform::ShotNoiseRequest;
use pyo3::prelude::*;

/// Generates shot noise and measures its load in windows; see `linecard.shot_noise`.
#[pyfunction]
#[pyo3(signature = (request, *, progress))]
fn shot_noise<'py>(request: &Bound<'py, PyAny>, progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: ShotNoiseRequest = from_python(request)?;
    answered(py, progress, move |ticker| {
        linecard_platform::shot_noise_windows(&request, &mut |done, total| ticker.tick(done, total))
    })
}

/// Adds the functions of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(shot_noise, module)?)
}
