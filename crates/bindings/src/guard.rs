//! Keeps panics away from users of Python: `linecard._guard` wraps every function of the module, and turns a panic into
//! an `InternalError`. This file records the position of a panic, and prints nothing.

use pyo3::panic::PanicException;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The position of the last panic in any thread.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// Wraps every function that has been added to the module.
pub fn all_of(module: &Bound<'_, PyModule>) -> PyResult<()> {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
    #[cfg(debug_assertions)]
    module.add_function(wrap_pyfunction!(defect, module)?)?;
    let py = module.py();
    let guarded = py.import("linecard._guard")?.getattr("guarded")?;
    let place = wrap_pyfunction!(panicked_at, module)?;
    let panic = py.get_type::<PanicException>();
    for name in module.index()? {
        let name = name.extract::<String>()?;
        let function = module.getattr(&name)?;
        module.setattr(&name, guarded.call1((function, &panic, &place))?)?;
    }
    Ok(())
}

/// Returns the position of the last panic: file, line and column.
#[pyfunction]
fn panicked_at() -> String {
    PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Panics on a separate thread, as a defect of the core would. Tests use this function to follow a panic to Python.
/// Only builds with debug assertions contain it.
#[cfg(debug_assertions)]
#[pyfunction(name = "_defect")]
fn defect(py: Python<'_>, message: String) -> PyResult<()> {
    crate::watched::watched(py, None, move |_| panic!("{message}"))
}
