//! The one map from Rust errors to Python exceptions. The classes are defined in `linecard.errors`.

use crate::plain;
use linecard_platform::Error;
use linecard_traffic::TrafficError;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

mod python {
    pyo3::import_exception!(linecard.errors, ConfigError);
    pyo3::import_exception!(linecard.errors, RunError);
    pyo3::import_exception!(linecard.errors, TrafficError);
}

/// An error of the platform as the exception that Python raises.
pub fn platform(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Config { problems } => Python::attach(|py| match plain::to_python(py, &problems) {
            Ok(problems) => python::ConfigError::new_err((message, problems.unbind())),
            Err(error) => error,
        }),
        Error::Traffic(_) => python::TrafficError::new_err(message),
        Error::Run(_) => python::RunError::new_err(message),
        Error::Interrupted => PyKeyboardInterrupt::new_err(message),
    }
}

/// An error of a capture as the exception that Python raises.
pub fn traffic(error: TrafficError) -> PyErr {
    python::TrafficError::new_err(error.to_string())
}
