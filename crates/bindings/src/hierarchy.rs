//! `linecard.hierarchy`: the packet rates of a core and of a host that a link connects to the chip.

use crate::{request::from_python, watched::answered};
use linecard_platform::HierarchyRequest;
use pyo3::prelude::*;

/// Adds the function to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hierarchy, module)?)
}

/// Runs the processor hierarchy of a chip; see `linecard.hierarchy`.
#[pyfunction]
fn hierarchy<'py>(request: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = request.py();
    let request: HierarchyRequest = from_python(request)?;
    answered(py, None, move |_| linecard_platform::hierarchy(&request))
}
