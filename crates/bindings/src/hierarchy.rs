//! `linecard.hierarchy`: the packet rates of a core and of a host that a link connects to the chip.

use crate::{errors, plain, watched::watched};
use linecard_platform::HierarchyRequest;
use pyo3::prelude::*;

/// Adds the function to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hierarchy, module)?)
}

/// Runs the processor hierarchy of a chip; see `linecard.hierarchy`.
#[pyfunction]
#[pyo3(signature = (chip, *, overrides, rate_pps, packet_bytes, message_bytes, one_in, packets, seed))]
#[allow(clippy::too_many_arguments)] // one keyword argument per field of the request
fn hierarchy<'py>(
    py: Python<'py>,
    chip: String,
    overrides: Vec<String>,
    rate_pps: f64,
    packet_bytes: u32,
    message_bytes: u32,
    one_in: u64,
    packets: u64,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let request =
        HierarchyRequest { chip, overrides, rate_pps, packet_bytes, message_bytes, one_in, packets, seed };
    let report = watched(py, None, move |_| linecard_platform::hierarchy(&request))?;
    plain::to_python(py, &report.map_err(errors::platform)?)
}
